// A Namespace: only its labels matter, for pools that are pinned to namespaces by label.

import type { Meta } from './meta.ts';

export interface Namespace extends Meta {
  readonly kind: 'Namespace';
}
