import { defineConfig } from 'vitest/config';

// `unit` needs nothing but Node; `lab` needs root, network namespaces and the real routing daemons.
export default defineConfig({
  test: {
    reporters: ['default', './test/runner/counts-reporter.ts'],
    projects: [
      {
        test: {
          name: 'unit',
          sequence: { groupOrder: 0 },
          include: ['packages/*/test/**/*.test.ts'],
          environment: 'node',
          testTimeout: 30_000,
        },
      },
      {
        test: {
          name: 'lab',
          // After the unit tests: routers and clients need the processor to themselves.
          sequence: { groupOrder: 1 },
          include: ['test/lab/**/*.test.ts'],
          environment: 'node',
          testTimeout: 120_000,
          hookTimeout: 120_000,
          maxWorkers: 2,
        },
      },
    ],
  },
});
