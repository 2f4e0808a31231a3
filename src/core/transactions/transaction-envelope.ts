import { decodeRlp, type RlpItem, type RlpList } from './rlp.ts';
import { type SignedTransaction, TransactionError } from './signed-transaction.ts';

export interface Envelope {
  readonly type: SignedTransaction['type'];
  readonly list: RlpList;
}

/** How many fields a signed transaction of each type has, and one that is not signed yet. */
const FIELDS: Readonly<
  Record<SignedTransaction['type'], { readonly signed: number; readonly unsigned: number }>
> = {
  0: { signed: 9, unsigned: 6 },
  1: { signed: 11, unsigned: 8 },
  2: { signed: 12, unsigned: 9 },
  3: { signed: 14, unsigned: 11 },
  4: { signed: 13, unsigned: 10 },
};
const FIRST_OF_LIST = 0xc0;
/** EIP-2718: a byte below is the type. */
const FIRST_OF_STRING = 0x80;

/**
 * Tells the type and takes the list apart, without a look at the fields.
 *
 * @throws TransactionError also where it is something else that people take for a transaction.
 */
export function openEnvelope(bytes: Uint8Array): Envelope {
  try {
    const type = typeOf(bytes[0]);
    const list = decodeRlp(type === 0 ? bytes : bytes.subarray(1));
    if (list.kind !== 'list') throw new TransactionError('there is no list of fields in it: sign it again');
    checkCount(type, list.items);
    return { type, list };
  } catch (error) {
    throw error instanceof TransactionError ? (lookalike(bytes) ?? error) : error;
  }
}

/** @throws TransactionError unless there are as many fields as a signed one has. */
export function checkIsSigned(type: SignedTransaction['type'], items: readonly RlpItem[]): void {
  if (items.length === FIELDS[type].signed) return;
  if (items.length === FIELDS[type].unsigned) {
    throw new TransactionError(
      'this transaction is not signed yet: sign it in the wallet and give the result',
    );
  }
  throw new TransactionError(
    `it has ${items.length} fields, and a signed transaction of type ${type} has ${FIELDS[type].signed}: copy it again`,
  );
}

/** A blob transaction in its network form has its own count. */
function checkCount(type: SignedTransaction['type'], items: readonly RlpItem[]): void {
  if (items.length === FIELDS[type].unsigned || (type === 3 && items[0]?.kind === 'list')) return;
  checkIsSigned(type, items);
}

function typeOf(first: number | undefined): SignedTransaction['type'] {
  if (first === undefined) {
    throw new TransactionError('there is nothing: give the signed transaction, hex that begins with 0x');
  }
  if (first >= FIRST_OF_LIST) return 0;
  if (first === 1 || first === 2 || first === 3 || first === 4) return first;
  if (first === 0) {
    throw new TransactionError(
      'a legacy transaction (type 0) begins with its list of fields and not with 00: copy it again, from its first digit',
    );
  }
  throw new TransactionError(
    first < FIRST_OF_STRING
      ? `transactions of type ${first} are not known: types 0 to 4 are`
      : 'no signed transaction begins like this: copy it again, from its first digit',
  );
}

function lookalike(bytes: Uint8Array): TransactionError | null {
  if (bytes.length === 32) {
    return new TransactionError(
      'this looks like a private key (or a transaction hash): never paste a key anywhere; give the signed transaction, which is longer',
    );
  }
  if (bytes.length === 20) {
    return new TransactionError('this is an address: give the signed transaction, which is longer');
  }
  if (bytes.length === 65) {
    return new TransactionError(
      'this is only a signature: give the whole signed transaction, which is longer',
    );
  }
  return null;
}
