import type { SnapshotView } from '../../../client/views/gas.ts';
import { clockText, dayText, localDate, type OffsetAt, zoneText } from '../../ui/time.ts';

/** What ages are counted from, ms: a recording has a present of its own, and a chain's clock may be ahead of ours. */
export function presentOf({ source, blockTimestamp }: SnapshotView, now: number): number {
  if (blockTimestamp === null) return now;
  return source.kind === 'replay' ? blockTimestamp : Math.max(now, blockTimestamp);
}

/** Why no transactions can be seen here; `null`: they can. */
export function noTransactions({ source }: SnapshotView): string | null {
  if (source.kind === 'replay') return 'a recording holds no transactions; its blocks can be looked up';
  if (source.kind === 'simulated') return 'the simulation holds no transactions; its blocks can be looked up';
  return null;
}

/** `14 Nov 22:26:56 UTC`, with its year where that is not the present one. */
export function momentText(at: number, present: number, offsetAt: OffsetAt): string {
  const year = localDate(at, offsetAt).getUTCFullYear();
  const same = year === localDate(present, offsetAt).getUTCFullYear();
  return `${dayText(at, offsetAt)}${same ? '' : ` ${year}`} ${clockText(at, offsetAt, true)} ${zoneText(offsetAt(at))}`;
}
