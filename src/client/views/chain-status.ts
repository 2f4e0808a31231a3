import { type ChainStatus, isUnreachable, judgeStatus, type Problem } from '../../core/chain-status.ts';
import { servedChain } from '../../core/chains.ts';
import type { SnapshotView } from './gas.ts';

/** A service that says more is not believed: its prices would never become stale. */
const LONGEST_UPDATE_SEC = 3_600;
const SAYS_STALE: Problem = { message: 'the service says its prices are old', retryAt: null };

/**
 * Whether these prices are those of now (`now`: ms since epoch): by what the service says, and by the age of its head
 * block, whatever it says. Every screen, command and tool that needs to know asks this function.
 */
export function chainStatus(snapshot: SnapshotView, now: number): ChainStatus {
  const { source, stale, updatedAt } = snapshot;
  const isStale = stale === true;
  return judgeStatus(
    {
      isEnded: source.ended,
      // By the contract a service that names its source has no reason only while it catches up.
      isCatchingUp: isStale && source.problem === null && source.kind !== 'service',
      problem: isStale ? (source.problem ?? SAYS_STALE) : retried(source.problem),
      headAt: headAtOf(snapshot),
      updateSec: updateSecOf(snapshot),
    },
    // The service's clock counts as much as ours, which may be slow.
    Math.max(now, updatedAt ?? now),
  );
}

/** The snapshot, unless present prices are unknown, since its source does not respond. */
export const ifReachable = (snapshot: SnapshotView | null, now: number): SnapshotView | null =>
  snapshot === null || isUnreachable(chainStatus(snapshot, now)) ? null : snapshot;

/** A problem without a retry while prices are fresh is about something else: the history cannot be written. */
const retried = (problem: Problem | null): Problem | null => (problem?.retryAt == null ? null : problem);

/** Time of the newest block, or of the response, ms; `null`: unknown, or of a recording or a simulation. */
export function headAtOf({ source, blockTimestamp, updatedAt }: SnapshotView): number | null {
  const hasAge = source.kind === 'rpc' || source.kind === 'service';
  return hasAge ? (blockTimestamp ?? updatedAt) : null;
}

/** How often a service has something new, in seconds: as it says, else its chain's block time. */
export function updateSecOf({
  updateFrequencySec,
  chainId,
}: Pick<SnapshotView, 'updateFrequencySec' | 'chainId'>): number {
  const isStated = updateFrequencySec !== null && updateFrequencySec > 0;
  const sec = isStated ? updateFrequencySec : servedChain(chainId).feeRule.blockTimeSec;
  return Math.min(sec, LONGEST_UPDATE_SEC);
}
