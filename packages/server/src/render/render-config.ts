// The settings of the process and the sessions that bgpd is configured with, secrets masked.

import type { Views } from '../views.ts';
import { renderPlain, type Plain } from './plain.ts';

export interface ConfigView {
  readonly settings: Plain;
  readonly sessions: Plain;
}

export function renderConfig(views: Views): ConfigView {
  return { settings: renderPlain(views.settings), sessions: renderPlain(views.decision.sessions) };
}
