// What can go wrong between this process and bgpd's vty socket, as one error class with a code.
// The message names the command only after its secrets are masked; bgpd's own answer is masked the same way.

import { maskSecrets } from '../log/mask-secrets.ts';

export type VtyErrorCode =
  | 'Unreachable' /* no socket, refused, or bgpd closed it */
  | 'Rejected' /* bgpd answered with a status that is not success */
  | 'Timeout' /* no complete answer within the bound */
  | 'AnswerTooLong' /* more bytes than the bound */
  | 'Malformed'; /* a command that cannot be sent, or an answer that is not what was asked for */

export class VtyError extends Error {
  override readonly name = 'VtyError';
  readonly code: VtyErrorCode;
  readonly command: string;

  constructor(code: VtyErrorCode, command: string, problem: string) {
    super(`bgpd vty, command "${maskSecrets(command)}": ${maskSecrets(problem)}`);
    this.code = code;
    this.command = maskSecrets(command);
  }
}
