import { defineConfig } from 'vitest/config';

import { Order } from './test/runner/order.ts';

// `unit` needs nothing but Node, `chart` needs helm; `lab` needs root, network namespaces and the real routing
// daemons; `own`, `cluster` and `failures` a real Kubernetes besides.
export default defineConfig({
  test: {
    sequence: { sequencer: Order },
    reporters: ['default', './test/runner/counts-reporter.ts'],
    projects: [
      {
        test: {
          name: 'unit',
          sequence: { groupOrder: 0 },
          include: ['packages/*/test/**/*.test.ts'],
          environment: 'node',
          testTimeout: 30_000,
          maxWorkers: '100%',
        },
      },
      {
        test: {
          name: 'chart',
          sequence: { groupOrder: 0 },
          include: ['test/chart/**/*.test.ts'],
          environment: 'node',
          testTimeout: 120_000,
          maxWorkers: '100%',
        },
      },
      {
        test: {
          name: 'lab',
          // After the unit tests: routers and clients need the processor.
          sequence: { groupOrder: 1 },
          include: ['test/lab/**/*.test.ts', 'test/soak/**/*.test.ts'],
          environment: 'node',
          testTimeout: 120_000,
          hookTimeout: 120_000,
          maxWorkers: 2,
        },
      },
      {
        test: {
          name: 'own',
          // One file, beside those of the lab: it waits for Kubernetes most of the time.
          sequence: { groupOrder: 1 },
          include: ['test/cluster/own.test.ts'],
          globalSetup: 'test/support/cluster-global.ts',
          environment: 'node',
          testTimeout: 300_000,
          hookTimeout: 600_000,
          maxWorkers: 2,
        },
      },
      {
        test: {
          name: 'cluster',
          sequence: { groupOrder: 2 },
          include: ['test/cluster/**/*.test.ts'],
          exclude: ['test/cluster/own.test.ts'],
          globalSetup: 'test/support/cluster-global.ts',
          environment: 'node',
          testTimeout: 300_000,
          hookTimeout: 600_000,
          maxWorkers: 1,
        },
      },
      {
        test: {
          name: 'failures',
          sequence: { groupOrder: 3 },
          include: ['test/failures/**/*.test.ts'],
          globalSetup: 'test/support/cluster-global.ts',
          environment: 'node',
          testTimeout: 400_000,
          hookTimeout: 600_000,
          maxWorkers: 1,
        },
      },
    ],
  },
});
