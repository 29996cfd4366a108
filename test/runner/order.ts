// The order of test files: what needs clusters of its own begins first among those beside it, because it takes longest.

import { BaseSequencer, type TestSpecification } from 'vitest/node';

const OWN = '/test/cluster/own.test.ts';

export class Order extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    return [...sorted.filter(isOwn), ...sorted.filter((file) => !isOwn(file))];
  }
}

function isOwn({ moduleId }: TestSpecification): boolean {
  return moduleId.endsWith(OWN);
}
