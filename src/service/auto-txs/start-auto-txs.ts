import { StoreError } from '../../store/store-error.ts';
import { sleep } from '../async.ts';
import type { Lease, LeaseState } from '../lease.ts';
import type { EngineContext } from './engine-context.ts';

/** Times come without a head: what expires, what was held, what a node did not answer. */
const LOOK_MS = 2_000;

export interface AutoTxsOptions extends EngineContext {
  readonly lease: Lease;
  readonly signal: AbortSignal;
}

export interface RunningAutoTxs {
  /** There is a new head, or an auto-tx was made, changed or cancelled. */
  wake(): void;
  /** Resolves once nothing is under way any more after the abort; never rejects. */
  readonly done: () => Promise<void>;
}

/** Sends auto-txs and follows what becomes of them while, and only while, this process holds the lease. */
export function startAutoTxs(options: AutoTxsOptions): RunningAutoTxs {
  const { lease, signal, source, onError } = options;
  let stop = new AbortController();
  let work: Promise<void> = Promise.resolve();
  let isWoken = false;
  let wakeUp = () => {};

  const wake = () => {
    isWoken = true;
    wakeUp();
  };

  async function pause(until: AbortSignal): Promise<void> {
    if (isWoken) return;
    const woken = new AbortController();
    const end = () => woken.abort();
    wakeUp = end;
    until.addEventListener('abort', end, { once: true });
    if (!until.aborted) await sleep(LOOK_MS, woken.signal);
    until.removeEventListener('abort', end);
    wakeUp = () => {};
  }

  async function run(until: AbortSignal): Promise<void> {
    // Read when it is needed: who stands by never sends.
    const { AutoTxEngine } = await import('./auto-tx-engine.ts');
    const engine = new AutoTxEngine(options, until);
    let isNews = true;
    while (!until.aborted) {
      isWoken = false;
      try {
        await engine.turn(isNews);
      } catch (error) {
        // Another process has the lease now: this one hears of it soon.
        const isLost = error instanceof StoreError && error.code === 'not-holder';
        if (!until.aborted && !isLost) onError(error);
        if (isLost) void lease.look();
      }
      await pause(until);
      isNews = isWoken;
    }
    await engine.idle();
  }

  function follow(state: LeaseState): void {
    stop.abort();
    // A recording and a simulation take no transactions.
    if (state !== 'holds' || signal.aborted || source.kind !== 'rpc') return;
    stop = new AbortController();
    const until = AbortSignal.any([signal, stop.signal]);
    // What was under way when the lease was lost ends first.
    work = work.then(() => run(until)).catch(onError);
  }

  lease.onChange(follow);
  follow(lease.state);
  return { wake, done: () => work };
}
