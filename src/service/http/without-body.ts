import { BASE_PATH, PATHS } from '../../contract/routes.ts';
import { StoreError } from '../../store/store-error.ts';
import { isUnforeseen } from './error-response.ts';

const AUTO_TXS = BASE_PATH + PATHS.autoTxs;
/** Hex, base64 or what else sixteen bytes are written as; not a path. */
const BYTES = /[\w+=-]{20,}/g;
const FRAME = /^ +at .*:\d+:\d+\)?$/;

/**
 * An error as it may be told, in an answer or a log. One of the routes that take what was signed may say a piece of it in
 * words of whatever failed: those go, and where it happened stays.
 */
export function withoutBody(error: Error, path: string): Error {
  if (path !== AUTO_TXS && !path.startsWith(`${AUTO_TXS}/`)) return error;
  if (error instanceof StoreError) return new StoreError(error.code, error.message.replace(BYTES, '…'));
  if (!isUnforeseen(error)) return error;
  const bare = new Error('a route of auto-txs failed');
  bare.stack = [String(bare), ...framesOf(error)].join('\n');
  return bare;
}

const framesOf = ({ stack = '' }: Error) => stack.split('\n').filter((line) => FRAME.test(line));
