import { useEffect, useState } from 'react';
import { sizeText } from '../../../client/views/auto-tx-texts.ts';
import { describeTxType } from '../../../client/views/metrics.ts';
import { SIGNED_LONGEST } from '../../../contract/choices.ts';
import { coinSymbol } from '../../../core/chains.ts';
import { shortHex } from '../../../core/text.ts';
import { describeTransaction } from '../../../core/transactions/describe-call.ts';
import type { SignedTransaction } from '../../../core/transactions/signed-transaction.ts';
import { exactAmount } from '../../../core/units.ts';
import { useElapsed } from '../../ui/use-elapsed.ts';

/** A pasted signed transaction. The text suffices to send it, so nothing prints, compares or serialises it. */
export class SignedText {
  #text: string;

  constructor(text = '') {
    this.#text = text;
  }

  get length(): number {
    return this.#text.length;
  }

  /** A paste may come in pieces. Stops storing once it is longer than any transaction. */
  with(text: string): SignedText {
    return this.length > SIGNED_LONGEST ? this : new SignedText(`${this.#text}${text}`.trimStart());
  }

  read(): string {
    return this.#text;
  }

  erase(): void {
    this.#text = '';
  }
}

export const NOTHING_PASTED = new SignedText();

export interface Pasted {
  /** Itself in a few words; `null`: nothing is pasted. */
  readonly text: string | null;
  readonly problem: string | null;
  readonly transaction: SignedTransaction | null;
  /** What it does, in words; `null`: its data is no known call. */
  readonly call: string | null;
}

const NOTHING: Pasted = {
  text: null,
  problem: 'needs a signed transaction: paste it here',
  transaction: null,
  call: null,
};
export const READING: Pasted = { ...NOTHING, text: 'reading it …', problem: 'is still being read' };

/** In a terminal without bracketed paste the next piece comes within this time. */
const SETTLED_MS = 60;

/** Decodes the pasted text once it is complete. */
export function usePastedTransaction(signed: SignedText): Pasted {
  const [read, setRead] = useState<{ readonly signed: SignedText; readonly what: Pasted } | null>(null);
  const isSettled = useElapsed(SETTLED_MS, signed);
  useEffect(() => {
    if (!isSettled || signed.length === 0) return;
    let isWanted = true;
    // Loaded lazily: cryptography is not needed at the start.
    void import('../../../core/transactions/decode-transaction.ts').then((decoder) => {
      if (isWanted) setRead({ signed, what: readPasted(signed, decoder) });
    });
    return () => {
      isWanted = false;
    };
  }, [isSettled, signed]);
  // A secret is erased once it is recognised; the message about it stays.
  if (read?.signed === signed) return read.what;
  return signed.length === 0 ? NOTHING : READING;
}

type Decoder = typeof import('../../../core/transactions/decode-transaction.ts');

/** A problem's message contains nothing of the text. */
function readPasted(signed: SignedText, { readSigned }: Decoder): Pasted {
  const problem = (words: string) => ({ ...NOTHING, text: 'no signed transaction', problem: words });
  if (signed.length > SIGNED_LONGEST) {
    return problem('this is longer than any transaction that a node takes: paste one signed transaction');
  }
  const read = readSigned(signed.read());
  if (read.problem !== null) {
    if (mayBeSecret(signed.read())) signed.erase();
    return problem(read.problem);
  }
  const { bytes, transaction } = read;
  const text = `signed transaction, ${sizeText(bytes.length)}, ${describeTxType(transaction.type)}`;
  return { text, problem: null, transaction, call: describeTransaction(transaction)?.words ?? null };
}

const KEY_DIGITS = 64;

/** A private key, a recovery phrase or a password: no hex, or hex of a key's length. */
function mayBeSecret(text: string): boolean {
  const bare = text.replace(/[\s"'`]+/g, '').replace(/^0x/i, '');
  return bare.length === KEY_DIGITS || /[^0-9a-f]/i.test(bare);
}

export function transactionText({ from, to, value, chainId, nonce }: SignedTransaction): string {
  const receiver = to === null ? 'a new contract' : shortHex(to, '…');
  const worth = value === 0n ? '' : `, ${exactAmount(value, coinSymbol(chainId))}`;
  return `${shortHex(from, '…')} → ${receiver}${worth}, nonce ${nonce}`;
}
