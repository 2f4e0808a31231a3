import { setTimeout as sleep } from 'node:timers/promises';
import type { SnapshotView } from '../../client/views/gas.ts';
import { PATHS } from '../../contract/routes.ts';
import { LANES } from '../../core/advice.ts';
import { formatCount, formatGwei } from '../../core/units.ts';
import { followSnapshots, retryableFailure, type ToldSnapshot } from '../follow-snapshots.ts';
import type { Io } from '../io.ts';
import type { Ready } from '../open-source.ts';
import { badgeOf, cleanLine, jsonResponse, note } from '../output.ts';

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
