import type { RouteOutcome } from '../doctor.ts';
import { ClientError } from '../errors.ts';
import { type Http, type HttpResponse, isSuccess } from '../http.ts';

const UNCHANGED = 304;

/** One question and what came of it: an answer, and an error unless that was a success. */
export interface Asked {
  readonly exchange: HttpResponse | null;
  readonly error: ClientError | null;
  /** Our clock when the question left, ms. */
  readonly askedAt: number;
}

export interface AskContext {
  readonly now: () => number;
  readonly signal: AbortSignal;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Sends one request; only the signal's reason is thrown. */
export async function askOnce(
  http: Http,
  path: string,
  query: Readonly<Record<string, string>>,
  { now, signal, headers = {} }: AskContext,
): Promise<Asked> {
  const askedAt = now();
  try {
    const exchange = await http.send({ path, query, signal, headers });
    if (isSuccess(exchange.status) || exchange.status === UNCHANGED)
      return { exchange, error: null, askedAt };
    return { exchange, error: http.refusalOf({ path }, exchange), askedAt };
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof ClientError) return { exchange: null, error, askedAt };
    throw error;
  }
}

export function outcomeOf({ code }: ClientError): RouteOutcome {
  switch (code) {
    case 'not-found':
      return 'not-offered';
    case 'key':
    case 'plan':
    case 'quota':
      return 'refused';
    case 'unreachable':
      return 'unreachable';
    case 'unreadable':
      return 'unreadable';
    default:
      return 'failed';
  }
}
