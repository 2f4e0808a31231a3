import { setTimeout as sleep } from 'node:timers/promises';
import { ClientError } from '../client/errors.ts';
import { listen } from '../client/listen.ts';
import { pauseMs } from '../client/rate-limit.ts';
import type { SnapshotView } from '../client/views/gas.ts';
import { PATHS } from '../contract/routes.ts';
import { LANES } from '../core/advice.ts';
import { formatCount, formatGwei } from '../core/units.ts';
import type { Io } from './io.ts';
import type { OpenedClient, Ready } from './open-source.ts';
import { badgeOf, cleanLine, jsonResponse, note } from './output.ts';

export const FASTEST_POLL_MS = 500;
const SLOWEST_MS = 10_000;

interface FollowOptions {
  readonly signal: AbortSignal;
  readonly survive: (error: unknown) => Promise<void>;
}

export interface ToldSnapshot {
  readonly snapshot: SnapshotView;
  readonly text: string;
}

/**
 * Snapshots as they come: by the stream of a service that lists one, otherwise by polling. The same one may come
 * twice. Rejects when `signal` aborts, and with errors of `survive`.
 */
export async function* followSnapshots(
  { client, intervalMs }: Pick<OpenedClient, 'client' | 'intervalMs'>,
  { signal, survive }: FollowOptions,
): AsyncGenerator<ToldSnapshot> {
  const told: ToldSnapshot[] = [];
  const stop = new AbortController();
  let isListening = false;
  let news = Promise.withResolvers<void>();
  let hasBegun = false;
  /** Starts after the first prices, in the background: a service may be slow to report that it lists no stream. */
  const begin = () => {
    if (hasBegun) return;
    hasBegun = true;
    void listen(client, {
      signal: AbortSignal.any([signal, stop.signal]),
      onSnapshot: (snapshot, text) => {
        told.push({ snapshot, text });
        news.resolve();
      },
      onListening: (is) => {
        isListening = is;
        news.resolve();
      },
    });
  };
  const poll = async (): Promise<ToldSnapshot | null> => {
    let text = '';
    const onResponse = (response: string) => {
      text = response;
    };
    try {
      return { snapshot: await client.gasCurrent({ signal, onResponse }), text };
    } catch (error) {
      await survive(error);
      return null;
    }
  };
  try {
    for (let newest = 0; ; ) {
      signal.throwIfAborted();
      news = Promise.withResolvers<void>();
      const event = told.shift();
      const isOld = event !== undefined && (event.snapshot.updatedAt ?? newest) < newest;
      const next = isOld ? null : (event ?? (isListening ? null : await poll()));
      if (next !== null) {
        newest = Math.max(next.snapshot.updatedAt ?? newest, newest);
        yield next;
        begin();
      }
      if (told.length > 0 || (next === null && !isListening)) continue;
      if (isListening) {
        await news.promise;
        continue;
      }
      const nap = new AbortController();
      // Twice the update frequency, so that little time is lost.
      const halfMs = ((next?.snapshot.updateFrequencySec ?? 12) * 1_000) / 2;
      const ms = intervalMs ?? Math.min(Math.max(halfMs, FASTEST_POLL_MS), SLOWEST_MS);
      const due = sleep(ms, undefined, { signal: AbortSignal.any([signal, nap.signal]) });
      await Promise.race([news.promise, due]).finally(() => nap.abort());
    }
  } finally {
    stop.abort();
  }
}

const FIRST_RETRY_MS = 1_000;
const LAST_RETRY_MS = 30_000;

/** Why, and when to try again; `null`: waiting does not help. Before it `hasWorked` the address may be wrong. */
export function retryableFailure(error: unknown, tries: number, hasWorked: boolean) {
  if (!(error instanceof ClientError)) return null;
  const { code, status, message, retryAfterSec } = error;
  if (code === 'quota') return { reason: message, afterMs: pauseMs(error) };
  const mayPass =
    code === 'unreachable' ||
    code === 'unavailable' ||
    (code === 'server' && (status ?? 500) >= 500) ||
    (hasWorked && (code === 'server' || code === 'not-found' || code === 'unreadable'));
  if (!mayPass) return null;
  const ownMs = Math.min(FIRST_RETRY_MS * 2 ** (tries - 1), LAST_RETRY_MS);
  return {
    reason: reasonOf(error),
    afterMs: Math.min(Math.max((retryAfterSec ?? 0) * 1_000, ownMs), LAST_RETRY_MS),
  };
}

const NAMED_DETAILS = 3;

/** One line per node if there are several; hints for choosing another source do not help while waiting. */
function reasonOf({ message, details }: ClientError): string {
  if (details.length === 0) return message;
  const named = details.slice(0, NAMED_DETAILS).map((detail) => `${detail.path}: ${detail.message}`);
  const more = details.length > NAMED_DETAILS ? `; and ${details.length - NAMED_DETAILS} more` : '';
  return `${message.split('; ')[0]} (${named.join('; ')}${more})`;
}

/**
 * Prints one line per block, from the present one on, until a signal or the end of a recording. Skips stale prices,
 * unless they `mayBeStale`; waits out temporary failures, and reports them once on stderr.
 */
export async function watchPrices(
  io: Io,
  ready: Ready,
  {
    lineOf,
    mayBeStale,
  }: { readonly lineOf: (told: ToldSnapshot) => Promise<string>; readonly mayBeStale: boolean },
): Promise<void> {
  const signal = io.interruption();
  let tries = 0;
  let said: string | null = null;
  let last: number | string | null = null;
  const tell = (reason: string) => {
    if (said === null) note(io, `no current prices: ${cleanLine(reason)}; still watching`);
    said = reason;
  };
  const survive = async (error: unknown) => {
    signal.throwIfAborted();
    tries += 1;
    const passing = retryableFailure(error, tries, true);
    if (passing === null) throw error;
    tell(passing.reason);
    await sleep(passing.afterMs, undefined, { signal });
  };
  for await (const told of followSnapshots(ready, { signal, survive })) {
    tries = 0;
    const { snapshot } = told;
    const { source, stale } = snapshot;
    if (stale === true && !mayBeStale && !source.ended) {
      tell(source.problem?.message ?? 'the source gives nothing new');
      continue;
    }
    if (said !== null) note(io, 'prices are back');
    said = null;
    const block = blockOf(snapshot);
    if (block !== last) io.stdout.write(`${await lineOf(told)}\n`);
    last = block;
    if (source.ended) break;
  }
}

/** A service that names no block has something new when its time or its prices change. */
const blockOf = ({ blockNumber, updatedAt, lanes }: SnapshotView) =>
  blockNumber ?? updatedAt ?? LANES.map((lane) => lanes[lane].price).join(' ');

/** `#25,312,004  slow 0.0312  average 0.0388  fast 0.0521  base 0.0301  next 0.0298 gwei` */
export function watchLine(snapshot: SnapshotView): string {
  const { blockNumber, baseFee, nextBaseFee, lanes } = snapshot;
  const parts = [
    blockNumber === null ? 'block unknown' : `#${formatCount(blockNumber)}`,
    ...LANES.map((lane) => `${lane} ${formatGwei(lanes[lane].price)}`),
    `base ${formatGwei(baseFee)}`,
    ...(nextBaseFee === null ? [] : [`next ${formatGwei(nextBaseFee)}`]),
  ];
  return `${badgeOf(snapshot)}${parts.join('  ')} gwei`;
}

/** The service's own response on one line; no text in JSON holds a line break. */
export const watchJson = ({ text }: ToldSnapshot) =>
  jsonResponse(text, PATHS.gasCurrent)
    .trim()
    .replaceAll(/\s*\n\s*/g, ' ');
