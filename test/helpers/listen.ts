import { once } from 'node:events';
import type { AddressInfo, Server } from 'node:net';

export async function listen(server: Server & { closeAllConnections?(): void }, wanted = 0) {
  server.listen(wanted, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const stop = async () => {
    if (!server.listening) return;
    const closed = once(server, 'close');
    server.close();
    server.closeAllConnections?.();
    await closed;
  };
  return { port, origin: `http://127.0.0.1:${port}`, stop };
}
