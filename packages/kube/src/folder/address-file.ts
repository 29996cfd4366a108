// Keeps the addresses that were given to Services in a file, so that a restart gives nobody another one.
// Written to a temporary file, flushed and renamed, so that a crash leaves the old or the new content;
// readable by the owner only. A file that cannot be read back is set aside, never overwritten.

import { mkdir, open, readFile, rename } from 'node:fs/promises';
import { dirname } from 'node:path';
import { accepted, parseAddress, refused, type Address, type Parsed } from '@herald/net';
import { isAbsence } from './walk-folder.ts';

export interface KeptAddresses {
  readonly uid: string;
  readonly addresses: readonly Address[];
}

/** By namespace/name of the Service. */
export type AddressBook = ReadonlyMap<string, KeptAddresses>;

export async function loadAddresses(path: string): Promise<Parsed<AddressBook>> {
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (error) {
    return isAbsence(error) ? accepted(new Map()) : refused(`cannot be read (${codeOf(error)})`);
  }
  const book = parseBook(text);
  if (!book.ok) {
    await rename(path, `${path}.unreadable`);
  }
  return book;
}

export async function saveAddresses(path: string, book: AddressBook): Promise<void> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const temporary = `${path}.new`;
  const file = await open(temporary, 'w', 0o600);
  try {
    await file.chmod(0o600);
    await file.writeFile(renderBook(book));
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(temporary, path);
}

function renderBook(book: AddressBook): string {
  const services = [...book]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([service, kept]) => ({ service, uid: kept.uid, addresses: kept.addresses.map((a) => a.text) }));
  return `${JSON.stringify({ version: 1, services }, null, 1)}\n`;
}

function parseBook(text: string): Parsed<AddressBook> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return refused('is not well-formed JSON');
  }
  const services = (value as { services?: unknown } | null)?.services;
  if (!Array.isArray(services)) {
    return refused('has no list of services');
  }
  return parseEntries(services);
}

function parseEntries(entries: readonly unknown[]): Parsed<AddressBook> {
  const book = new Map<string, KeptAddresses>();
  for (const [i, entry] of entries.entries()) {
    const { service, uid, addresses } = (entry ?? {}) as Record<string, unknown>;
    const parsed = Array.isArray(addresses) ? addresses.map((text) => parseAddress(String(text))) : [];
    const values = parsed.filter((address) => address.ok).map((address) => address.value);
    if (typeof service !== 'string' || typeof uid !== 'string' || values.length !== parsed.length) {
      return refused(`has an entry that is not one: services[${i}]`);
    }
    book.set(service, { uid, addresses: values });
  }
  return accepted(book);
}

function codeOf(error: unknown): string {
  return (error as NodeJS.ErrnoException).code ?? 'unknown error';
}
