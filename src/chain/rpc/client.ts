import type { IncomingMessage } from 'node:http';
import { pipeline } from 'node:stream';
import { WebSocket } from 'ws';
import type * as z from 'zod';
import type { Hex } from '../../core/block.ts';
import { ETHEREUM_FEE_RULE, type FeeRule } from '../../core/eip1559.ts';
import { retryAfterSec } from '../../core/retry-after.ts';
import { DeadlineError, withDeadline } from '../async.ts';
import { ChainError, isRefusal } from '../chain-source.ts';
import {
  genesisResponse,
  type Header,
  headerResponse,
  nullish,
  readRpcResponse,
  syncingResponse,
  toQuantity,
} from './decode.ts';
import {
  brokenConnection,
  closedFailure,
  connectionFailure,
  createRedaction,
  isRpcError,
  LONGEST_PAUSE_MS,
  noticeFailure,
  notRpcFailure,
  type Redact,
  rpcFailure,
  statusFailure,
  timeoutFailure,
  tooLargeFailure,
} from './failures.ts';
import type { TipSuggestion, TipWeights } from './tips.ts';

/** More than any valid response (a page of 1,024 blocks with tips is 0.2 MB), and little memory. */
const MAX_RESPONSE_BYTES = 32 * 2 ** 20;

export interface RequestOptions {
  readonly signal?: AbortSignal | undefined;
  /** Where that is less than the node's own timeout. */
  readonly withinMs?: number;
  /** Called right before the request is written; its errors reject the request. */
  readonly beforeWrite?: (() => void) | undefined;
}

interface Subscription {
  onHead(head: unknown): void;
  /** Called once if the connection breaks. */
  onEnd(error: ChainError): void;
}

/** JSON-RPC to one node. Every rejection is a `ChainError`, except the caller's own abort. */
interface JsonRpcLink {
  request(method: string, params: readonly unknown[], options?: RequestOptions): Promise<unknown>;
  /** `eth_subscribe newHeads`, if the transport has it; resolves to what ends it. Misses heads that come with the response. */
  subscribeHeads?(subscription: Subscription, options?: RequestOptions): Promise<() => void>;
  /** Closes connections; a later request opens them again. */
  close(): void;
}

/** Runs a request until it aborts or its time is over, and gives its failure a name. */
function withinTimeout<T>(
  { name, timeoutMs }: NodeAddress,
  { signal: outer, withinMs = timeoutMs }: RequestOptions,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const longestMs = Math.min(withinMs, timeoutMs);
  return withDeadline(longestMs, outer, (signal) =>
    work(signal).catch((error: unknown) => {
      if (signal.reason instanceof DeadlineError) throw timeoutFailure(name, longestMs);
      if (outer?.aborted) throw outer.reason;
      throw error instanceof ChainError ? error : connectionFailure(name, error);
    }),
  );
}

interface NodeAddress {
  readonly url: URL;
  readonly name: string;
  readonly timeoutMs: number;
  /** Removes what may be keys of the address from the node's words. */
  readonly redact: Redact;
}

/** The `result` of a JSON-RPC response, or its `error` as a `ChainError`. Some gateways send the error alone. */
function resultOf(response: unknown, method: string, node: NodeAddress, retryAfterMs: number | null = null) {
  const { name, redact } = node;
  if (typeof response !== 'object' || response === null) throw notRpcFailure(name);
  const error = 'error' in response ? response.error : isRpcError(response) ? response : null;
  if (error !== null && error !== undefined) throw rpcFailure(name, method, error, redact, retryAfterMs);
  if ('result' in response) return response.result;
  throw noticeFailure(name, response, redact, retryAfterMs) ?? notRpcFailure(name);
}

let lastId = 0;

/**
 * `fetch`, and so viem's transport, connects out of sight, which may take long: `beforeWrite` must be called right before the
 * request is written. `fetch` also takes three times the processor time, which shows in a cold start of fifty requests.
 */
function createHttpLink(node: NodeAddress): JsonRpcLink {
  return {
    request: (method, params, options = {}) =>
      withinTimeout(node, options, async (signal) => {
        const body = JSON.stringify({ jsonrpc: '2.0', id: ++lastId, method, params });
        const message = await post(node, body, { ...options, signal });
        return resultOf(await readJson(message, node), method, node, retryAfterMsOf(message));
      }),
    close: () => {},
  };
}

function retryAfterMsOf({ headers }: IncomingMessage): number | null {
  const waitSec = retryAfterSec(headers['retry-after'] ?? null, Date.now());
  return waitSec === null ? null : Math.min(waitSec * 1_000, LONGEST_PAUSE_MS);
}

/** Redirects are not followed: they would send keys and signed bytes to a host that the operator did not choose. */
function post({ url, name }: NodeAddress, body: string, options: RequestOptions): Promise<IncomingMessage> {
  const { signal, beforeWrite } = options;
  const isTls = url.protocol === 'https:';
  const { request } = process.getBuiltinModule(isTls ? 'node:https' : 'node:http');
  const headers = {
    accept: 'application/json',
    'accept-encoding': 'gzip',
    'content-type': 'application/json',
    'user-agent': 'gastop',
    'content-length': Buffer.byteLength(body),
  };
  return new Promise((resolve, reject) => {
    const sent = request(url, { method: 'POST', headers, ...(signal && { signal }) });
    let isUnsent = true;
    sent.once('response', resolve);
    // Node.js reports nothing else for a response that switches protocols.
    sent.once('close', () => reject(brokenConnection(name)));
    sent.on('error', (error) => reject(connectionFailure(name, error, isUnsent)));
    const write = () => {
      try {
        beforeWrite?.();
        isUnsent = false;
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

/** The JSON of a response. With another status than 2xx only a JSON-RPC error counts. */
async function readJson(message: IncomingMessage, { name, redact }: NodeAddress): Promise<unknown> {
  const { statusCode: status = 200, headers } = message;
  const isOk = status >= 200 && status < 300;
  if (status >= 300 && status < 400) throw statusFailure(name, status);
  if (Number(headers['content-length']) > MAX_RESPONSE_BYTES) throw tooLargeFailure(name, MAX_RESPONSE_BYTES);
  // Errors on the way are thrown when the last step is read.
  const isGzip = /^(?:x-)?gzip$/i.test(headers['content-encoding']?.trim() ?? '');
  const unzip = () => process.getBuiltinModule('node:zlib').createGunzip();
  const parts: Buffer[] = [];
  let length = 0;
  for await (const part of isGzip ? pipeline(message, unzip(), () => {}) : message) {
    length += part.length;
    if (length > MAX_RESPONSE_BYTES) throw tooLargeFailure(name, MAX_RESPONSE_BYTES);
    parts.push(part);
  }
  const text = Buffer.concat(parts).toString();
  const response = parsedJson(text);
  const hasError = typeof response === 'object' && response !== null && 'error' in response;
  if (response !== undefined && (isOk || (hasError && isRpcError(response.error)))) return response;
  const failure = isOk ? notRpcFailure(name) : statusFailure(name, status, retryAfterMsOf(message));
  if (failure.code === 'rate-limited') throw failure;
  throw noticeFailure(name, response ?? text, redact, retryAfterMsOf(message)) ?? failure;
}

/** `undefined`: not JSON. */
function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
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
 * viem's transport shares sockets by URL, cannot end a handshake that hangs, and has no hook right before bytes are written. The
 * socket opens with the first request, and closes with the last subscription or by `close`.
 */
function createWsLink(node: NodeAddress): JsonRpcLink {
  const { name, redact } = node;
  let current: Connection | null = null;

  function connect(): Connection {
    const socket = openSocket(node);
    const { promise: opened, resolve: open } = Promise.withResolvers<void>();
    const pending: Connection['pending'] = new Map();
    const subscriptions: Connection['subscriptions'] = new Map();
    const end = (error: ChainError) => {
      // A newer socket may have replaced it.
      if (current === connection) current = null;
      for (const each of pending.values()) each.reject(error);
      for (const each of subscriptions.values()) each.onEnd(error);
      pending.clear();
      subscriptions.clear();
      socket.close();
    };
    const connection: Connection = { socket, opened, pending, subscriptions, end };
    let isOpen = false;
    socket.on('open', () => {
      isOpen = true;
      open();
    });
    socket.on('error', (error) => {
      const isTooLarge = 'code' in error && error.code === 'WS_ERR_UNSUPPORTED_MESSAGE_LENGTH';
      if (isTooLarge) end(tooLargeFailure(name, MAX_RESPONSE_BYTES));
      else end(isOpen ? brokenConnection(name) : connectionFailure(name, error, true));
    });
    socket.on('close', (code, reason) => end(closedFailure(name, code, String(reason), redact)));
    // A refused handshake is an HTTP response.
    socket.on('unexpected-response', (_, message) => {
      void readJson(message, node)
        .then((response) => resultOf(response, 'the connection', node, retryAfterMsOf(message)))
        .then(
          () => end(notRpcFailure(name)),
          (error: unknown) => {
            end(error instanceof ChainError ? error : connectionFailure(name, error));
          },
        );
    });
    socket.on('message', (data) => {
      try {
        const message = JSON.parse(String(data));
        pending.get(Number(message.id))?.resolve(message);
        // An error without an id may be of any request: what came of each is unknown.
        const { id, error } = message;
        if (error && (id ?? null) === null)
          end(unassigned(rpcFailure(name, 'a request', error, redact, null)));
        subscriptions.get(String(message.params?.subscription))?.onHead(message.params.result);
      } catch {
        end(notRpcFailure(name));
      }
    });
    return connection;
  }

  const unassigned = ({ code, message, retryAfterMs }: ChainError) =>
    new ChainError(code, message, { retryAfterMs });

  function request(
    method: string,
    params: readonly unknown[],
    options: RequestOptions = {},
  ): Promise<{ readonly connection: Connection; readonly result: unknown }> {
    return withinTimeout(node, options, async (signal) => {
      current ??= connect();
      const connection = current;
      const id = ++lastId;
      const responded = Promise.withResolvers<unknown>();
      responded.promise.catch(() => {});
      connection.pending.set(id, responded);
      signal.addEventListener('abort', () => responded.reject(signal.reason));
      try {
        await Promise.race([connection.opened, responded.promise]);
        options.beforeWrite?.();
        connection.socket.send(JSON.stringify({ jsonrpc: '2.0', id, method, params }));
        return { connection, result: resultOf(await responded.promise, method, node) };
      } finally {
        connection.pending.delete(id);
      }
    });
  }

  return {
    request: async (method, params, options) => (await request(method, params, options)).result,
    subscribeHeads: async (subscription, options) => {
      const { connection, result: id } = await request('eth_subscribe', ['newHeads'], options);
      if (typeof id !== 'string' && typeof id !== 'number')
        throw new ChainError('bad-response', `${name} sends an invalid response to eth_subscribe`);
      const { pending, subscriptions, end } = connection;
      subscriptions.set(String(id), subscription);
      return () => {
        if (subscriptions.delete(String(id)) && subscriptions.size + pending.size === 0)
          end(brokenConnection(name));
      };
    },
    close: () => current?.end(brokenConnection(name)),
  };
}

/** A response that is too large breaks the connection. The platform's own WebSocket would read all of it. */
function openSocket({ url, timeoutMs }: NodeAddress): WebSocket {
  const { protocol, username, password } = url;
  const bare = new URL(url);
  bare.username = '';
  bare.password = '';
  const credentials = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  const authorization = `Basic ${Buffer.from(credentials).toString('base64')}`;
  return new WebSocket(bare, {
    maxPayload: MAX_RESPONSE_BYTES,
    handshakeTimeout: timeoutMs,
    // Time for the peer to respond to the close.
    closeTimeout: 1_000,
    // The other agent would use a plain proxy connection, which is no WebSocket.
    agent: protocol === 'wss:' ? process.getBuiltinModule('node:https').globalAgent : undefined,
    headers: username === '' ? {} : { authorization },
  });
}

/** One node, and what is known of it. */
export class RpcNode {
  /** Host and port: nothing else of the URL may be shown. */
  readonly name: string;
  readonly link: JsonRpcLink;
  /** Blocks per page of `eth_feeHistory` that the node allows, as far as known: Geth, Erigon and most providers so many. */
  feeHistoryPage = 1_024;
  /** The most blocks that one page of it had. */
  longestFeePage = 0;
  latencyMs: number | null = null;
  /** Of its chain; Ethereum's until that is known. */
  feeRule: FeeRule = ETHEREUM_FEE_RULE;
  /** What is odd about its responses, by its kind; prices are given all the same. */
  readonly notes = new Map<'newHeads' | 'rewards' | 'order' | 'figures' | 'weights', string>();
  /** Whether its chain has heights without a block (null-rounds.ts). */
  hasNullRounds = false;
  /** When that was last looked for in vain, by `performance.now`. */
  searchedNullAt: number | null = null;
  readonly suggestion: TipSuggestion = { paidShare: 0, count: 0, newest: -1, tip: null, askAt: 0 };
  readonly tipWeights: TipWeights = { isByHeader: false, against: 0, compared: 0, compareAt: 0 };
  /** Whether one machine makes its chain's blocks, and takes any tip. */
  isDevelopment = false;
  /** What it said of its synchronisation at its last head that was old: that `number`. */
  syncing: { readonly number: number; readonly isUnderWay: boolean; readonly highest: number | null } | null =
    null;

  constructor(url: URL, timeoutMs: number) {
    this.name = url.host;
    const create = url.protocol.startsWith('ws') ? createWsLink : createHttpLink;
    this.link = create({ url, name: this.name, timeoutMs, redact: createRedaction(url) });
  }
}

export async function request<T>(
  node: RpcNode,
  shape: z.ZodType<T>,
  method: string,
  params: readonly unknown[],
  options?: RequestOptions,
): Promise<T> {
  const started = performance.now();
  const response = await node.link.request(method, params, options);
  node.latencyMs = Math.round(performance.now() - started);
  return readRpcResponse(shape, response, node.name, method);
}

/** `undefined` where the node does not say. Rejects with the caller's own abort alone. */
export const ifSaid = <T>(asked: Promise<T>): Promise<T | undefined> =>
  asked.catch((error: unknown) => {
    if (error instanceof ChainError) return undefined;
    throw error;
  });

/** `null` when the node lacks block 0, or answers nothing of it. */
export async function requestGenesisHash(node: RpcNode, options?: RequestOptions): Promise<Hex | null> {
  try {
    const params = ['0x0', false];
    const block = await request(node, nullish(genesisResponse), 'eth_getBlockByNumber', params, options);
    return block?.hash ?? null;
  } catch (error) {
    const isSilent =
      error instanceof ChainError && (error.code === 'unsupported' || error.code === 'bad-response');
    if (isSilent || isRefusal(error)) return null;
    throw error;
  }
}

/** Lotus' error for a height without a block, where others return `null`. */
export const NULL_ROUND = /\bnull round\b/i;

/** `null` when the node has no such block (yet). */
export async function requestHeader(node: RpcNode, at: number | 'latest', options?: RequestOptions) {
  const tag = at === 'latest' ? at : toQuantity(at);
  const asked = request(node, nullish(headerResponse), 'eth_getBlockByNumber', [tag, false], options);
  return asked.catch((error: unknown) => {
    if (!isRefusal(error) || !NULL_ROUND.test(String(error))) throw error;
    node.hasNullRounds = true;
    return null;
  });
}

/** A head as old as this may be that of a node that still reads the chain. */
const OLD_SEC = 15 * 60;

/** By `eth_syncing`; a node with nothing but block 0 has not begun. Never rejects but with the caller's abort. */
async function requestSyncing(node: RpcNode, { number }: Header, options?: RequestOptions) {
  const progress = (await ifSaid(request(node, syncingResponse, 'eth_syncing', [], options))) ?? null;
  const isUnderWay = progress !== null || number === 0;
  return { number, isUnderWay, highest: progress?.highestBlock ?? null };
}

export async function requestHead(node: RpcNode, options?: RequestOptions): Promise<Header> {
  const header = await requestHeader(node, 'latest', options);
  if (header !== null) {
    const isOld = Date.now() / 1_000 - header.timestamp > OLD_SEC;
    const isNews = node.syncing?.number !== header.number;
    if (isNews) node.syncing = isOld ? await requestSyncing(node, header, options) : null;
    return header;
  }
  throw new ChainError('bad-response', `${node.name} has no block at all: wait until it has begun to sync`);
}
