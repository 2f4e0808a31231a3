import { readFileSync } from 'node:fs';
import http, { type IncomingMessage, type ServerResponse } from 'node:http';
import https from 'node:https';
import { onTestFinished } from 'vitest';
import { listen } from './listen.ts';

export function certificate(name: 'ca' | 'good' | 'expired' | 'other-host' | 'self-signed' | 'key'): string {
  return readFileSync(new URL(`../fixtures/certificates/${name}.pem`, import.meta.url), 'utf8');
}

export interface Received {
  readonly path: string;
  readonly headers: http.IncomingHttpHeaders;
  readonly body: string;
}

/** What a receiver does once it has read a request; by default 200 and `ok`. */
export type Behaviour = (response: ServerResponse, received: Received) => void;
export type Receiver = Awaited<ReturnType<typeof openReceiver>>;

export const answering =
  (status: number, body = '', headers: Record<string, string> = {}): Behaviour =>
  (response) =>
    response.writeHead(status, headers).end(body);

export interface ReceiverOptions {
  readonly tls?: 'good' | 'expired' | 'other-host' | 'self-signed';
  readonly port?: number;
  readonly host?: string;
}

export async function startReceiver(behaviour?: Behaviour, options?: ReceiverOptions): Promise<Receiver> {
  const receiver = await openReceiver(behaviour, options);
  onTestFinished(receiver.stop);
  return receiver;
}

/** A real web server on this machine that keeps what it was sent. */
export async function openReceiver(
  behaviour: Behaviour = answering(200, 'ok'),
  { tls, port = 0, host = '127.0.0.1' }: ReceiverOptions = {},
) {
  let behave = behaviour;
  const received: Received[] = [];
  const listener = async (request: IncomingMessage, response: ServerResponse) => {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part as Buffer);
    const { url: path = '', headers } = request;
    const taken = { path, headers, body: Buffer.concat(parts).toString() };
    received.push(taken);
    response.on('error', () => {});
    behave(response, taken);
  };
  const answer = (request: IncomingMessage, response: ServerResponse) =>
    void listener(request, response).catch(() => response.destroy());
  const server =
    tls === undefined
      ? http.createServer(answer)
      : https.createServer({ key: certificate('key'), cert: certificate(tls) }, answer);
  const { port: taken, stop } = await listen(server, port, host);
  return {
    port: taken,
    url: `${tls === undefined ? 'http' : 'https'}://${host}:${taken}/hook`,
    received,
    behave: (next: Behaviour) => {
      behave = next;
    },
    stop,
  };
}

export async function closedPort(): Promise<number> {
  const { port, stop } = await openReceiver();
  await stop();
  return port;
}
