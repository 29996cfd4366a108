import { expect, test } from 'vitest';

import { collectedLog } from './collected-log.ts';

test('a line is JSON with a time, a level by name, and nothing about the process', () => {
  const { logger, lines } = collectedLog();
  logger.warn({ event: 'fault', field: 'spec' }, 'a sentence');
  expect(lines).toEqual([
    {
      level: 'warn',
      time: expect.stringMatching(/^\d{4}-.*Z$/),
      event: 'fault',
      field: 'spec',
      msg: 'a sentence',
    },
  ]);
});

test.for([
  { what: 'a password', fields: { password: 'hunter2' } },
  { what: 'the password of a peer', fields: { peer: { password: 'hunter2' } } },
  { what: 'the data of a Secret', fields: { secret: { data: { key: 'hunter2' } } } },
  { what: 'data', fields: { data: 'hunter2' } },
])('$what is not written', ({ fields }) => {
  const { logger, lines } = collectedLog();
  logger.error(fields, 'a sentence');
  expect(JSON.stringify(lines)).not.toContain('hunter2');
  expect(JSON.stringify(lines)).toContain('[hidden]');
});

test('what is less important than the level is not written', () => {
  const { logger, lines } = collectedLog('warn');
  logger.info('no');
  logger.warn('yes');
  expect(lines.map(({ msg }) => msg)).toEqual(['yes']);
});
