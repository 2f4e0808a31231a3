import { utcMinute } from './units.ts';

/** What prices are called everywhere that are of no live chain. */
export type Badge = 'REPLAY' | 'SIMULATED';

/** By the kind of their source; `null`: they are live ones. */
export function badgeOfKind(kind: string | undefined): Badge | null {
  if (kind === 'replay') return 'REPLAY';
  return kind === 'simulated' ? 'SIMULATED' : null;
}

/** Why no new blocks come, and when the source is tried again: ms since epoch; `null`: not by itself. */
export interface Problem {
  readonly message: string;
  readonly retryAt: number | null;
}

/**
 * Whether a chain's prices are those of now.
 * - `live`: they are.
 * - `catching-up`: they are those of the last run, until the source has given its blocks since.
 * - `ended`: a recording was played to its end; its prices stay, and that is no fault.
 * - `stale`: the source gives nothing new. With a `retryAt` it is unreachable, else the chain stands still.
 */
export type ChainStatus =
  | { readonly kind: 'live' | 'catching-up' | 'ended' }
  | { readonly kind: 'stale'; readonly reason: string; readonly retryAt: number | null };

/** What a status is judged by, of a source or of a service's response. */
interface StatusFacts {
  readonly isEnded: boolean;
  readonly isCatchingUp: boolean;
  /** Why the source gives nothing new; `null`: it gives no reason, or all is well. */
  readonly problem: Problem | null;
  /** Time of the head block, ms since epoch; `null`: blocks of a recording or a simulation have no age. */
  readonly headAt: number | null;
  /** How often something new is to be expected, in seconds. */
  readonly updateSec: number;
}

const LIVE: ChainStatus = { kind: 'live' };
const CATCHING_UP: ChainStatus = { kind: 'catching-up' };
const ENDED: ChainStatus = { kind: 'ended' };

/** The only rule about outdated prices: services publish by it, clients judge by it. `now`: ms since epoch. */
export function judgeStatus(facts: StatusFacts, now: number): ChainStatus {
  const { isEnded, isCatchingUp, problem, headAt, updateSec } = facts;
  if (isEnded) return ENDED;
  if (isCatchingUp) return CATCHING_UP;
  if (problem !== null) return { kind: 'stale', reason: problem.message, retryAt: problem.retryAt };
  if (headAt === null || now - headAt <= staleAfterMs(updateSec)) return LIVE;
  return { kind: 'stale', reason: describeStandstill(headAt, now), retryAt: null };
}

const STALE_UPDATES = 4;
/** Minimum for fast chains: a node may lag a little, and clocks differ. */
const LEAST_STALE_MS = 12_000;

/** Maximum age of a head until its prices are stale, ms: two missed slots in a row are normal. */
export const staleAfterMs = (updateSec: number): number =>
  Math.max(STALE_UPDATES * updateSec * 1_000, LEAST_STALE_MS);

/** A head that is older than this may be due to a wrong clock. */
const DOUBTFUL_MS = 15 * 60_000;

/** Nobody can tell a standstill of the chain from a wrong clock but the user. */
function describeStandstill(headAt: number, now: number): string {
  const doubt = now - headAt > DOUBTFUL_MS ? "; is this machine's clock right?" : '';
  return `no new block since ${utcMinute(headAt)}${doubt}`;
}

/** Whether prices must not be paid by: they are stale, or those of the last run. */
export const isOutdated = ({ kind }: ChainStatus): boolean => kind === 'stale' || kind === 'catching-up';

/** Whether the source does not respond, so that present prices are unknown; not a standstill of the chain. */
export const isUnreachable = (status: ChainStatus): boolean =>
  status.kind === 'stale' && status.retryAt !== null;

/** Why prices are outdated, for people; `null`: they are not. */
export function describeOutdated(status: ChainStatus): string | null {
  if (status.kind === 'stale') return status.reason;
  return status.kind === 'catching-up' ? 'the blocks since the last run are still to come' : null;
}
