import type { SnapshotView } from '../client/views/gas.ts';
import { formatDuration } from '../core/units.ts';
import { CliError } from './cli-error.ts';
import { EXIT } from './exit-code.ts';

/** Blocks that come late are no news; beyond this they are old, even if they have only just been heard of. */
const OLD_SEC = 300;
const OLD_BLOCKS = 5;

/**
 * What to do when the source gives nothing new. `refuse`: old prices are no answer for a script that will pay by
 * them. `late`: the chain may stand still, as long as its node answers: the past is what it is. `accept`: take it.
 */
export type StaleRule = 'refuse' | 'late' | 'accept';

/** Gives the snapshot back unless it is staler than `rule` allows. `now` is the wall clock in ms. */
export function refuseStale(snapshot: SnapshotView, rule: StaleRule, now: number): SnapshotView {
  const { stale, source } = snapshot;
  const { problem } = source;
  if (source.ended || rule === 'accept') return snapshot;
  if (!stale && !isOld(snapshot, now)) return snapshot;
  if (rule === 'late') {
    if (!stale || problem === null || problem.retryAt === null) return snapshot;
    throw new CliError(EXIT.unreachable, `the source gives nothing new: ${problem.message}`);
  }
  throw new CliError(
    EXIT.unreachable,
    `the prices are ${ageText(snapshot, now)}old: ${(stale ? problem?.message : null) ?? 'the source gives nothing new'}; check the source, or add --stale-ok if its chain makes blocks only now and then`,
  );
}

function isOld(snapshot: SnapshotView, now: number): boolean {
  const patience = Math.max(OLD_BLOCKS * (snapshot.updateFrequencySec ?? 0), OLD_SEC);
  return (ageSec(snapshot, now) ?? 0) > patience;
}

function ageText(snapshot: SnapshotView, now: number): string {
  const sec = ageSec(snapshot, now);
  return sec === null ? '' : `${formatDuration(sec)} `;
}

/** A recording's or a simulation's blocks have no age by our clock. */
function ageSec({ source, blockTimestamp }: SnapshotView, now: number): number | null {
  const isOfNow = source.kind === 'rpc' || source.kind === 'service';
  return isOfNow && blockTimestamp !== null ? (now - blockTimestamp) / 1_000 : null;
}
