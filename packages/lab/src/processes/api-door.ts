/**
 * Runs in the API server's namespace and serves a listening socket of the machine's own loopback: what connects there
 * is passed on to the API server, byte for byte.
 *
 * The socket comes by the process's message channel; the target by its arguments. Ends with the channel.
 */
import { connect } from 'node:net';
import type { Server, Socket } from 'node:net';

const [, , host = '', port = ''] = process.argv;

process.on('message', (_message, handle) => {
  (handle as Server).on('connection', passOn);
  process.send?.('open');
});
process.on('disconnect', () => process.exit(0));

function passOn(near: Socket): void {
  const far = connect({ host, port: Number(port), noDelay: true });
  near.setNoDelay(true);
  near.on('error', () => far.destroy());
  far.on('error', () => near.destroy());
  near.on('close', () => far.destroy());
  far.on('close', () => near.destroy());
  near.pipe(far);
  far.pipe(near);
}
