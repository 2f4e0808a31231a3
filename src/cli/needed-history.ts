import { setTimeout as sleep } from 'node:timers/promises';
import { ClientError } from '../client/errors.ts';
import { windowSecOf } from '../client/threshold-basis.ts';
import { pastForReach } from '../core/advice.ts';
import type { Threshold } from '../core/threshold/threshold.ts';
import { DAY_SEC, HOUR_SEC } from '../core/time.ts';
import type { Io } from './io.ts';
import { type Ready, type ToldSnapshot, toldSnapshot } from './open-source.ts';
import { cleanLine, withSpinner } from './output.ts';
import type { Settings } from './settings.ts';

/** How much history an answer takes, in seconds, and its wait where a service in this process must read it first. */

/** For each wait of a day; with less some wait of the demo has no forecast. */
export const pastForAdvice = ({ source, historySec }: Settings): number =>
  Math.min(source.value.kind === 'simulated' ? 8 * DAY_SEC : 11 * HOUR_SEC, historySec.value);

/** The first snapshot; of the demo once its engine has learned, so that its advice is that of the monitor. */
export async function learnedSnapshot(io: Io, settings: Settings, ready: Ready): Promise<ToldSnapshot> {
  const { client, embedded } = ready;
  if (settings.source.value.kind !== 'simulated' || embedded === null) return ready;
  await withSpinner(io, 'learning from a week of the simulated chain', embedded.filled());
  return toldSnapshot(client, io.interruption());
}

/** For how likely a price comes within this time. */
export const pastForLikelihood = (deadlineSec: number): number =>
  Math.max((pastForReach(deadlineSec) ?? 0) + 600, HOUR_SEC);

/** For what a rule stands for: its window, with buckets of five minutes at both ends. */
export const pastForRule = (threshold: Threshold): number => windowSecOf(threshold) + 900;

/** Advice, or why it is `missing`. A service in this process may first have to read its history. */
export async function adviceIfAny(io: Io, { client, embedded, snapshot }: Ready, patienceSec: number) {
  try {
    const first = await client.gasRecommendation({ patienceSec });
    if (first.action !== null || embedded === null || snapshot.source.ended)
      return { advice: first, missing: null };
    const signal = io.interruption();
    const given = sleep(10_000, undefined, { signal, ref: false });
    await withSpinner(io, 'reading history', Promise.race([embedded.filled(), given]));
    return { advice: await client.gasRecommendation({ signal, patienceSec }), missing: null };
  } catch (error) {
    if (!(error instanceof ClientError)) throw error;
    return { advice: null, missing: cleanLine(error.message) };
  }
}
