// Closes a test run with one plain line, `N passed, N failed, N skipped`, for machines that read the log.

import type { Reporter, TestModule } from 'vitest/node';

export default class CountsReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], unhandledErrors: readonly unknown[]): void {
    const counts = { passed: 0, failed: unhandledErrors.length, skipped: 0, pending: 0 };
    for (const module of modules) {
      counts.failed += module.errors().length;
      for (const test of module.children.allTests()) {
        counts[test.result().state] += 1;
      }
    }
    const skipped = counts.skipped + counts.pending;
    process.stdout.write(`${counts.passed} passed, ${counts.failed} failed, ${skipped} skipped\n`);
  }
}
