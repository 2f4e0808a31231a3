import { ChainError } from '../errors.ts';
import { DeadlineError, withDeadline } from './deadline.ts';
import { connectionFailure, notJsonFailure, timeoutFailure, tooLargeFailure } from './failure.ts';
import { type JsonRpcLink, MAX_ANSWER_BYTES, resultOf } from './link.ts';
import { createRedaction } from './redaction.ts';

interface Pending {
  resolve(answer: unknown): void;
  reject(error: ChainError): void;
}

interface Subscription {
  onHead(head: unknown): void;
  onEnd(error: ChainError): void;
}

/** One open socket and what waits on it. */
interface Connection {
  readonly socket: WebSocket;
  readonly pending: Map<number, Pending>;
  readonly subscriptions: Map<string, Subscription>;
  /** Heads whose subscription id is not known yet: the first may overtake the answer to `eth_subscribe`. */
  readonly early: { id: string; head: unknown }[];
  idleTimer: NodeJS.Timeout | undefined;
}

/** A socket from the first moment of its handshake; `close` ends it at any time, what waits on it is told. */
interface Attempt {
  readonly opened: Promise<Connection>;
  /** How many requests wait for it to open. */
  waiting: number;
  close(): void;
}

/**
 * JSON-RPC over ws(s) with the platform's own WebSocket. viem's is not used: it keeps its sockets in a global
 * table by address, prints when it cannot reconnect and has no limit on what it reads.
 *
 * The socket opens with the first request and closes when it has had nothing to do for `idleMs`.
 */
export function createWsLink(
  url: URL,
  options: {
    readonly name: string;
    readonly timeoutMs: number;
    readonly maxAnswerBytes?: number;
    readonly idleMs?: number;
  },
): JsonRpcLink {
  const { name, maxAnswerBytes = MAX_ANSWER_BYTES, idleMs = 5_000 } = options;
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
        // A newer socket may have taken its place long since.
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
        if (event.data.length > maxAnswerBytes) {
          const error = tooLargeFailure(name, maxAnswerBytes);
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
    {
      signal,
      timeoutMs = options.timeoutMs,
    }: { signal?: AbortSignal | undefined; timeoutMs?: number | undefined } = {},
  ): Promise<{ connection: Connection; attempt: Attempt; result: unknown }> {
    return withDeadline(timeoutMs, signal, async (inner) => {
      const stopped = new Promise<never>((_, reject) => {
        inner.addEventListener('abort', () => {
          const late = inner.reason instanceof DeadlineError;
          reject(late ? timeoutFailure(name, timeoutMs) : (signal?.reason ?? inner.reason));
        });
      });
      // Nobody may be listening any more when the deadline's own clean-up aborts.
      stopped.catch(() => {});
      const attempt = connect();
      attempt.waiting++;
      const connection = await Promise.race([attempt.opened, stopped])
        .catch((error: unknown) => {
          // A handshake that hangs must neither be waited for by the next request nor go on for nobody.
          if (current === attempt) current = null;
          if (attempt.waiting === 1) attempt.close();
          throw error;
        })
        .finally(() => {
          attempt.waiting--;
        });
      clearTimeout(connection.idleTimer);
      const id = ++lastId;
      const answered = new Promise<unknown>((resolve, reject) => {
        connection.pending.set(id, { resolve, reject });
        connection.socket.send(JSON.stringify({ jsonrpc: '2.0', id, method, params }));
      });
      answered.catch(() => {});
      try {
        const answer = await Promise.race([answered, stopped]);
        return { connection, attempt, result: resultOf(answer, { name, redact }, method) };
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

/** Where nodes write an answer's id: right before the result or right after it. */
const NEAR_ID = 128;

/** Whose answer a text is, without reading all of it: what else goes over the socket must not end with it. */
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
