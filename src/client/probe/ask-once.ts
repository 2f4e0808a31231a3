import { setTimeout as sleep } from 'node:timers/promises';
import type { RouteOutcome } from '../doctor.ts';
import { ClientError, refusal } from '../errors.ts';
import { type Exchange, exchangeV1, isSuccess, type TransportOptions } from '../transport.ts';

/** No longer than this is waited for a limit by the second. */
const LONGEST_WAIT_SEC = 3;
const USUAL_WAIT_SEC = 1;
const UNCHANGED = 304;

/** One question and what came of it: an answer, and an error unless that was a success. */
export interface Asked {
  readonly exchange: Exchange | null;
  readonly error: ClientError | null;
  /** Our clock when the question left, ms. */
  readonly askedAt: number;
}

export interface AskContext {
  readonly now: () => number;
  readonly signal: AbortSignal;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Asks once; a limit by the second is waited for, as it asks, and then met no more. Throws the signal's reason only. */
export async function askOnce(
  transport: TransportOptions,
  path: string,
  query: Readonly<Record<string, string>>,
  context: AskContext,
): Promise<Asked> {
  const first = await ask(transport, path, query, context);
  if (first.error?.limit !== 'rate') return first;
  const waitSec = first.error.retryAfterSec ?? USUAL_WAIT_SEC;
  if (waitSec > LONGEST_WAIT_SEC) return first;
  await sleep(waitSec * 1_000, undefined, { signal: context.signal }).catch(() =>
    context.signal.throwIfAborted(),
  );
  return ask(transport, path, query, context);
}

async function ask(
  transport: TransportOptions,
  path: string,
  query: Readonly<Record<string, string>>,
  { now, signal, headers = {} }: AskContext,
): Promise<Asked> {
  const askedAt = now();
  try {
    const exchange = await exchangeV1(transport, path, query, { signal, headers });
    if (isSuccess(exchange.status) || exchange.status === UNCHANGED)
      return { exchange, error: null, askedAt };
    const context = { endpoint: path, withKey: transport.apiKey !== null, now: now() };
    return { exchange, error: refusal(exchange, exchange.text, context), askedAt };
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
