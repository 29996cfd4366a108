// Every failure, in the order in which they are tried.

import { API_ROWS } from './api-rows.ts';
import { HERALD_ROWS } from './herald-rows.ts';
import { NETWORK_ROWS } from './network-rows.ts';

export const ROWS = [...HERALD_ROWS, ...API_ROWS, ...NETWORK_ROWS] as const;
