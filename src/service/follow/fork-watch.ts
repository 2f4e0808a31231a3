import { abortable, sleep } from '../../chain/async.ts';
import type { ChainSource } from '../../chain/chain-source.ts';
import type { Lease } from '../lease.ts';
import type { IngestedChain } from './ingested-chain.ts';

const TICK_MS = 1_000;
/** Until the first answer, which a reader of the rules waits for. */
const FIRST_TICK_MS = 10;
const REPEAT_MS = 10 * 60_000;
/** A node that has no `eth_config` may be updated. */
const REFUSED_MS = 60 * 60_000;
const UNREACHABLE_MS = 60_000;

interface Watched {
  readonly source: Pick<ChainSource, 'ethConfig'>;
  readonly chain: Pick<IngestedChain, 'head' | 'ethConfig' | 'profile'>;
  /** A standby has the leader's rules, and does not use its node. */
  readonly lease: Pick<Lease, 'mayWrite' | 'state'>;
  readonly steadyNow?: () => number;
  readonly onChange: () => void;
  readonly signal: AbortSignal;
}

export type ForkWatch = ReturnType<typeof createForkWatch>;

/** Asks the node for its forks: at the start, every ten minutes, and when the head passes one. Keeps the last believed answer. */
export function createForkWatch(watched: Watched) {
  const { promise: asked, resolve: onAsked } = Promise.withResolvers<void>();
  const hasForks = watched.source.ethConfig !== undefined;
  if (!hasForks) onAsked();
  return {
    /** Resolves once a node was asked for the first time, or where none can be. */
    asked,
    run: () => watchForks(watched, onAsked),
  };
}

async function watchForks(watched: Watched, onAsked: () => void): Promise<void> {
  const { source, chain, lease, onChange, signal, steadyNow = () => performance.now() } = watched;
  let dueAt = 0;
  let passed: number | null = null;
  const pause = () => sleep(dueAt === 0 ? FIRST_TICK_MS : TICK_MS, signal);
  for (; !signal.aborted && source.ethConfig !== undefined; await pause()) {
    if (lease.state === 'stands-by') onAsked();
    if (!lease.mayWrite || chain.head === null) continue;
    const forkAt = chain.ethConfig?.next?.activationTime ?? null;
    const isPassed = forkAt !== null && chain.head.timestamp >= forkAt && passed !== forkAt;
    if (steadyNow() < dueAt && !isPassed) continue;
    if (isPassed) passed = forkAt;
    const config = await abortable(source.ethConfig(), signal).catch(() => undefined);
    onAsked();
    dueAt = steadyNow() + (config === undefined ? UNREACHABLE_MS : config === null ? REFUSED_MS : REPEAT_MS);
    if (config == null) continue;
    chain.ethConfig = config;
    onChange();
  }
}
