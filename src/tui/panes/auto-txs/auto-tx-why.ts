import type { AutoTxView } from '../../../client/views/auto-txs.ts';
import { mayBeMined } from '../../../client/views/auto-txs.ts';
import { takesNone } from '../../../core/auto-txs/takes-none.ts';
import { cleanText } from '../../../core/clean-text.ts';
import { formatCount, formatDuration, formatGwei, formatNative } from '../../../core/units.ts';
import { callText, symbolOf } from '../../auto-tx-call.ts';
import { distanceToTarget, isUnreachable } from '../../auto-tx-distance.ts';
import { statusOf, targetText } from '../../auto-tx-words.ts';
import type { ColorName } from '../../theme.ts';
import { shortHex } from '../explorer/hex-text.ts';
import type { AutoTxContext } from './auto-tx-columns.ts';

/** Why an auto-tx stands where it stands. */
export interface Why {
  readonly text: string;
  readonly color?: ColorName;
}

const LONGEST = 400;

/** What keeps it, what became of it, or what it waits for, in one sentence. */
export function whyOf(autoTx: AutoTxView, { snapshot, present }: AutoTxContext): Why {
  const { failure, hold, blockNumber } = autoTx;
  const status = statusOf(autoTx);
  if (failure !== null) return { text: cleanText(failure.message, LONGEST), color: 'bad' };
  switch (status) {
    case 'PENDING':
      return pendingWhy();
    case 'SUBMITTED':
      if (blockNumber === null) return { text: 'on its way into a block; none has it yet' };
      return {
        text: `in block ${formatCount(blockNumber)}${confirmedText(autoTx)}`,
      };
    case 'EXECUTED':
      return { text: minedText(autoTx) };
    case 'DISABLED':
      return { text: `not sent while it is disabled; space has it wait again${outText(autoTx)}` };
    case 'DRAFT':
      return { text: 'it is not signed; e takes its signature' };
    case 'CANCELLED':
      return {
        text: mayBeMined(autoTx)
          ? 'cancelled; it was sent before, so it may be mined until its nonce is used'
          : autoTx.submittedAt === null
            ? autoTx.mayBeMined === null
              ? 'cancelled; the service does not say whether it was sent before'
              : 'cancelled before it was sent'
            : 'cancelled; its nonce is used, so it can no longer be mined',
      };
    case 'EXPIRED':
      return { text: `its price did not come in time${outText(autoTx)}` };
    default:
      return { text: autoTx.status === null ? 'the service does not say how it stands' : '' };
  }

  function pendingWhy(): Why {
    if (hold !== null) {
      const left = hold.retryAt === null ? 0 : Math.ceil((hold.retryAt - present) / 1_000);
      const again = left > 0 ? `; tried again in ${formatDuration(left)}` : '';
      return { text: `${cleanText(hold.message, LONGEST)}${again}`, color: 'warn' };
    }
    const failed = autoTx.checks.find(({ ok }) => ok === false);
    if (isUnreachable(autoTx) && failed !== undefined)
      return { text: cleanText(failed.message, LONGEST), color: 'bad' };
    const distance = distanceToTarget(autoTx, snapshot);
    if (distance?.isReached === true && distance.isCapped && snapshot.nextBaseFee !== null)
      return {
        text: `its own cap is below the next base fee of ${formatGwei(snapshot.nextBaseFee)} gwei: it goes out when that falls`,
        color: 'warn',
      };
    if (failed !== undefined) return { text: cleanText(failed.message, LONGEST), color: 'warn' };
    if (distance?.isReached === true) {
      const none = takesNone(snapshot.source.kind);
      return { text: `its price is there: ${none ?? 'it goes out with the next block'}` };
    }
    return { text: `waits until ${targetText(autoTx)}` };
  }
}

/** What its state alone does not tell of one that was sent before it came to that. */
const outText = (autoTx: AutoTxView) =>
  autoTx.mayBeMined === true ? '; it was sent before, so it may be mined until its nonce is used' : '';

/** What it does, when, and as whose, for the line over the reason. */
export function whatText(autoTx: AutoTxView, { describe }: Pick<AutoTxContext, 'describe'>): string {
  const called = describe(autoTx);
  const what = called === null || called.name === null ? callText(autoTx) : called.words;
  const note = cleanText(autoTx.note ?? '', LONGEST).trim();
  const nonce = autoTx.nonce === null ? '' : `, nonce ${autoTx.nonce}`;
  const from = autoTx.from === null ? '' : ` of ${shortHex(autoTx.from, '…')}`;
  return `${what} when ${targetText(autoTx)}${nonce}${from}${note === '' ? '' : ` · ${note}`}`;
}

/** `, 5 of 12 confirmations` */
function confirmedText({ confirmations, confirmationsNeeded }: AutoTxView): string {
  if (confirmations === null) return '';
  return `, ${confirmations}${confirmationsNeeded === null ? '' : ` of ${confirmationsNeeded}`} confirmations`;
}

/** `mined in block 24,337,380 at 0.0388 gwei, 0.000000250 ETH less than when it was made` */
function minedText(autoTx: AutoTxView): string {
  const { blockNumber, effectiveGasPrice: paid, atCreation } = autoTx;
  const block = blockNumber === null ? 'mined' : `mined in block ${formatCount(blockNumber)}`;
  const price = paid === null ? '' : ` at ${formatGwei(paid)} gwei`;
  const saved = atCreation?.savedWei ?? autoTx.savedWei;
  if (saved === null || saved === 0n) return `${block}${price}`;
  const amount = formatNative(saved < 0n ? -saved : saved, symbolOf(autoTx.chainId));
  return `${block}${price}, ${amount} ${saved < 0n ? 'more' : 'less'} than when it was made`;
}
