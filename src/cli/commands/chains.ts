import { Option } from 'commander';
import { sleep } from '../../chain/async.ts';
import { chainStatus } from '../../client/views/chain-status.ts';
import {
  CHAIN_SORTS,
  type ChainRow,
  type ChainSort,
  chainOf,
  rowProblem,
  rowTexts,
  sortedRows,
  usdNotes,
  type Work,
  workCost,
} from '../../client/views/chains.ts';
import { isOutdated } from '../../core/chain-status.ts';
import { chainProfile } from '../../core/chains.ts';
import { type CsvColumns, csvText } from '../../core/csv.ts';
import { UNKNOWN } from '../../core/units.ts';
import { EVERY_MS, openChainRows } from '../chain-rows.ts';
import { chainsOption, comparedChains } from '../chosen-chains.ts';
import type { CliCommand, CommandContext, Flags } from '../command.ts';
import { CliError, EXIT } from '../errors.ts';
import type { Io } from '../io.ts';
import { READY_WITHIN_MS, warnOfPlainKey } from '../open-source.ts';
import {
  cleanLine,
  cutLines,
  fittedLines,
  jsonText,
  mapped,
  type TextColumn,
  withSpinner,
} from '../output.ts';
import type { Settings } from '../settings.ts';

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
