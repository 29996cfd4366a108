// Ends well when every replica answers that it is ready.
import { lookup } from 'node:dns/promises';
import { get as getPlain } from 'node:http';
import { get as getOverTls } from 'node:https';

const { HERALD_HOST: host, HERALD_PORT: port, HERALD_SCHEME: scheme } = process.env;
const get = scheme === 'https' ? getOverTls : getPlain;

function readiness(address) {
  const options = { host: address, servername: host, port, path: '/readyz', timeout: 10_000 };
  return new Promise((resolve, reject) => {
    get(options, (answer) => {
      answer.setEncoding('utf8');
      let text = '';
      answer.on('data', (more) => (text += more));
      answer.on('end', () => resolve(`${answer.statusCode} ${text}`));
    }).on('error', reject);
  });
}

const addresses = await lookup(host, { all: true });
for (const { address } of addresses) {
  const answer = await readiness(address);
  console.log(`${address}: ${answer}`);
  if (!answer.startsWith('200')) process.exitCode = 1;
}
