// The order of test files: those that start a cluster of their own come before those that share one, so that no
// machine has to run two.

import { BaseSequencer, type TestSpecification } from 'vitest/node';

const OWN = '/test/cluster/own/';

export class Order extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    return [...sorted.filter(isOwn), ...sorted.filter((file) => !isOwn(file))];
  }
}

function isOwn({ moduleId }: TestSpecification): boolean {
  return moduleId.includes(OWN);
}
