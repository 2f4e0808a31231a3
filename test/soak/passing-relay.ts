import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

/** A port that leads to another one, and goes away and comes back as a node does whose machine restarts. */
export interface PassingRelay {
  readonly port: number;
  /** Ends every connection, in the middle of whatever it is saying, and takes no new one. */
  goAway(): Promise<void>;
  comeBack(): Promise<void>;
}

export async function openRelay(target: number): Promise<PassingRelay> {
  const open = new Set<Socket>();
  let port = 0;
  let server: Server | null = null;
  const comeBack = async () => {
    server = createServer((near) => {
      const far = connect(target, '127.0.0.1');
      for (const [one, other] of [
        [near, far],
        [far, near],
      ] as const) {
        open.add(one);
        one.on('error', () => {});
        one.once('close', () => {
          open.delete(one);
          other.destroy();
        });
        one.pipe(other);
      }
    });
    server.listen(port, '127.0.0.1');
    await once(server, 'listening');
    port = (server.address() as AddressInfo).port;
  };
  await comeBack();
  return {
    port,
    comeBack,
    goAway: async () => {
      const closed = server === null ? null : once(server, 'close');
      server?.close();
      for (const socket of open) socket.destroy();
      await closed;
    },
  };
}
