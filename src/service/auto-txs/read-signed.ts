import { decodeTransaction } from '../../core/transactions/decode-transaction.ts';
import { type SignedTransaction, TransactionError } from '../../core/transactions/signed-transaction.ts';
import { transactionBytes } from '../../core/transactions/transaction-bytes.ts';
import { ApiFailure } from '../http/api-failure.ts';

export interface SignedBytes {
  readonly bytes: Uint8Array;
  readonly transaction: SignedTransaction;
}

/** What the wire and the database hold as whole numbers. */
const LARGEST = BigInt(Number.MAX_SAFE_INTEGER);

/**
 * Reads what was signed.
 * @throws {ApiFailure} `validation_failed` at `signedTransaction`, in words that repeat nothing of it.
 */
export function readSigned(text: string): SignedBytes {
  try {
    const bytes = transactionBytes(text);
    const transaction = decodeTransaction(bytes);
    const large = tooLarge(transaction);
    if (large !== null) throw new TransactionError(large);
    return { bytes, transaction };
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

function tooLarge(transaction: SignedTransaction): string | null {
  const { gasLimit, gasPrice, maxFeePerGas, maxPriorityFeePerGas, maxFeePerBlobGas } = transaction;
  const counts = { gasLimit, gasPrice, maxFeePerGas, maxPriorityFeePerGas, maxFeePerBlobGas };
  for (const [name, count] of Object.entries(counts)) {
    if (count !== null && count > LARGEST) {
      return `its ${name} is above 2^53 − 1, which no block asks for: sign it with a lower one`;
    }
  }
  return null;
}
