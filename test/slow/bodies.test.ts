/** The built program under bodies that never come whole. */
import { readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { BASE_PATH, PATHS } from '../../src/contract/routes.ts';
import { createKey, startServe } from '../cli/served-program.ts';
import { temporaryFolder } from '../helpers/service.ts';
import { waitFor } from '../helpers/wait-for.ts';

const CONNECTIONS = 240;
const MOST_MB = 250;

test.skipIf(process.platform !== 'linux')(
  'a key that leaves 240 bodies of 3.9 of 4 MB unfinished costs little memory, and hinders nobody',
  async () => {
    const home = await temporaryFolder();
    const { origin, port, child } = await startServe(['--demo', '--history', '1h'], { home });
    const key = await createKey({ home });
    const residentMb = () =>
      Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8'))?.[1]) / 1_024;
    const current = async () => {
      const headers = { 'x-api-key': await createKey({ home }) };
      return (await fetch(origin + BASE_PATH + PATHS.gasCurrent, { headers })).status;
    };
    await waitFor(async () => (await current()) === 200);
    let before = 0;
    // The demo reads its past first.
    await waitFor(() => {
      const last = before;
      before = residentMb();
      return Math.abs(before - last) < 1;
    });
    const head = `POST ${BASE_PATH}${PATHS.autoTxs} HTTP/1.1\r\nHost: localhost\r\nx-api-key: ${key}\r\nContent-Type: application/json\r\nContent-Length: 4000000\r\n\r\n`;
    const part = Buffer.alloc(3_900_000, 'a');
    let ended = 0;
    let most = 0;
    for (let count = 0; count < CONNECTIONS; count += 1) {
      const socket = connect(port, '127.0.0.1');
      onTestFinished(() => {
        socket.destroy();
      });
      socket.on('error', () => {});
      socket.resume();
      socket.on('close', () => {
        ended += 1;
      });
      socket.write(head);
      socket.write(part);
      most = Math.max(most, residentMb());
    }
    expect(await current()).toBe(200);
    await waitFor(() => {
      most = Math.max(most, residentMb());
      return ended === CONNECTIONS;
    });
    expect(most - before).toBeLessThan(MOST_MB);
  },
);
