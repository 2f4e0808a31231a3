import { setImmediate as othersTurn } from 'node:timers/promises';
import { BUCKET_SEC, type Bucket } from '../../contract/choices.ts';
import { ClientError } from '../client-error.ts';
import type { GasClient } from '../gas-client.ts';
import type { ChartPointView } from '../views/chart.ts';
import type { BaseFeeRowView, PriorityFeeRowView } from '../views/metrics.ts';
import { allPages, withinHistory } from '../whole-windows.ts';

/** A day of a chain with a block every 11 seconds; quicker ones are looked at minute by minute. */
const MOST_ROWS = 8_000;
const PAGE_SIZE = 500;
const MOST_PAGES = 20;

// A service in this process answers without a pause, so between two pages keys and screens get their turn.

/** Base fees of a window, ms since epoch. */
export interface BaseFees {
  readonly bucket: Bucket;
  readonly from: number;
  readonly rows: readonly BaseFeeRowView[];
  /** How far apart the rows are; `null`: they are every block's own. */
  readonly everySec: number | null;
}

interface Window {
  readonly from: number;
  readonly to: number;
}

/** The base fees in the first of `buckets` that has not too many; `null`: the service does not offer them. */
export function loadBaseFees(
  client: Pick<GasClient, 'baseFee'>,
  points: readonly ChartPointView[],
  window: Window,
  buckets: readonly [Bucket, ...Bucket[]],
): Promise<BaseFees | null> {
  return unlessNotOffered(() =>
    withinHistory(points, window.from, async (from) => {
      const ask = async (bucket: Bucket, page: number, size: number) => {
        await othersTurn();
        return client.baseFee({ from, to: window.to, bucket, page, size });
      };
      const [finest, ...coarser] = buckets;
      const first = await ask(finest, 0, PAGE_SIZE);
      const bucket = first.total <= MOST_ROWS ? finest : (coarser[0] ?? finest);
      const rows = await allPages(
        async ({ page = 0, size = PAGE_SIZE }) =>
          bucket === finest && page === 0 ? first : ask(bucket, page, size),
        MOST_PAGES,
      );
      // Some services give what they have, whatever they are asked for.
      const isEveryBlock = bucket === 'block' && first.bucket === 'block';
      return { bucket, from, rows, everySec: isEveryBlock ? null : spacing(bucket, rows) };
    }),
  );
}

/** The tips at a percentile that go with base fees; `null`: the service does not offer them. */
export function loadTips(
  client: Pick<GasClient, 'priorityFee'>,
  { bucket, from }: BaseFees,
  to: number,
  percentile: string,
): Promise<readonly PriorityFeeRowView[] | null> {
  return unlessNotOffered(() =>
    allPages(async (page) => {
      await othersTurn();
      return client.priorityFee({ from, to, bucket, percentile, ...page });
    }, MOST_PAGES),
  );
}

/** What need not be there; but that a service does not answer, or wants no more questions, is told. */
export async function unlessNotOffered<T>(
  ask: () => Promise<T>,
  note: (error: ClientError) => void = () => {},
): Promise<T | null> {
  try {
    return await ask();
  } catch (error) {
    const codes = ['invalid', 'not-found', 'plan', 'server', 'unreadable'];
    if (!(error instanceof ClientError) || !codes.includes(error.code)) throw error;
    note(error);
    return null;
  }
}

function spacing(bucket: Bucket, rows: readonly BaseFeeRowView[]): number | null {
  const [first, second] = rows;
  if (first === undefined || second === undefined) return bucket === 'block' ? null : BUCKET_SEC[bucket];
  return Math.abs(second.timestamp - first.timestamp) / 1_000;
}
