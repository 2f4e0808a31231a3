import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { getRequestListener } from '@hono/node-server';
import { BASE_PATH, PLAYGROUND_PATH } from '../../contract/routes.ts';
import type { AlertFigures } from '../../store/alerts.ts';
import { withTimeout } from '../async.ts';
import { isLoopback } from '../is-loopback.ts';
import type { Condition } from '../service-state.ts';
import { ApiFailure, errorResponse, shorten } from './errors.ts';
import type { RequestLog } from './log.ts';
import { RequestMetrics } from './metrics.ts';
import { RequestRecord } from './record.ts';

/** Resource limits per client. Tests shorten the times, never loosen the sizes. */
interface ServerLimits {
  readonly headerBytes: number;
  readonly urlBytes: number;
  readonly headersMs: number;
  readonly requestMs: number;
  readonly checkEveryMs: number;
  readonly answerMs: number;
  readonly keepAliveMs: number;
  readonly idleMs: number;
  readonly graceMs: number;
  readonly connections: number;
}

const LIMITS: ServerLimits = {
  /**
   * Node's default: room for headers added by proxies, and a page of memory per connection. Includes the request
   * line.
   */
  headerBytes: 16_384,
  /** The longest v1 URL, a metrics window with every parameter, is below 300. */
  urlBytes: 4_096,
  /** A slow-loris sends a header now and then; a normal client sends all of them at once. */
  headersMs: 10_000,
  /** Headers and body; a quarter megabyte in this time is 14 kB/s, slower than any mobile connection. */
  requestMs: 20_000,
  /** How often Node checks connections against the two limits above. */
  checkEveryMs: 2_000,
  /** The slowest response, a month of stored history, takes well below a second; a node's may take several. */
  answerMs: 15_000,
  /** Longer than the 60 s after which common proxies close, so that the server never closes under a request. */
  keepAliveMs: 65_000,
  /** A client that reads nothing of a response for this long is gone. */
  idleMs: 30_000,
  /** Time for requests in progress after a stop; longer than the response timeout would be useless. */
  graceMs: 10_000,
  /** Each costs about 50 kB; with all of them the process stays below a quarter gigabyte. */
  connections: 2_048,
};

/** For log and metrics: the connection ended before a response began. nginx's status. */
const CLIENT_CLOSED = 499;

/** For every response; a response's own header takes precedence, such as the playground's policy. */
const SECURITY_HEADERS = {
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'no-referrer',
  'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
  'Cache-Control': 'no-store',
} as const;

/** The service behind the server, which may be replaced. */
export interface Served {
  fetch(request: Request, record: RequestRecord): Promise<Response>;
  condition(): Condition;
  /** Ends streaming responses. */
  endStreams?(): void;
  /** Figures of its alerts, for an operator. */
  alertFigures?(): Promise<AlertFigures>;
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
  readonly limits?: Partial<ServerLimits>;
}

export interface RunningServer {
  readonly port: number;
  /** Accepts no more connections, lets requests in progress end, then closes the rest. */
  stop(): Promise<void>;
}

/** The parts of a response that tell how it ended. */
interface Outgoing extends Pick<ServerResponse, 'headersSent' | 'statusCode' | 'writableFinished'> {
  on(event: 'close', listener: () => void): unknown;
}

/**
 * Listens. Resolves when it does.
 * @throws the system's error (`EADDRINUSE`, `EACCES`, `ENOTFOUND`, …) when it cannot.
 */
export async function startServer(options: ServerOptions): Promise<RunningServer> {
  const { served, host, log, prefix = '' } = options;
  const limits = { ...LIMITS, ...options.limits };
  const metrics = new RequestMetrics(Date.now());
  const sockets = new Set<Socket>();
  let requests = 0;
  let isStopping = false;

  const listener = getRequestListener(
    (request, { incoming, outgoing }) => respond(request, incoming.socket, outgoing),
    {
      hostname: host,
      // The adapter could not create a request.
      errorHandler: () =>
        errorResponse(
          new ApiFailure('validation_failed', 'the URL or the Host header is invalid; see RFC 9110'),
          new Request('http://unknown.invalid/'),
          null,
        ),
    },
  );
  const server = createServer(
    {
      maxHeaderSize: limits.headerBytes,
      headersTimeout: limits.headersMs,
      requestTimeout: limits.requestMs,
      connectionsCheckingInterval: limits.checkEveryMs,
      keepAliveTimeout: limits.keepAliveMs,
    },
    (incoming: IncomingMessage, outgoing: ServerResponse) => {
      incoming.url = withoutPrefix(incoming.url ?? '/', prefix);
      for (const [name, value] of Object.entries(SECURITY_HEADERS)) outgoing.setHeader(name, value);
      if (isStopping) outgoing.setHeader('Connection', 'close');
      void listener(incoming, outgoing);
    },
  );
  server.maxConnections = limits.connections;
  server.setTimeout(limits.idleMs);
  server.on('connection', (socket) => {
    // Each pipelined request listens for the end of the connection.
    socket.setMaxListeners(0);
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });

  /** Handles a request, and records the response in log and metrics. */
  async function respond(
    request: Request,
    socket: Pick<Socket, 'on' | 'off'>,
    outgoing: Outgoing,
  ): Promise<Response> {
    requests += 1;
    const id = requests;
    const startedAt = performance.now();
    let record = new RequestRecord();
    let hasEnded = false;
    metrics.begin();
    const end = () => {
      if (hasEnded) return;
      hasEnded = true;
      socket.off('close', end);
      const { route, keyId, errorCode, bytes } = record;
      const { method } = request;
      const status = outgoing.headersSent ? outgoing.statusCode : CLIENT_CLOSED;
      const answered = { method, route, status, durationMs: performance.now() - startedAt };
      metrics.end(answered);
      log.answered({
        ...answered,
        id,
        keyId,
        errorCode,
        bytes: method === 'HEAD' || status === CLIENT_CLOSED ? 0 : (bytes ?? 0),
        cut: !outgoing.writableFinished,
        isOperation: route !== null && OPERATION_PATHS.has(route),
      });
      if (isStopping) server.closeIdleConnections();
    };
    outgoing.on('close', end);
    // A response queued behind others on its connection has no `close` event of its own.
    socket.on('close', end);
    const fail = (failure: unknown) => {
      // The app may still change the record of an unsent response.
      record = record.copy();
      record.errorCode = failure instanceof ApiFailure ? failure.code : 'internal_error';
      return errorResponse(failure, request, null);
    };
    const response = await withTimeout(route(request, record), limits.answerMs, () => fail(tooSlow())).catch(
      (error: unknown) => {
        if (!(error instanceof ApiFailure)) log.problem(error);
        return fail(error);
      },
    );
    record.bytes ??= Number(response.headers.get('content-length') ?? 0);
    return response;
  }

  async function route(request: Request, record: RequestRecord): Promise<Response> {
    if (request.url.length > limits.urlBytes) throw urlTooLong(limits.urlBytes);
    const { pathname: path, hostname } = new URL(request.url);
    // DNS rebinding: a page may resolve its own host name to this machine.
    const asked = hostname.replace(/^\[|\]$/g, '');
    if (isLoopback(host) && !isLoopback(asked) && asked !== options.publicName) throw unknownHost(asked);
    if (OPERATION_PATHS.has(path)) {
      record.route = path;
      const condition = served.condition();
      return answerOperation(request, path, condition, async () => {
        // Leaves out figures that cannot be read: the rest of the page matters more then.
        const alerts = (await served.alertFigures?.().catch(() => null)) ?? null;
        return metrics.page(condition, sockets.size, alerts);
      });
    }
    if (path === PLAYGROUND_PATH || path.startsWith(`${PLAYGROUND_PATH}/`)) record.route = PLAYGROUND_PATH;
    return served.fetch(request, record);
  }

  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen({ host, port: options.port }, () => {
      server.off('error', reject);
      server.on('error', (error) => log.problem(error));
      resolve();
    });
  });

  return {
    get port() {
      const address = server.address();
      return typeof address === 'object' && address !== null ? address.port : options.port;
    },
    async stop() {
      isStopping = true;
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      served.endStreams?.();
      // Node does not count a connection without a request as idle.
      for (const socket of sockets) if (socket.bytesRead === 0) socket.destroy();
      const cut = setTimeout(() => server.closeAllConnections(), limits.graceMs);
      await closed;
      clearTimeout(cut);
    },
  };
}

const tooSlow = () =>
  new ApiFailure('upstream_unavailable', 'the response took too long; ask again, or for less', {
    headers: { 'Retry-After': '5' },
  });

const urlTooLong = (most: number) =>
  new ApiFailure('payload_too_large', `the URL is longer than ${most} bytes; shorten it`, { status: 414 });

const unknownHost = (name: string) =>
  new ApiFailure(
    'validation_failed',
    `this service is not called ${shorten(name)}: use localhost, or let its operator name it with --base-url`,
    { status: 421 },
  );

/**
 * The path of a request for this service. `prefix` is the path of the base URL, which a proxy may pass on or remove;
 * a prefix that begins like v1's path (`/be`) must not be confused with it.
 */
function withoutPrefix(url: string, prefix: string): string {
  if (prefix === '' || !url.startsWith(`${prefix}/`)) return url;
  const isV1 = url.startsWith(`${BASE_PATH}/`) && !url.startsWith(`${prefix}${BASE_PATH}/`);
  return isV1 ? url : url.slice(prefix.length);
}

/** Outside v1, for the operator: no key needed, nothing secret included. */
const OPERATION_PATHS: ReadonlySet<string> = new Set(['/healthz', '/readyz', '/metrics']);

const ALLOW = 'GET, HEAD, OPTIONS';

/** Handles one of {@link OPERATION_PATHS}. */
async function answerOperation(
  request: Request,
  path: string,
  condition: Condition,
  metricsPage: () => Promise<string>,
): Promise<Response> {
  const { method } = request;
  if (method === 'OPTIONS') return new Response(null, { status: 204, headers: { Allow: ALLOW } });
  if (method !== 'GET' && method !== 'HEAD') {
    const wrong = new ApiFailure('method_not_allowed', 'this path only answers GET', {
      headers: { Allow: ALLOW },
    });
    return errorResponse(wrong, request, null);
  }
  const send = (text: string, type: string) =>
    new Response(method === 'HEAD' ? null : text, {
      status: 200,
      headers: { 'Content-Type': type, 'Content-Length': String(Buffer.byteLength(text)) },
    });
  if (path === '/metrics') return send(await metricsPage(), 'text/plain; version=0.0.4; charset=utf-8');
  if (path === '/readyz' && condition.failure !== null)
    return errorResponse(condition.failure, request, null);
  if (path === '/healthz') return send(JSON.stringify({ status: 'ok' }), 'application/json');
  // Readiness concerns responses; alerts may fire in another process.
  const alerts = condition.engine?.isHere ? 'here' : condition.engine ? 'elsewhere' : 'nowhere';
  const { engine, head, lagBlocks } = condition;
  const leader = engine?.process ?? null;
  return send(JSON.stringify({ status: 'ready', alerts, leader, head, lagBlocks }), 'application/json');
}
