// A program for a pod: the least that can feed bgpd. Says a recorded OPEN, waits until bgpd says KEEPALIVE,
// writes the recorded octets in one piece, and then whatever it is given on standard input, one message a
// line. No state machine, no table, no timers: what bgpd and the kernel need beneath any feed.
//
// Arguments: file with the OPEN, file with everything behind it. Prints `established EPOCH_MS` and, for each
// message written later, `sent EPOCH_MS`. Standard input: messages in base64.

import { readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { createInterface } from 'node:readline';
import { wallClockMs } from './wall-clock.ts';

const BGPD = { host: '127.0.0.1', port: 1790, localAddress: '127.0.0.2' };
/** Well below the hold time that the recorded OPEN asks for. */
const KEEPALIVE_INTERVAL_MS = 5000;
const TYPE_OFFSET = 18;
const KEEPALIVE_TYPE = 4;
/** RFC 4271 section 4.4: the header alone. */
const KEEPALIVE = Buffer.from([...Array.from({ length: 16 }, () => 0xff), 0, 19, KEEPALIVE_TYPE]);

const [openFile = '', tableFile = ''] = process.argv.slice(2);
const table = readFileSync(tableFile);
const socket = connect(BGPD);
let answer = Buffer.alloc(0);
let isEstablished = false;

socket.setNoDelay(true);
socket.on('connect', () => socket.write(readFileSync(openFile)));
socket.on('data', (chunk: Buffer) => {
  if (!isEstablished) {
    answer = Buffer.concat([answer, chunk]);
    readAnswer();
  }
});
socket.on('close', () => process.exit(1));

/** bgpd's OPEN, then its KEEPALIVE; what comes behind them is of no interest. */
function readAnswer(): void {
  while (!isEstablished && answer.length > TYPE_OFFSET && answer.length >= answer.readUInt16BE(16)) {
    const isKeepalive = answer[TYPE_OFFSET] === KEEPALIVE_TYPE;
    answer = answer.subarray(answer.readUInt16BE(16));
    if (isKeepalive) {
      established();
    } else {
      socket.write(KEEPALIVE);
    }
  }
}

function established(): void {
  isEstablished = true;
  say('established');
  socket.write(table);
  setInterval(() => socket.write(KEEPALIVE), KEEPALIVE_INTERVAL_MS);
  createInterface({ input: process.stdin }).on('line', (line) => {
    const message = Buffer.from(line, 'base64');
    const atMs = wallClockMs();
    socket.write(message);
    process.stdout.write(`sent ${atMs}\n`);
  });
}

function say(what: string): void {
  process.stdout.write(`${what} ${wallClockMs()}\n`);
}
