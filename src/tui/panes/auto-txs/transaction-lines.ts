import { symbolOf } from '../../../client/views/describe-auto-txs.ts';
import { chainProfile } from '../../../core/chains.ts';
import { hexText, shortHex } from '../../../core/hex-text.ts';
import type { SignedTransaction } from '../../../core/transactions/signed-transaction.ts';
import { exactAmount, formatCount, formatGwei, formatUsd, usdOf } from '../../../core/units.ts';
import { type Line, wrapText } from '../../ui/text.tsx';
import type { Theme } from '../../ui/theme.ts';

/** What stands in the form of a transaction that was read, a name and what is behind it. */
export interface TransactionFact {
  readonly name: string;
  readonly value: string;
  /** Said where the value does not speak for itself. */
  readonly isAddress?: boolean;
}

export type ReadTransaction = Omit<SignedTransaction, 'hash' | 'intrinsicGas'>;

const MUCH_DATA = 1_000;

/** `231 bytes`, `128 KB` */
export function sizeText(bytes: number): string {
  return bytes < 10_000 ? `${formatCount(bytes)} bytes` : `${formatCount(bytes / 1_024)} KB`;
}

/** What it does and what it pays, in the order in which one checks it. */
export function transactionFacts(
  transaction: ReadTransaction,
  call: string | null,
  nativeUsd: number | null,
): readonly TransactionFact[] {
  const { chainId, value, to, nonce, gasLimit } = transaction;
  const worth = nativeUsd === null || value === 0n ? '' : ` (${formatUsd(usdOf(value, nativeUsd))})`;
  const chain = chainId === null ? 'any: it says none, so it can be sent on every chain' : chainText(chainId);
  return [
    { name: 'from', value: transaction.from, isAddress: true },
    to === null
      ? { name: 'to', value: 'nobody: it makes a contract' }
      : { name: 'to', value: to, isAddress: true },
    { name: 'value', value: `${exactAmount(value, symbolOf(chainId))}${worth}` },
    { name: 'does', value: callWords(call, transaction.data) },
    { name: 'nonce', value: `${nonce}, gas limit ${formatCount(Number(gasLimit))}` },
    { name: 'pays', value: feeText(transaction) },
    { name: 'chain', value: chain },
  ];
}

function chainText(chainId: number): string {
  const { name } = chainProfile(chainId);
  return name.endsWith(String(chainId)) ? name : `${name} (${chainId})`;
}

/** What its data says it does, and how much of it there is where that is much: the data itself is not shown. */
function callWords(call: string | null, data: string): string {
  const bytes = (data.length - 2) / 2;
  const words = call ?? 'nobody can tell from its data';
  return bytes < MUCH_DATA ? words : `${words}; ${sizeText(bytes)} of data`;
}

function feeText(transaction: ReadTransaction): string {
  const { gasPrice, maxFeePerGas, maxPriorityFeePerGas, maxFeePerBlobGas, blobCount } = transaction;
  const fees =
    maxFeePerGas === null || maxPriorityFeePerGas === null
      ? `${formatGwei(gasPrice ?? 0n)} gwei per gas, whatever the base fee is`
      : `at most ${formatGwei(maxFeePerGas)} gwei per gas, tip ${formatGwei(maxPriorityFeePerGas)}`;
  if (blobCount === 0 || maxFeePerBlobGas === null) return fees;
  return `${fees}; ${blobCount} ${blobCount === 1 ? 'blob' : 'blobs'} at most ${formatGwei(maxFeePerBlobGas)}`;
}

const MARGIN = 3;
const LABEL = 11;

/** What it delegates stands before what it calls, and neither may hide the other. */
const MOST_LINES = 5;

/** The facts one under the other; addresses are whole where there is room. */
export function factLines(facts: readonly TransactionFact[], width: number, theme: Theme): readonly Line[] {
  const room = width - MARGIN - LABEL - 1;
  const { ellipsis } = theme.glyph;
  return facts.flatMap(({ name, value, isAddress }) => {
    const lines =
      isAddress === true
        ? [hexText(value, room, ellipsis)]
        : wrapText(theme.text(value), room, MOST_LINES, ellipsis);
    return lines.map(
      (text, place): Line => [
        { text: ' '.repeat(MARGIN) },
        { text: (place === 0 ? name : '').padEnd(LABEL), faint: true },
        { text },
      ],
    );
  });
}

/** `0xf39F…2266 → 0x7099…79C8, 0.01 ETH, nonce 7` */
export function transactionText({ from, to, value, chainId, nonce }: ReadTransaction): string {
  const receiver = to === null ? 'a new contract' : shortHex(to, '…');
  const worth = value === 0n ? '' : `, ${exactAmount(value, symbolOf(chainId))}`;
  return `${shortHex(from, '…')} → ${receiver}${worth}, nonce ${nonce}`;
}
