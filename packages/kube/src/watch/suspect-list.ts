// Fail static: a list that lost more than half of what is known is more often a server that is wrong (a
// cache that is still filling, an empty etcd, another cluster behind the address) than a cluster that lost
// its objects. Deletions that a watch reports one by one are evidence and do not pass through here.

/** Whether a list of `listed` objects has to be confirmed before what it lacks is removed. */
export function isSuspect(known: number, listed: number): boolean {
  return listed * 2 < known;
}
