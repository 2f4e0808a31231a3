/** A real HTTP server that takes webhooks and checks their signatures as a receiver would by the README alone. */
import { createHmac, timingSafeEqual } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders } from 'node:http';

export interface ReceivedHook {
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  readonly body: Readonly<Record<string, unknown>>;
  /** When it came, ms. */
  readonly at: number;
}

export interface WebhookReceiver {
  readonly url: string;
  /** In the order in which they came. */
  readonly hooks: readonly ReceivedHook[];
  stop(): Promise<void>;
}

export async function startWebhookReceiver(): Promise<WebhookReceiver> {
  const hooks: ReceivedHook[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const text = Buffer.concat(chunks).toString('utf8');
      hooks.push({ headers: request.headers, text, body: JSON.parse(text), at: Date.now() });
      response.writeHead(200).end('ok');
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the receiver has no port');
  return {
    url: `http://127.0.0.1:${address.port}/hook`,
    hooks,
    stop: () =>
      new Promise((done) => {
        server.close(() => done());
        server.closeAllConnections();
      }),
  };
}

/** Whether `secret` signed exactly this text, and did so within five minutes of its coming. */
export function isSigned({ headers, text, at }: ReceivedHook, secret: string): boolean {
  const signature = /^t=(\d+),v1=([0-9a-f]{64})$/.exec(String(headers['x-gastop-signature']));
  if (signature === null) return false;
  const [, time = '', hex = ''] = signature;
  const wanted = createHmac('sha256', secret).update(`${time}.${text}`).digest();
  return timingSafeEqual(wanted, Buffer.from(hex, 'hex')) && Math.abs(at / 1_000 - Number(time)) < 300;
}
