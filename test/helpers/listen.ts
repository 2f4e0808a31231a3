import { once } from 'node:events';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

/** Those below the ports that the system gives to whoever asks, connections included. */
const LOWEST = 10_000;
const WORKERS = 64;
const EACH = 340;
const REOPEN_MS = 30_000;
const PAUSE_MS = 50;

let taken = process.pid;

/**
 * Each worker of Vitest has its own ports, other ones than those of another run on the machine, as far as there are enough: once a
 * server is stopped, nothing else answers in its place, and it can come back there.
 */
const ownPort = () => {
  const worker = (process.ppid + Number(process.env.VITEST_POOL_ID ?? 0)) % WORKERS;
  return LOWEST + worker * EACH + (taken++ % EACH);
};

/** A port to start a program on that is to come back there: no connection of the system's takes it meanwhile. */
export async function freePort(): Promise<number> {
  const { port, stop } = await listen(createServer());
  await stop();
  return port;
}

/** On a port of its own, or the `wanted` one, where it waits for whoever has it. */
export async function listen(
  server: Server & { closeAllConnections?(): void },
  wanted = 0,
  host = '127.0.0.1',
) {
  const until = performance.now() + REOPEN_MS;
  for (let isListening = false; !isListening; ) {
    server.listen(wanted || ownPort(), host);
    isListening = await once(server, 'listening').then(
      () => true,
      (error) => {
        if (error.code !== 'EADDRINUSE' || (wanted !== 0 && performance.now() > until)) throw error;
        return false;
      },
    );
    if (!isListening && wanted !== 0) await sleep(PAUSE_MS);
  }
  const { port } = server.address() as AddressInfo;
  const stop = async () => {
    if (!server.listening) return;
    const closed = once(server, 'close');
    server.close();
    server.closeAllConnections?.();
    await closed;
  };
  return { port, origin: `http://${host}:${port}`, stop };
}
