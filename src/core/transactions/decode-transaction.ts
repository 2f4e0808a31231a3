import { secp256k1 } from '@noble/curves/secp256k1';
import {
  bytesToHex,
  concatBytes,
  getAddress,
  hexToBytes,
  keccak256,
  numberToBytes,
  publicKeyToAddress,
  sha256,
  toRlp,
} from 'viem/utils';
import type { Hex } from '../block.ts';
import { fastLzLength } from '../data-fee.ts';
import { signedHex } from './signed-text.ts';
import { type Authorization, type SignedTransaction, TransactionError } from './signed-transaction.ts';
import { MAX_SAFE, type RlpItem, readRlp, TransactionFields } from './transaction-fields.ts';

type TransactionType = SignedTransaction['type'];

/**
 * Maximum size that nodes let into their pools: `txMaxSize` of go-ethereum's legacy pool. Blob transactions have
 * another pool.
 */
const MAX_SIZE = 128 * 1_024;
const MAX_SIZE_WITH_BLOBS = 1_024 * 1_024;

/**
 * Decodes a signed transaction of type 0 to 4 as strictly as nodes do: one encoding, one signature, a sender. Rejects
 * what no chain would accept; the pre-flight checks what depends on a chain or an account (id, nonce, balance, gas).
 * A blob transaction must include its sidecar; the node verifies its KZG proofs. Wei.
 *
 * @param raw The bytes, or their hex text with or without `0x`, quotes and line breaks.
 * @throws TransactionError one line that says why, without any part of `raw`.
 */
export function decodeTransaction(raw: string | Uint8Array): SignedTransaction {
  const bytes = typeof raw === 'string' ? transactionBytes(raw) : raw;
  checkSize(bytes);
  const { type, items } = readEnvelope(bytes);
  if (type !== 3) return decodeItems(type, items, []);
  if (items[0] === undefined || items[0] instanceof Uint8Array) {
    checkIsSigned(type, items);
    throw new TransactionError(
      'it is a blob transaction without its blobs, which nodes refuse: give the form with the sidecar (blobs, commitments, proofs)',
    );
  }
  const { transaction, versionedHashes } = readSidecar(items);
  return decodeItems(type, transaction, versionedHashes);
}

/**
 * The bytes of a signed transaction from its hex text, as wallets and files give it.
 *
 * @throws TransactionError
 */
export const transactionBytes = (text: string): Uint8Array => hexToBytes(signedHex(text));

/**
 * The hash of a signed transaction. A blob transaction is sent with its sidecar (EIP-4844), which the hash does not
 * cover.
 *
 * @throws TransactionError when that form is damaged.
 */
export function transactionHash(signed: Hex): Hex {
  if (!signed.startsWith('0x03')) return keccak256(signed);
  const items = readRlp(hexToBytes(signed).subarray(1));
  const [transaction] = items instanceof Uint8Array ? [] : items;
  const isWrapped = transaction !== undefined && !(transaction instanceof Uint8Array);
  return keccak256(isWrapped ? encode(3, transaction) : signed);
}

/** Capitals are the checksum of an address (EIP-55). */
export const checksummedAddress = (address: Uint8Array | Hex): Hex =>
  getAddress(typeof address === 'string' ? address : bytesToHex(address));

function decodeItems(
  type: TransactionType,
  items: readonly RlpItem[],
  versionedHashes: readonly Hex[],
): SignedTransaction {
  checkIsSigned(type, items);
  const fields = new TransactionFields(items);
  const typedChainId = type === 0 ? null : readChainId(fields);
  // EIP-2681 allows below 2^64 − 1; JSON integers end before.
  const nonce = Number(fields.integer('the nonce', MAX_SAFE));
  const prices = readPrices(type, fields);
  const gasLimit = fields.integer('the gas limit', MAX_SAFE);
  const to = readRecipient(type, fields);
  const value = fields.integer('the value');
  const data = fields.bytes('the data');
  const accessList = type === 0 ? NO_ACCESS : readAccessList(fields);
  const maxFeePerBlobGas = type === 3 ? readPrice(fields, 'the max fee per blob gas') : null;
  const blobHashes = type === 3 ? readBlobHashes(fields) : [];
  const authorizations = type === 4 ? readAuthorizations(fields) : [];
  const signature = readSignature(type, fields);
  if (String(blobHashes.map((hash) => bytesToHex(hash))) !== String(versionedHashes)) {
    throw new TransactionError(
      'its sidecar holds other blobs than were signed: make it again from the same blobs',
    );
  }
  const { chainId = typedChainId, yParity, r, s } = signature;
  const encoded = encode(type, items);
  return {
    type,
    hash: keccak256(encoded),
    from: recoverAddress(keccak256(signedPayload(type, items, chainId)), { r, s, yParity }),
    to: to === null ? null : checksummedAddress(to),
    chainId,
    nonce,
    gasLimit,
    value,
    data: bytesToHex(data),
    ...prices,
    maxFeePerBlobGas,
    blobCount: blobHashes.length,
    authorizations,
    intrinsicGas: intrinsicGas(data, {
      isCreation: to === null,
      ...accessList,
      authorizations: authorizations.length,
    }),
    compressedSize: fastLzLength(encoded),
  };
}

/** EIP-2718: the type comes before the list. */
function encode(type: TransactionType, items: readonly RlpItem[]): Uint8Array {
  const list = toRlp(items, 'bytes');
  return type === 0 ? list : concatBytes([Uint8Array.of(type), list]);
}

function signedPayload(type: TransactionType, items: readonly RlpItem[], chainId: number | null): Uint8Array {
  const unsigned = items.slice(0, -3);
  if (type !== 0 || chainId === null) return encode(type, unsigned);
  // EIP-155.
  return encode(0, [...unsigned, numberToBytes(chainId), new Uint8Array(), new Uint8Array()]);
}

function checkSize(bytes: Uint8Array): void {
  const most = bytes[0] === 3 ? MAX_SIZE_WITH_BLOBS : MAX_SIZE;
  if (bytes.length <= most) return;
  throw new TransactionError(
    `it has ${bytes.length} bytes, and nodes take at most ${most}: split what it does over several transactions`,
  );
}

interface Envelope {
  readonly type: TransactionType;
  readonly items: readonly RlpItem[];
}

function readEnvelope(bytes: Uint8Array): Envelope {
  try {
    const type = typeOf(bytes[0]);
    const items = readRlp(type === 0 ? bytes : bytes.subarray(1));
    if (!(items instanceof Uint8Array)) return { type, items };
    throw new TransactionError('there is no list of fields in it: sign it again');
  } catch (error) {
    const lookalike = LOOKALIKE[bytes.length];
    throw lookalike === undefined ? error : new TransactionError(lookalike);
  }
}

/** Data of these lengths that is often mistaken for a signed transaction. */
const LOOKALIKE: Readonly<Record<number, string>> = {
  20: 'this is an address: give the signed transaction, which is longer',
  32: 'this looks like a private key (or a transaction hash): never paste a key anywhere; give the signed transaction, which is longer',
  65: 'this is only a signature: give the whole signed transaction, which is longer',
};

function typeOf(first: number | undefined): TransactionType {
  if (first === undefined) {
    throw new TransactionError('there is nothing: give the signed transaction, hex that begins with 0x');
  }
  if (first >= 0xc0) return 0;
  if (first === 1 || first === 2 || first === 3 || first === 4) return first;
  if (first === 0) {
    throw new TransactionError(
      'a legacy transaction (type 0) begins with its list of fields and not with 00: copy it again, from its first digit',
    );
  }
  throw new TransactionError(
    first < 0x80
      ? `transactions of type ${first} are not known: types 0 to 4 are`
      : 'no signed transaction begins like this: copy it again, from its first digit',
  );
}

/** Number of fields of a signed transaction by type; an unsigned one has three fewer. */
const FIELD_COUNT: Readonly<Record<TransactionType, number>> = { 0: 9, 1: 11, 2: 12, 3: 14, 4: 13 };

function checkIsSigned(type: TransactionType, { length }: readonly RlpItem[]): void {
  if (length === FIELD_COUNT[type]) return;
  if (length === FIELD_COUNT[type] - 3) throw notSigned();
  throw new TransactionError(
    `it has ${length} fields, and a signed transaction of type ${type} has ${FIELD_COUNT[type]}: copy it again`,
  );
}

const notSigned = () =>
  new TransactionError('this transaction is not signed yet: sign it in the wallet and give the result');

function readChainId(fields: TransactionFields): number {
  const chainId = Number(fields.integer('the chain id', MAX_SAFE));
  if (chainId === 0) throw noChain();
  return chainId;
}

const noChain = () =>
  new TransactionError('it is signed for chain 0, which no chain is: sign it for a chain');

/** Prices are limited to 2^53 − 1, like gas limits, so that gas × price cannot overflow. */
const readPrice = (fields: TransactionFields, name: string) => fields.integer(`${name}, in wei,`, MAX_SAFE);

function readPrices(type: TransactionType, fields: TransactionFields) {
  if (type <= 1) {
    return {
      gasPrice: readPrice(fields, 'the gas price'),
      maxFeePerGas: null,
      maxPriorityFeePerGas: null,
    };
  }
  const maxPriorityFeePerGas = readPrice(fields, 'the max priority fee');
  const maxFeePerGas = readPrice(fields, 'the max fee');
  if (maxPriorityFeePerGas > maxFeePerGas) {
    throw new TransactionError(
      'its max priority fee is above its max fee, which nodes refuse: sign it again',
    );
  }
  return { gasPrice: null, maxFeePerGas, maxPriorityFeePerGas };
}

/** Transactions with blobs or authorizations cannot create a contract. */
function readRecipient(type: TransactionType, fields: TransactionFields): Uint8Array | null {
  const name = 'the address it goes to';
  return type <= 2 ? fields.addressOrNull(name) : fields.address(name);
}

const NO_ACCESS = { accessedAddresses: 0, accessedKeys: 0 } as const;

/** EIP-2930. */
function readAccessList(fields: TransactionFields) {
  const keys = fields.entries('the access list', 2).map((items) => {
    const entry = new TransactionFields(items);
    entry.address('an address of the access list');
    return entry.each('the storage keys of the access list', (key) => key.word('a storage key')).length;
  });
  return { accessedAddresses: keys.length, accessedKeys: keys.reduce((sum, count) => sum + count, 0) };
}

/** EIP-7594. */
const MAX_BLOBS = 6;

/** EIP-4844. */
function readBlobHashes(fields: TransactionFields): readonly Uint8Array[] {
  const hashes = fields.each('the list of blob hashes', (items) => items.word('a blob hash'));
  if (hashes.length === 0) {
    throw new TransactionError('it is a blob transaction that names no blob: sign it again');
  }
  if (hashes.length > MAX_BLOBS) {
    throw new TransactionError(
      `it has ${hashes.length} blobs, and a transaction may have ${MAX_BLOBS} (EIP-7594): split it into several`,
    );
  }
  if (hashes.some((hash) => hash[0] !== 1)) {
    throw new TransactionError('a blob hash of it has a version that is not known: version 1 is (EIP-4844)');
  }
  return hashes;
}

const MAX_UINT64 = 2n ** 64n - 1n;
/** A signature recovery takes about a millisecond, and 128 KiB hold thousands. */
const MAX_RECOVERED = 16;
/** Prefix of the message that an authority signs (EIP-7702). */
const MAGIC = 5;

/**
 * EIP-7702: the accounts delegated to code. The chain skips an authorization with a wrong signature, chain or nonce;
 * it does not refuse the transaction.
 */
function readAuthorizations(fields: TransactionFields): readonly Authorization[] {
  const entries = fields.entries('the authorization list', 6);
  if (entries.length === 0) {
    throw new TransactionError(
      'it has no authorizations, and a transaction of type 4 needs one: sign it again',
    );
  }
  return entries.map((items, index) => {
    const entry = new TransactionFields(items);
    const chainId = entry.integer('the chain id of an authorization');
    const address = entry.address('the address of an authorization');
    const nonce = entry.integer('the nonce of an authorization', MAX_UINT64);
    const yParity = entry.integer('the y parity of an authorization', 255n);
    const r = entry.integer('r of an authorization');
    const s = entry.integer('s of an authorization');
    const payload = concatBytes([Uint8Array.of(MAGIC), toRlp(items.slice(0, 3), 'bytes')]);
    const isRecovered = index < MAX_RECOVERED && yParity <= 1n;
    return {
      chainId: numberOrText(chainId),
      address: checksummedAddress(address),
      nonce: numberOrText(nonce),
      authority: isRecovered ? recoverAuthority(payload, { r, s, yParity: Number(yParity) }) : null,
    };
  });
}

function recoverAuthority(payload: Uint8Array, signature: Signature): Hex | null {
  try {
    return recoverAddress(keccak256(payload), signature);
  } catch (error) {
    if (error instanceof TransactionError) return null;
    throw error;
  }
}

const numberOrText = (value: bigint) => (value <= MAX_SAFE ? Number(value) : String(value));

interface Signature {
  readonly r: bigint;
  readonly s: bigint;
  /** 0 or 1. */
  readonly yParity: number;
}

/**
 * The last three fields. `v` of a legacy transaction also states the signed chain id (EIP-155): `chainId` is `null`
 * when it was signed for any chain.
 */
function readSignature(
  type: TransactionType,
  fields: TransactionFields,
): Signature & { readonly chainId?: number | null } {
  const v = fields.integer(type === 0 ? 'v of the signature' : 'the y parity of the signature');
  const r = fields.integer('r of the signature');
  const s = fields.integer('s of the signature');
  if (r === 0n && s === 0n) throw notSigned();
  if (type !== 0) {
    if (v <= 1n) return { r, s, yParity: Number(v) };
    throw new TransactionError('the y parity of its signature is neither 0 nor 1: sign it again');
  }
  if (v === 27n || v === 28n) return { r, s, yParity: Number(v - 27n), chainId: null };
  if (v < 35n) {
    throw new TransactionError(
      'v of its signature is neither 27, 28 nor of a chain (EIP-155): sign it again',
    );
  }
  const chainId = (v - 35n) / 2n;
  if (chainId === 0n) throw noChain();
  if (chainId > MAX_SAFE) {
    throw new TransactionError('the chain id is larger than 2^53 − 1: sign it for a chain that is');
  }
  return { r, s, yParity: Number((v - 35n) % 2n), chainId: Number(chainId) };
}

const ORDER = secp256k1.CURVE.n;

/**
 * The address of the signing key. viem's recovery is asynchronous and accepts both signatures that fit: only the one
 * with the lower `s` is valid (EIP-2).
 */
function recoverAddress(hash: Hex, { r, s, yParity }: Signature): Hex {
  if (r === 0n || s === 0n || r >= ORDER || s >= ORDER) throw noSignature();
  if (s > ORDER / 2n) {
    throw new TransactionError(
      'its signature has the higher of two s values, which nodes refuse (EIP-2): sign it again',
    );
  }
  try {
    const signature = new secp256k1.Signature(r, s).addRecoveryBit(yParity);
    return publicKeyToAddress(`0x${signature.recoverPublicKey(hash.slice(2)).toHex(false)}`);
  } catch {
    throw noSignature();
  }
}

const noSignature = () =>
  new TransactionError(
    'its signature is none that a key can make: it was changed or is damaged, sign it again',
  );

const BLOB_LENGTH = 131_072;
const POINT_LENGTH = 48;
/** EIP-7594: cells of a blob after its extension to twice its length. */
const CELLS = 128;

interface Sidecar {
  /** The signed transaction as a block stores it. */
  readonly transaction: readonly RlpItem[];
  /** The hashes that the transaction must name, one for each blob. */
  readonly versionedHashes: readonly Hex[];
}

/**
 * Reads a blob transaction in its network form: `[tx, blobs, commitments, proofs]` (EIP-4844), or `[tx, 1, blobs,
 * commitments, cell proofs]` (EIP-7594, which viem does not read). Checks counts, sizes and versioned hashes; the
 * node, which has the trusted setup, verifies the KZG proofs.
 */
function readSidecar([transaction, ...rest]: readonly RlpItem[]): Sidecar {
  const isCells = rest.length === 4;
  if (transaction === undefined || transaction instanceof Uint8Array) throw wrongForm();
  if (!isCells && rest.length !== 3) throw wrongForm();
  const fields = new TransactionFields(rest);
  if (isCells && fields.integer('the version of the sidecar') !== 1n) throw wrongForm();
  const blobs = fields.each('the sidecar’s blobs', sized(BLOB_LENGTH, 'a blob'));
  const commitments = fields.each('the sidecar’s commitments', sized(POINT_LENGTH, 'a commitment'));
  const proofs = fields.each('the sidecar’s proofs', sized(POINT_LENGTH, 'a proof'));
  if (commitments.length !== blobs.length || proofs.length !== blobs.length * (isCells ? CELLS : 1)) {
    throw new TransactionError(
      `its sidecar has ${blobs.length} blobs with ${commitments.length} commitments and ${proofs.length} proofs, which do not belong together: make it again`,
    );
  }
  return { transaction, versionedHashes: commitments.map(versionedHash) };
}

function sized(length: number, name: string): (items: TransactionFields) => Uint8Array {
  return (items) => {
    const bytes = items.bytes(name);
    if (bytes.length === length) return bytes;
    throw new TransactionError(
      `${name} of its sidecar has ${bytes.length} bytes instead of ${length}: make the sidecar again`,
    );
  };
}

const versionedHash = (commitment: Uint8Array): Hex => `0x01${sha256(commitment).slice(4)}`;

const wrongForm = () =>
  new TransactionError(
    'its sidecar has a form that is not known: versions 0 (EIP-4844) and 1 (EIP-7594) are',
  );

/** The parts beside data that add to the intrinsic gas. */
interface GasBearing {
  readonly isCreation: boolean;
  readonly accessedAddresses: number;
  readonly accessedKeys: number;
  readonly authorizations: number;
}

const BASE_GAS = 21_000;
/** Added to the base cost: 53,000 in all (EIP-2). */
const CREATION_GAS = 32_000;
const ZERO_BYTE_GAS = 4;
/** EIP-2028. */
const NONZERO_BYTE_GAS = 16;
/** EIP-3860, for each 32 bytes. */
const INITCODE_WORD_GAS = 2;
/** EIP-2930. */
const ACCESSED_ADDRESS_GAS = 2_400;
const ACCESSED_KEY_GAS = 1_900;
/** EIP-7702: the charge for an account that is still empty; the chain refunds the excess. */
const AUTHORIZATION_GAS = 25_000;
/** EIP-7623: a token is a zero byte, or a quarter of any other byte. */
const FLOOR_TOKEN_GAS = 10;
const TOKENS_OF_NONZERO = 4;

/** The minimum gas limit of a transaction: its intrinsic gas, or the floor for its data. */
function intrinsicGas(data: Uint8Array, of: GasBearing): bigint {
  const nonzero = data.reduce((count, byte) => (byte === 0 ? count : count + 1), 0);
  const zero = data.length - nonzero;
  const creation = of.isCreation ? CREATION_GAS + Math.ceil(data.length / 32) * INITCODE_WORD_GAS : 0;
  const beforeRun =
    creation +
    zero * ZERO_BYTE_GAS +
    nonzero * NONZERO_BYTE_GAS +
    of.accessedAddresses * ACCESSED_ADDRESS_GAS +
    of.accessedKeys * ACCESSED_KEY_GAS +
    of.authorizations * AUTHORIZATION_GAS;
  const floor = (zero + nonzero * TOKENS_OF_NONZERO) * FLOOR_TOKEN_GAS;
  return BigInt(BASE_GAS + Math.max(beforeRun, floor));
}
