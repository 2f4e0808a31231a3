import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { EarlyRefusal } from './early-refusal.ts';
import { OPERATION_PATHS } from './health.ts';
import type { RequestLog } from './log.ts';
import type { AnsweredRequest, RequestMetrics } from './metrics.ts';
import type { RecordedMessage } from './recorded-message.ts';

/** In log and metrics: the connection ended before an answer began. The number is nginx's. */
const NEVER_ANSWERED = 499;

/** What goes on on one connection. */
interface Talk {
  /** In the order in which they came and are answered, with what is done at their end. */
  readonly open: Map<RecordedMessage, () => void>;
  last: RecordedMessage | null;
}

/** Follows each request to its end, and says in log and metrics what came of it: what was sent, not what was meant. */
export class Exchanges {
  readonly #log: RequestLog;
  readonly #metrics: RequestMetrics;
  readonly #talks = new WeakMap<Socket, Talk>();
  #count = 0;

  constructor(log: RequestLog, metrics: RequestMetrics) {
    this.#log = log;
    this.#metrics = metrics;
  }

  /** What was asked on `socket` and not yet answered, and the last that came. */
  on(socket: Socket): Readonly<Talk> {
    let talk = this.#talks.get(socket);
    if (talk === undefined) {
      const open: Talk['open'] = new Map();
      talk = { open, last: null };
      this.#talks.set(socket, talk);
      // An answer that waits behind others does not hear of it.
      socket.once('close', () => {
        for (const end of [...open.values()]) end();
      });
    }
    return talk;
  }

  /** `ended` is called when nothing more is sent. */
  begin(incoming: RecordedMessage, outgoing: ServerResponse, ended: () => void): void {
    const startedAt = performance.now();
    const talk: Talk = this.on(incoming.socket);
    incoming.outgoing = outgoing;
    this.#count += 1;
    const id = this.#count;
    this.#metrics.begin();
    const end = () => {
      if (!talk.open.delete(incoming)) return;
      this.#end(id, incoming, outgoing, performance.now() - startedAt);
      ended();
    };
    talk.open.set(incoming, end);
    talk.last = incoming;
    outgoing.once('close', end);
  }

  /** What never became a request was answered on the bare connection. */
  refused({ status, body }: EarlyRefusal, bytes: number): void {
    const request = { method: 'other', route: null, status, durationMs: 0 };
    this.#count += 1;
    this.#metrics.count(request);
    this.#log.answered({
      ...request,
      id: this.#count,
      keyId: null,
      errorCode: body.errorCode,
      bytes,
      cut: true,
      isOperation: false,
    });
  }

  #end(id: number, { method = '', record }: RecordedMessage, outgoing: ServerResponse, durationMs: number) {
    const { route, keyId, errorCode, bytes } = record;
    const sent = outgoing.headersSent ? outgoing.statusCode : NEVER_ANSWERED;
    const request: AnsweredRequest = { method, route, status: record.refusedWith ?? sent, durationMs };
    this.#metrics.end(request);
    this.#log.answered({
      ...request,
      id,
      keyId,
      errorCode,
      bytes: method === 'HEAD' || request.status === NEVER_ANSWERED ? 0 : (bytes ?? 0),
      cut: !outgoing.writableFinished,
      isOperation: route !== null && OPERATION_PATHS.has(route),
    });
  }
}
