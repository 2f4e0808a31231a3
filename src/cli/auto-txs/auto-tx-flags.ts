import type { AutoTxChange, NewAutoTx } from '../../client/views/auto-txs.ts';
import { CALLDATA_LONGEST, NOTE_LONGEST, SPEED_OF_LANE } from '../../contract/choices.ts';
import { gweiString } from '../../core/units.ts';
import { checked } from '../checked.ts';
import { usageError } from '../cli-error.ts';
import { parseGwei } from '../gwei.ts';
import { parseNative } from './amount.ts';
import { parseExpiry } from './expiry.ts';

/** When it is to be sent. */
export interface OrderFlags {
  readonly target?: string;
  readonly lane?: 'slow' | 'average' | 'fast';
  readonly strict?: boolean;
  readonly expires?: string;
  readonly note?: string;
}

/** What a draft is to do. */
export interface DraftFlags {
  readonly to?: string;
  readonly value?: string;
  readonly data?: string;
}

/** What the flags say of an order, and nothing of what they leave out. @throws CliError (usage) */
export function orderOf(
  { target, lane, strict, expires, note }: OrderFlags,
  now: number,
): Pick<AutoTxChange, 'targetGasPriceGwei' | 'gasSpeed' | 'strictTargetPrice' | 'expiresAt' | 'note'> {
  if (note !== undefined && note.length > NOTE_LONGEST) {
    throw usageError(`--note: it is longer than ${NOTE_LONGEST} characters`);
  }
  return {
    ...(target === undefined
      ? {}
      : { targetGasPriceGwei: checked('--target', () => Number(gweiString(parseGwei(target)))) }),
    ...(lane === undefined ? {} : { gasSpeed: SPEED_OF_LANE[lane] }),
    ...(strict === undefined ? {} : { strictTargetPrice: strict }),
    ...(expires === undefined
      ? {}
      : {
          expiresAt:
            expires.trim().toLowerCase() === 'never'
              ? null
              : checked('--expires', () => parseExpiry(expires, now)),
        }),
    ...(note === undefined ? {} : { note }),
  };
}

/** What the flags say of a draft; empty: nothing. @throws CliError (usage) */
export function draftOf({ to, value, data }: DraftFlags): Pick<NewAutoTx, 'to' | 'value' | 'data'> {
  if (to !== undefined && !/^0x[\da-f]{40}$/i.test(to)) {
    throw usageError('--to: this is not an address; write 0x and 40 hex digits');
  }
  if (data !== undefined && (/[^\da-f]/i.test(data.replace(/^0x/i, '')) || data.length % 2 !== 0)) {
    throw usageError('--data: this is not calldata; write 0x and pairs of hex digits');
  }
  if (data !== undefined && data.length > CALLDATA_LONGEST) {
    throw usageError('--data: this is more than a transaction may carry');
  }
  return {
    ...(to === undefined ? {} : { to }),
    ...(value === undefined ? {} : { value: String(checked('--value', () => parseNative(value))) }),
    ...(data === undefined ? {} : { data: /^0x/i.test(data) ? `0x${data.slice(2)}` : `0x${data}` }),
  };
}

export const saysDraft = ({ to, value, data }: DraftFlags): boolean =>
  [to, value, data].some((flag) => flag !== undefined);
