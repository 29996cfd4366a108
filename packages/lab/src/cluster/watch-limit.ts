/**
 * Raises the machine's limit of inotify instances a user, where it is too low for several clusters beside each other.
 *
 * A node takes about ten (kubelet, containerd, kube-proxy), Linux gives 128; a kubelet that gets none says "too many
 * open files" and is never Ready. The limit counts for root as a whole, so it cannot be set for a node alone; it is
 * left raised, since another cluster may have begun to use it.
 */
import { readFileSync, writeFileSync } from 'node:fs';

const WATCH_LIMIT_FILE = '/proc/sys/fs/inotify/max_user_instances';
const WANTED = 1_024;

export function raiseWatchLimit(file = WATCH_LIMIT_FILE): void {
  if (Number(readFileSync(file, 'utf8')) < WANTED) writeFileSync(file, `${WANTED}`);
}
