import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';
import { OPENAPI_PATH } from '../../src/contract/routes.ts';

export interface HttpServer {
  readonly url: string;
  readonly host: string;
  /** What was asked, oldest first. */
  readonly requests: {
    readonly method: string;
    readonly path: string;
    readonly headers: IncomingMessage['headers'];
    /** Whole by the time that it is answered. */
    readonly body: string;
  }[];
  close(): Promise<void>;
}

/**
 * A real HTTP server on a free port; it ends with the test, whatever still hangs on it.
 *
 * @param description its OpenAPI document; the requests for it are not among `requests`
 */
export async function serve(answer: RequestListener, description?: object): Promise<HttpServer> {
  const requests: HttpServer['requests'] = [];
  const server = createServer((request, response) => {
    const { method = '', url: path = '', headers } = request;
    if (description !== undefined && path === OPENAPI_PATH) return sendJson(response, description);
    const seen = { method, path, headers, body: '' };
    requests.push(seen);
    if (method === 'GET') {
      answer(request, response);
      return;
    }
    request.setEncoding('utf8').on('data', (piece: string) => {
      seen.body += piece;
    });
    request.on('end', () => answer(request, response));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  const close = async () => {
    if (!server.listening) return;
    const closed = new Promise((resolve) => server.close(resolve));
    server.closeAllConnections();
    await closed;
  };
  onTestFinished(close);
  return { url: `http://${host}`, host, requests, close };
}

/** Answers JSON. */
export function sendJson(
  response: ServerResponse,
  body: unknown,
  status = 200,
  headers: Record<string, string> = {},
) {
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
}
