import { expect, test } from 'vitest';

import { podIdentity } from '../src/replica-identity.ts';
import { SettingsInvalid } from '../src/settings-file.ts';

const POD = { POD_NAME: 'herald-0', POD_NAMESPACE: 'herald', POD_UID: 'u-1', NODE_NAME: 'cp-1' };

test('a pod knows itself by its environment', () => {
  expect(podIdentity({ ...POD, POD_IP: '10.0.0.7' }).address).toBe('10.0.0.7');
  expect(podIdentity(POD)).toEqual({
    name: 'herald-0',
    namespace: 'herald',
    uid: 'u-1',
    node: 'cp-1',
    address: '',
  });
});

test.for(['POD_NAME', 'POD_NAMESPACE', 'POD_UID', 'NODE_NAME'])('%s is named when it is missing', (name) => {
  const asked = (): unknown => podIdentity({ ...POD, [name]: '' });
  expect(asked).toThrow(SettingsInvalid);
  expect(asked).toThrow(`needs these environment variables: ${name}`);
});

test('all that is missing is named at once', () => {
  expect(() => podIdentity({})).toThrow('POD_NAME, POD_NAMESPACE, POD_UID, NODE_NAME');
});
