import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';

/** `silence`: the answer is lost, and the connection stays. */
type Lost = 'request' | 'answer' | 'silence';

/** A way to a PostgreSQL server on which connections break while a statement is under way. It ends with the test. */
export async function lossyProxy(url: string) {
  const target = new URL(url);
  let breaks: { readonly statement: RegExp; readonly lost: Lost; times: number } | null = null;
  const sockets = new Set<Socket>();
  const proxy = createServer((client) => {
    const server = connect(Number(target.port), target.hostname);
    let isLost = false;
    const end = () => {
      client.destroy();
      server.destroy();
    };
    for (const socket of [client, server]) {
      sockets.add(socket);
      socket.on('error', end).on('close', end);
    }
    client.on('data', (bytes) => {
      if (breaks !== null && breaks.times > 0 && breaks.statement.test(bytes.toString('latin1'))) {
        breaks.times -= 1;
        isLost = true;
        if (breaks.lost === 'request') return end();
      }
      server.write(bytes);
    });
    // PostgreSQL answers once the statement is committed.
    server.on('data', (bytes) => {
      if (!isLost) client.write(bytes);
      else if (breaks?.lost !== 'silence') end();
    });
  });
  proxy.listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    proxy.close();
  });
  const address = proxy.address();
  const through = new URL(url);
  through.hostname = '127.0.0.1';
  through.port = String(typeof address === 'object' ? address?.port : '');
  return {
    url: through.href,
    /** The next `times` statements that match lose their connection: before they arrive, or with their answer. */
    lose: (lost: Lost, statement: RegExp, times = 1) => {
      breaks = { statement, lost, times };
    },
    /** How many of them are still to come. */
    left: () => breaks?.times ?? 0,
  };
}
