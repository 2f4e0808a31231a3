import {
  createServer,
  type IncomingMessage,
  type OutgoingHttpHeaders,
  type Server,
  ServerResponse,
} from 'node:http';
import type { Socket } from 'node:net';
import { getRequestListener } from '@hono/node-server';
import { DeadlineError, OVER } from '../../chain/async.ts';
import type { ErrorCode } from '../../contract/api-error.ts';
import { BASE_PATH, PLAYGROUND_PATH } from '../../contract/routes.ts';
import { isLoopback } from '../../core/loopback.ts';
import type { AlertFigures } from '../../store/alerts.ts';
import type { Condition } from '../condition.ts';
import { createConnections } from './connections.ts';
import { ApiFailure, abandoned, errorResponse, shorten, unavailable } from './errors.ts';
import type { RequestLog } from './log.ts';
import { createRequestMetrics } from './metrics.ts';

/** Resource limits per client. Tests shorten the times, never loosen the sizes. */
const LIMITS = {
  /** Node's default: room for headers added by proxies, and a page of memory per connection. Includes the request line. */
  headerBytes: 16_384,
  /** The longest v1 URL, a metrics window with every parameter, is below 300. */
  urlBytes: 4_096,
  /** A slow-loris sends a header now and then; a normal client sends all of them at once. */
  headersMs: 10_000,
  /** Headers and body; a quarter megabyte in this time is 14 kB/s, slower than any mobile connection. */
  requestMs: 20_000,
  checkEveryMs: 2_000,
  /** The slowest response, a month of stored history, takes well below a second; a node's may take several. */
  answerMs: 15_000,
  /** Longer than the 60 s after which common proxies close, so that the server never closes under a request. */
  keepAliveMs: 65_000,
  /** A client that reads nothing of a response for this long is gone. */
  idleMs: 30_000,
  /** A reader of a stream that takes none of what is sent for this long is gone. */
  stalledMs: 12_000,
  /** Of one connection, sent without waiting for responses. Clients and proxies send one; each takes some 40 kB. */
  pipelined: 20,
  /** Time for requests in progress after a stop; longer than the response timeout would be useless. */
  graceMs: 10_000,
  /** Each costs about 50 kB; with all of them the process stays below a quarter gigabyte. */
  connections: 2_048,
};

/** For log and metrics: the connection ended before a response began. nginx's status. */
const CLIENT_CLOSED = 499;

const SECURITY_HEADERS = [
  ['X-Content-Type-Options', 'nosniff'],
  ['Referrer-Policy', 'no-referrer'],
  ['Content-Security-Policy', "default-src 'none'; frame-ancestors 'none'"],
  ['Cache-Control', 'no-store'],
].map(([name = '', value]) => ({ name, lowerCased: name.toLowerCase(), value }));

/** Has the security headers; those that a response brings itself take precedence, such as the playground's policy. */
class SecuredResponse<Request extends IncomingMessage> extends ServerResponse<Request> {
  /** Of the body, as the header says. */
  contentLength = 0;

  // With those of the response, in one object: Node merges headers that were set before one by one.
  override writeHead(status: number, given?: unknown): this {
    const own = (given ?? {}) as OutgoingHttpHeaders;
    const headers: OutgoingHttpHeaders = {};
    for (const { name, lowerCased, value } of SECURITY_HEADERS) {
      if (!(name in own || lowerCased in own)) headers[name] = value;
    }
    this.contentLength = Number(own['Content-Length'] ?? own['content-length'] ?? 0);
    return super.writeHead(status, Object.assign(headers, own));
  }
}

/** Facts about one request, collected while it is handled, for log and metrics. Passed to the app as its `env`. */
export interface RequestRecord {
  /** The route's template, never the typed path: `/be/api/v1/metrics/block/{number}`. */
  route?: string;
  keyId?: string | null;
  errorCode?: ErrorCode;
  /** Whether the response goes on while its reader takes it. Left out: its headers say so. */
  isStream?: boolean;
  /** Of the peer: a proxy, or the client. */
  address?: string | undefined;
  /** Aborts when nobody waits for the response any more: at its deadline, or with the connection. */
  signal?: AbortSignal;
}

/** The service behind the server, which may be replaced. */
export interface Served {
  fetch(request: Request, record: RequestRecord): Promise<Response>;
  condition(): Condition;
  /** Why requests would be refused, whatever they need: for readiness. */
  checkParts?(): Promise<ApiFailure | null>;
  /** Ends streaming responses. */
  endStreams?(): void;
  /** Figures of its alerts, for an operator. */
  alertFigures?(): Promise<AlertFigures>;
  /** What gas costs now, as families of Prometheus' text format. Never rejects. */
  gasMetrics?(): Promise<string>;
}

export interface ServerOptions {
  readonly served: Served;
  readonly host: string;
  /** 0: any free port. */
  readonly port: number;
  /** The path of the base URL, which a proxy may pass on or remove; `''` without one. */
  readonly prefix?: string;
  /** Public host name behind a proxy that passes `Host` on. */
  readonly publicName?: string | undefined;
  readonly log: RequestLog;
  readonly limits?: Partial<typeof LIMITS>;
}

/** Resolves when it listens. @throws the system's error (`EADDRINUSE`, `EACCES`, `ENOTFOUND`, …) */
export async function startServer(options: ServerOptions) {
  const { served, host, log, prefix = '' } = options;
  const limits = { ...LIMITS, ...options.limits };
  const metrics = createRequestMetrics(Date.now());
  const connections = createConnections(limits.connections, () => log.problem(FULL));
  const stalls = watchStalls(limits);
  const context: ServerContext = { options, limits, metrics, connections, stalls };
  let requests = 0;
  let isStopping = false;

  const listener = getRequestListener(
    (request, { incoming, outgoing }) => {
      requests += 1;
      const received = { id: requests, request, incoming, outgoing } as Received;
      return respond(received, context, () => isStopping && server.closeIdleConnections());
    },
    {
      hostname: host,
      // The adapter could not create a request.
      errorHandler: () => errorResponse(badRequest(), new Request('http://unknown.invalid/'), null),
    },
  );
  const server = createServer(
    {
      ServerResponse: SecuredResponse,
      maxHeaderSize: limits.headerBytes,
      headersTimeout: limits.headersMs,
      requestTimeout: limits.requestMs,
      connectionsCheckingInterval: limits.checkEveryMs,
      keepAliveTimeout: limits.keepAliveMs,
    },
    (incoming, outgoing) => {
      const { socket } = incoming;
      // Its other requests may be parsed already.
      if (socket.destroyed) return;
      if (connections.inProgress(socket) >= limits.pipelined) {
        socket.destroy();
        return;
      }
      incoming.url = withoutPrefix(incoming.url ?? '/', prefix);
      // Node.js may leave the body of a request for an upgrade unread.
      const isUpgrade = incoming.headers.upgrade !== undefined;
      if (isStopping || isUpgrade) outgoing.setHeader('Connection', 'close');
      void listener(incoming, outgoing);
    },
  );
  server.setTimeout(limits.idleMs);
  server.on('connection', (socket) => {
    // Each pipelined request listens for the end of the connection.
    socket.setMaxListeners(0);
    connections.add(socket);
  });
  await listen(server, options);

  return {
    get port(): number {
      const address = server.address();
      return typeof address === 'object' && address !== null ? address.port : options.port;
    },
    /** Accepts no more connections, lets requests in progress end, then closes the rest. */
    async stop(): Promise<void> {
      isStopping = true;
      stalls.end();
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      served.endStreams?.();
      // Node does not count a connection without a request as idle.
      for (const socket of connections.all()) if (socket.bytesRead === 0) socket.destroy();
      const cut = setTimeout(() => server.closeAllConnections(), limits.graceMs);
      await closed;
      clearTimeout(cut);
    },
  };
}

/** What each request needs of the server. */
interface ServerContext {
  readonly options: ServerOptions;
  readonly limits: typeof LIMITS;
  readonly metrics: ReturnType<typeof createRequestMetrics>;
  readonly connections: ReturnType<typeof createConnections>;
  readonly stalls: ReturnType<typeof watchStalls>;
}

/** A request with both ends of its connection. */
interface Received {
  readonly id: number;
  readonly request: Request;
  readonly incoming: IncomingMessage;
  readonly outgoing: SecuredResponse<IncomingMessage>;
}

function listen(server: Server, { host, port, log }: ServerOptions): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen({ host, port }, () => {
      server.off('error', reject);
      server.on('error', (error) => log.problem(error));
      resolve();
    });
  });
}

/** Drops stalled readers: a new event does not make them look alive, as it does to the timeout of their socket. */
function watchStalls({ stalledMs, checkEveryMs }: typeof LIMITS) {
  /** Of responses that stream: how many bytes their readers have taken, and since when no more. */
  const streams = new Map<Socket, { readonly taken: number; readonly at: number }>();
  const dropStalled = () => {
    const now = performance.now();
    for (const [socket, last] of streams) {
      const taken = socket.bytesWritten - socket.writableLength;
      if (socket.writableLength === 0 || taken !== last.taken) streams.set(socket, { taken, at: now });
      else if (now - last.at >= stalledMs) socket.destroy();
    }
  };
  const check = setInterval(dropStalled, checkEveryMs).unref();
  return {
    watch({ incoming: { socket }, outgoing }: Received): void {
      streams.set(socket, { taken: 0, at: performance.now() });
      outgoing.once('close', () => streams.delete(socket));
    },
    end: () => clearInterval(check),
  };
}

/** A request until its response, or its connection, has ended. */
class AwaitedRequest implements RequestRecord {
  route?: string;
  keyId?: string | null;
  errorCode?: ErrorCode;
  isStream?: boolean;
  readonly address: string | undefined;
  /** Whether its response is settled. */
  isOver = false;
  #abort: AbortController | null = null;

  constructor(address: string | undefined) {
    this.address = address;
  }

  /** Made when it is first read: most responses are cached, and wait for nothing that could be aborted. */
  get signal(): AbortSignal {
    this.#abort ??= new AbortController();
    if (this.isOver) this.#abort.abort(OVER);
    return this.#abort.signal;
  }

  /** Closes what was opened for it. */
  end(reason: unknown): void {
    this.isOver = true;
    this.#abort?.abort(reason);
  }
}

/** Handles a request, and records the response in log and metrics. */
function respond(received: Received, context: ServerContext, onEnd: () => void): Promise<Response> {
  const { request, incoming } = received;
  const { promise, resolve } = Promise.withResolvers<Response>();
  const record = new AwaitedRequest(incoming.socket.remoteAddress);
  const recorded = recordRequest(received, record, context, () => {
    giveUp(abandoned);
    onEnd();
  });
  const settle = (response: Response, reason: unknown = OVER) => {
    clearTimeout(deadline);
    record.end(reason);
    resolve(response);
  };
  const fail = (failure: unknown, reason?: unknown) => {
    recorded.failed(failure);
    settle(errorResponse(failure, request, null), reason);
  };
  const giveUp = (reason: () => Error) => {
    if (!record.isOver) fail(tooSlow(), reason());
  };
  // The one deadline of a request: bodies and handlers get its signal, so that what it abandons ends.
  const deadline = setTimeout(() => giveUp(() => new DeadlineError('too late')), context.limits.answerMs);
  const handle = async () => {
    try {
      const response = await route(received, record, context);
      if (record.isOver) return;
      const { isStream = response.headers.get('content-type') === 'text/event-stream' } = record;
      if (isStream) context.stalls.watch(received);
      settle(response);
    } catch (error) {
      if (record.isOver) return;
      if (!(error instanceof ApiFailure)) context.options.log.problem(error);
      fail(error);
    }
  };
  void handle();
  return promise;
}

/** Counts a request from now until its response, or the connection, has ended; then its log line is written. */
function recordRequest(
  { id, request, incoming, outgoing }: Received,
  record: RequestRecord,
  { metrics, connections, options }: ServerContext,
  onEnd: () => void,
) {
  const { socket } = incoming;
  const { method } = request;
  const startedAt = performance.now();
  let hasEnded = false;
  let failedRecord: RequestRecord | null = null;
  metrics.begin();
  connections.begin(socket);
  const end = () => {
    if (hasEnded) return;
    hasEnded = true;
    socket.off('close', end);
    connections.end(socket);
    const { route = null, keyId = null, errorCode = null } = failedRecord ?? record;
    const status = outgoing.headersSent ? outgoing.statusCode : CLIENT_CLOSED;
    const answered = { method, route, status, durationMs: performance.now() - startedAt };
    metrics.end(answered);
    const hasBody = method !== 'HEAD' && status !== CLIENT_CLOSED;
    const bytes = hasBody ? outgoing.contentLength : 0;
    // A probe asks every few seconds.
    const level = status === 500 ? 'error' : route !== null && OPERATION_PATHS.has(route) ? 'debug' : 'info';
    const cut = !outgoing.writableFinished;
    options.log.answered(level, { ...answered, id, keyId, errorCode, bytes, cut });
    onEnd();
  };
  outgoing.on('close', end);
  // A response queued behind others on its connection has no `close` event of its own.
  socket.on('close', end);
  return {
    failed(failure: unknown): void {
      const errorCode = failure instanceof ApiFailure ? failure.code : 'internal_error';
      // The app may still change the record of an unsent response.
      failedRecord = { ...record, errorCode };
    },
  };
}

function route(
  { request, incoming: { rawHeaders } }: Received,
  record: RequestRecord,
  context: ServerContext,
): Promise<Response> {
  const { limits, options } = context;
  // RFC 9112, 3.2. Node.js takes the first, a proxy may have taken the other.
  const isHost = (name: string, at: number) =>
    name.length === 4 && at % 2 === 0 && name.toLowerCase() === 'host';
  if (rawHeaders.findIndex(isHost) !== rawHeaders.findLastIndex(isHost)) throw badRequest();
  if (request.url.length > limits.urlBytes) throw urlTooLong(limits.urlBytes);
  const { pathname: path, hostname } = new URL(request.url);
  // DNS rebinding: a page may resolve its own host name to this machine.
  const asked = hostname.replace(/^\[|\]$/g, '');
  if (isLoopback(options.host) && !isLoopback(asked) && asked !== options.publicName)
    throw unknownHost(asked);
  if (OPERATION_PATHS.has(path)) {
    record.route = path;
    return answerOperation(request, path, context);
  }
  if (path === PLAYGROUND_PATH || path.startsWith(`${PLAYGROUND_PATH}/`)) record.route = PLAYGROUND_PATH;
  return options.served.fetch(request, record);
}

async function answerOperation(request: Request, path: string, context: ServerContext): Promise<Response> {
  const { metrics, connections, options } = context;
  const { served } = options;
  const { method } = request;
  if (method === 'OPTIONS') return new Response(null, { status: 204, headers: ALLOW });
  if (method !== 'GET' && method !== 'HEAD') {
    throw new ApiFailure('method_not_allowed', 'this path only answers GET', { headers: ALLOW });
  }
  const send = (text: string, type = 'application/json') => {
    const headers = { 'Content-Type': type, 'Content-Length': String(Buffer.byteLength(text)) };
    return new Response(method === 'HEAD' ? null : text, { headers });
  };
  if (path === '/healthz') return send(JSON.stringify({ status: 'ok' }));
  const unready = (await served.checkParts?.()) ?? null;
  const now = served.condition();
  const condition = { ...now, failure: now.failure ?? unready };
  if (path === '/metrics') {
    // Leaves out figures that cannot be read: the rest of the page matters more then.
    const figures = unready === null ? served.alertFigures?.() : null;
    const alerts = (await figures?.catch(() => null)) ?? null;
    const page = metrics.page(condition, connections.size, alerts, await served.gasMetrics?.());
    return send(page, 'text/plain; version=0.0.4; charset=utf-8');
  }
  const { leader, head, lagBlocks, failure } = condition;
  if (failure !== null) throw failure;
  // Readiness concerns responses; alerts may fire in another process.
  const alerts = leader?.isHere ? 'here' : leader ? 'elsewhere' : 'nowhere';
  return send(JSON.stringify({ status: 'ready', alerts, leader: leader?.process ?? null, head, lagBlocks }));
}

/** Outside v1, for the operator: no key needed, nothing secret included. */
const OPERATION_PATHS: ReadonlySet<string> = new Set(['/healthz', '/readyz', '/metrics']);
const ALLOW = { Allow: 'GET, HEAD, OPTIONS' };

const FULL =
  'all connections are taken: those of the address that has the most give way to others; a proxy in front can limit each client';

const badRequest = () =>
  new ApiFailure(
    'validation_failed',
    'the URL or the Host header is invalid, or there are two; see RFC 9110',
  );

const tooSlow = () => unavailable('the response took too long; ask again, or for less', 5);

const urlTooLong = (most: number) =>
  new ApiFailure('payload_too_large', `the URL is longer than ${most} bytes; shorten it`, { status: 414 });

const unknownHost = (name: string) =>
  new ApiFailure(
    'validation_failed',
    `this service is not called ${shorten(name)}: use localhost, or let its operator name it with --base-url`,
    { status: 421 },
  );

/** The path without `prefix`, that of the base URL, which a proxy may remove. A `/be` must not be confused with v1's own. */
function withoutPrefix(url: string, prefix: string): string {
  if (prefix === '' || !url.startsWith(`${prefix}/`)) return url;
  const isV1 = url.startsWith(`${BASE_PATH}/`) && !url.startsWith(`${prefix}${BASE_PATH}/`);
  return isV1 ? url : url.slice(prefix.length);
}
