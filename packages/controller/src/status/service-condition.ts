// The condition heraldbgp.io/Advertised of a Service. It says whether the Service is announced at all and, if
// not, why: no count, no peer, no state of a session, because every write to a Service reaches every
// kube-proxy. One value for each reason, shared by all Services that have it.

import { REASONS, type Reason } from '@herald/api';
import type { ServiceVerdict } from '@herald/decision';

import type { ServiceCondition } from './wanted-status.ts';

type VerdictReason = ServiceVerdict['reason'];

/** None of Herald's business, and so not written to. */
const FOREIGN: ReadonlySet<VerdictReason> = new Set<VerdictReason>(['NotLoadBalancer', 'NotOurClass']);

const ADVERTISED: ServiceCondition = {
  status: 'True',
  reason: 'Advertised',
  message: 'Herald announces the addresses of the Service; the BGPPeers show which routers hear it.',
};

const REFUSED = new Map(
  Object.entries(REASONS).map(([reason, message]): [string, ServiceCondition] => [
    reason,
    { status: 'False', reason, message },
  ]),
);

/** `unmet`: why the Service lacks an address, which says more than that it has none. */
export function serviceCondition(
  { announced, reason }: ServiceVerdict,
  unmet?: Reason,
): ServiceCondition | undefined {
  if (FOREIGN.has(reason)) {
    return undefined;
  }
  return announced ? ADVERTISED : REFUSED.get(reason === 'NoAddress' ? (unmet ?? reason) : reason);
}
