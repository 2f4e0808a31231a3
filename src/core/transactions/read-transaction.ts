import { readAuthorizations } from './read-authorizations.ts';
import { readLegacySignature, readSignature } from './read-signature.ts';
import type { Signature } from './recover-sender.ts';
import { encodeRlpList, type RlpItem } from './rlp.ts';
import { type Authorization, type SignedTransaction, TransactionError } from './signed-transaction.ts';
import { SAFE_MOST, TransactionFields } from './transaction-fields.ts';

/** The fields of a transaction, whatever its type; `null` or nothing for what a type does not have. Wei. */
export interface TransactionContent {
  readonly chainId: number | null;
  readonly nonce: number;
  readonly gasPrice: bigint | null;
  readonly maxFeePerGas: bigint | null;
  readonly maxPriorityFeePerGas: bigint | null;
  readonly maxFeePerBlobGas: bigint | null;
  readonly gasLimit: bigint;
  readonly to: Uint8Array | null;
  readonly value: bigint;
  readonly data: Uint8Array;
  readonly accessedAddresses: number;
  readonly accessedKeys: number;
  readonly authorizations: readonly Authorization[];
  readonly blobHashes: readonly Uint8Array[];
  readonly signature: Signature;
  /** The list that was signed, without the type before it. */
  readonly signedPayload: Uint8Array;
}

type SignedPart = Pick<TransactionContent, 'signature' | 'signedPayload'>;
type Content = Omit<TransactionContent, keyof SignedPart>;

/** EIP-7594. */
const BLOBS_MOST = 6;
const ABSENT = {
  gasPrice: null,
  maxFeePerGas: null,
  maxPriorityFeePerGas: null,
  maxFeePerBlobGas: null,
  accessedAddresses: 0,
  accessedKeys: 0,
  authorizations: [],
  blobHashes: [],
} as const;

/**
 * Reads the fields in their order and checks each against the rules of its EIP, and against what the wire carries:
 * nonce, gas limit and prices up to 2^53 − 1, so that gas × price cannot overflow.
 *
 * @param items As many as a signed transaction of that type has.
 * @throws TransactionError
 */
export function readTransaction(
  type: SignedTransaction['type'],
  items: readonly RlpItem[],
): TransactionContent {
  const fields = new TransactionFields(items);
  if (type === 0) {
    const content = readLegacy(fields);
    const { chainId, ...signed } = readLegacySignature(fields, items);
    return { ...content, ...signed, chainId };
  }
  const content = READERS[type](fields);
  const payload = encodeRlpList(items.slice(0, -3).map(({ encoded }) => encoded));
  return { ...content, signature: readSignature(fields), signedPayload: payload };
}

const READERS: Readonly<Record<1 | 2 | 3 | 4, (fields: TransactionFields) => Content>> = {
  1: (fields) => ({
    ...ABSENT,
    ...readChainAndNonce(fields),
    ...readGasPrice(fields),
    ...readBody(fields),
    ...readAccessList(fields),
  }),
  2: (fields) => ({
    ...ABSENT,
    ...readChainAndNonce(fields),
    ...readFees(fields),
    ...readBody(fields),
    ...readAccessList(fields),
  }),
  3: (fields) => ({
    ...ABSENT,
    ...readChainAndNonce(fields),
    ...readFees(fields),
    ...readCall(fields),
    ...readAccessList(fields),
    maxFeePerBlobGas: readPrice(fields, 'the max fee per blob gas'),
    blobHashes: readBlobHashes(fields),
  }),
  4: (fields) => ({
    ...ABSENT,
    ...readChainAndNonce(fields),
    ...readFees(fields),
    ...readCall(fields),
    ...readAccessList(fields),
    authorizations: readAuthorizations(fields),
  }),
};

function readLegacy(fields: TransactionFields): Omit<Content, 'chainId'> {
  return { ...ABSENT, nonce: readNonce(fields), ...readGasPrice(fields), ...readBody(fields) };
}

function readChainAndNonce(fields: TransactionFields) {
  const chainId = Number(fields.integer('the chain id', SAFE_MOST));
  if (chainId === 0)
    throw new TransactionError('it is signed for chain 0, which no chain is: sign it for a chain');
  return { chainId, nonce: readNonce(fields) };
}

/** EIP-2681 says below 2^64 − 1; the wire’s integers end before. */
const readNonce = (fields: TransactionFields) => Number(fields.integer('the nonce', SAFE_MOST));

const readPrice = (fields: TransactionFields, name: string) => fields.integer(`${name}, in wei,`, SAFE_MOST);

const readGasPrice = (fields: TransactionFields) => ({ gasPrice: readPrice(fields, 'the gas price') });

function readFees(fields: TransactionFields) {
  const maxPriorityFeePerGas = readPrice(fields, 'the max priority fee');
  const maxFeePerGas = readPrice(fields, 'the max fee');
  if (maxPriorityFeePerGas > maxFeePerGas) {
    throw new TransactionError(
      'its max priority fee is above its max fee, which nodes refuse: sign it again',
    );
  }
  return { maxPriorityFeePerGas, maxFeePerGas };
}

function readBody(fields: TransactionFields) {
  const gasLimit = readGasLimit(fields);
  return { gasLimit, to: fields.addressOrNone('the address it goes to'), ...readValueAndData(fields) };
}

/** Of types that cannot make a contract. */
function readCall(fields: TransactionFields) {
  const gasLimit = readGasLimit(fields);
  return { gasLimit, to: fields.address('the address it goes to'), ...readValueAndData(fields) };
}

const readGasLimit = (fields: TransactionFields) => fields.integer('the gas limit', SAFE_MOST);

const readValueAndData = (fields: TransactionFields) => ({
  value: fields.integer('the value'),
  data: fields.bytes('the data'),
});

/** EIP-2930. */
function readAccessList(fields: TransactionFields) {
  const keys = fields.entries('the access list', 2).map((entry) => {
    entry.address('an address of the access list');
    return entry.each('the storage keys of the access list', (key) => key.word('a storage key')).length;
  });
  return { accessedAddresses: keys.length, accessedKeys: keys.reduce((sum, count) => sum + count, 0) };
}

/** EIP-4844. */
function readBlobHashes(fields: TransactionFields): readonly Uint8Array[] {
  const hashes = fields.each('the list of blob hashes', (entries) => entries.word('a blob hash'));
  if (hashes.length === 0)
    throw new TransactionError('it is a blob transaction that names no blob: sign it again');
  if (hashes.length > BLOBS_MOST) {
    throw new TransactionError(
      `it has ${hashes.length} blobs, and a transaction may have ${BLOBS_MOST} (EIP-7594): split it into several`,
    );
  }
  if (hashes.some((hash) => hash[0] !== 1)) {
    throw new TransactionError('a blob hash of it has a version that is not known: version 1 is (EIP-4844)');
  }
  return hashes;
}
