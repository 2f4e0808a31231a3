import { useEffect, useState } from 'react';
import { symbolOf } from '../../../client/views/auto-txs.ts';
import { describeTxType } from '../../../client/views/metrics.ts';
import { SIGNED_LONGEST } from '../../../contract/choices.ts';
import { chainProfile } from '../../../core/chains.ts';
import { hexText, shortHex } from '../../../core/text.ts';
import { decodeTransaction, transactionBytes } from '../../../core/transactions/decode-transaction.ts';
import { describeTransaction } from '../../../core/transactions/describe-call.ts';
import { type SignedTransaction, TransactionError } from '../../../core/transactions/signed-transaction.ts';
import { exactAmount, formatCount, formatGwei, formatUsd, usdOf } from '../../../core/units.ts';
import { faint, type Line, plain, wrapText } from '../../ui/text.tsx';

/** A pasted signed transaction. The text suffices to send it, so nothing prints, compares or serialises it. */
export class SignedText {
  #pieces: string[] = [];
  #length = 0;

  get length(): number {
    return this.#length;
  }

  get isTooLong(): boolean {
    return this.#length > SIGNED_LONGEST;
  }

  /** A paste may come in pieces. Stops storing once it is longer than any transaction. */
  add(text: string): void {
    if (this.isTooLong || (this.#length === 0 && text.trim() === '')) return;
    this.#pieces.push(text);
    this.#length += text.trim().length;
  }

  read(): string {
    if (this.#pieces.length > 1) this.#pieces = [this.#pieces.join('')];
    return this.#pieces[0] ?? '';
  }

  drop(): void {
    this.#pieces = [];
    this.#length = 0;
  }
}

export type Pasted =
  | { readonly kind: 'nothing' }
  | { readonly kind: 'reading' }
  | { readonly kind: 'problem'; readonly message: string }
  | {
      readonly kind: 'transaction';
      readonly transaction: SignedTransaction;
      readonly call: string | null;
      readonly size: number;
    };

const TOO_LONG: Pasted = {
  kind: 'problem',
  message: 'this is longer than any transaction that a node takes: paste one signed transaction',
};
/** In a terminal without bracketed paste the next piece comes within this time. */
const SETTLED_MS = 60;

/** Decodes the pasted text once it is complete. `pastes` counts the changes of `signed`. */
export function usePastedTransaction(signed: SignedText, pastes: string): Pasted {
  const [read, setRead] = useState<{ readonly pastes: string; readonly what: Pasted } | null>(null);
  useEffect(() => {
    if (signed.length === 0 || signed.isTooLong) return;
    const timer = setTimeout(() => {
      setRead({ pastes, what: readSigned(signed) });
    }, SETTLED_MS);
    return () => clearTimeout(timer);
  }, [signed, pastes]);
  if (signed.isTooLong) return TOO_LONG;
  // A secret is erased once it is recognised; the message about it stays.
  if (read?.pastes === pastes) return read.what;
  return { kind: signed.length === 0 ? 'nothing' : 'reading' };
}

/** A problem's message contains nothing of the text. */
function readSigned(signed: SignedText): Pasted {
  try {
    const bytes = transactionBytes(signed.read());
    const transaction = decodeTransaction(bytes);
    const call = describeTransaction(transaction)?.words ?? null;
    return { kind: 'transaction', transaction, call, size: bytes.length };
  } catch (error) {
    if (mayBeSecret(signed.read())) signed.drop();
    const message =
      error instanceof TransactionError ? error.message : 'this cannot be read as a transaction';
    return { kind: 'problem', message };
  }
}

const KEY_DIGITS = 64;

/** A private key, a recovery phrase or a password: no hex, or hex of a key's length. */
function mayBeSecret(text: string): boolean {
  const bare = text.replace(/[\s"'`]+/g, '').replace(/^0x/i, '');
  return bare.length === KEY_DIGITS || /[^0-9a-f]/i.test(bare);
}

export function pastedText(pasted: Pasted): string | null {
  switch (pasted.kind) {
    case 'nothing':
      return null;
    case 'reading':
      return 'reading it …';
    case 'problem':
      return 'no signed transaction';
    case 'transaction':
      return `signed transaction, ${sizeText(pasted.size)}, ${describeTxType(pasted.transaction.type)}`;
  }
}

/** `231 bytes`, `128 KB` */
export function sizeText(bytes: number): string {
  return bytes < 10_000 ? `${formatCount(bytes)} bytes` : `${formatCount(bytes / 1_024)} KB`;
}

export function transactionText({ from, to, value, chainId, nonce }: SignedTransaction): string {
  const receiver = to === null ? 'a new contract' : shortHex(to, '…');
  const worth = value === 0n ? '' : `, ${exactAmount(value, symbolOf(chainId))}`;
  return `${shortHex(from, '…')} → ${receiver}${worth}, nonce ${nonce}`;
}

interface TransactionFact {
  readonly name: string;
  readonly value: string;
  readonly isAddress?: boolean;
}

/** Effects and costs of a transaction, in the order in which one checks them. */
export function transactionFacts(
  transaction: SignedTransaction,
  call: string | null,
  nativeUsd: number | null,
): readonly TransactionFact[] {
  const { chainId, value, to, nonce, gasLimit, data } = transaction;
  const worth = nativeUsd === null || value === 0n ? '' : ` (${formatUsd(usdOf(value, nativeUsd))})`;
  const bytes = (data.length - 2) / 2;
  const does = call ?? 'unknown: its data is no known call';
  return [
    { name: 'from', value: transaction.from, isAddress: true },
    to === null
      ? { name: 'to', value: 'none: it creates a contract' }
      : { name: 'to', value: to, isAddress: true },
    { name: 'value', value: `${exactAmount(value, symbolOf(chainId))}${worth}` },
    { name: 'does', value: bytes < MUCH_DATA ? does : `${does}; ${sizeText(bytes)} of data` },
    { name: 'nonce', value: `${nonce}, gas limit ${formatCount(Number(gasLimit))}` },
    { name: 'pays', value: feeText(transaction) },
    { name: 'chain', value: chainText(chainId) },
  ];
}

const MUCH_DATA = 1_000;

function chainText(chainId: number | null): string {
  if (chainId === null) return 'any: it names none, so it can be sent on every chain';
  const { name } = chainProfile(chainId);
  return name.endsWith(String(chainId)) ? name : `${name} (${chainId})`;
}

function feeText(transaction: SignedTransaction): string {
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
/** The delegation is listed before the call, and neither may hide the other. */
const MOST_LINES = 5;

export function factLines(facts: readonly TransactionFact[], width: number): readonly Line[] {
  const room = width - MARGIN - LABEL - 1;
  return facts.flatMap(({ name, value, isAddress }) => {
    const lines = isAddress === true ? [hexText(value, room, '…')] : wrapText(value, room, MOST_LINES);
    return lines.map(
      (text, place): Line => [
        faint(`${' '.repeat(MARGIN)}${(place === 0 ? name : '').padEnd(LABEL)}`),
        plain(text),
      ],
    );
  });
}
