import { decodeTransaction } from '../../../../src/core/transactions/decode-transaction.ts';
import { TransactionError } from '../../../../src/core/transactions/signed-transaction.ts';

/** Why it is refused. Anything thrown but a TransactionError is an error of the test. */
export function refusalOf(raw: string | Uint8Array): string {
  try {
    decodeTransaction(raw);
  } catch (error) {
    if (error instanceof TransactionError) return error.message;
    throw error;
  }
  throw new Error('it was taken');
}
