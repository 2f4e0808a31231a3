import { createServer, type Server, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { setImmediate as setImmediatePromise, setTimeout as setTimeoutPromise } from 'node:timers/promises';
import { getRequestListener } from '@hono/node-server';
import { PLAYGROUND_PATH } from '../../contract/routes.ts';
import type { AlertFigures } from '../../store/alert-figures.ts';
import type { Condition } from '../service-state.ts';
import { BrokenConnections } from './broken-connections.ts';
import {
  type EarlyRefusal,
  EXPECTATION_UNKNOWN,
  HOST_UNREADABLE,
  refuseHead,
  sendRefusal,
} from './early-refusal.ts';
import { ApiFailure, errorResponse } from './errors.ts';
import { Exchanges } from './exchanges.ts';
import { answerOperation, OPERATION_PATHS } from './health.ts';
import type { RequestLog } from './log.ts';
import { RequestMetrics } from './metrics.ts';
import { PendingAnswers } from './pending-answers.ts';
import type { RequestRecord } from './record.ts';
import { RecordedMessage } from './recorded-message.ts';
import { SECURITY_HEADERS } from './security-headers.ts';
import { SERVER_LIMITS, type ServerLimits } from './server-limits.ts';
import { withoutPrefix } from './without-prefix.ts';

/** What is served: a service, whichever stands behind it at the moment. */
export interface Served {
  fetch(request: Request, record: RequestRecord): Promise<Response>;
  condition(): Condition;
  /** What its alerts do, for an operator. */
  alertFigures?(): Promise<AlertFigures>;
}

export interface ServerOptions {
  readonly served: Served;
  readonly host: string;
  /** 0 takes a free one. */
  readonly port: number;
  /** The path of the base URL, which a proxy may pass on or take away; `''` without one. */
  readonly prefix?: string;
  readonly log: RequestLog;
  readonly limits?: Partial<ServerLimits>;
}

export interface RunningServer {
  readonly port: number;
  /** Takes no more connections once nothing new comes, lets what is under way end, then cuts what is left. */
  stop(): Promise<void>;
}

/**
 * Listens. Resolves when it does.
 * @throws the system's error (`EADDRINUSE`, `EACCES`, `ENOTFOUND`, …) when it cannot.
 */
export async function startServer(options: ServerOptions): Promise<RunningServer> {
  const limits = { ...SERVER_LIMITS, ...options.limits };
  const server = new HttpServer(options, limits);
  await server.listen();
  return server;
}

/** Turns of the event loop in which a connection is accepted, its first bytes are read, and its question begins. */
const SOCKET_TURNS = 4;

class HttpServer implements RunningServer {
  readonly #options: ServerOptions;
  readonly #limits: ServerLimits;
  readonly #server: Server;
  readonly #metrics = new RequestMetrics(Date.now());
  readonly #pending: PendingAnswers;
  readonly #exchanges: Exchanges;
  readonly #broken: BrokenConnections;
  /** What Node's adapter makes a request of at this moment; its error does not say. */
  #handedOver: RecordedMessage | null = null;
  readonly #sockets = new Set<Socket>();
  #stopping = false;
  /** When somebody last connected or asked, on the monotonic clock. */
  #stirredAt = 0;

  constructor(options: ServerOptions, limits: ServerLimits) {
    this.#options = options;
    this.#limits = limits;
    this.#pending = new PendingAnswers(limits.answerMs);
    this.#exchanges = new Exchanges(options.log, this.#metrics);
    this.#broken = new BrokenConnections(this.#exchanges);
    const listener = getRequestListener((request, { incoming }) => this.#answer(request, incoming), {
      hostname: options.host,
      errorHandler: (error) => this.#answerError(error),
    });
    const pathFor = (incoming: RecordedMessage) =>
      pathOf(withoutPrefix(incoming.url ?? '/', options.prefix ?? ''));
    const refuse = (incoming: RecordedMessage) => refuseHead(incoming, pathFor(incoming), limits);
    const handle = (incoming: RecordedMessage, outgoing: ServerResponse, refusal: EarlyRefusal | null) => {
      this.#begin(incoming, outgoing);
      if (refusal !== null) return sendRefusal(incoming, outgoing, refusal);
      this.#handedOver = incoming;
      void listener(incoming, outgoing);
      this.#handedOver = null;
    };
    this.#server = createServer(
      {
        maxHeaderSize: limits.headerBytes,
        headersTimeout: limits.headersMs,
        requestTimeout: limits.requestMs,
        connectionsCheckingInterval: limits.checkEveryMs,
        keepAliveTimeout: limits.keepAliveMs,
        // We answer it ourselves, in JSON.
        requireHostHeader: false,
        IncomingMessage: RecordedMessage,
      },
      (incoming, outgoing) => handle(incoming, outgoing, refuse(incoming)),
    );
    this.#server.maxConnections = limits.connections;
    this.#server.setTimeout(limits.idleMs);
    this.#server.on('checkContinue', (incoming: RecordedMessage, outgoing: ServerResponse) => {
      const refusal = refuse(incoming);
      if (refusal === null) outgoing.writeContinue();
      handle(incoming, outgoing, refusal);
    });
    this.#server.on('checkExpectation', (incoming: RecordedMessage, outgoing: ServerResponse) =>
      handle(incoming, outgoing, EXPECTATION_UNKNOWN),
    );
    this.#server.on('clientError', (error: NodeJS.ErrnoException, socket) =>
      this.#broken.refuse(error, socket),
    );
    this.#server.on('connection', (socket) => {
      this.#sockets.add(socket);
      this.#stirredAt = performance.now();
      socket.once('close', () => this.#sockets.delete(socket));
    });
  }

  get port(): number {
    const address = this.#server.address();
    return typeof address === 'object' && address !== null ? address.port : this.#options.port;
  }

  listen(): Promise<void> {
    const { host, port } = this.#options;
    return new Promise((resolve, reject) => {
      this.#server.once('error', reject);
      this.#server.listen({ host, port }, () => {
        this.#server.off('error', reject);
        this.#server.on('error', (error) => this.#options.log.problem(error));
        resolve();
      });
    });
  }

  async stop(): Promise<void> {
    this.#stopping = true;
    const end = performance.now() + this.#limits.graceMs;
    await this.#calm();
    const closed = new Promise<void>((resolve) => this.#server.close(() => resolve()));
    // To Node a connection on which nothing was ever sent is not an idle one.
    for (const socket of this.#sockets) if (socket.bytesRead === 0) socket.destroy();
    const cut = setTimeout(() => this.#server.closeAllConnections(), Math.max(0, end - performance.now()));
    await closed;
    clearTimeout(cut);
    this.#pending.stop();
  }

  /** What was sent before the stop may still wait to be accepted or read: closing at once would reset it unanswered. */
  async #calm(): Promise<void> {
    const { calmMs, drainMs } = this.#limits;
    const end = performance.now() + drainMs;
    this.#stirredAt = performance.now();
    for (;;) {
      const wait = Math.min(this.#stirredAt + calmMs, end) - performance.now();
      if (wait <= 0) return;
      await setTimeoutPromise(wait);
      // A timer comes before the sockets: on a busy machine they have not been looked at for longer than it took.
      for (let turn = 0; turn < SOCKET_TURNS; turn += 1) await setImmediatePromise();
    }
  }

  #begin(incoming: RecordedMessage, outgoing: ServerResponse): void {
    this.#stirredAt = performance.now();
    this.#exchanges.begin(incoming, outgoing, () => {
      if (this.#stopping) this.#server.closeIdleConnections();
    });
    incoming.url = withoutPrefix(incoming.url ?? '/', this.#options.prefix ?? '');
    if (this.#stopping) outgoing.setHeader('Connection', 'close');
  }

  async #answer(request: Request, incoming: object): Promise<Response> {
    if (!(incoming instanceof RecordedMessage)) throw new TypeError('a request of another server');
    const response = await this.#answerPath(request, incoming).catch((error: unknown) => {
      this.#options.log.problem(error);
      incoming.record.errorCode = 'internal_error';
      return errorResponse(error, request, null);
    });
    const { record, outgoing } = incoming;
    if (record.bytes === null) {
      secure(outgoing);
      record.bytes = Number(response.headers.get('content-length') ?? 0);
    }
    return response;
  }

  async #answerPath(request: Request, incoming: RecordedMessage): Promise<Response> {
    const { served } = this.#options;
    const { record } = incoming;
    const path = pathOf(incoming.url ?? '/');
    if (OPERATION_PATHS.has(path)) {
      record.route = path;
      const condition = served.condition();
      return answerOperation(request, path, condition, async () => {
        // What cannot be counted now is left out: the rest of the page matters all the more.
        const alerts = (await served.alertFigures?.().catch(() => null)) ?? null;
        return this.#metrics.page(condition, this.#sockets.size, alerts);
      });
    }
    if (path === PLAYGROUND_PATH || path.startsWith(`${PLAYGROUND_PATH}/`)) record.route = PLAYGROUND_PATH;
    return this.#pending.inTime(served.fetch(request, record), () => {
      const failure = tooSlow();
      // What may still come is not what is sent.
      incoming.record = record.copy();
      incoming.record.errorCode = failure.code;
      return errorResponse(failure, request, null);
    });
  }

  /** Node's adapter could not make a request of it, or nobody caught something. */
  #answerError(error: unknown): Response {
    if (this.#handedOver === null) {
      this.#options.log.problem(error);
      return errorResponse(error, new Request('http://unknown.invalid/'), null);
    }
    const text = JSON.stringify(HOST_UNREADABLE.body);
    const bytes = Buffer.byteLength(text);
    this.#handedOver.record.refused(HOST_UNREADABLE, bytes);
    return new Response(text, {
      status: HOST_UNREADABLE.status,
      headers: { ...SECURITY_HEADERS, 'Content-Type': 'application/json', 'Content-Length': String(bytes) },
    });
  }
}

function pathOf(url: string): string {
  const query = url.indexOf('?');
  return query === -1 ? url : url.slice(0, query);
}

function tooSlow(): ApiFailure {
  return new ApiFailure('upstream_unavailable', 'the answer took too long; ask again, or for less', {
    headers: { 'Retry-After': '5' },
  });
}

/** Encoded answers bring these with them. An answer's own header comes before. */
function secure(outgoing: ServerResponse | null): void {
  if (outgoing?.headersSent !== false) return;
  for (const [name, value] of Object.entries(SECURITY_HEADERS)) outgoing.setHeader(name, value);
}
