import { useEffect, useRef, useState } from 'react';
import type { SignedTransaction } from '../../../core/transactions/signed-transaction.ts';
import type { SignedText } from './signed-text.ts';

/** What a pasted text says. */
export type Pasted =
  | { readonly kind: 'nothing' }
  | { readonly kind: 'reading' }
  | { readonly kind: 'problem'; readonly message: string }
  | {
      readonly kind: 'transaction';
      readonly transaction: SignedTransaction;
      /** What it does by its data, and what it delegates, in words; `null`: that cannot be told. */
      readonly call: string | null;
      /** How many bytes were signed. */
      readonly size: number;
    };

const NOTHING: Pasted = { kind: 'nothing' };
const READING: Pasted = { kind: 'reading' };
const TOO_LONG: Pasted = {
  kind: 'problem',
  message: 'this is longer than any transaction that a node takes: paste one signed transaction',
};
/** Where the terminal puts no brackets around a paste, its next piece comes within this. */
const SETTLED_MS = 60;

/**
 * Reads what was pasted once no more of it comes. `pastes` counts what was done to it.
 */
export function usePastedTransaction(signed: SignedText, pastes: number): Pasted {
  const [read, setRead] = useState<{ readonly pastes: number; readonly what: Pasted } | null>(null);
  const isWanted = useRef(pastes);
  isWanted.current = pastes;
  useEffect(() => {
    if (signed.length === 0 || signed.isTooLong) return;
    const timer = setTimeout(() => {
      void loadReader().then((reader) => {
        if (isWanted.current === pastes) setRead({ pastes, what: readSigned(signed, reader) });
      });
    }, SETTLED_MS);
    return () => clearTimeout(timer);
  }, [signed, pastes]);
  useEffect(() => {
    // It takes a moment, and who has opened the form will paste.
    void loadReader();
    return () => {
      isWanted.current = -1;
    };
  }, []);
  if (signed.isTooLong) return TOO_LONG;
  // What turned out to be a secret is gone by now; what is said of it stays.
  if (read?.pastes === pastes) return read.what;
  return signed.length === 0 ? NOTHING : READING;
}

/** Curves and hashes are no part of the monitor's start. */
async function loadReader() {
  const [{ decodeTransaction }, { transactionBytes }, { describeTransaction }, { TransactionError }] =
    await Promise.all([
      import('../../../core/transactions/decode-transaction.ts'),
      import('../../../core/transactions/transaction-bytes.ts'),
      import('../../../core/transactions/describe-transaction.ts'),
      import('../../../core/transactions/signed-transaction.ts'),
    ]);
  return { decodeTransaction, transactionBytes, describeTransaction, TransactionError };
}

/** Decodes it; what is wrong with it is said without any of it. */
function readSigned(signed: SignedText, reader: Awaited<ReturnType<typeof loadReader>>): Pasted {
  const { decodeTransaction, transactionBytes, describeTransaction, TransactionError } = reader;
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

/** A private key, a recovery phrase, a password: what is no hex, or has a key's length, is not kept for a moment. */
function mayBeSecret(text: string): boolean {
  const bare = text.replace(/[\s"'`]+/g, '').replace(/^0x/i, '');
  return bare.length === KEY_DIGITS || /[^0-9a-f]/i.test(bare);
}
