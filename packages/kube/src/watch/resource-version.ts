// Order of resource versions. Kubernetes promises since 1.35 that those of one collection are decimal
// numbers that grow; older servers do it too. They may exceed what a JavaScript number holds.

const DECIMAL = /^[1-9][0-9]*$/;

/** Whether `next` lies before `known`: the server's data went back in time. False if they do not compare. */
export function runsBackwards(known: string, next: string): boolean {
  if (!DECIMAL.test(known) || !DECIMAL.test(next)) {
    return false;
  }
  return next.length === known.length ? next < known : next.length < known.length;
}
