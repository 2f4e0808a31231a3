import type { IncomingMessage } from 'node:http';
import { pipeline } from 'node:stream';
import { WebSocket } from 'ws';
import type { Hex } from '../../core/block.ts';
import { retryAfterSec } from '../../core/retry-after.ts';
import { DeadlineError, withDeadline } from '../async.ts';
import { ChainError, type ChainErrorCode, isRefusal } from '../chain-source.ts';
import {
  genesisResponse,
  type Header,
  headerResponse,
  maybe,
  readResponse,
  type Shape,
  toQuantity,
} from './decode.ts';
import {
  connectionFailure,
  createRedaction,
  isRpcError,
  notRpcFailure,
  type Redact,
  rpcFailure,
  statusFailure,
  systemCode,
  timeoutFailure,
  tooLargeFailure,
} from './failures.ts';

/** More than any valid response (a page of 1,024 blocks with tips is 0.2 MB), and little memory. */
const MAX_RESPONSE_BYTES = 32 * 2 ** 20;

export interface RequestOptions {
  readonly signal?: AbortSignal | undefined;
  /** Called right before the request is written; its errors reject the request. */
  readonly beforeWrite?: (() => void) | undefined;
}

/** JSON-RPC to one node. Every rejection is a `ChainError`, except the caller's own abort. */
interface JsonRpcLink {
  request(method: string, params: readonly unknown[], options?: RequestOptions): Promise<unknown>;
  /**
   * `eth_subscribe newHeads`, if the transport supports it: calls `onHead` for each, `onEnd` once if the connection
   * breaks. Resolves to a function that ends the subscription. A head that comes with the response may be missed.
   */
  readonly subscribeHeads:
    | ((
        onHead: (head: unknown) => void,
        onEnd: (error: ChainError) => void,
        options?: RequestOptions,
      ) => Promise<() => void>)
    | null;
  /** Closes connections; a later request opens them again. */
  close(): void;
}

interface LinkOptions {
  readonly name: string;
  readonly timeoutMs: number;
}

/** The `result` of a JSON-RPC response, or its `error` as a `ChainError`. */
function resultOf(
  response: unknown,
  node: string,
  method: string,
  redact: Redact,
  retryAfterMs: number | null = null,
): unknown {
  if (typeof response === 'object' && response !== null && !Array.isArray(response)) {
    if ('error' in response && response.error !== null && response.error !== undefined) {
      throw rpcFailure(node, method, response.error, redact, retryAfterMs);
    }
    if ('result' in response) return response.result;
  }
  throw notRpcFailure(node);
}

const HEADERS = {
  accept: 'application/json',
  'accept-encoding': 'gzip',
  'content-type': 'application/json',
  'user-agent': 'gastop',
};

/**
 * JSON-RPC over http(s). `fetch`, and so viem's transport, connects out of sight, which may take long: `beforeWrite` must
 * be called with the open connection, right before the request is written. `fetch` also takes three times the processor
 * time, which shows in a cold start of fifty requests.
 */
function createHttpLink(url: URL, { name, timeoutMs }: LinkOptions): JsonRpcLink {
  const redact = createRedaction(url);
  let lastId = 0;
  return {
    request: (method, params, { signal, beforeWrite } = {}) =>
      withDeadline(timeoutMs, signal, async (inner) => {
        try {
          const body = JSON.stringify({ jsonrpc: '2.0', id: ++lastId, method, params });
          const message = await post(url, body, { signal: inner, beforeWrite });
          const retryAfterMs = pauseOf(message);
          return resultOf(await readJson(message, name, retryAfterMs), name, method, redact, retryAfterMs);
        } catch (error) {
          if (inner.reason instanceof DeadlineError) throw timeoutFailure(name, timeoutMs);
          if (signal?.aborted) throw signal.reason;
          throw error instanceof ChainError ? error : connectionFailure(name, systemCode(error));
        }
      }),
    subscribeHeads: null,
    close: () => {},
  };
}

/** Redirects are not followed: they would send keys and signed bytes to a host that the operator did not choose. */
function post(
  url: URL,
  body: string,
  { signal, beforeWrite = () => {} }: RequestOptions,
): Promise<IncomingMessage> {
  const isTls = url.protocol === 'https:';
  const { request } = process.getBuiltinModule(isTls ? 'node:https' : 'node:http');
  return new Promise((resolve, reject) => {
    const headers = { ...HEADERS, 'content-length': Buffer.byteLength(body) };
    const sent = request(url, { method: 'POST', headers, ...(signal && { signal }) });
    sent.once('response', resolve);
    // Node.js reports nothing else for a response that switches protocols.
    sent.once('close', () => reject(Object.assign(new Error('no response'), { code: 'ECONNRESET' })));
    sent.on('error', reject);
    const write = () => {
      try {
        beforeWrite();
        sent.end(body);
      } catch (error) {
        reject(error);
        sent.destroy();
      }
    };
    // If it ended earlier, the request would wait in Node.js for its connection.
    sent.once('socket', (socket) => {
      if (socket.connecting) socket.once(isTls ? 'secureConnect' : 'connect', write);
      else write();
    });
  });
}

const LONGEST_PAUSE_SEC = 3_600;

function pauseOf({ headers }: IncomingMessage): number | null {
  const waitSec = retryAfterSec(headers['retry-after'] ?? null, Date.now());
  return waitSec === null ? null : Math.min(waitSec, LONGEST_PAUSE_SEC) * 1_000;
}

/** The JSON of a response. With another status than 2xx only a JSON-RPC error counts. */
async function readJson(
  message: IncomingMessage,
  node: string,
  retryAfterMs: number | null,
): Promise<unknown> {
  const { statusCode: status = 200, headers } = message;
  const isOk = status >= 200 && status < 300;
  if (status >= 300 && status < 400) throw statusFailure(node, status);
  if (Number(headers['content-length']) > MAX_RESPONSE_BYTES) throw tooLargeFailure(node, MAX_RESPONSE_BYTES);
  // Errors on the way are thrown when the last step is read.
  const body =
    headers['content-encoding'] === 'gzip'
      ? pipeline(message, process.getBuiltinModule('node:zlib').createGunzip(), () => {})
      : message;
  const parts: Buffer[] = [];
  let length = 0;
  for await (const part of body) {
    length += part.length;
    if (length > MAX_RESPONSE_BYTES) throw tooLargeFailure(node, MAX_RESPONSE_BYTES);
    parts.push(part);
  }
  let response: unknown;
  try {
    response = JSON.parse(Buffer.concat(parts).toString());
  } catch {
    throw isOk ? notRpcFailure(node) : statusFailure(node, status, retryAfterMs);
  }
  if (!isOk && !isRpcError(response)) throw statusFailure(node, status, retryAfterMs);
  return response;
}

interface Subscription {
  onHead(head: unknown): void;
  onEnd(error: ChainError): void;
}

/** One socket with its pending requests and subscriptions. */
interface Connection {
  readonly socket: WebSocket;
  readonly opened: Promise<void>;
  readonly pending: Map<number, PromiseWithResolvers<unknown>>;
  readonly subscriptions: Map<string, Subscription>;
  /** Ends it at any time, and all that waits for it. */
  end(error: ChainError): void;
}

/**
 * JSON-RPC over ws(s). viem's transport is not used: it shares sockets in a global table by URL, cannot end a
 * handshake that hangs, and has no hook right before bytes are written.
 *  The socket opens with the first request, and closes with the last subscription or by `close`.
 */
export function createWsLink(url: URL, { name, timeoutMs }: LinkOptions): JsonRpcLink {
  const redact = createRedaction(url);
  let current: Connection | null = null;
  let lastId = 0;

  function connect(): Connection {
    const socket = openSocket(url, timeoutMs);
    const opened = Promise.withResolvers<void>();
    opened.promise.catch(() => {});
    let isOpen = false;
    const connection: Connection = {
      socket,
      opened: opened.promise,
      pending: new Map(),
      subscriptions: new Map(),
      end: (error) => {
        // A newer socket may have replaced it.
        if (current === connection) current = null;
        opened.reject(error);
        const waiting = [...connection.pending.values()];
        const subscribed = [...connection.subscriptions.values()];
        connection.pending.clear();
        connection.subscriptions.clear();
        for (const each of waiting) each.reject(error);
        for (const each of subscribed) each.onEnd(error);
        socket.close();
      },
    };
    socket.addEventListener('open', () => {
      isOpen = true;
      opened.resolve();
    });
    socket.addEventListener('error', (event) => {
      const code = systemCode(event.error);
      if (code === 'WS_ERR_UNSUPPORTED_MESSAGE_LENGTH')
        connection.end(tooLargeFailure(name, MAX_RESPONSE_BYTES));
      else connection.end(connectionFailure(name, isOpen ? 'ECONNRESET' : code));
    });
    socket.addEventListener('close', () =>
      connection.end(connectionFailure(name, isOpen ? 'ECONNRESET' : null)),
    );
    socket.addEventListener('message', ({ data }) => {
      try {
        receive(connection, JSON.parse(String(data)));
      } catch {
        connection.end(notRpcFailure(name));
      }
    });
    return connection;
  }

  function request(
    method: string,
    params: readonly unknown[],
    { signal, beforeWrite }: RequestOptions = {},
  ): Promise<{ connection: Connection; result: unknown }> {
    return withDeadline(timeoutMs, signal, async (inner) => {
      const stopped = new Promise<never>((_, reject) => {
        inner.addEventListener('abort', () => {
          const late = inner.reason instanceof DeadlineError;
          reject(late ? timeoutFailure(name, timeoutMs) : (signal?.reason ?? inner.reason));
        });
      });
      // The race may be over when the deadline's clean-up aborts.
      stopped.catch(() => {});
      current ??= connect();
      const connection = current;
      await Promise.race([connection.opened, stopped]);
      const id = ++lastId;
      const responded = Promise.withResolvers<unknown>();
      connection.pending.set(id, responded);
      responded.promise.catch(() => {});
      try {
        beforeWrite?.();
        connection.socket.send(JSON.stringify({ jsonrpc: '2.0', id, method, params }));
        const response = await Promise.race([responded.promise, stopped]);
        return { connection, result: resultOf(response, name, method, redact) };
      } finally {
        connection.pending.delete(id);
      }
    });
  }

  return {
    request: async (method, params, options) => (await request(method, params, options)).result,
    subscribeHeads: async (onHead, onEnd, options) => {
      const { connection, result: id } = await request('eth_subscribe', ['newHeads'], options);
      if (typeof id !== 'string') {
        throw new ChainError('bad-response', `${name} sends an invalid response to eth_subscribe`);
      }
      const { pending, subscriptions } = connection;
      subscriptions.set(id, { onHead, onEnd });
      return () => {
        if (!subscriptions.delete(id)) return;
        if (subscriptions.size === 0 && pending.size === 0)
          connection.end(connectionFailure(name, 'ECONNRESET'));
      };
    },
    close: () => current?.end(connectionFailure(name, 'ECONNRESET')),
  };
}

/** Time for the peer to respond to the close. */
const CLOSE_MS = 1_000;

/** A response that is too large breaks the connection. The platform's own WebSocket would read all of it. */
function openSocket(url: URL, timeoutMs: number): WebSocket {
  // The other agent would use a plain proxy connection, which is no WebSocket.
  const agent = url.protocol === 'wss:' ? process.getBuiltinModule('node:https').globalAgent : undefined;
  const options = {
    maxPayload: MAX_RESPONSE_BYTES,
    handshakeTimeout: timeoutMs,
    closeTimeout: CLOSE_MS,
    agent,
  };
  if (url.username === '') return new WebSocket(url, options);
  const bare = new URL(url);
  bare.username = '';
  bare.password = '';
  const credentials = `${decodeURIComponent(url.username)}:${decodeURIComponent(url.password)}`;
  const authorization = `Basic ${Buffer.from(credentials).toString('base64')}`;
  return new WebSocket(bare, { ...options, headers: { authorization } });
}

function receive({ pending, subscriptions }: Connection, message: unknown): void {
  if (typeof message !== 'object' || message === null) return;
  if ('id' in message && typeof message.id === 'number') {
    pending.get(message.id)?.resolve(message);
    return;
  }
  if (!('params' in message) || typeof message.params !== 'object' || message.params === null) return;
  const { params } = message;
  if (!('subscription' in params) || typeof params.subscription !== 'string' || !('result' in params)) return;
  subscriptions.get(params.subscription)?.onHead(params.result);
}

export interface RpcNode {
  /** Host and port. */
  readonly name: string;
  readonly link: JsonRpcLink;
  /** Blocks per page of `eth_feeHistory` that the node allows, as far as known. */
  feeHistoryPage: number;
  latencyMs: number | null;
}

/** Geth, Erigon and most providers allow this many; others less. */
const FEE_HISTORY_PAGE = 1_024;

export function createRpcNode(url: URL, timeoutMs: number): RpcNode {
  // Host and port: nothing else of the URL may be shown.
  const name = url.host;
  const create = url.protocol.startsWith('ws') ? createWsLink : createHttpLink;
  const link = create(url, { name, timeoutMs });
  return { name, link, feeHistoryPage: FEE_HISTORY_PAGE, latencyMs: null };
}

export async function request<T>(
  node: RpcNode,
  shape: Shape<T>,
  method: string,
  params: readonly unknown[],
  options?: RequestOptions,
): Promise<T> {
  const started = performance.now();
  const response = await node.link.request(method, params, options);
  node.latencyMs = Math.round(performance.now() - started);
  return readResponse(shape, response, node.name, method);
}

/** `null` when the node lacks block 0, or answers nothing of it. */
export async function requestGenesisHash(node: RpcNode, options?: RequestOptions): Promise<Hex | null> {
  const params = ['0x0', false];
  try {
    return (
      (await request(node, maybe(genesisResponse), 'eth_getBlockByNumber', params, options))?.hash ?? null
    );
  } catch (error) {
    if (isRefusal(error) || (error instanceof ChainError && SAYS_NOTHING.has(error.code))) return null;
    throw error;
  }
}

const SAYS_NOTHING: ReadonlySet<ChainErrorCode> = new Set(['unsupported', 'bad-response']);

/** `null` when the node has no such block (yet). */
export function requestHeader(
  node: RpcNode,
  at: number | 'latest',
  options?: RequestOptions,
): Promise<Header | null> {
  const tag = at === 'latest' ? at : toQuantity(at);
  return request(node, maybe(headerResponse), 'eth_getBlockByNumber', [tag, false], options);
}

export async function requestHead(node: RpcNode, options?: RequestOptions): Promise<Header> {
  const header = await requestHeader(node, 'latest', options);
  if (header !== null) return header;
  throw new ChainError('bad-response', `${node.name} has no block at all: wait until it has begun to sync`);
}
