import type { IncomingMessage } from 'node:http';
import { pipeline, Readable } from 'node:stream';
import { getHttpRpcClient } from 'viem/utils';
import type { Hex } from '../../core/block.ts';
import { cleanText } from '../../core/text.ts';
import { ChainError, type ChainErrorCode, isRefusal, OversizedResponse } from '../chain-source.ts';
import {
  type FeeHistoryResponse,
  feeHistoryResponse,
  genesisResponse,
  type Header,
  headerResponse,
  nullable,
  readResponse,
  type Shape,
  safeInteger,
  toQuantity,
} from './decode.ts';

/** The clock; a test passes its own. */
export interface Clock {
  /** Wall clock, ms since epoch. It may be set back or forward: it dates things, and never measures. */
  now(): number;
  /** Ms since some moment, always forward: pauses and intervals are measured with it. */
  elapsed(): number;
  /** Resolves after `ms`, or at once when `signal` aborts (it does not reject). */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

export const systemClock: Clock = {
  now: () => Date.now(),
  elapsed: () => performance.now(),
  sleep: (ms, signal) =>
    new Promise((resolve) => {
      if (signal?.aborted) return resolve();
      const done = () => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', done);
        resolve();
      };
      const timer = setTimeout(done, ms);
      signal?.addEventListener('abort', done, { once: true });
    }),
};

/** Runs at most `count` pieces of work at once; the others wait in the order of their calls. */
export class Turns {
  #free: number;
  readonly #waiting = new Set<() => void>();

  constructor(count: number) {
    this.#free = count;
  }

  /** Rejects with the signal's reason if it aborts before `work` begins, else as `work` does. */
  async take<T>(work: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    signal?.throwIfAborted();
    if (this.#free > 0) this.#free--;
    else await this.#wait(signal);
    try {
      return await work();
    } finally {
      const [next] = this.#waiting;
      if (next) next();
      else this.#free++;
    }
  }

  #wait(signal: AbortSignal | undefined): Promise<void> {
    return new Promise((resolve, reject) => {
      const leave = () => {
        this.#waiting.delete(start);
        reject(signal?.reason);
      };
      const start = () => {
        this.#waiting.delete(start);
        signal?.removeEventListener('abort', leave);
        resolve();
      };
      this.#waiting.add(start);
      signal?.addEventListener('abort', leave, { once: true });
    });
  }
}

/** The reason of an abort that came from the clock, not from the caller. */
class DeadlineError extends Error {
  override readonly name = 'DeadlineError';
}

/**
 * Runs `work` with a signal that aborts when `outer` does or after `timeoutMs`, and in any case when the work is
 * over: whatever a failed request left open (an unread body, a socket in the making) is closed by that.
 */
async function withDeadline<T>(
  timeoutMs: number,
  outer: AbortSignal | undefined,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  outer?.throwIfAborted();
  const controller = new AbortController();
  const abort = () => controller.abort(outer?.reason);
  outer?.addEventListener('abort', abort, { once: true });
  const timer = setTimeout(() => controller.abort(new DeadlineError('too late')), timeoutMs);
  try {
    return await work(controller.signal);
  } finally {
    clearTimeout(timer);
    outer?.removeEventListener('abort', abort);
    controller.abort();
  }
}

const EXAMPLE = 'for example http://127.0.0.1:8545';
const SCHEMES = new Set(['http:', 'https:', 'ws:', 'wss:']);

/**
 * Reads the address of a node as a person writes it.
 *
 * Throws a `ChainError` (`unsupported`) whose one line names what was wrong and what to write instead. It repeats
 * nothing of the text but its scheme: the rest often holds a key.
 */
export function parseNodeUrl(text: string): URL {
  const trimmed = text.trim();
  if (trimmed === '') throw wrong('is empty', `write its address, ${EXAMPLE}`);
  if (/[\s\p{Cc}]/u.test(trimmed)) throw wrong('holds a space or a control character', 'leave it out');
  const scheme = /^([a-z][a-z0-9+.-]*):\/\//i.exec(trimmed)?.[1]?.toLowerCase();
  if (scheme === undefined) {
    throw wrong('does not say how to reach it', `begin with http://, https://, ws:// or wss://, ${EXAMPLE}`);
  }
  if (!SCHEMES.has(`${scheme}:`)) {
    throw wrong(`begins with ${scheme.slice(0, 20)}://`, 'use http://, https://, ws:// or wss://');
  }
  if (!URL.canParse(trimmed)) {
    throw wrong('has a host or port that cannot be', `write scheme, host and port, ${EXAMPLE}`);
  }
  const url = new URL(trimmed);
  if (url.port === '0') throw wrong('has port 0', 'write the port the node listens on');
  return url;
}

/** Host and port, the only part of a node's address that may be shown. */
export function hostOf(url: URL): string {
  return url.host;
}

function wrong(what: string, remedy: string): ChainError {
  return new ChainError('unsupported', `the node address ${what}: ${remedy}`);
}

/** Shorter parts of an address are seldom keys and often words (`v3`, `rpc`). */
const SHORTEST_SEGMENT = 8;
const SHORTEST_VALUE = 4;

/**
 * Makes a function that removes from a text every part of `url` that may be a key: long path segments, query values, user
 * and password, as written in the address or decoded. Nodes repeat them ("Cannot POST /v3/…").
 */
export function createRedaction(url: URL): (text: string) => string {
  const segments = url.pathname.split('/').filter((each) => each.length >= SHORTEST_SEGMENT);
  // A query without `=` is a name alone, and then that is the key.
  const query = [...url.searchParams].map(([name, value]) => (value === '' ? name : value));
  const written = url.search
    .slice(1)
    .split('&')
    .map((pair) => pair.slice(pair.indexOf('=') + 1));
  const credentials = [url.username, url.password];
  const basic = Buffer.from(credentials.map(decoded).join(':')).toString('base64');
  const short = [...query, ...written, ...credentials, url.username === '' ? '' : basic].filter(
    (each) => each.length >= SHORTEST_VALUE,
  );
  const secrets = new Set([...segments, ...short].flatMap((each) => [each, decoded(each)]));
  if (secrets.size === 0) return (text) => text;
  // The longest first: one may hold another.
  const sorted = [...secrets].sort((a, b) => b.length - a.length);
  const pattern = new RegExp(sorted.map(escaped).join('|'), 'gi');
  return (text) => text.replace(pattern, '(key)');
}

function escaped(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&');
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Removes the secrets of a node's address from a text: see {@link createRedaction}. */
type Redact = (text: string) => string;

const LONGEST_SAID = 160;
const LONGEST_READ = 16_384;

/**
 * Text from a node made fit for a message: one line, no control or escape characters, no addresses, no long hex
 * (a refusal often repeats the signed bytes it refuses), nothing of the node's own key.
 */
export function nodeText(text: string, redact: Redact): string {
  // Cleaned first, so that nothing unseen splits what is looked for; cut last, so that no half of it stays.
  const line = redact(cleanText(text.slice(0, LONGEST_READ)))
    .replace(/\b[a-z][a-z0-9+.-]*:\/\/\S+/gi, '(address)')
    .replace(/\b(?:0x)?[0-9a-f]{67,}/gi, '0x…')
    .replace(/ {2,}/g, ' ')
    .trim();
  return cleanText(line, LONGEST_SAID);
}

/** A JSON-RPC `error` member as a `ChainError`. */
function rpcFailure(node: string, method: string, error: unknown, redact: Redact): ChainError {
  const { code, message } = errorMember(error);
  const said = nodeText(message, redact) || `error ${code ?? 'without a number'}`;
  if (code === -32601 || /method.*(?:not (?:found|supported|available|exist)|unsupported)/i.test(message)) {
    return new ChainError('unsupported', `${node} has no ${method}: ${said}`);
  }
  // -32005 is EIP-1474's "limit exceeded", 429 and -32007 are providers' own words for it.
  if (
    code === 429 ||
    code === -32007 ||
    (code === -32005 && !/block|range/i.test(message)) ||
    RATE.test(message)
  ) {
    return new ChainError('rate-limited', `${node} has had too many requests: ${said}`);
  }
  const isPruned = code === PRUNED_HISTORY || PRUNED.test(message);
  return new ChainError(isPruned ? 'pruned' : 'rejected', `${node} refuses ${method}: ${said}`);
}

/** EIP-4444's number for what a node no longer keeps; the words are of nodes that have no number for it. */
const PRUNED_HISTORY = 4444;
const PRUNED = /\bprun(?:ed|ing)\b|\bhistory (?:is )?(?:unavailable|not available|expired)\b/i;

const RATE = /rate.?limit|too many requests|requests? per second|quota|throughput|compute units/i;

/** An HTTP status without a JSON-RPC response. */
function statusFailure(node: string, status: number): ChainError {
  if (status === 429) {
    return new ChainError(
      'rate-limited',
      `${node} has had too many requests (HTTP 429): ask less often or use another node`,
      { isUnsent: true },
    );
  }
  if (status === 401 || status === 403) {
    return new ChainError(
      'unreachable',
      `${node} refuses access (HTTP ${status}): check the key in its address`,
      { isUnsent: true },
    );
  }
  if (status >= 300 && status < 400) {
    return new ChainError(
      'bad-answer',
      `${node} sends elsewhere (HTTP ${status}): use the address it leads to`,
      { isUnsent: true },
    );
  }
  if (status >= 500) {
    return new ChainError(
      'unreachable',
      `${node} fails (HTTP ${status}): try again later or use another node`,
    );
  }
  return new ChainError(
    'bad-answer',
    `${node} answers HTTP ${status}: is that the address of a JSON-RPC node?`,
  );
}

/** A connection that could not be made or broke, from the error code that Node.js gives for it. */
function connectionFailure(node: string, code: string | null): ChainError {
  return new ChainError('unreachable', `${node} ${CONNECTION[code ?? ''] ?? connectionText(code)}`, {
    isUnsent: code !== null && (UNSENT.has(code) || CERTIFICATE.test(code)),
  });
}

/** Error codes without any connection. */
const UNSENT: ReadonlySet<string> = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'ENETUNREACH',
  'EHOSTUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
]);
const CERTIFICATE = /CERT|SELF_SIGNED/;

const CONNECTION: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'refuses the connection: is the node running?',
  ECONNRESET: 'broke the connection off',
  UND_ERR_SOCKET: 'broke the connection off',
  EPIPE: 'broke the connection off',
  ENOTFOUND: 'is not known by name: check the spelling and the network',
  EAI_AGAIN: 'is not known by name: check the spelling and the network',
  ENETUNREACH: 'cannot be reached from this network',
  EHOSTUNREACH: 'cannot be reached from this network',
  ETIMEDOUT: 'does not take the connection',
  UND_ERR_CONNECT_TIMEOUT: 'does not take the connection',
};

function connectionText(code: string | null): string {
  if (code === null || !/^[A-Z][A-Z0-9_]{2,40}$/.test(code)) return 'cannot be reached';
  if (/CERT|SELF_SIGNED|TLS|SSL/.test(code)) return `has a TLS certificate that is not trusted (${code})`;
  return `cannot be reached (${code})`;
}

function timeoutFailure(node: string, timeoutMs: number): ChainError {
  return new ChainError(
    'timeout',
    `${node} did not answer within ${Math.max(1, Math.round(timeoutMs / 1000))} s`,
  );
}

function tooLargeFailure(node: string, maxBytes: number): ChainError {
  return new OversizedResponse(
    `${node} answers more than ${Math.round(maxBytes / 2 ** 20)} MB: try another node`,
  );
}

function notJsonFailure(node: string): ChainError {
  return new ChainError(
    'bad-answer',
    `${node} answers something that is not JSON: is that the address of a JSON-RPC node?`,
  );
}

function causesOf(error: unknown): Error[] {
  const causes: Error[] = [];
  for (let each = error; each instanceof Error && causes.length < 8; each = each.cause) causes.push(each);
  return causes;
}

/** The first error code (`ECONNREFUSED`, …) along a chain of causes. */
function systemCode(error: unknown): string | null {
  for (const each of causesOf(error)) if ('code' in each && typeof each.code === 'string') return each.code;
  return null;
}

function errorMember(error: unknown): { code: number | null; message: string } {
  if (typeof error === 'string') return { code: null, message: error };
  if (typeof error !== 'object' || error === null) return { code: null, message: '' };
  return {
    code: 'code' in error && typeof error.code === 'number' ? error.code : null,
    message: 'message' in error && typeof error.message === 'string' ? error.message : '',
  };
}

/** More than any honest response (a page of 1,024 blocks with tips is 0.2 MB) and little beside the memory. */
const MAX_RESPONSE_BYTES = 32 * 2 ** 20;

export interface RequestOptions {
  readonly signal?: AbortSignal | undefined;
  readonly timeoutMs?: number | undefined;
  /** Called right before the request is written; the request rejects with what it throws. */
  readonly beforeWrite?: (() => void) | undefined;
}

/** JSON-RPC to one node. Every rejection is a `ChainError` but for the caller's own abort. */
interface JsonRpcLink {
  request(method: string, params: readonly unknown[], options?: RequestOptions): Promise<unknown>;
  /**
   * `eth_subscribe newHeads`, where the transport can: calls `onHead` for each, `onEnd` once if the connection
   * breaks. Resolves to a function that ends the subscription.
   */
  readonly subscribeHeads:
    | ((
        onHead: (head: unknown) => void,
        onEnd: (error: ChainError) => void,
        options?: RequestOptions,
      ) => Promise<() => void>)
    | null;
  /** Closes what is open; a later request opens it again. */
  close(): void;
}

/** The node that responded, and the secrets of its address. */
interface Responder {
  readonly name: string;
  readonly redact: Redact;
}

/** The `result` of a JSON-RPC response, or its `error` as a `ChainError`. */
function resultOf(response: unknown, { name: node, redact }: Responder, method: string): unknown {
  if (typeof response === 'object' && response !== null && !Array.isArray(response)) {
    if ('error' in response && response.error !== null && response.error !== undefined) {
      throw rpcFailure(node, method, response.error, redact);
    }
    if ('result' in response) return response.result;
  }
  throw new ChainError(
    'bad-answer',
    `${node} answers JSON that is not JSON-RPC: is that the address of a JSON-RPC node?`,
  );
}

const HEADERS = { accept: 'application/json', 'accept-encoding': 'gzip', 'user-agent': 'gastop' };

/** JSON-RPC over http(s) by viem. Idle sockets are the platform's: it closes them after seconds and they hold nothing up. */
function createHttpLink(
  url: URL,
  options: { readonly name: string; readonly timeoutMs: number; readonly maxResponseBytes?: number },
): JsonRpcLink {
  const { name, maxResponseBytes = MAX_RESPONSE_BYTES } = options;
  const redact = createRedaction(url);
  // The deadline is ours: viem's does not cover the body.
  const client = getHttpRpcClient(url.href, { timeout: 0, maxResponseBodySize: maxResponseBytes });
  return {
    request: (method, params, { signal, timeoutMs = options.timeoutMs, beforeWrite } = {}) =>
      withDeadline(timeoutMs, signal, async (inner) => {
        let status: number | null = null;
        const response: unknown = await client
          .request({
            body: { method, params },
            fetchFn: (to, init) => post(String(to), init, beforeWrite),
            fetchOptions: { headers: HEADERS, signal: inner },
            onResponse: (response) => {
              status = response.status;
              refuse(response, name);
            },
          })
          .catch((error: unknown) => {
            if (inner.reason instanceof DeadlineError) throw timeoutFailure(name, timeoutMs);
            if (signal?.aborted) throw signal.reason;
            // What viem throws repeats the request, its address too.
            throw httpFailure(name, error, status, maxResponseBytes);
          });
        return resultOf(response, { name, redact }, method);
      }),
    subscribeHeads: null,
    close: () => {},
  };
}

function refuse({ status, ok, headers }: Response, node: string): void {
  if (status >= 300 && status < 400) throw statusFailure(node, status);
  if (ok && /^text\/html\b/i.test(headers.get('content-type') ?? '')) {
    throw new ChainError(
      'bad-answer',
      `${node} answers with a web page: is that the address of a JSON-RPC node?`,
    );
  }
}

/** @param status of the response; `null` without one. viem returns a JSON-RPC error whatever its status. */
function httpFailure(node: string, error: unknown, status: number | null, maxResponseBytes: number): Error {
  const causes = causesOf(error);
  // What `refuse` and `beforeWrite` throw comes as a cause.
  const own = causes.find((each) => each instanceof ChainError);
  if (own !== undefined) return own;
  if (causes.some(({ name }) => name === 'ResponseBodyTooLargeError')) {
    return tooLargeFailure(node, maxResponseBytes);
  }
  if (status !== null && (status < 200 || status >= 300)) return statusFailure(node, status);
  if (causes.some((each) => each instanceof SyntaxError)) return notJsonFailure(node);
  return connectionFailure(node, systemCode(error));
}

/**
 * The `fetch` that viem uses here. Node's own connects out of sight, and a connection, or a pause of the process, may last:
 * `beforeWrite` is called with the connection open, right before the request is written to it, and what it throws ends the
 * request. (It also takes three times the processor time, which a cold start of fifty requests shows.) A redirect is not
 * followed: it would carry keys and signed bytes to a host that the operator did not choose.
 */
function post(url: string, init: RequestInit = {}, beforeWrite = () => {}): Promise<Response> {
  const isTls = url.startsWith('https:');
  const { request } = process.getBuiltinModule(isTls ? 'node:https' : 'node:http');
  const body = String(init.body);
  const headers = Object.fromEntries(new Headers(init.headers));
  return new Promise((resolve, reject) => {
    const sent = request(url, {
      method: 'POST',
      headers: { ...headers, 'content-length': Buffer.byteLength(body) },
      ...(init.signal && { signal: init.signal }),
    });
    sent.once('response', (message) => {
      try {
        resolve(responseOf(message));
      } catch (error) {
        // The status is outside 200 to 599.
        reject(error);
        sent.destroy();
      }
    });
    // Node says nothing else of a response that changes the protocol.
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
    // Ended earlier, the request would wait in Node.js for its connection, for as long as that takes.
    sent.once('socket', (socket) => {
      if (socket.connecting) socket.once(isTls ? 'secureConnect' : 'connect', write);
      else write();
    });
  });
}

/** Statuses with which `Response` takes no body. */
const BODILESS: ReadonlySet<number> = new Set([204, 205, 304]);

function responseOf(message: IncomingMessage): Response {
  const { statusCode: status = 200, headers } = message;
  const type = headers['content-type'] ?? '';
  if (BODILESS.has(status)) {
    message.resume();
    return new Response(null, { status });
  }
  if (headers['content-encoding'] !== 'gzip') {
    const length = headers['content-length'];
    return new Response(Readable.toWeb(message), {
      status,
      headers: { 'content-type': type, ...(length !== undefined && { 'content-length': length }) },
    });
  }
  // An error on the way is thrown where the last step is read.
  const unzipped = pipeline(message, process.getBuiltinModule('node:zlib').createGunzip(), () => {});
  return new Response(Readable.toWeb(unzipped), { status, headers: { 'content-type': type } });
}

interface Pending {
  resolve(response: unknown): void;
  reject(error: ChainError): void;
}

interface Subscription {
  onHead(head: unknown): void;
  onEnd(error: ChainError): void;
}

/** One open socket with its pending requests and subscriptions. */
interface Connection {
  readonly socket: WebSocket;
  readonly pending: Map<number, Pending>;
  readonly subscriptions: Map<string, Subscription>;
  /** Heads whose subscription id is not known yet: the first may overtake the response to `eth_subscribe`. */
  readonly early: { id: string; head: unknown }[];
  idleTimer: NodeJS.Timeout | undefined;
}

/** A socket from the beginning of its handshake; `close` ends it at any time and rejects its requests. */
interface Attempt {
  readonly opened: Promise<Connection>;
  /** How many requests wait for it to open. */
  waiting: number;
  close(): void;
}

/**
 * JSON-RPC over ws(s) with the platform's own WebSocket. viem's is not used: it shares sockets in a global table by address,
 * cannot end a handshake that hangs, has no limit on what it reads, and no moment right before bytes are written.
 *
 * The socket opens with the first request and closes when it has had nothing to do for `idleMs`.
 */
export function createWsLink(
  url: URL,
  options: {
    readonly name: string;
    readonly timeoutMs: number;
    readonly maxResponseBytes?: number;
    readonly idleMs?: number;
  },
): JsonRpcLink {
  const { name, maxResponseBytes = MAX_RESPONSE_BYTES, idleMs = 5_000 } = options;
  const redact = createRedaction(url);
  let current: Attempt | null = null;
  let lastId = 0;

  function connect(): Attempt {
    current ??= open();
    return current;
  }

  function open(): Attempt {
    const socket = openSocket(url);
    const connection: Connection = {
      socket,
      pending: new Map(),
      subscriptions: new Map(),
      early: [],
      idleTimer: undefined,
    };
    let attempt: Attempt | null = null;
    let close = () => {};
    const opened = new Promise<Connection>((resolve, reject) => {
      let opened = false;
      let over = false;
      const end = (error: ChainError) => {
        if (over) return;
        over = true;
        // A newer socket may have replaced it.
        if (current === attempt) current = null;
        clearTimeout(connection.idleTimer);
        reject(error);
        for (const each of connection.pending.values()) each.reject(error);
        for (const each of connection.subscriptions.values()) each.onEnd(error);
        connection.pending.clear();
        connection.subscriptions.clear();
        socket.close();
      };
      close = () => end(connectionFailure(name, 'ECONNRESET'));
      socket.addEventListener('open', () => {
        opened = true;
        resolve(connection);
      });
      socket.addEventListener('error', (event) =>
        end(connectionFailure(name, opened ? 'ECONNRESET' : codeOf(event))),
      );
      socket.addEventListener('close', () => end(connectionFailure(name, opened ? 'ECONNRESET' : null)));
      socket.addEventListener('message', (event) => {
        if (typeof event.data !== 'string') return end(notJsonFailure(name));
        if (event.data.length > maxResponseBytes) {
          const error = tooLargeFailure(name, maxResponseBytes);
          const id = idOf(event.data);
          if (id === null) return end(error);
          connection.pending.get(id)?.reject(error);
          return;
        }
        try {
          receive(connection, JSON.parse(event.data));
        } catch {
          end(notJsonFailure(name));
        }
      });
    });
    opened.catch(() => {});
    attempt = { opened, waiting: 0, close };
    return attempt;
  }

  function closeWhenIdle(connection: Connection, attempt: Attempt): void {
    clearTimeout(connection.idleTimer);
    if (connection.pending.size > 0 || connection.subscriptions.size > 0) return;
    connection.idleTimer = setTimeout(() => {
      if (connection.pending.size === 0 && connection.subscriptions.size === 0) attempt.close();
    }, idleMs);
    connection.idleTimer.unref();
  }

  async function request(
    method: string,
    params: readonly unknown[],
    { signal, timeoutMs = options.timeoutMs, beforeWrite }: RequestOptions = {},
  ): Promise<{ connection: Connection; attempt: Attempt; result: unknown }> {
    return withDeadline(timeoutMs, signal, async (inner) => {
      const stopped = new Promise<never>((_, reject) => {
        inner.addEventListener('abort', () => {
          const late = inner.reason instanceof DeadlineError;
          reject(late ? timeoutFailure(name, timeoutMs) : (signal?.reason ?? inner.reason));
        });
      });
      // The race may be over when the deadline's own clean-up aborts.
      stopped.catch(() => {});
      const attempt = connect();
      attempt.waiting++;
      const connection = await Promise.race([attempt.opened, stopped])
        .catch((error: unknown) => {
          // The next request must not wait for a handshake that hangs, and it ends with its last waiting request.
          if (current === attempt) current = null;
          if (attempt.waiting === 1) attempt.close();
          throw error;
        })
        .finally(() => {
          attempt.waiting--;
        });
      clearTimeout(connection.idleTimer);
      const id = ++lastId;
      const responded = new Promise<unknown>((resolve, reject) => {
        const text = JSON.stringify({ jsonrpc: '2.0', id, method, params });
        connection.pending.set(id, { resolve, reject });
        beforeWrite?.();
        connection.socket.send(text);
      });
      responded.catch(() => {});
      try {
        const response = await Promise.race([responded, stopped]);
        return { connection, attempt, result: resultOf(response, { name, redact }, method) };
      } finally {
        connection.pending.delete(id);
        closeWhenIdle(connection, attempt);
      }
    });
  }

  return {
    request: async (method, params, requestOptions) => (await request(method, params, requestOptions)).result,
    subscribeHeads: async (onHead, onEnd, requestOptions) => {
      const {
        connection,
        attempt,
        result: id,
      } = await request('eth_subscribe', ['newHeads'], requestOptions);
      if (typeof id !== 'string') {
        throw new ChainError('bad-answer', `${name} gives an answer to eth_subscribe that makes no sense`);
      }
      connection.subscriptions.set(id, { onHead, onEnd });
      clearTimeout(connection.idleTimer);
      for (const each of connection.early.splice(0)) if (each.id === id) onHead(each.head);
      return () => {
        if (!connection.subscriptions.delete(id)) return;
        if (connection.subscriptions.size === 0 && connection.pending.size === 0) attempt.close();
      };
    },
    close: () => current?.close(),
  };
}

function openSocket(url: URL): WebSocket {
  if (url.username === '') return new WebSocket(url);
  // A WebSocket address may not hold credentials in the request itself, they go as a header.
  const bare = new URL(url);
  bare.username = '';
  bare.password = '';
  const credentials = `${decodeURIComponent(url.username)}:${decodeURIComponent(url.password)}`;
  const authorization = `Basic ${Buffer.from(credentials).toString('base64')}`;
  return new WebSocket(bare, { headers: { authorization } });
}

function receive(connection: Connection, message: unknown): void {
  if (typeof message !== 'object' || message === null) return;
  if ('id' in message && typeof message.id === 'number') {
    connection.pending.get(message.id)?.resolve(message);
    return;
  }
  if (!('params' in message) || typeof message.params !== 'object' || message.params === null) return;
  const { params } = message;
  if (!('subscription' in params) || typeof params.subscription !== 'string' || !('result' in params)) return;
  const subscription = connection.subscriptions.get(params.subscription);
  if (subscription) subscription.onHead(params.result);
  else if (connection.early.length < 16)
    connection.early.push({ id: params.subscription, head: params.result });
}

/** Where nodes write a response's id: right before the result or right after it. */
const NEAR_ID = 128;

/** The id of a response, without reading all of it: the other requests of the socket must go on. */
function idOf(text: string): number | null {
  const found =
    /^\{(?:"jsonrpc":"2\.0",)?"id":(\d+),/.exec(withoutSpace(text.slice(0, NEAR_ID))) ??
    /,"id":(\d+)(?:,"jsonrpc":"2\.0")?\}$/.exec(withoutSpace(text.slice(-NEAR_ID)));
  return found === null ? null : Number(found[1]);
}

const withoutSpace = (text: string) => text.replace(/\s+/g, '');

function codeOf(event: unknown): string | null {
  for (let each: unknown = event, depth = 0; depth < 8; depth++) {
    if (typeof each !== 'object' || each === null) return null;
    if ('code' in each && typeof each.code === 'string') return each.code;
    each = 'error' in each ? each.error : 'cause' in each ? each.cause : null;
  }
  return null;
}

/** One node and what is known of it. */
export interface RpcNode {
  /** Host and port. */
  readonly name: string;
  readonly link: JsonRpcLink;
  /** Blocks per page of `eth_feeHistory` that the node allows, as far as is known; 0: it has no such method. */
  feeHistoryPage: number;
  /** Whether the node may have `eth_getBlockReceipts`. */
  hasBlockReceipts: boolean;
  /** How long the last response took. */
  latencyMs: number | null;
}

/** Geth, Erigon and most providers allow this many; others less. */
const FEE_HISTORY_PAGE = 1_024;

export function createRpcNode(url: URL, options: { readonly timeoutMs: number }): RpcNode {
  const name = hostOf(url);
  const create = url.protocol.startsWith('ws') ? createWsLink : createHttpLink;
  return {
    name,
    link: create(url, { name, ...options }),
    feeHistoryPage: FEE_HISTORY_PAGE,
    hasBlockReceipts: true,
    latencyMs: null,
  };
}

/** Sends one request and reads its response as `shape`. */
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

export function requestChainId(node: RpcNode, options?: RequestOptions): Promise<number> {
  return request(node, safeInteger, 'eth_chainId', [], options);
}

/** `null` where the node does not keep block 0, or does not say. */
export async function requestGenesisHash(node: RpcNode, options?: RequestOptions): Promise<Hex | null> {
  try {
    const block = await request(
      node,
      nullable(genesisResponse),
      'eth_getBlockByNumber',
      ['0x0', false],
      options,
    );
    return block?.hash ?? null;
  } catch (error) {
    const isSilent = isRefusal(error) || (error instanceof ChainError && SAYS_NOTHING.has(error.code));
    if (isSilent) return null;
    throw error;
  }
}

const SAYS_NOTHING: ReadonlySet<ChainErrorCode> = new Set(['unsupported', 'bad-answer']);

export function requestHeadNumber(node: RpcNode, options?: RequestOptions): Promise<number> {
  return request(node, safeInteger, 'eth_blockNumber', [], options);
}

/** `null` where the node has no such block (yet). */
export function requestHeader(
  node: RpcNode,
  at: number | 'latest',
  options?: RequestOptions,
): Promise<Header | null> {
  const tag = at === 'latest' ? at : toQuantity(at);
  return request(node, nullable(headerResponse), 'eth_getBlockByNumber', [tag, false], options);
}

/** @param percentiles ascending, 0 to 100 */
export function requestFeeHistory(
  node: RpcNode,
  count: number,
  newest: number | 'latest',
  percentiles: readonly number[],
  options?: RequestOptions,
): Promise<FeeHistoryResponse> {
  const tag = newest === 'latest' ? newest : toQuantity(newest);
  return request(node, feeHistoryResponse, 'eth_feeHistory', [toQuantity(count), tag, percentiles], options);
}
