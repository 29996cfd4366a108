// Runs in a pod's network namespace for a moment: makes a listening socket on its loopback and hands it to the process
// that started it.

import { createServer } from 'node:net';

const server = createServer();
server.listen(Number(process.argv[2]), '127.0.0.1', () => {
  process.send?.('listening', server);
});
process.on('disconnect', () => process.exit(0));
