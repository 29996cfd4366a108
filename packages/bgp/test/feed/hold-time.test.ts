// The one test that lets real time pass: the shortest hold time that BGP allows is three seconds.

import { describe, expect, it } from 'vitest';
import { dialling, syncedWith, TABLE } from './loopback.ts';

describe('a lost session', () => {
  it('follows silence longer than the hold time', async () => {
    const setup = await dialling({ holdTimeSeconds: 3 });
    await syncedWith(setup, TABLE);
    const [first] = setup.receiver.sessions;
    await setup.receiver.until(() => first?.notification !== undefined);
    expect(first?.notification).toMatchObject({ code: 4, subcode: 0 });
    expect(setup.problems).toMatchObject([{ reason: 'HoldTimerExpired' }]);
  });
});
