// What SIGTERM and SIGINT mean to a process that has something to end: the first signal asks, a second one
// insists, and after a bounded time the process ends all the same.

/** `withinMs`: how long a shutdown may take. */
export function onTermination(stop: () => Promise<void>, withinMs: number): void {
  let asked = false;
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.on(signal, () => {
      if (asked) {
        process.exit(1);
      }
      asked = true;
      setTimeout(() => process.exit(1), withinMs).unref();
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
