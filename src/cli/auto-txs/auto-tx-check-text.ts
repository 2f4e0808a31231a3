import type { CheckedAutoTx } from '../../client/auto-tx-preflight.ts';
import type { SignedTransaction } from '../../core/transactions/signed-transaction.ts';
import { formatLikelihood, gweiString } from '../../core/units.ts';
import { durationText } from '../duration.ts';
import { labelledLines } from '../labelled-lines.ts';
import { checkLines } from './check-lines.ts';
import { transactionRows } from './transaction-rows.ts';

/** What a transaction says and how it stands, for people: at most 80 columns wide. */
export function autoTxCheckText(
  transaction: SignedTransaction,
  checked: Pick<CheckedAutoTx, 'call' | 'checks' | 'reach' | 'snapshot'>,
  isAscii: boolean,
): string {
  const likely = likelihoodLine(checked);
  return [
    ...labelledLines(transactionRows(transaction, checked.call, checked.snapshot?.chainId)),
    '',
    ...checkLines(checked.checks, isAscii),
    ...(likely === null ? [] : ['', likely]),
  ].join('\n');
}

/** `5 gwei or less: 81 % likely within 24h`; `null`: nobody can say. */
function likelihoodLine({ reach }: Pick<CheckedAutoTx, 'reach'>): string | null {
  if (reach === null || reach.targetPrice === null) return null;
  const { targetPrice, probability, deadlineSec } = reach;
  if (probability === null || deadlineSec === null) return null;
  return `${gweiString(targetPrice)} gwei or less: ${formatLikelihood(probability)} likely within ${durationText(deadlineSec)}`;
}

/** The same for programs, by the names and units of v1's `AutoTx`: prices in wei as numbers, amounts as decimal strings. */
export function autoTxCheckJson(
  transaction: SignedTransaction,
  { call, checks, reach }: Pick<CheckedAutoTx, 'call' | 'checks' | 'reach'>,
): string {
  const { hash, type, chainId, from, to, value, data, nonce, gasLimit, intrinsicGas } = transaction;
  const price = (wei: bigint | null) => (wei === null ? null : Number(wei));
  const said = {
    hash,
    type,
    chainId,
    from,
    to,
    value: String(value),
    data,
    nonce,
    gasLimit: Number(gasLimit),
    intrinsicGas: Number(intrinsicGas),
    maxFeePerGas: price(transaction.maxFeePerGas),
    maxPriorityFeePerGas: price(transaction.maxPriorityFeePerGas),
    gasPrice: price(transaction.gasPrice),
    maxFeePerBlobGas: price(transaction.maxFeePerBlobGas),
    blobCount: transaction.blobCount,
    authorizations: transaction.authorizations,
    call,
    checks,
    reachProbability: reach?.probability ?? null,
    reachWithinSec: reach?.deadlineSec ?? null,
  };
  return `${JSON.stringify(said)}\n`;
}
