import type { CallOptions, GasClient, MetricsQuery } from '../../../client/client.ts';
import { ClientError } from '../../../client/errors.ts';
import type { MetricsView } from '../../../client/views/metrics.ts';
import type { BlockSeries } from './block-rows.ts';

/** How many blocks the list holds. */
export const MOST_BLOCKS = 240;
/** Fewer blocks than this are worth a look further back. */
const ENOUGH_BLOCKS = 60;
const PAGE_SIZE = 500;
const HOUR_SEC = 3_600;

export interface BlockSeriesRequest {
  /** Where the window ends, ms: the head's own time; `null`: the service's present. */
  readonly end: number | null;
  /** How long a window to ask for, seconds. */
  readonly spanSec: number;
  /** Whether the tips are wanted too. */
  readonly tips: boolean;
}

export interface BlockSeriesAnswer extends BlockSeries {
  /** The window that was long enough: what to ask for next time. */
  readonly spanSec: number;
  /** What the service lacks or refuses: one line each. */
  readonly missing: readonly string[];
}

/**
 * The newest blocks by three metrics with a bucket per block. The window grows to an hour where blocks are rare; one
 * that begins before history does is asked without its begin. A metric that the service lacks is named in `missing`.
 *
 * @throws ClientError where nothing can be had, or the service cannot be reached.
 */
export async function loadBlockSeries(
  client: GasClient,
  request: BlockSeriesRequest,
  options: CallOptions,
): Promise<BlockSeriesAnswer> {
  let { spanSec } = request;
  let answer = await askSeries(client, request, spanSec, options);
  while (request.end !== null && spanSec < HOUR_SEC && longest(answer) < ENOUGH_BLOCKS) {
    spanSec = Math.min(spanSec * 4, HOUR_SEC);
    answer = await askSeries(client, request, spanSec, options);
  }
  return { ...answer, spanSec };
}

async function askSeries(
  client: GasClient,
  { end, tips }: BlockSeriesRequest,
  spanSec: number,
  options: CallOptions,
): Promise<BlockSeries & { readonly missing: readonly string[] }> {
  const from = end === null || spanSec >= HOUR_SEC ? undefined : end - spanSec * 1_000;
  const [base, ratio, tip] = await Promise.all([
    partOf('base fees', from, (query) => client.baseFee(query, options)),
    partOf('fullness', from, (query) => client.gasUsedRatio(query, options)),
    tips
      ? partOf('tips', from, (query) => client.priorityFee({ ...query, percentile: 'p50' }, options))
      : { rows: [], error: null, missing: [] },
  ]);
  if (base.error !== null && ratio.error !== null && (tip.error !== null || !tips)) throw base.error;
  return {
    baseFees: base.rows,
    gasUsedRatios: ratio.rows,
    tips: tip.rows,
    missing: [...base.missing, ...ratio.missing, ...tip.missing],
  };
}

function longest({ baseFees, gasUsedRatios, tips }: BlockSeries): number {
  return Math.max(baseFees.length, gasUsedRatios.length, tips.length);
}

interface Part<Row> {
  readonly rows: readonly Row[];
  readonly error: ClientError | null;
  readonly missing: readonly string[];
}

const TOLERATED: readonly string[] = ['not-found', 'plan', 'invalid', 'server', 'unreadable'];

async function partOf<Row extends { readonly timestamp: number }>(
  name: string,
  from: number | undefined,
  ask: (query: MetricsQuery) => Promise<MetricsView<Row>>,
): Promise<Part<Row>> {
  try {
    return { rows: await newestRows(from, ask), error: null, missing: [] };
  } catch (error) {
    if (!(error instanceof ClientError) || !TOLERATED.includes(error.code)) throw error;
    const reason = error.code === 'not-found' ? 'this service has none' : error.message;
    return { rows: [], error, missing: [`no ${name}: ${reason.replaceAll('\n', ' ')}`] };
  }
}

/** The last rows of a window, however the service orders its pages. */
async function newestRows<Row extends { readonly timestamp: number }>(
  from: number | undefined,
  ask: (query: MetricsQuery) => Promise<MetricsView<Row>>,
): Promise<readonly Row[]> {
  const window: MetricsQuery = { bucket: 'block', size: PAGE_SIZE, ...(from === undefined ? {} : { from }) };
  const first = await ask(window).catch((error: unknown) => {
    // Before history begins: what there is of the last hour is as much as can be had.
    if (from === undefined || !(error instanceof ClientError) || error.code !== 'invalid') throw error;
    return ask({ bucket: 'block', size: PAGE_SIZE });
  });
  const size = Math.max(first.rows.length, 1);
  if (first.total <= size) return first.rows;
  const last = Math.ceil(first.total / size) - 1;
  const ends = await ask({ ...window, page: last });
  if (newestOf(ends.rows) < newestOf(first.rows)) return first.rows;
  if (ends.rows.length >= MOST_BLOCKS || last < 2)
    return [...first.rows.filter(() => last < 2), ...ends.rows];
  const before = await ask({ ...window, page: last - 1 });
  return [...before.rows, ...ends.rows];
}

function newestOf(rows: readonly { readonly timestamp: number }[]): number {
  return rows.reduce((newest, { timestamp }) => Math.max(newest, timestamp), 0);
}
