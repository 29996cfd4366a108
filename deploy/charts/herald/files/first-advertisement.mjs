// Makes the BGPAdvertisement `default` unless there is one. Its kind comes with the same release, and the API server
// serves it a moment later (some seconds where there are several API servers), so it is tried until it is taken.
import { readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';

const ACCOUNT = '/var/run/secrets/kubernetes.io/serviceaccount';
const { KUBERNETES_SERVICE_HOST: host, KUBERNETES_SERVICE_PORT: port, ADVERTISEMENT: body } = process.env;
const address = host.includes(':') ? `[${host}]` : host;
const url = `https://${address}:${port}/apis/heraldbgp.io/v1alpha1/bgpadvertisements?fieldManager=herald-install`;

async function create() {
  const authorization = `Bearer ${readFileSync(`${ACCOUNT}/token`, 'utf8')}`;
  const headers = { authorization, 'content-type': 'application/json', connection: 'close' };
  const answer = await fetch(url, { method: 'POST', headers, body, signal: AbortSignal.timeout(5_000) });
  return { status: answer.status, text: await answer.text() };
}

for (let status; status !== 201 && status !== 409; ) {
  const answer = await create().catch((error) => ({ text: String(error.cause ?? error) }));
  status = answer.status;
  console.log(status ?? 'no answer', status === 201 ? 'created' : answer.text);
  if (status !== 201 && status !== 409) await delay(500);
}
