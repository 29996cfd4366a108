// Ends well when every replica answers that it is ready. They are found by the EndpointSlices of their Service, which
// hold those that are not ready as well; a DNS is not needed.
import { readFileSync } from 'node:fs';
import { get as getPlain } from 'node:http';
import { get as getOverTls } from 'node:https';

const ACCOUNT = '/var/run/secrets/kubernetes.io/serviceaccount';
const { KUBERNETES_SERVICE_HOST: host, KUBERNETES_SERVICE_PORT: apiPort } = process.env;
const { HERALD_SERVICE: service, HERALD_NAMESPACE: namespace, HERALD_REPLICAS: replicas } = process.env;
const { HERALD_PORT: port, HERALD_SCHEME: scheme } = process.env;

function read(get, options) {
  return new Promise((resolve, reject) => {
    get({ timeout: 10_000, ...options }, (answer) => {
      answer.setEncoding('utf8');
      let text = '';
      answer.on('data', (more) => (text += more));
      answer.on('end', () => resolve({ status: answer.statusCode, text }));
    }).on('error', reject);
  });
}

async function replicaAddresses() {
  const path = `/apis/discovery.k8s.io/v1/namespaces/${namespace}/endpointslices?labelSelector=kubernetes.io/service-name=${service}`;
  const headers = { authorization: `Bearer ${readFileSync(`${ACCOUNT}/token`, 'utf8')}` };
  const ca = readFileSync(`${ACCOUNT}/ca.crt`);
  const { status, text } = await read(getOverTls, { host, port: apiPort, path, headers, ca });
  if (status !== 200) throw new Error(`the replicas cannot be listed: ${status} ${text}`);
  return JSON.parse(text).items.flatMap(({ endpoints }) => endpoints ?? []).map(({ addresses }) => addresses[0]);
}

function readiness(address) {
  const servername = `${service}.${namespace}.svc`;
  return read(scheme === 'https' ? getOverTls : getPlain, { host: address, servername, port, path: '/readyz' });
}

const addresses = await replicaAddresses();
console.log(`${addresses.length} of ${replicas} replicas run`);
if (addresses.length < Number(replicas)) process.exitCode = 1;
for (const address of addresses) {
  const { status, text } = await readiness(address);
  console.log(`${address}: ${status} ${text}`);
  if (status !== 200) process.exitCode = 1;
}
