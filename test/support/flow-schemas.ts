// How the API server's priority and fairness has sorted requests, from what it counts itself.

import type { Cluster } from '@herald/lab';

/** Requests that were served so far by way of a FlowSchema, by their priority level. */
export async function servedUnder(
  cluster: Cluster,
  flowSchema: string,
): Promise<Readonly<Record<string, number>>> {
  const lines = (await cluster.kubectl(['get', '--raw', '/metrics'])).split('\n');
  const served = lines.filter(
    (line) =>
      line.startsWith('apiserver_flowcontrol_dispatched_requests_total{') &&
      line.includes(`flow_schema="${flowSchema}"`),
  );
  return Object.fromEntries(
    served.map((line) => [
      /priority_level="(?<level>[^"]*)"/.exec(line)?.groups?.['level'] ?? '',
      Number(line.slice(line.lastIndexOf(' '))),
    ]),
  );
}
