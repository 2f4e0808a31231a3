import * as z from 'zod';
import { ChainError } from '../chain/chain-source.ts';
import { createGasClient } from '../client/client.ts';
import { ClientError } from '../client/errors.ts';
import type { ChainFigures, ChainRow } from '../client/views/chains.ts';
import { chainOf, titleOf } from '../client/views/chains.ts';
import { Action, type ActionView, Current } from '../client/views/dashboard.ts';
import { chainProfile, isQuotedPerAction } from '../core/chains.ts';
import { abortable, sleep } from '../service/async.ts';
import { KNOWN_CHAINS, knownChain } from './known-chains.ts';
import { reachOf } from './open-source.ts';
import { cleanLine } from './output.ts';
import type { ChainSetup } from './settings.ts';

/** Two requests, and every 12 s one for the data fee: less than half a request a second. */
export const EVERY_MS = 6_000;
/** The data fee takes a request per usual action. */
const QUOTED_EVERY_MS = 8_000;
/** A service's usual actions are polled less often: their gas is constant, and the price comes with each poll. */
const WORK_EVERY_MS = 60_000;
const RECHECK_MS = 60_000;
const LONGEST_RETRY_MS = 60_000;

interface RowReader {
  /** `everyMs`: polling interval. Rejects with a `ChainError` or a `ClientError`. */
  read(signal: AbortSignal): Promise<{ readonly figures: ChainFigures; readonly everyMs: number }>;
  close?(): void;
}

export type ChainRows = ReturnType<typeof openChainRows>;

/** Several chains for a comparison. Each is polled by itself: none waits for another. */
export function openChainRows(setups: readonly ChainSetup[], now: () => number) {
  const stop = new AbortController();
  const listeners = new Set<() => void>();
  const complete = Promise.withResolvers<void>();
  let awaited = setups.length;
  let rows: readonly ChainRow[] = setups.map(({ name }) => ({
    ...{ name, isOwnName: knownChain(name) === undefined },
    ...{ figures: null, nativeUsd: null, usdFrom: null, problem: null },
  }));
  const change = (name: string, part: Partial<ChainRow>) => {
    rows = withDollars(rows.map((row) => (row.name === name ? { ...row, ...part } : row)));
    for (const listener of listeners) listener();
  };
  const problemOf = (message: string, retryAt: number | null) => ({ message: cleanLine(message), retryAt });

  async function follow({ name, chainId, source }: ChainSetup): Promise<void> {
    const reader =
      source.kind === 'rpc'
        ? await nodeReader(source.urls, chainId, now)
        : serviceReader(source, chainId, now);
    let failures = 0;
    for (let round = 0; !stop.signal.aborted; round += 1) {
      let waitMs: number;
      try {
        const { figures, everyMs } = await abortable(reader.read(stop.signal), stop.signal);
        failures = 0;
        waitMs = everyMs;
        const { stale, source: from } = figures.snapshot;
        const problem = stale && from.problem && problemOf(from.problem.message, from.problem.retryAt);
        change(name, { figures, problem: problem || null });
      } catch (error) {
        if (stop.signal.aborted) break;
        failures += 1;
        waitMs = retryMs(error, failures);
        const message = error instanceof Error ? error.message : String(error);
        change(name, { problem: problemOf(message, now() + waitMs) });
      }
      if (round === 0) awaited -= 1;
      if (awaited === 0) complete.resolve();
      await sleep(waitMs, stop.signal);
    }
    reader.close?.();
  }

  let done: Promise<unknown> | null = null;
  return {
    /** The same list until something changes. */
    read: () => rows,
    subscribe: (listener: () => void) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    start: () => {
      done ??= Promise.all(setups.map(follow));
    },
    complete: complete.promise,
    [Symbol.asyncDispose]: async () => {
      stop.abort();
      await done;
    },
  };
}

/** The rows once each has its figures, or why it has none, or when `withinMs` have passed. Rejects on abort. */
export async function readChainRows(
  setups: readonly ChainSetup[],
  { now, withinMs, signal }: { now: () => number; withinMs: number; signal: AbortSignal },
): Promise<readonly ChainRow[]> {
  await using rows = openChainRows(setups, now);
  rows.start();
  await abortable(Promise.race([rows.complete, sleep(withinMs, signal)]), signal);
  return rows.read();
}

function retryMs(error: unknown, failures: number): number {
  const backOff = Math.min(EVERY_MS * 2 ** (failures - 1), LONGEST_RETRY_MS);
  const ofService = error instanceof ClientError ? (error.retryAfterSec ?? 0) * 1_000 : 0;
  return Math.max(backOff, ofService, error instanceof ChainError ? (error.retryAfterMs ?? 0) : 0);
}

/** What reads nodes is loaded here: the monitor's first frame need not wait for it. */
async function nodeReader(
  urls: readonly URL[],
  chainId: number | null,
  now: () => number,
): Promise<RowReader> {
  const [{ createRpcSource }, { createLightChain }] = await Promise.all([
    import('../chain/rpc-source.ts'),
    import('../service/light-chain.ts'),
  ]);
  const source = createRpcSource({
    urls: urls.map(({ href }) => href),
    recheckMs: RECHECK_MS,
    ...(chainId !== null && { expectedChainId: chainId }),
  });
  const readChain = createLightChain(source, now);
  return {
    read: async (signal) => {
      const { current, actions } = await readChain(signal);
      const { snapshot, trend, recommendation: advice } = Current.parse(current);
      const figures = { snapshot, trend, advice, actions: z.array(Action).parse(actions) };
      const isQuoted = isQuotedPerAction(chainProfile(snapshot.chainId ?? 0));
      return { figures, everyMs: isQuoted ? QUOTED_EVERY_MS : EVERY_MS };
    },
    close: () => source.close(),
  };
}

function serviceReader(
  source: ChainSetup['source'] & { readonly kind: 'hosted' },
  chainId: number | null,
  now: () => number,
): RowReader {
  const client = createGasClient(reachOf(source));
  let actions: readonly ActionView[] = [];
  let workDueAt = 0;
  return {
    read: async (signal) => {
      const call = { signal };
      const { snapshot, trend, recommendation: advice } = await client.statsCurrent(call);
      if (chainId !== null && snapshot.chainId !== null && snapshot.chainId !== chainId) {
        const [is, wanted] = [snapshot.chainId, chainId].map(
          (id) => `${chainProfile(id).name} (chain ${id})`,
        );
        throw new ChainError('wrong-chain', `${source.url.host} is on ${is}, not on ${wanted}`);
      }
      if (now() >= workDueAt) {
        actions = (await client.statsMarket('24h', call).catch(() => null))?.actions ?? actions;
        workDueAt = now() + WORK_EVERY_MS;
      }
      const everyMs = Math.max((snapshot.updateFrequencySec ?? 0) * 1_000, EVERY_MS);
      return { figures: { snapshot, trend, advice, actions }, everyMs };
    },
  };
}

/** Adds the dollar price of each row's coin: its own, or that of the first other row whose coin is ether too. */
function withDollars(rows: readonly ChainRow[]): readonly ChainRow[] {
  const lender = rows.find((row) => ownUsd(row) !== null && hasEther(row));
  return rows.map((row) => {
    const own = ownUsd(row);
    if (own !== null) return { ...row, nativeUsd: own, usdFrom: null };
    if (lender === undefined || !hasEther(row)) return { ...row, nativeUsd: null, usdFrom: null };
    return { ...row, nativeUsd: ownUsd(lender), usdFrom: titleOf(lender) };
  });
}

const ownUsd = ({ figures }: ChainRow) => figures?.snapshot.nativeUsd ?? null;

/** Whether the coin is real ether: that of test networks and of chains with a borrowed id is worthless. */
function hasEther(row: ChainRow): boolean {
  const id = row.figures?.snapshot.chainId ?? null;
  if (id === null || KNOWN_CHAINS.every((known) => known.id !== id)) return false;
  const { name, nativeSymbol } = chainProfile(id);
  return nativeSymbol === 'ETH' && chainOf(row) === name;
}
