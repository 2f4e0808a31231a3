import * as z from 'zod';
import { abortable, sleep } from '../chain/async.ts';
import { ChainError } from '../chain/chain-source.ts';
import { ClientError } from '../client/errors.ts';
import { followPrices, pollEveryMs } from '../client/follow-prices.ts';
import { type ChainFigures, type ChainRow, chainOf, titleOf } from '../client/views/chains.ts';
import { ActionView, Current } from '../client/views/dashboard.ts';
import { chainProfile, isQuotedPerAction } from '../core/chains.ts';
import { backOffMs } from '../core/time.ts';
import { KNOWN_CHAINS, knownChain } from './known-chains.ts';
import { clientOptionsOf } from './open-source.ts';
import { cleanLine } from './output.ts';
import type { ChainSetup, HostedChoice } from './settings.ts';

/** Two requests, and every 12 s one for the data fee: less than half a request a second. */
export const EVERY_MS = 6_000;
/** The data fee takes a request per usual action. */
const QUOTED_EVERY_MS = 8_000;
/** A service's usual actions are polled less often: their gas changes with a fork alone, and the price comes with each poll. */
const WORK_EVERY_MS = 60_000;

interface Reading {
  readonly figures: ChainFigures;
  /** Polling interval. */
  readonly everyMs: number;
}

interface RowReader {
  /** Rejects with a `ChainError` or a `ClientError`. */
  read(signal: AbortSignal): Promise<Reading>;
  close?(): void;
}

interface ChainReading {
  readonly now: () => number;
  /** How long the user can wait, in seconds. */
  readonly patienceSec: number;
}

/** Several chains for a comparison. Each is polled by itself: none waits for another. */
export function openChainRows(setups: readonly ChainSetup[], reading: ChainReading) {
  const { now } = reading;
  const stop = new AbortController();
  const listeners = new Set<() => void>();
  const complete = Promise.withResolvers<void>();
  const awaited = new Set(setups.map(({ name }) => name));
  let rows: readonly ChainRow[] = setups.map(({ name }) => ({
    ...{ name, isOwnName: knownChain(name) === undefined },
    ...{ figures: null, nativeUsd: null, usdFrom: null, problem: null },
  }));
  const change = (name: string, part: Partial<ChainRow>) => {
    rows = withDollars(rows.map((row) => (row.name === name ? { ...row, ...part } : row)));
    for (const listener of listeners) listener();
    awaited.delete(name);
    if (awaited.size === 0) complete.resolve();
  };

  async function follow({ name, chainId, source }: ChainSetup): Promise<void> {
    const reader: RowReader =
      source.kind === 'rpc'
        ? await nodeReader(source.urls, chainId, reading)
        : await serviceReader(source, chainId, reading);
    const poll = {
      read: (signal: AbortSignal) => abortable(reader.read(signal), signal),
      everyMs: ({ everyMs }: Reading) => everyMs,
      retryMs: (error: unknown, failures: number) => {
        const waitMs = retryMs(error, failures);
        const message = error instanceof Error ? error.message : String(error);
        change(name, { problem: { message: cleanLine(message), retryAt: now() + waitMs } });
        return waitMs;
      },
    };
    try {
      for await (const { figures } of followPrices({ poll, signal: stop.signal }))
        change(name, { figures, problem: null });
    } catch (error) {
      if (!stop.signal.aborted) throw error;
    } finally {
      reader.close?.();
    }
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
    /** Resolves once each row has its figures, or why it has none, or after `withinMs`. Rejects on abort. */
    complete: (withinMs: number, signal: AbortSignal) =>
      abortable(Promise.race([complete.promise, sleep(withinMs, signal)]), signal),
    [Symbol.asyncDispose]: async () => {
      stop.abort();
      await done;
    },
  };
}

export async function readChainRows(
  setups: readonly ChainSetup[],
  reading: ChainReading & { readonly withinMs: number; readonly signal: AbortSignal },
): Promise<readonly ChainRow[]> {
  await using rows = openChainRows(setups, reading);
  rows.start();
  await rows.complete(reading.withinMs, reading.signal);
  return rows.read();
}

function retryMs(error: unknown, failures: number): number {
  const ofService = error instanceof ClientError ? (error.retryAfterSec ?? 0) * 1_000 : 0;
  const ownMs = backOffMs(failures, EVERY_MS, 60_000);
  return Math.max(ownMs, ofService, error instanceof ChainError ? (error.retryAfterMs ?? 0) : 0);
}

/** What reads nodes is loaded here: the monitor's first frame need not wait for it. */
async function nodeReader(urls: readonly URL[], chainId: number | null, { now, patienceSec }: ChainReading) {
  const [{ createRpcSource }, { createBoardChain }] = await Promise.all([
    import('../chain/rpc-source.ts'),
    import('../service/board-chain.ts'),
  ]);
  const source = createRpcSource({
    urls: urls.map(({ href }) => href),
    recheckMs: 60_000,
    ...(chainId !== null && { expectedChainId: chainId }),
  });
  const readChain = createBoardChain(source, { now, patienceSec });
  return {
    read: async (signal: AbortSignal) => {
      const { current, actions } = await readChain(signal);
      const { snapshot, trend, recommendation: advice } = Current.parse(current);
      const figures = { snapshot, trend, advice, actions: z.array(ActionView).parse(actions) };
      const isQuoted = isQuotedPerAction(chainProfile(snapshot.chainId ?? 0));
      return { figures, everyMs: isQuoted ? QUOTED_EVERY_MS : EVERY_MS };
    },
    close: () => source.close(),
  };
}

async function serviceReader(
  source: HostedChoice,
  chainId: number | null,
  { now, patienceSec }: ChainReading,
): Promise<RowReader> {
  const { createGasClient } = await import('../client/client.ts');
  const client = createGasClient(clientOptionsOf(source));
  let actions: readonly ActionView[] = [];
  let workDueAt = 0;
  return {
    read: async (signal) => {
      const current = await client.statsCurrent({ signal, patienceSec });
      const { snapshot, trend, recommendation: advice } = current;
      if (chainId !== null && snapshot.chainId !== null && snapshot.chainId !== chainId) {
        const [is, wanted] = [snapshot.chainId, chainId].map(
          (id) => `${chainProfile(id).name} (chain ${id})`,
        );
        throw new ChainError('wrong-chain', `${source.url.host} is on ${is}, not on ${wanted}`);
      }
      if (now() >= workDueAt) {
        actions = (await client.statsMarket('24h', { signal }).catch(() => null))?.actions ?? actions;
        workDueAt = now() + WORK_EVERY_MS;
      }
      const everyMs = Math.max(pollEveryMs(snapshot), EVERY_MS);
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
