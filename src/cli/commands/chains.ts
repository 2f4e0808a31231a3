import { setTimeout as sleep } from 'node:timers/promises';
import { Option } from 'commander';
import {
  CHAIN_SORTS,
  type ChainRow,
  type ChainSort,
  chainOf,
  rowTexts,
  sortedRows,
  usdNotes,
  type Work,
  workCost,
} from '../../client/views/chains.ts';
import { chainProfile } from '../../core/chains.ts';
import { type CsvColumns, csvText } from '../../core/csv.ts';
import type { CliCommand, CommandContext, Flags } from '../command.ts';
import { CliError, EXIT, usageError } from '../errors.ts';
import { Interruption, type Io } from '../io.ts';
import { USUAL_CHAINS } from '../known-chains.ts';
import { READY_WITHIN_MS, warnOfPlainKey } from '../open-source.ts';
import { type Column, cleanLine, cutLines, fittedLines, mapped, withSpinner } from '../output.ts';
import { openChainRows } from '../poll-chains.ts';
import { type ChainSetup, namedChains, type Settings } from '../settings.ts';

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
const REDRAWN_EVERY_MS = 1_000;
const WRITTEN_EVERY_MS = 6_000;
const HOME_AND_CLEAR = '\u001b[H\u001b[2J';

async function chains({ io, loadSettings }: CommandContext, flags: ChainsFlags): Promise<void> {
  const { settings } = await loadSettings();
  const setups = comparedChains(settings, flags.chains);
  for (const { source } of setups) warnOfPlainKey(io, source);
  const signal = io.interruption();
  await using rows = openChainRows(setups, io.now);
  rows.start();
  const isRead = ({ figures }: ChainRow) => figures !== null;
  await withSpinner(
    io,
    () => `asking ${setups.length} chains: ${rows.read().filter(isRead).length} have answered`,
    () => Promise.race([rows.complete, sleep(READY_WITHIN_MS, undefined, { signal })]),
  );
  const isTerminal = io.stdout.isTTY === true;
  const text = (isNext: boolean): string => {
    const all = sortedRows(rows.read(), flags.sort);
    if (flags.json) {
      return `${JSON.stringify({ chains: all.map(rowValue) }, null, flags.watch ? 0 : 2)}\n`;
    }
    if (flags.csv) return csvText(CSV_COLUMNS, all.map(rowValue), !isNext);
    const table = tableText(all, io, settings, flags.watch === true);
    return flags.watch && isTerminal ? HOME_AND_CLEAR + table : `${isNext ? '\n' : ''}${table}`;
  };
  io.stdout.write(text(false));
  const everyMs = isTerminal && !flags.json && !flags.csv ? REDRAWN_EVERY_MS : WRITTEN_EVERY_MS;
  try {
    while (flags.watch) {
      await sleep(everyMs, undefined, { signal });
      io.stdout.write(text(true));
    }
  } catch (error) {
    if (!(signal.reason instanceof Interruption)) throw error;
  }
  if (!rows.read().some(isRead)) {
    throw new CliError(EXIT.unreachable, 'no chain answers; name others with --chains, or check the network');
  }
}

const LEAST_ADVICE = 24;
const TABLE = [
  ['chain', 'left', 'chain'],
  ['swap', 'right', 'swap'],
  ['send', 'right', 'send'],
  ['L1', 'right', 'l1'],
  ['gwei', 'right', 'price'],
  ['trend', 'right', 'trend'],
  ['age', 'right', 'age'],
  ['advice', 'left', 'advice'],
] as const;

function tableText(rows: readonly ChainRow[], io: Io, settings: Settings, goesOn: boolean): string {
  const width = io.stdout.isTTY === true ? (io.stdout.columns ?? 80) : null;
  const texts = rows.map(({ problem, ...row }) => {
    // The end aborts all requests.
    const said = goesOn ? problem : problem && { ...problem, retryAt: null };
    return rowTexts({ ...row, problem: said }, io.now());
  });
  const columns = TABLE.map(
    ([title, align, name]): Column<(typeof texts)[number]> => [
      ...([title, align] as const),
      (row) => cleanLine(row[name]),
    ],
  );
  const lines = fittedLines(columns, texts, width, {
    spared: ['trend', 'L1', 'send'],
    least: LEAST_ADVICE,
  });
  const notes = usdNotes(rows).map((note) => cleanLine(note));
  return `${cutLines(settings, [...lines, ...(notes.length === 0 ? [] : ['', ...notes])], width)}\n`;
}

const iso = (ms: number | null | undefined) => mapped(ms, (at) => new Date(at).toISOString());
const wei = (price: bigint | null | undefined) => mapped(price, Number);

/** A row for programs. Prices are wei per gas, costs wei as text. */
function rowValue(row: ChainRow) {
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
    blockNumber: snapshot?.blockNumber ?? null,
    blockTimestamp: iso(snapshot?.blockTimestamp),
    stale: snapshot?.stale ?? null,
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
    problem: mapped(row.problem, ({ message, retryAt }) => ({ message, retryAt: iso(retryAt) })),
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
};
