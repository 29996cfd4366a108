import { expect, test } from 'vitest';

import { lonelyIdentity, ordinalOf, podIdentity } from '../src/replica-identity.ts';
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

test('ordinals stay with the pod, leave room for every standby rank, and differ between pods', () => {
  const ordinals = Array.from({ length: 100 }, (_, index) =>
    ordinalOf({ ...podIdentity(POD), uid: `u-${index}` }),
  );
  expect(new Set(ordinals).size).toBe(100);
  expect(ordinals.every((ordinal) => ordinal >= 0 && 4_100_000_000 + ordinal < 2 ** 32)).toBe(true);
  expect(ordinalOf({ ...podIdentity(POD), uid: 'u-0' })).toBe(ordinals[0]);
});

test('a replica that is alone comes first', () => {
  expect(ordinalOf(lonelyIdentity({}))).toBe(0);
});
