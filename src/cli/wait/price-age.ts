import type { SnapshotView } from '../../client/views/gas.ts';
import { formatDuration } from '../../core/units.ts';

/** A block may come one block time late, and takes a while to arrive; what is older than that is not the present. */
const BLOCKS = 2.5;
const SLACK_SEC = 15;
/** Where a service does not say how often it has something new. */
const UNKNOWN_FREQUENCY_SEC = 30;

type Frequency = Pick<SnapshotView, 'updateFrequencySec'>;

export function frequencySecOf({ updateFrequencySec }: Frequency): number {
  return updateFrequencySec ?? UNKNOWN_FREQUENCY_SEC;
}

/** How old a block may be to be the newest one, in seconds. */
export function freshForSec(snapshot: Frequency): number {
  const frequencySec = frequencySecOf(snapshot);
  return Math.max(frequencySec * BLOCKS, frequencySec + SLACK_SEC);
}

/** Says whether a service's prices are those of now, answer after answer. */
export class PriceAge {
  #before: string | null = null;
  #changedAt: number | null = null;

  /** Why they are not; `null`: they are. @param now wall clock, ms since epoch. */
  whyOld(snapshot: SnapshotView, now: number): string | null {
    const { source, stale, blockTimestamp, updatedAt } = snapshot;
    this.#noteChange(snapshot, now);
    // A problem beside prices that are not stale, for which nothing is asked again, is another one: a history that cannot be written.
    if (stale || source.problem?.retryAt != null)
      return source.problem?.message ?? 'the service says its prices are old';
    // A recording's and a simulation's blocks have no age by our clock.
    if (source.kind === 'replay' || source.kind === 'simulated') return null;
    const at = blockTimestamp ?? updatedAt;
    if (at === null) {
      return this.#whyUnchanged(
        snapshot,
        now,
        'the service does not say how old its prices are, so they must change first',
      );
    }
    const ageSec = (now - at) / 1_000;
    if (ageSec > freshForSec(snapshot)) {
      return `the newest block is ${formatDuration(ageSec)} old by this machine's clock`;
    }
    // The service's own clock counts as much as ours, which may be behind.
    const saidSec = ((updatedAt ?? at) - at) / 1_000;
    if (saidSec > freshForSec(snapshot)) {
      return `the newest block is ${formatDuration(saidSec)} old by the service's clock`;
    }
    if (ageSec >= -SLACK_SEC) return null;
    const ahead = `the newest block is ${formatDuration(-ageSec)} ahead of this machine's clock`;
    return this.#whyUnchanged(snapshot, now, `${ahead}, so it must change first`);
  }

  #noteChange(snapshot: SnapshotView, now: number): void {
    const prices = fingerprint(snapshot);
    if (this.#before !== null && this.#before !== prices) this.#changedAt = now;
    this.#before = prices;
  }

  /** Prices of an unknown time may be of any day; only a change shows that somebody still looks after them. */
  #whyUnchanged(snapshot: SnapshotView, now: number, reason: string): string | null {
    const isNew = this.#changedAt !== null && (now - this.#changedAt) / 1_000 <= freshForSec(snapshot);
    return isNew ? null : reason;
  }
}

/** What changes with each block. */
export function fingerprint({ blockNumber, baseFee, lanes }: SnapshotView): string {
  return [blockNumber, baseFee, lanes.slow.price, lanes.average.price, lanes.fast.price].join(' ');
}
