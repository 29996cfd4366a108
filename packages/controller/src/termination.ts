// What SIGTERM and SIGINT mean to a process that has something to end: the first signal asks, a second one
// insists, and after a bounded time the process ends all the same.

/** How long a shutdown may take, in milliseconds. */
const SHUTDOWN_MS = 10_000;

export function onTermination(stop: () => Promise<void>): void {
  let asked = false;
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.on(signal, () => {
      if (asked) {
        process.exit(1);
      }
      asked = true;
      setTimeout(() => process.exit(1), SHUTDOWN_MS).unref();
      void end(stop);
    });
  }
}

/** A shutdown that fails has nothing left to end. */
async function end(stop: () => Promise<void>): Promise<void> {
  const code = await stop().then(
    () => 0,
    () => 1,
  );
  process.exit(code);
}
