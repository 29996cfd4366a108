// The time that other programs of the machine tell too (ip monitor, tcpdump), but as fine as Node's own clock. Node
// ties its fine clock to the time of day once, when the process begins; a machine whose clock is set later (a
// virtual one that was paused) then differs by all of that from what the kernel's monitors say. What this
// process alone measures takes performance.now(), which nobody sets.

/** Date.now() leaves out what is below a millisecond; a difference beyond that means that the clock was set or slewed. */
const COARSE_MS = 1.5;

let originMs = performance.timeOrigin;

/** Milliseconds since the epoch, with fractions. A clock that is set between two calls still spoils their difference. */
export function wallClockMs(): number {
  const fineMs = originMs + performance.now();
  const behindMs = Date.now() - fineMs;
  if (Math.abs(behindMs) > COARSE_MS) {
    originMs += behindMs;
  }
  return originMs + performance.now();
}
