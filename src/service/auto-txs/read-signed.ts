import { decodeTransaction } from '../../core/transactions/decode-transaction.ts';
import { type SignedTransaction, TransactionError } from '../../core/transactions/signed-transaction.ts';
import { transactionBytes } from '../../core/transactions/transaction-bytes.ts';
import { ApiFailure } from '../http/errors.ts';

export interface SignedBytes {
  readonly bytes: Uint8Array;
  readonly transaction: SignedTransaction;
}

/**
 * Reads what was signed.
 * @throws {ApiFailure} `validation_failed` at `signedTransaction`, in words that repeat nothing of it.
 */
export function readSigned(text: string): SignedBytes {
  try {
    const bytes = transactionBytes(text);
    return { bytes, transaction: decodeTransaction(bytes) };
  } catch (error) {
    // What anything else says may repeat what it was given, and so may its cause.
    throw wrongSignature(error instanceof TransactionError ? error.message : 'it cannot be read as one');
  }
}

/** The refusal of a signed transaction. */
export function wrongSignature(why: string): ApiFailure {
  return new ApiFailure('validation_failed', `signedTransaction is not taken: ${why}`, {
    details: [{ path: 'signedTransaction', message: why }],
  });
}
