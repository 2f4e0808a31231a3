import { ChainError } from '../errors.ts';
import { DeadlineError, withDeadline } from './deadline.ts';
import { connectionFailure, notJsonFailure, timeoutFailure, tooLargeFailure } from './failure.ts';
import { type JsonRpcLink, MAX_ANSWER_BYTES, resultOf } from './link.ts';

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
  let opening: Promise<Connection> | null = null;
  let idleTimer: NodeJS.Timeout | undefined;
  let lastId = 0;

  function connect(): Promise<Connection> {
    opening ??= open();
    return opening;
  }

  function open(): Promise<Connection> {
    return new Promise((resolve, reject) => {
      const socket = openSocket(url);
      const connection: Connection = { socket, pending: new Map(), subscriptions: new Map(), early: [] };
      let opened = false;
      let over = false;
      const end = (error: ChainError) => {
        if (over) return;
        over = true;
        opening = null;
        clearTimeout(idleTimer);
        reject(error);
        for (const each of connection.pending.values()) each.reject(error);
        for (const each of connection.subscriptions.values()) each.onEnd(error);
        connection.pending.clear();
        connection.subscriptions.clear();
        socket.close();
      };
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
        if (event.data.length > maxAnswerBytes) return end(tooLargeFailure(name, maxAnswerBytes));
        try {
          receive(connection, JSON.parse(event.data));
        } catch {
          end(notJsonFailure(name));
        }
      });
    });
  }

  function closeWhenIdle(connection: Connection): void {
    clearTimeout(idleTimer);
    if (connection.pending.size > 0 || connection.subscriptions.size > 0) return;
    idleTimer = setTimeout(() => {
      if (connection.pending.size === 0 && connection.subscriptions.size === 0) connection.socket.close();
    }, idleMs);
    idleTimer.unref();
  }

  async function request(
    method: string,
    params: readonly unknown[],
    {
      signal,
      timeoutMs = options.timeoutMs,
    }: { signal?: AbortSignal | undefined; timeoutMs?: number | undefined } = {},
  ): Promise<{ connection: Connection; result: unknown }> {
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
      attempt.catch(() => {});
      const connection = await Promise.race([attempt, stopped]).catch((error: unknown) => {
        // A handshake that hangs must not be waited for by the next request too.
        if (opening === attempt) {
          opening = null;
          attempt.then((late) => late.socket.close()).catch(() => {});
        }
        throw error;
      });
      clearTimeout(idleTimer);
      const id = ++lastId;
      const answered = new Promise<unknown>((resolve, reject) => {
        connection.pending.set(id, { resolve, reject });
        connection.socket.send(JSON.stringify({ jsonrpc: '2.0', id, method, params }));
      });
      answered.catch(() => {});
      try {
        const answer = await Promise.race([answered, stopped]);
        return { connection, result: resultOf(answer, name, method) };
      } finally {
        connection.pending.delete(id);
        closeWhenIdle(connection);
      }
    });
  }

  return {
    request: async (method, params, requestOptions) => (await request(method, params, requestOptions)).result,
    subscribeHeads: async (onHead, onEnd, requestOptions) => {
      const { connection, result: id } = await request('eth_subscribe', ['newHeads'], requestOptions);
      if (typeof id !== 'string') {
        throw new ChainError('bad-answer', `${name} gives an answer to eth_subscribe that makes no sense`);
      }
      connection.subscriptions.set(id, { onHead, onEnd });
      clearTimeout(idleTimer);
      for (const each of connection.early.splice(0)) if (each.id === id) onHead(each.head);
      return () => {
        if (!connection.subscriptions.delete(id)) return;
        if (connection.subscriptions.size === 0 && connection.pending.size === 0) connection.socket.close();
      };
    },
    close: () => {
      opening?.then((connection) => connection.socket.close()).catch(() => {});
      opening = null;
      clearTimeout(idleTimer);
    },
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

function codeOf(event: unknown): string | null {
  for (let each: unknown = event, depth = 0; depth < 8; depth++) {
    if (typeof each !== 'object' || each === null) return null;
    if ('code' in each && typeof each.code === 'string') return each.code;
    each = 'error' in each ? each.error : 'cause' in each ? each.cause : null;
  }
  return null;
}
