import { ClientError } from '../../../client/errors.ts';
import type { BlockView } from '../../../client/views/explorer.ts';
import type { BlockTxsData } from './use-explorer.ts';

/** What stands in the place of the list of transactions; `null`: the list itself. */
export function txsNote(
  { transactionCount }: BlockView,
  without: string | null,
  { data, polled }: Pick<BlockTxsData, 'data' | 'polled'>,
): string | null {
  if (without !== null) return without.replace(/; .*/, '');
  if (transactionCount === 0) return 'no transactions in this block';
  if (data !== undefined && data.rows.length > 0) return null;
  if (polled.error !== null) {
    const { error } = polled;
    const lacks = error instanceof ClientError && error.code === 'not-found';
    return `no transactions: ${lacks ? 'this service has none' : error.message}`.replaceAll('\n', ' ');
  }
  if (data === undefined) return 'loading the transactions …';
  return 'the service gives no transactions of this block';
}
