import { Option } from 'commander';
import { ifTold } from '../../client/errors.ts';
import type { GasClient } from '../../client/gas-client.ts';
import { allPages } from '../../client/paging.ts';
import { BUCKET_SEC, BUCKETS, type Bucket, fittingBucket, PAGE_SIZE_MAX } from '../../contract/choices.ts';
import { PATHS } from '../../contract/routes.ts';
import { type CsvColumns, csvText } from '../../core/csv.ts';
import {
  formatCount,
  formatDuration,
  formatGwei,
  formatPercent,
  formatSpan,
  UNKNOWN,
} from '../../core/units.ts';
import { chartLines, chartPlotWidth, type LineChartOptions } from '../../tui/ui/chart-lines.ts';
import { AXES, type Axis, readableAxis } from '../../tui/ui/chart-scale.ts';
import type { CliCommand, CommandContext, Flags } from '../command.ts';
import { openSource } from '../open-source.ts';
import {
  badgeOf,
  cleanLine,
  jsonResponse,
  mapped,
  note,
  print,
  type TextColumn,
  tableLines,
  utcTime,
  withSpinner,
} from '../output.ts';
import { checked, parseDuration } from '../parse.ts';

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
    .addOption(
      drawn('--axis <AXIS>', 'of the chart (default: log where one peak would hide the rest)').choices(AXES),
    )
    .addOption(drawn('--braille', 'the chart with braille dots, four to a row'))
    .examples('gastop history --window 7d --chart', 'gastop history --csv > day.csv')
    .does(history);
}

/** An option of the chart, which is drawn for it. */
const drawn = (flags: string, text: string) =>
  new Option(flags, text).implies({ chart: true }).conflicts(['csv', 'json']);

type Switches = 'csv' | 'json' | 'chart' | 'braille';
type HistoryFlags = Flags<never, Switches, { axis: Axis; bucket: Bucket }> & { readonly window: string };

/** The oldest block is seldom exactly at the window's start. */
const TOLERATED_MS = 60_000;

async function history({ io, loadSettings }: CommandContext, flags: HistoryFlags): Promise<void> {
  const windowSec = checked('--window', () => parseDuration(flags.window, { min: '1m', max: '30d' }));
  const { settings } = await loadSettings();
  await using opened = await openSource(io, settings, 'late', { historySec: Math.max(windowSec, 3_600) });
  const { client, embedded } = opened;
  const signal = io.interruption();
  const missing: string[] = [];
  const snapshot = opened.snapshot ?? (await tried(missing, 'current prices')(client.gasCurrent({ signal })));
  // The chain's own clock: a recording's present is in the past. The window ends a second after the newest block.
  const present = snapshot?.blockTimestamp ?? io.now();
  const window = { from: present + 1_000 - windowSec * 1_000, to: present + 1_000 };
  const tellOfReach = (from: number) =>
    note(io, `history reaches back only ${formatSpan((present - from) / 1_000)}`);
  if (embedded !== null) {
    const doing = `reading ${formatDuration(windowSec)} of history`;
    await withSpinner(io, doing, embedded.filled());
    const { from } = await client.baseFee({ ...window, bucket: 'block', page: 0, size: 1 }, { signal });
    if (from !== null && from - window.from >= TOLERATED_MS) {
      window.from = from;
      tellOfReach(from);
    }
  }
  const badge = badgeOf(snapshot);
  if (flags.json) {
    const onResponse = (text: string) => io.stdout.write(jsonResponse(text, PATHS.baseFee));
    const query = { ...window, size: PAGE_SIZE_MAX, bucket: flags.bucket };
    const { rows, total } = await client.baseFee(query, { signal, onResponse });
    if (total > rows.length) {
      const part = `${formatCount(rows.length)} of ${formatCount(total)}`;
      note(io, `these are ${part} rows; a larger --bucket makes them fewer, such as 1h`);
    }
    return;
  }
  const mostRows = flags.csv || flags.chart ? 750 : 48;
  const bucket = flags.bucket ?? fittingBucket(windowSec, null, mostRows);
  const reading = historyRows(client, { ...window, bucket }, missing, signal);
  const rows = await withSpinner(io, 'reading history', reading);
  for (const line of missing) note(io, line);
  const begins = rows[0]?.timestamp ?? window.from;
  const tolerated = Math.max(TOLERATED_MS, bucket === 'block' ? 0 : BUCKET_SEC[bucket] * 1_000);
  if (embedded === null && begins - window.from > tolerated) tellOfReach(begins);
  if (flags.csv) {
    if (badge !== '') note(io, `${badge}these are no live prices`);
    io.stdout.write(csvText(COLUMNS, rows));
  } else if (rows.length === 0) note(io, 'there is no data for that window yet');
  else if (flags.chart) {
    const means = rows.map(({ mean }) => mean);
    const axis = flags.axis ?? readableAxis(means, Math.max(...rows.map(({ max }) => max)));
    const isAscii = settings.ascii.value;
    if (flags.braille && isAscii) note(io, 'braille dots need Unicode; in ASCII the chart is a line');
    const drawing = flags.braille && !isAscii ? 'braille' : 'line';
    const chart = historyChart(rows, { axis, drawing, width: io.stdout.columns ?? 80 });
    const onAxis = axis === 'log' ? ', log axis' : '';
    print(io, settings, `${badge}base fee in gwei, mean and range${onAxis}\n${chart}`);
  } else {
    const table = historyText(rows, settings.ascii.value ? '#' : '█');
    print(io, settings, `${badge}base fee and median tip in gwei\n${table}`);
  }
}

const tried =
  (missing: string[], name: string) =>
  <Told>(response: Promise<Told>) =>
    ifTold(response, ({ message }) => missing.push(`no ${name}: ${cleanLine(message)}`));

type HistoryRow = Awaited<ReturnType<typeof historyRows>>[number];

/** Base fee, median tip and gas used ratio of a window, joined by time, oldest first; the last two may be `missing`. */
async function historyRows(
  client: GasClient,
  window: { readonly from: number; readonly to: number; readonly bucket: Bucket },
  missing: string[],
  signal: AbortSignal,
) {
  const tip = { ...window, percentile: 'p50' } as const;
  const [baseFees, tips, ratios] = await Promise.all([
    allPages((page) => client.baseFee({ ...window, ...page }, { signal })),
    tried(missing, 'tips')(allPages((page) => client.priorityFee({ ...tip, ...page }, { signal }))),
    tried(missing, 'fullness')(allPages((page) => client.gasUsedRatio({ ...window, ...page }, { signal }))),
  ]);
  const tipAt = new Map(tips?.map((row) => [row.timestamp, row.value]));
  const ratioAt = new Map(ratios?.map((row) => [row.timestamp, row.mean]));
  const rows = baseFees.map((row) => ({
    ...row,
    tip: tipAt.get(row.timestamp) ?? null,
    gasUsedRatio: ratioAt.get(row.timestamp) ?? null,
  }));
  return rows.sort((a, b) => a.timestamp - b.timestamp);
}

function historyText(rows: readonly HistoryRow[], bar: string): string {
  const highest = Math.max(...rows.map(({ mean }) => mean));
  const cells = (mean: number) => (highest > 0 ? Math.round((mean / highest) * 20) : 0);
  const gwei = (title: string, name: 'min' | 'mean' | 'max' | 'tip'): TextColumn<HistoryRow> => [
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
      ['', 'left', ({ mean }) => bar.repeat(cells(mean))],
    ],
    rows,
  ).join('\n');
}

const HEIGHT = 13;
const LEAST_WIDTH = 20;

/** The mean base fee in gwei with the range of each column, above the times of both ends. */
function historyChart(
  rows: readonly HistoryRow[],
  { width: columns, ...look }: Required<Pick<LineChartOptions, 'axis' | 'drawing' | 'width'>>,
): string {
  const width = Math.max(columns, LEAST_WIDTH);
  const ranges = rows.map(({ min, max }) => ({ low: min, high: max }));
  const series = [{ values: rows.map(({ mean }) => mean), ranges }];
  const options = { ...look, series, width, height: HEIGHT, format: formatGwei };
  const lines = chartLines(options).map((line) =>
    line
      .map(({ text }) => text)
      .join('')
      .trimEnd(),
  );
  const start = utcTime(rows[0]?.timestamp ?? 0, 'minutes');
  const end = `${utcTime(rows.at(-1)?.timestamp ?? 0, 'minutes')} UTC`;
  const room = chartPlotWidth(width);
  const gap = ' '.repeat(Math.max(room - start.length - end.length, 2));
  const times = `${' '.repeat(Math.max(width - room, 0))}${rows.length === 1 ? '' : start + gap}${end}`;
  return [...lines, times].join('\n');
}

const COLUMNS: CsvColumns<HistoryRow> = {
  time: ({ timestamp }) => new Date(timestamp).toISOString(),
  block_number: ({ blockNumber }) => blockNumber,
  base_fee_open_wei: ({ open }) => Math.round(open),
  base_fee_min_wei: ({ min }) => Math.round(min),
  base_fee_mean_wei: ({ mean }) => Math.round(mean),
  base_fee_max_wei: ({ max }) => Math.round(max),
  base_fee_close_wei: ({ close }) => Math.round(close),
  tip_p50_wei: ({ tip }) => mapped(tip, Math.round),
  gas_used_ratio: ({ gasUsedRatio }) => gasUsedRatio,
};
