import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http';
import { createServer as createHttps } from 'node:https';
import { onTestFinished } from 'vitest';
import { OPENAPI_PATH } from '../../src/contract/routes.ts';
import { listen } from '../helpers/listen.ts';

export interface HttpServer {
  readonly url: string;
  readonly host: string;
  readonly requests: {
    readonly method: string;
    readonly path: string;
    readonly headers: IncomingMessage['headers'];
    readonly body: string;
  }[];
  close(): Promise<void>;
}

/** A real HTTP server; it ends with the test. Requests for its `description` are not among `requests`. */
export async function serve(
  answer: RequestListener,
  description?: object,
  secure?: { readonly key: string; readonly cert: string },
): Promise<HttpServer> {
  const requests: HttpServer['requests'] = [];
  const listener: RequestListener = (request, response) => {
    const { method = '', url: path = '', headers } = request;
    if (description !== undefined && path === OPENAPI_PATH) return sendJson(response, description);
    const seen = { method, path, headers, body: '' };
    requests.push(seen);
    if (method === 'GET') return answer(request, response);
    request.setEncoding('utf8').on('data', (piece: string) => {
      seen.body += piece;
    });
    request.on('end', () => answer(request, response));
  };
  const { port, stop } = await listen(secure ? createHttps({ ...secure }, listener) : createServer(listener));
  onTestFinished(stop);
  const host = `127.0.0.1:${port}`;
  return { url: `${secure ? 'https' : 'http'}://${host}`, host, requests, close: stop };
}

export function sendJson(
  response: ServerResponse,
  body: unknown,
  status = 200,
  headers: Record<string, string> = {},
) {
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
}
