import { once } from 'node:events';
import type { AddressInfo, Server } from 'node:net';

let taken = process.pid;

/**
 * Each worker of Vitest has its own ports, below those that the system gives: once a server is stopped, nothing else
 * answers in its place.
 */
const ownPort = () => 10_000 + (Number(process.env.VITEST_POOL_ID ?? 0) % 20) * 1_000 + (taken++ % 1_000);

export async function listen(
  server: Server & { closeAllConnections?(): void },
  wanted = 0,
  host = '127.0.0.1',
) {
  for (let isListening = false; !isListening; ) {
    server.listen(wanted || ownPort(), host);
    isListening = await once(server, 'listening').then(
      () => true,
      (error) => {
        if (wanted !== 0 || error.code !== 'EADDRINUSE') throw error;
        return false;
      },
    );
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
