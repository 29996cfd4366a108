// Why a session is not up, or why it was last lost, in bgpd's own words: one neighbour's JSON -> a
// sentence, '' if there is nothing to say.
//
// bgpd also calls it a reset when a line of its configuration changed before the session was ever up;
// while a session is up, only the loss of an earlier one is news.

import { isTrue, numberField, textField } from './json-fields.ts';
import type { JsonObject } from './json-fields.ts';

export function sessionError(neighbor: JsonObject): string {
  const established = textField(neighbor, 'bgpState') === 'Established';
  if (established && (numberField(neighbor, 'connectionsDropped') ?? 0) === 0) {
    return '';
  }
  const cause = textField(neighbor, 'lastResetDueTo') ?? '';
  const notification = textField(neighbor, 'lastNotificationReason')?.replace(/^\/+/, '') ?? '';
  const message = textField(neighbor, 'lastShutdownDescription') ?? '';
  const hard = isTrue(neighbor, 'lastNotificationHardReset') ? 'hard reset' : '';
  const details = [notification, hard, message].filter((text) => text !== '').join(', ');
  return details === '' || cause === '' ? cause : `${cause}: ${details}`;
}
