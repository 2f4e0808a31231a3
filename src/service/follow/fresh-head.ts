import { abortable, sleep } from '../../chain/async.ts';
import type { ChainSource } from '../../chain/chain-source.ts';
import type { Advice, LaneName } from '../../core/advice.ts';
import type { Block } from '../../core/block.ts';
import { isOutdated } from '../../core/chain-status.ts';
import { type ChainProfile, isDevelopmentChain } from '../../core/chains.ts';
import type { Lease } from '../lease.ts';
import type { PublishedChain } from '../published-chain.ts';
import type { IngestedChain } from './ingested-chain.ts';
import type { SourceState } from './source-state.ts';

/** A running process ticks within this time, even on a busy machine. */
const PAUSE_MS = 3_000;
const RESPONSE_MS = 5_000;
const RETRY_MS = 1_000;

interface Watched {
  readonly source: Pick<ChainSource, 'kind' | 'head'>;
  readonly chain: Pick<IngestedChain, 'head' | 'profile'>;
  /** A standby decides nothing, and does not use its node. */
  readonly lease: Pick<Lease, 'mayWrite'>;
  readonly wallNow: () => number;
  readonly steadyNow?: () => number;
  readonly onFresh: () => void;
  readonly signal: AbortSignal;
}

export type PauseWatch = ReturnType<typeof watchPauses>;

/**
 * Whether the head is still the newest block as far as this process can know. While the process runs, every block
 * arrives as it is made. A pause (SIGSTOP, a sleeping laptop, a virtual machine that moves) leaves a head that looks
 * young though the chain has gone on, and the blocks of the pause arrive one after the other.
 *
 * A pause shows as a gap between two ticks. The monotonic clock goes on during SIGSTOP but not during a suspend; the
 * wall clock goes on during both, but can be set. Either gap counts.
 */
export function watchPauses(watched: Watched) {
  const { source, chain, lease, wallNow, onFresh, signal } = watched;
  const { steadyNow = () => performance.now() } = watched;
  let ranAt = { wall: wallNow(), steady: steadyNow() };
  /** `newest`: the newest block of the node after the pause; `null` until it responds. */
  let pause: { readonly head: Block | null; newest: number | null } | null = null;

  function tick(): void {
    const before = ranAt;
    ranAt = { wall: wallNow(), steady: steadyNow() };
    const gap = Math.max(ranAt.steady - before.steady, Math.abs(ranAt.wall - before.wall));
    if (gap <= PAUSE_MS || source.kind !== 'rpc' || !lease.mayWrite) return;
    pause = { head: chain.head, newest: null };
    void askNewest(pause);
  }

  async function askNewest(asked: NonNullable<typeof pause>): Promise<void> {
    while (pause === asked && !signal.aborted) {
      try {
        const { number } = await abortable(source.head(), AbortSignal.timeout(RESPONSE_MS));
        // Another pause while the node was asked makes its response old.
        tick();
        if (pause !== asked || signal.aborted) return;
        asked.newest = number;
        return onFresh();
      } catch {
        await sleep(RETRY_MS, signal);
      }
    }
  }

  return {
    /** To be called twice a second, so that a pause shows. */
    tick,
    /** After a pause `head` is stale until the node names no newer block, and a chain that makes blocks has another. */
    isFresh(head: Block): boolean {
      tick();
      if (pause === null) return true;
      const { head: before, newest } = pause;
      if (newest === null || head.number < newest) return false;
      const waitsForBlock = chain.profile === null || !isDevelopmentChain(chain.profile);
      if (waitsForBlock && before?.number === head.number && before.hash === head.hash) return false;
      pause = null;
      return true;
    },
  };
}

/** What auto-txs are decided by, of the published chain. */
export interface FreshChain extends Pick<PublishedChain, 'head' | 'rules' | 'updatedAt'> {
  /** Wei per gas, or per blob gas. */
  readonly advice: Pick<Advice, 'nextBaseFee' | 'nextBlobBaseFee'> & {
    readonly lanes: Readonly<Record<LaneName, { readonly price: bigint }>>;
  };
}

/** What is `published`, while auto-txs may be decided by it: not outdated, not too late, and no pause since; else `null`. */
export function freshChain(
  source: Pick<ChainSource, 'kind' | 'health'>,
  chain: Pick<IngestedChain, 'engine' | 'profile'>,
  state: Pick<SourceState, 'isTooLate'>,
  published: PublishedChain | null,
  pauses: Pick<PauseWatch, 'isFresh'>,
): FreshChain | null {
  // An engine that failed on the head advises on an older block.
  if (published === null || chain.engine?.head?.number !== published.head.number) return null;
  const { head, status } = published;
  if (status.kind === 'ended' || !pauses.isFresh(head)) return null;
  if (isIdle(source, chain.profile, head)) return published;
  return isOutdated(status) || state.isTooLate(head) ? null : published;
}

/** A development chain may make no block until a transaction is sent: its head is fresh while its node responds. */
function isIdle(
  source: Pick<ChainSource, 'kind' | 'health'>,
  profile: ChainProfile | null,
  { number }: Block,
): boolean {
  if (profile === null || !isDevelopmentChain(profile) || source.kind !== 'rpc') return false;
  return source.health().some((node) => node.state === 'ok' && node.head === number);
}
