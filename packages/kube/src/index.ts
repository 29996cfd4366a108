export { FolderSource } from './folder/folder-source.ts';
export type { FolderOptions, FolderTimes } from './folder/folder-source.ts';
export { readFolder } from './folder/read-folder.ts';
export type { FolderContent } from './folder/read-folder.ts';
export type { AddressWrite, Source } from './source.ts';
export type { Unsubscribe } from './stores/change-signal.ts';
export type { ObjectSet } from './stores/object-set.ts';
