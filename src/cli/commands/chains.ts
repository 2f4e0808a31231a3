import { Option } from 'commander';
import * as z from 'zod';
import { abortable, sleep } from '../../chain/async.ts';
import { ChainError } from '../../chain/chain-source.ts';
import { createGasClient } from '../../client/client.ts';
import { ClientError } from '../../client/errors.ts';
import { followPrices, pollEveryMs } from '../../client/follow-prices.ts';
import { chainStatus } from '../../client/views/chain-status.ts';
import {
  CHAIN_SORTS,
  type ChainFigures,
  type ChainRow,
  type ChainSort,
  chainOf,
  rowProblem,
  rowTexts,
  sortedRows,
  titleOf,
  usdNotes,
  type Work,
  workCost,
} from '../../client/views/chains.ts';
import { ActionView, Current } from '../../client/views/dashboard.ts';
import { isOutdated } from '../../core/chain-status.ts';
import { chainProfile, isQuotedPerAction } from '../../core/chains.ts';
import { type CsvColumns, csvText } from '../../core/csv.ts';
import { backOffMs } from '../../core/time.ts';
import { UNKNOWN } from '../../core/units.ts';
import type { CliCommand, CommandContext, Flags } from '../command.ts';
import { CliError, EXIT, usageError } from '../errors.ts';
import type { Io } from '../io.ts';
import { KNOWN_CHAINS, knownChain, USUAL_CHAINS } from '../known-chains.ts';
import { clientOptionsOf, READY_WITHIN_MS, warnOfPlainKey } from '../open-source.ts';
import {
  cleanLine,
  cutLines,
  fittedLines,
  jsonText,
  mapped,
  type TextColumn,
  withSpinner,
} from '../output.ts';
import { type ChainSetup, type HostedChoice, namedChains, type Settings } from '../settings.ts';

export const chainsOption = () =>
  new Option('--chains <NAMES>', 'chains side by side, such as base,op (default: those of the config file)');

export function addChains(program: CliCommand): void {
  program
    .command('chains')
    .summary('what a swap costs on each of several chains')
    .description(
      'Chains side by side: what a swap and a transfer cost, L1 included, trend and advice. Without --chains and without chains in the config file: the usual ones, by public nodes.',
    )
    .addOption(chainsOption())
    .oneOf('--sort <BY>', 'the cheapest by it first', CHAIN_SORTS, 'swap')
    .addOption(new Option('--json', 'for programs: { chains: [{ name, chainId, swap, send, … }] }'))
    .addOption(new Option('--csv', 'comma-separated, prices in wei').conflicts('json'))
    .option('--watch', 'go on: the table anew every 6 s, or a line of JSON or the rows of CSV each time')
    .examples('gastop chains --chains base,op,arbitrum', 'gastop chains --sort send --json')
    .does(chains);
}

/** The chains that `--chains` names, else those of the config file. @throws CliError (usage) beside one source. */
export function chosenChains({ source, chains }: Settings, text: string | undefined): readonly ChainSetup[] {
  if (text === undefined) return chains.value;
  if (source.from.startsWith('--'))
    throw usageError(`${source.from} names one source, --chains several; name either`);
  return namedChains(text, chains.value);
}

export function comparedChains(settings: Settings, text: string | undefined): readonly ChainSetup[] {
  const own = settings.chains.value.map(({ name }) => name).join(',');
  return chosenChains(settings, text ?? (own || USUAL_CHAINS));
}

type ChainsFlags = Flags<'chains', 'json' | 'csv' | 'watch'> & { readonly sort: ChainSort };
const HOME_AND_CLEAR = '\u001b[H\u001b[2J';

async function chains({ io, loadSettings }: CommandContext, flags: ChainsFlags): Promise<void> {
  const { settings } = await loadSettings();
  const setups = comparedChains(settings, flags.chains);
  for (const { source } of setups) warnOfPlainKey(io, source);
  const signal = io.interruption();
  await using rows = openChainRows(setups, { now: io.now, patienceSec: settings.patienceSec.value });
  rows.start();
  const isRead = ({ figures }: ChainRow) => figures !== null;
  await withSpinner(
    io,
    () => `asking ${setups.length} chains: ${rows.read().filter(isRead).length} have answered`,
    () => rows.complete(READY_WITHIN_MS, signal),
  );
  const isTerminal = io.stdout.isTTY === true;
  const text = (isNext: boolean): string => {
    const all = sortedRows(rows.read(), flags.sort);
    const values = () => all.map((row) => rowValue(row, io.now()));
    if (flags.json) return jsonText({ chains: values() }, Number, flags.watch ? 0 : 2);
    if (flags.csv) return csvText(CSV_COLUMNS, values(), !isNext);
    const table = tableText(all, io, settings, flags.watch === true);
    return flags.watch && isTerminal ? HOME_AND_CLEAR + table : `${isNext ? '\n' : ''}${table}`;
  };
  io.stdout.write(text(false));
  const everyMs = isTerminal && !flags.json && !flags.csv ? 1_000 : EVERY_MS;
  while (flags.watch && !signal.aborted) {
    await sleep(everyMs, signal);
    if (!signal.aborted) io.stdout.write(text(true));
  }
  if (!rows.read().some(isRead)) {
    throw new CliError(EXIT.unreachable, 'no chain answers; name others with --chains, or check the network');
  }
}

const TABLE = [
  ['chain', 'left', 'chain'],
  ['swap', 'right', 'swap'],
  ['swap gwei', 'right', 'swapInCoin'],
  ['send', 'right', 'send'],
  ['send gwei', 'right', 'sendInCoin'],
  ['L1', 'right', 'l1'],
  ['gwei', 'right', 'price'],
  ['trend', 'right', 'trend'],
  ['age', 'right', 'age'],
  ['advice', 'left', 'advice'],
] as const;

const COSTS: ReadonlySet<string> = new Set(['swap', 'send', 'swapInCoin', 'sendInCoin']);

function tableText(rows: readonly ChainRow[], io: Io, settings: Settings, goesOn: boolean): string {
  const width = io.stdout.isTTY === true ? (io.stdout.columns ?? 80) : null;
  const now = io.now();
  const texts = rows.map((row) => {
    const problem = rowProblem(row, now);
    // The end aborts all requests.
    const said = goesOn ? problem : problem && { ...problem, retryAt: null };
    return rowTexts({ ...row, problem: said }, now);
  });
  // Dollars and gwei of the coin have a column each, where a row has such a cost.
  const shown = TABLE.filter(([, , name]) => !COSTS.has(name) || texts.some((row) => row[name] !== UNKNOWN));
  const columns = shown.map(([title, align, name]): TextColumn<(typeof texts)[number]> => {
    return [title, align, (row) => cleanLine(row[name])];
  });
  const lines = fittedLines(columns, texts, width, {
    spared: ['trend', 'L1', 'send gwei', 'send'],
    least: 24,
  });
  const notes = usdNotes(rows).map((note) => cleanLine(note));
  return `${cutLines(settings, [...lines, ...(notes.length === 0 ? [] : ['', ...notes])], width)}\n`;
}

const iso = (ms: number | null | undefined) => mapped(ms, (at) => new Date(at).toISOString());
const wei = (price: bigint | null | undefined) => mapped(price, Number);

/** A row for programs. Prices are wei per gas, costs wei as text. */
function rowValue(row: ChainRow, now: number) {
  const { snapshot = null, trend = null, advice = null } = row.figures ?? {};
  const chainId = snapshot?.chainId ?? null;
  const cost = (work: Work) =>
    mapped(workCost(row, work), ({ gas, wei: total, usd, dataFee, dataFeeReason }) => ({
      ...{ gas, wei: total.toString(), usd },
      dataFeeWei: mapped(dataFee, String),
      dataFeeReason,
    }));
  return {
    name: row.name,
    chain: chainOf(row),
    chainId,
    sourceKind: snapshot?.source.kind ?? null,
    blockNumber: snapshot?.blockNumber ?? null,
    blockTimestamp: iso(snapshot?.blockTimestamp),
    stale: mapped(snapshot, (known) => isOutdated(chainStatus(known, now))),
    averagePrice: wei(snapshot?.lanes.average.price),
    basePrice: wei(snapshot?.baseFee),
    nextBasePrice: wei(snapshot?.nextBaseFee),
    floorPrice: wei(snapshot?.floor),
    swap: cost('swap'),
    send: cost('send'),
    direction: trend?.direction ?? null,
    action: advice?.action ?? null,
    targetPrice: wei(advice?.targetPrice),
    deadlineSec: advice?.deadlineSec ?? null,
    probability: advice?.probability ?? null,
    expectedSavingRatio: advice?.expectedSavingRatio ?? null,
    nativeSymbol: mapped(chainId, (id) => chainProfile(id).nativeSymbol),
    nativeUsd: row.nativeUsd,
    nativeUsdFrom: row.usdFrom,
    updatedAt: iso(snapshot?.updatedAt),
    problem: mapped(rowProblem(row, now), ({ message, retryAt }) => ({
      message: cleanLine(message),
      retryAt: iso(retryAt),
    })),
  };
}

const CSV_COLUMNS: CsvColumns<ReturnType<typeof rowValue>> = {
  name: ({ name }) => name,
  chain_id: ({ chainId }) => chainId,
  block_number: ({ blockNumber }) => blockNumber,
  block_time: ({ blockTimestamp }) => blockTimestamp,
  average_price_wei: ({ averagePrice }) => averagePrice,
  next_base_fee_wei: ({ nextBasePrice }) => nextBasePrice,
  swap_wei: ({ swap }) => swap?.wei,
  swap_usd: ({ swap }) => swap?.usd,
  swap_data_fee_wei: ({ swap }) => swap?.dataFeeWei,
  send_wei: ({ send }) => send?.wei,
  send_usd: ({ send }) => send?.usd,
  send_data_fee_wei: ({ send }) => send?.dataFeeWei,
  direction: ({ direction }) => direction,
  action: ({ action }) => action,
  updated_at: ({ updatedAt }) => updatedAt,
  problem: ({ problem }) => problem?.message,
  source_kind: ({ sourceKind }) => sourceKind,
};

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
        : serviceReader(source, chainId, reading);
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
  const [{ createRpcSource }, { createLightChain }] = await Promise.all([
    import('../../chain/rpc-source.ts'),
    import('../../service/light-chain.ts'),
  ]);
  const source = createRpcSource({
    urls: urls.map(({ href }) => href),
    recheckMs: 60_000,
    ...(chainId !== null && { expectedChainId: chainId }),
  });
  const readChain = createLightChain(source, { now, patienceSec });
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

function serviceReader(
  source: HostedChoice,
  chainId: number | null,
  { now, patienceSec }: ChainReading,
): RowReader {
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
