import asciichart from 'asciichart';
import { Option } from 'commander';
import * as z from 'zod';
import type { GasClient } from '../../client/client.ts';
import { ClientError, type ClientErrorCode } from '../../client/errors.ts';
import { allPages } from '../../client/paging.ts';
import type { BaseFeeRowView } from '../../client/views/metrics.ts';
import { BUCKET_SEC, BUCKETS, type Bucket } from '../../contract/choices.ts';
import { PATHS } from '../../contract/routes.ts';
import { type CsvColumns, csvText } from '../../core/csv.ts';
import {
  formatCount,
  formatDuration,
  formatGwei,
  formatPercent,
  gweiString,
  UNKNOWN,
} from '../../core/units.ts';
import { abortable } from '../../service/async.ts';
import type { CliCommand } from '../command.ts';
import type { CommandContext, Flags } from '../context.ts';
import type { Io } from '../io.ts';
import { type OpenedClient, openReady, openSource } from '../open-source.ts';
import {
  badgeOf,
  type Column,
  cleanLine,
  jsonResponse,
  mapped,
  note,
  print,
  tableLines,
  utcTime,
  withSpinner,
} from '../output.ts';
import { checked, parseDuration } from '../parse.ts';
import type { Settings } from '../settings.ts';

export function addHistory(program: CliCommand): void {
  program
    .command('history')
    .summary('base fee and tips of the last hours or days')
    .description('Base fee, tips and fullness of blocks over the last hours or days.')
    .option('--window <TIME>', 'how far back: 90m, 24h, 7d, at most 30d', '24h')
    .oneOf('--bucket <SIZE>', 'length of a row', BUCKETS)
    .addOption(new Option('--csv', 'comma-separated, prices in wei').conflicts(['json', 'chart']))
    .addOption(new Option('--json', "the service's v1 response as it is").conflicts(['csv', 'chart']))
    .addOption(new Option('--chart', 'a line drawn with text').conflicts(['csv', 'json']))
    .examples('gastop history --window 7d --chart', 'gastop history --csv > day.csv')
    .does(history);
}

type HistoryFlags = Flags<never, 'csv' | 'json' | 'chart'> & {
  readonly window: string;
  readonly bucket?: Bucket;
};

const TABLE_ROWS = 48;
const SERIES_ROWS = 750;
const DEFAULT_COLUMNS = 80;
/** The oldest block is seldom exactly at the window's start. */
const TOLERATED_SEC = 60;

async function history({ io, loadSettings }: CommandContext, flags: HistoryFlags): Promise<void> {
  const windowSec = checked('--window', () => parseDuration(flags.window, { min: '1m', max: '30d' }));
  const { settings } = await loadSettings();
  await using opened = await openPast(io, settings, Math.max(windowSec, 3_600));
  const { client, embedded, snapshot } = opened;
  // The chain's own clock: a recording's present is in the past.
  const present = snapshot?.blockTimestamp ?? io.now();
  const to = present + 1_000;
  const from = await beginning(io, opened, { from: to - windowSec * 1_000, to });
  const badge = badgeOf(snapshot);
  if (flags.json) {
    const query = {
      from: iso(from),
      to: iso(to),
      size: '500',
      ...(flags.bucket && { bucket: flags.bucket }),
    };
    const response = jsonResponse(await client.raw(PATHS.baseFee, query), PATHS.baseFee);
    io.stdout.write(response);
    const page = z.object({ total: z.number(), data: z.array(z.unknown()) }).safeParse(JSON.parse(response));
    if (page.success && page.data.total > page.data.data.length) {
      const [some, all] = [page.data.data.length, page.data.total].map(formatCount);
      note(io, `these are ${some} of ${all} rows; a larger --bucket makes them fewer, such as 1h`);
    }
    return;
  }
  const wide = flags.csv === true || flags.chart === true;
  const bucket = flags.bucket ?? bucketFor(windowSec, wide ? SERIES_ROWS : TABLE_ROWS);
  const { rows, missing } = await withSpinner(
    io,
    'reading history',
    historyRows(client, { from, to, bucket }, io.interruption()),
  );
  for (const line of missing) note(io, line);
  const begins = rows[0]?.timestamp ?? from;
  const tolerated = Math.max(TOLERATED_SEC, bucket === 'block' ? 0 : BUCKET_SEC[bucket]);
  if (embedded === null && begins - from > tolerated * 1_000) {
    tellOfReach(io, Math.floor((to - begins) / 1_000));
  }
  if (flags.csv) {
    if (badge !== '') note(io, `${badge}these are no live prices`);
    io.stdout.write(csvText(COLUMNS, rows));
  } else if (rows.length === 0 || (flags.chart && rows.every(({ mean }) => mean === null))) {
    note(io, 'there is no data for that window yet');
  } else if (flags.chart) {
    const chart = historyChart(rows, io.stdout.columns ?? DEFAULT_COLUMNS);
    print(io, settings, `${badge}mean base fee in gwei\n${chart}`);
  } else {
    const table = historyText(rows, settings.ascii.value ? '#' : '█');
    print(io, settings, `${badge}base fee and median tip in gwei\n${table}`);
  }
}

/** The source and its present. A remote service may have a history without current prices. */
async function openPast(io: Io, settings: Settings, historySec: number) {
  try {
    return await openReady(io, settings, 'late', { historySec });
  } catch (error) {
    const isHosted = settings.source.value.kind === 'hosted';
    if (!isHosted || !(error instanceof ClientError) || !TOLERATED.includes(error.code)) throw error;
    note(io, `no current prices: ${cleanLine(error.message)}`);
    return openSource(io, settings, 'late');
  }
}

async function beginning(
  io: Io,
  { client, embedded }: OpenedClient,
  window: { readonly from: number; readonly to: number },
): Promise<number> {
  if (embedded === null) return window.from;
  await withSpinner(
    io,
    `reading ${formatDuration((window.to - window.from) / 1_000)} of history`,
    abortable(embedded.filled, io.interruption()),
  );
  const { from } = await client.baseFee({ ...window, bucket: 'block', page: 0, size: 1 });
  if (from === null || from - window.from < TOLERATED_SEC * 1_000) return window.from;
  // The window ends a second after the newest block.
  tellOfReach(io, Math.floor((window.to - from) / 1_000) - 1);
  return from;
}

const tellOfReach = (io: Io, sec: number) => note(io, `history reaches back only ${formatDuration(sec)}`);

const iso = (ms: number) => new Date(ms).toISOString();

type HistoryRow = Pick<BaseFeeRowView, 'timestamp' | 'blockNumber'> & {
  readonly [Name in 'open' | 'min' | 'mean' | 'max' | 'close' | 'tip' | 'gasUsedRatio']: number | null;
};

function bucketFor(windowSec: number, most: number): Bucket {
  const fitting = (['1m', '5m', '1h'] as const).find((bucket) => windowSec / BUCKET_SEC[bucket] <= most);
  return fitting ?? '1d';
}

const NO_BASE_FEE = { open: null, min: null, mean: null, max: null, close: null };

/**
 * Base fee, median tip and gas used ratio of a window, joined by time, oldest first; `missing` says why one of them
 * is absent. @throws ClientError when all are.
 */
async function historyRows(
  client: GasClient,
  window: { readonly from: number; readonly to: number; readonly bucket: Bucket },
  signal: AbortSignal,
) {
  const [base, tip, ratio] = await Promise.all([
    partOf(allPages((page) => client.baseFee({ ...window, ...page }, { signal }))),
    partOf(allPages((page) => client.priorityFee({ ...window, ...page, percentile: 'p50' }, { signal }))),
    partOf(allPages((page) => client.gasUsedRatio({ ...window, ...page }, { signal }))),
  ]);
  if (base.error !== null && tip.error !== null && ratio.error !== null) throw base.error;
  const baseAt = new Map(base.rows.map((row) => [row.timestamp, row]));
  const tipAt = new Map(tip.rows.map((row) => [row.timestamp, row.value]));
  const ratioAt = new Map(ratio.rows.map((row) => [row.timestamp, row.mean]));
  // Without base fees the others still have a history.
  const known = base.error === null ? base.rows : tip.rows.length > 0 ? tip.rows : ratio.rows;
  const rows = known.map(
    ({ timestamp, blockNumber }): HistoryRow => ({
      timestamp,
      blockNumber,
      ...(baseAt.get(timestamp) ?? NO_BASE_FEE),
      tip: tipAt.get(timestamp) ?? null,
      gasUsedRatio: ratioAt.get(timestamp) ?? null,
    }),
  );
  const missing = Object.entries({ 'base fees': base, tips: tip, fullness: ratio }).flatMap(
    ([name, { error }]) => mapped(error, ({ message }) => `no ${name}: ${cleanLine(message)}`) ?? [],
  );
  return { rows: rows.sort((a, b) => a.timestamp - b.timestamp), missing };
}

const TOLERATED: readonly ClientErrorCode[] = ['not-found', 'plan', 'invalid', 'server', 'unreadable'];

const partOf = <Row>(rows: Promise<readonly Row[]>) =>
  rows.then(
    (found) => ({ rows: found, error: null }),
    (error: unknown) => {
      if (!(error instanceof ClientError) || !TOLERATED.includes(error.code)) throw error;
      return { rows: [], error };
    },
  );

const BAR_CELLS = 20;

function historyText(rows: readonly HistoryRow[], bar: string): string {
  const highest = Math.max(...rows.map((row) => row.mean ?? 0));
  const cells = (mean: number) => (highest > 0 ? Math.round((mean / highest) * BAR_CELLS) : 0);
  const gwei = (title: string, name: 'min' | 'mean' | 'max' | 'tip'): Column<HistoryRow> => [
    title,
    'right',
    (row) => mapped(row[name], formatGwei) ?? UNKNOWN,
  ];
  return tableLines<HistoryRow>(
    [
      ['UTC', 'left', (row) => utcTime(row.timestamp, 'minutes')],
      gwei('base', 'mean'),
      gwei('lowest', 'min'),
      gwei('highest', 'max'),
      gwei('tip', 'tip'),
      ['full', 'right', (row) => mapped(row.gasUsedRatio, formatPercent) ?? UNKNOWN],
      ['', 'left', (row) => bar.repeat(cells(row.mean ?? 0))],
    ],
    rows,
  ).join('\n');
}

const HEIGHT = 12;
const TICK_WIDTH = 2;

/** The mean base fee in gwei, `columns` wide. The uppermost of equal labels is kept. */
function historyChart(rows: readonly HistoryRow[], columns: number): string {
  const [first, last] = [rows[0], rows.at(-1)];
  const means = rows.flatMap(({ mean }) => mapped(mean, Math.round) ?? []);
  if (first === undefined || last === undefined || means.length === 0) return '';
  const low = Math.min(...means);
  const high = Math.max(...means);
  const label = labelling(low, high);
  const steps = Array.from({ length: HEIGHT + 1 }, (_, step) => low + ((high - low) * step) / HEIGHT);
  const labelWidth = Math.max(...steps.map((wei) => label(wei).length));
  const width = Math.max(columns - labelWidth - TICK_WIDTH, 10);
  const lines =
    low === high
      ? [`${label(low)} ┼${'─'.repeat(width - 1)}`]
      : lineOf(resample(means, width), (wei) => label(wei).padStart(labelWidth));
  const start = utcTime(first.timestamp, 'minutes');
  const end = `${utcTime(last.timestamp, 'minutes')} UTC`;
  const gap = Math.max(width - start.length - end.length, 2);
  const times = first === last ? end : `${start}${' '.repeat(gap)}${end}`;
  return `${lines.join('\n')}\n${' '.repeat(labelWidth + TICK_WIDTH)}${times}`;
}

function lineOf(means: readonly number[], label: (wei: number) => string): readonly string[] {
  let above = '';
  const format = (wei: number) => {
    const own = label(wei);
    const text = own === above ? ' '.repeat(own.length) : own;
    above = own;
    return text;
  };
  return asciichart
    .plot([...means], { height: HEIGHT, format })
    .split('\n')
    .map((each) => each.trimEnd());
}

/** As short as on every screen, unless the lowest and the highest would look the same. */
function labelling(low: number, high: number): (wei: number) => string {
  const isTooShort = low < high && formatGwei(low) === formatGwei(high);
  return (wei) => {
    const whole = Math.max(Math.round(wei), 0);
    return isTooShort ? gweiString(BigInt(whole)) : formatGwei(whole);
  };
}

function resample(values: readonly number[], width: number): number[] {
  return Array.from({ length: width }, (_, column) => {
    const from = Math.floor((column * values.length) / width);
    const to = Math.max(Math.floor(((column + 1) * values.length) / width), from + 1);
    const part = values.slice(from, to);
    return part.reduce((sum, value) => sum + value, 0) / part.length;
  });
}

const COLUMNS: CsvColumns<HistoryRow> = {
  time: ({ timestamp }) => iso(timestamp),
  block_number: ({ blockNumber }) => blockNumber,
  base_fee_open_wei: ({ open }) => mapped(open, Math.round),
  base_fee_min_wei: ({ min }) => mapped(min, Math.round),
  base_fee_mean_wei: ({ mean }) => mapped(mean, Math.round),
  base_fee_max_wei: ({ max }) => mapped(max, Math.round),
  base_fee_close_wei: ({ close }) => mapped(close, Math.round),
  tip_p50_wei: ({ tip }) => mapped(tip, Math.round),
  gas_used_ratio: ({ gasUsedRatio }) => gasUsedRatio,
};
