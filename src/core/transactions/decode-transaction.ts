import { secp256k1 } from '@noble/curves/secp256k1';
import type { SignedAuthorizationList, TransactionSerializable, TransactionSerializableGeneric } from 'viem';
import {
  bytesToHex,
  concatBytes,
  fromRlp,
  hashAuthorization,
  hexToBytes,
  keccak256,
  parseTransaction,
  publicKeyToAddress,
  serializeTransaction,
  sha256,
  toRlp,
} from 'viem/utils';
import type { Hex } from '../block.ts';
import { fastLzLength } from '../data-fee.ts';
import type { TransactionParts } from './gas-rules.ts';
import { refuse, signedHex, TransactionError } from './signed-text.ts';
import {
  AUTHORITIES_READ,
  type Authorization,
  checksummed,
  type SignedTransaction,
} from './signed-transaction.ts';

type RlpItem = Uint8Array | readonly RlpItem[];
/** A transaction as viem reads it, of any type. */
type Parsed = Omit<TransactionSerializableGeneric, 'type'> & {
  readonly type: 'legacy' | 'eip2930' | 'eip1559' | 'eip4844' | 'eip7702';
  readonly blobVersionedHashes?: readonly Hex[];
  readonly authorizationList?: SignedAuthorizationList;
};

/** `txMaxSize` of go-ethereum's legacy pool. Blob transactions have another pool. */
const MAX_SIZE = 128 * 1_024;
const MAX_SIZE_WITH_BLOBS = 1_024 * 1_024;
/** EIP-7594. */
const MAX_BLOBS = 6;

/**
 * Types 0 to 4, as strictly as nodes do: one encoding, one signature, a sender, blobs with their sidecar. What depends on a chain or
 * an account is for the pre-flight check. @param raw bytes, or hex text with or without `0x`, quotes and line breaks
 * @throws TransactionError one line that says why, without any part of `raw`
 */
export function decodeTransaction(raw: string | Uint8Array): SignedTransaction {
  const bytes = typeof raw === 'string' ? hexToBytes(signedHex(raw)) : raw;
  try {
    return decode(bytes);
  } catch (error) {
    const lookalike = LOOKALIKE[bytes.length];
    if (lookalike !== undefined) refuse(lookalike);
    throw error;
  }
}

/** What a user gives for a signed transaction, or the one line that says why it is none, without any part of `text`. */
export function readSigned(text: string) {
  try {
    const bytes = hexToBytes(signedHex(text));
    return { problem: null, bytes, transaction: decodeTransaction(bytes) };
  } catch (error) {
    // Other errors, and their causes, may repeat their input.
    return { problem: error instanceof TransactionError ? error.message : 'it cannot be read as one' };
  }
}

function decode(bytes: Uint8Array): SignedTransaction {
  const type = typeOf(bytes);
  checkList(type === 0 ? bytes : bytes.subarray(1));
  const { encoded, versionedHashes } =
    type === 3 ? readSidecar(bytes) : { encoded: bytes, versionedHashes: [] };
  if (type === 4) checkAuthorizationParities(bytes);
  const { r = '0x', s = '0x', v: _, yParity = 0, ...parsed } = parse(bytesToHex(encoded));
  const { to = null, data = '0x', chainId = null, nonce = 0, gas = 0n, value = 0n } = parsed;
  const { blobVersionedHashes = [], authorizationList = [] } = parsed;
  const gasPrice = type <= 1 ? (parsed.gasPrice ?? 0n) : null;
  const maxFeePerGas = type > 1 ? (parsed.maxFeePerGas ?? 0n) : null;
  const maxPriorityFeePerGas = type > 1 ? (parsed.maxPriorityFeePerGas ?? 0n) : null;
  const maxFeePerBlobGas = type === 3 ? (parsed.maxFeePerBlobGas ?? 0n) : null;
  // Prices are bounded too, so that gas × price cannot overflow.
  for (const number of [gas, gasPrice, maxFeePerGas, maxFeePerBlobGas, chainId]) {
    if ((number ?? 0) > Number.MAX_SAFE_INTEGER) refuse(TOO_LARGE);
  }
  if (value >= 2n ** 256n) refuse(TOO_LARGE);
  if ((maxPriorityFeePerGas ?? 0n) > (maxFeePerGas ?? 0n)) refuse(TIP_ABOVE_CAP);
  if (type > 2 && to === null) refuse(BAD_ADDRESS);
  if (blobVersionedHashes.length > MAX_BLOBS) {
    refuse(
      `it has ${blobVersionedHashes.length} blobs, and a transaction may have ${MAX_BLOBS} (EIP-7594): split it into several`,
    );
  }
  if (String(blobVersionedHashes) !== String(versionedHashes)) {
    refuse('its sidecar holds other blobs than were signed: make it again from the same blobs');
  }
  if (type === 4 && authorizationList.length === 0) {
    refuse('it has no authorizations, and a transaction of type 4 needs one: sign it again');
  }
  const from = recoverAddress(keccak256(serialize(parsed)), { r, s, yParity });
  return {
    type,
    hash: keccak256(encoded),
    from,
    to: to && checksummed(to),
    chainId,
    nonce,
    gasLimit: gas,
    value,
    data,
    gasPrice,
    maxFeePerGas,
    maxPriorityFeePerGas,
    maxFeePerBlobGas,
    blobCount: blobVersionedHashes.length,
    authorizations: authorizationList.map(readAuthorization),
    parts: partsOf(parsed, from, blobVersionedHashes.length),
    compressedSize: fastLzLength(encoded),
  };
}

/** Without the sidecar of a blob transaction (EIP-4844). @throws TransactionError when that form is damaged */
export function transactionHash(signed: Hex): Hex {
  if (!signed.startsWith('0x03')) return keccak256(signed);
  const [transaction] = readItems(hexToBytes(signed).subarray(1));
  const isWrapped = transaction !== undefined && !(transaction instanceof Uint8Array);
  return keccak256(isWrapped ? concatBytes([BLOB_TYPE, toRlp(transaction, 'bytes')]) : signed);
}

/** Data of these lengths that is often mistaken for a signed transaction. */
const LOOKALIKE: Readonly<Record<number, string>> = {
  20: 'this is an address: give the signed transaction, which is longer',
  32: 'this looks like a private key (or a transaction hash): never paste a key anywhere; give the signed transaction, which is longer',
  65: 'this is only a signature: give the whole signed transaction, which is longer',
};

function typeOf(bytes: Uint8Array): SignedTransaction['type'] {
  const [first] = bytes;
  if (first === undefined) {
    refuse('there is nothing: give the signed transaction, hex that begins with 0x');
  }
  const most = first === 3 ? MAX_SIZE_WITH_BLOBS : MAX_SIZE;
  if (bytes.length > most) {
    refuse(
      `it has ${bytes.length} bytes, and nodes take at most ${most}: split what it does over several transactions`,
    );
  }
  if (first >= LIST) return 0;
  if (first === 1 || first === 2 || first === 3 || first === 4) return first;
  if (first === 0) {
    refuse(
      'a legacy transaction (type 0) begins with its list of fields and not with 00: copy it again, from its first digit',
    );
  }
  refuse(
    first < STRING
      ? `transactions of type ${first} are not known: types 0 to 4 are`
      : 'no signed transaction begins like this: copy it again, from its first digit',
  );
}

const STRING = 0x80;
const LIST = 0xc0;
/** The longest payload whose header is one byte. */
const SHORT = 55;
/** More than 128 KiB of the smallest authorizations have. */
const MAX_ITEMS = 50_000;

/** Checks that there is one list, and that viem, which makes an object of each item, will not make too many. */
function checkList(bytes: Uint8Array): void {
  const { length } = bytes;
  if (length === 0 || encodedLength(bytes, 0) > length) {
    refuse('it ends in the middle: copy the whole signed transaction, up to its last digit');
  }
  if (encodedLength(bytes, 0) < length) {
    refuse('there are bytes after the end of the transaction: copy exactly one transaction');
  }
  let items = 0;
  // Steps over the headers of lists, so that nested items count too.
  for (let at = 0; at < length; items++) {
    const first = bytes[at] ?? 0;
    at += first < LIST ? encodedLength(bytes, at) : first > LIST + SHORT ? 1 + first - LIST - SHORT : 1;
  }
  if (items > MAX_ITEMS) refuse('no transaction has so many fields: sign it again');
}

/** Length of an item, as its header states it. */
function encodedLength(bytes: Uint8Array, at: number): number {
  const first = bytes[at] ?? 0;
  if (first < STRING) return 1;
  const length = first - (first >= LIST ? LIST : STRING);
  if (length <= SHORT) return 1 + length;
  const payload = at + 1 + length - SHORT;
  // At most eight bytes: beyond 2^53 the sum is inexact, but far longer than any input.
  return payload - at + bytes.subarray(at + 1, payload).reduce((sum, byte) => sum * 256 + byte, 0);
}

const NOT_CANONICAL = 'it is not encoded in the one way that nodes take: copy it again, or sign it again';
const NOT_SIGNED = 'this transaction is not signed yet: sign it in the wallet and give the result';
const NO_CHAIN = 'it is signed for chain 0, which no chain is: sign it for a chain';
const TOO_LARGE =
  'a number of it is larger than it may be (2^53 − 1, or 2^256 − 1 wei of value): sign it again with less';
const BAD_ADDRESS = 'an address in it is missing or has not 20 bytes: check it and sign it again';
const TIP_ABOVE_CAP = 'its max priority fee is above its max fee, which nodes refuse: sign it again';
const NO_SIGNATURE = 'its signature is none that a key can make: it was changed or is damaged, sign it again';

/** What viem's errors mean. Its messages repeat input bytes. */
const REASONS: Readonly<Record<string, string>> = {
  // Of the chain id alone: the empty string is no number to it.
  SyntaxError: NO_CHAIN,
  InvalidChainIdError: NO_CHAIN,
  IntegerOutOfRangeError: TOO_LARGE,
  FeeCapTooHighError: TOO_LARGE,
  InvalidAddressError: BAD_ADDRESS,
  TipAboveFeeCapError: TIP_ABOVE_CAP,
  InvalidLegacyVError: 'v of its signature is neither 27, 28 nor of a chain (EIP-155): sign it again',
  InvalidYParityError: 'the y parity of its signature is neither 0 nor 1: sign it again',
  SizeExceedsPaddingSizeError: NO_SIGNATURE,
  EmptyBlobError: 'it is a blob transaction that names no blob: sign it again',
  InvalidVersionedHashVersionError:
    'a blob hash of it has a version that is not known: version 1 is (EIP-4844)',
  InvalidSerializedTransactionError:
    'it has not as many fields as a signed transaction of its type: copy it again',
};

/** viem accepts other encodings too, so what it read is encoded again and compared. */
function parse(encoded: Hex): Parsed {
  try {
    const parsed = parseTransaction(encoded) as Parsed;
    const { r = '0x', s = '0x', v, yParity = 0, ...unsigned } = parsed;
    if (integer(r) === 0n && integer(s) === 0n) refuse(NOT_SIGNED);
    const signature = v === undefined ? { r, s, yParity } : { r, s, v, yParity };
    if (serialize(unsigned, signature) === encoded) return parsed;
  } catch (error) {
    if (error instanceof TransactionError) throw error;
    refuse(REASONS[error instanceof Error ? error.name : ''] ?? NOT_CANONICAL);
  }
  refuse(NOT_CANONICAL);
}

const serialize = (transaction: Omit<Parsed, keyof Signature>, signature?: Signature): Hex =>
  serializeTransaction(transaction as TransactionSerializable, signature as never);

/** EIP-7702. The chain skips an authorization with a wrong signature; it does not refuse the transaction. */
function readAuthorization(
  { address, chainId, nonce, r, s, yParity = 0 }: SignedAuthorizationList[number],
  index: number,
): Authorization {
  let authority: Hex | null = null;
  try {
    if (index < AUTHORITIES_READ) {
      authority = recoverAddress(hashAuthorization({ address, chainId, nonce }), { r, s, yParity });
    }
  } catch (error) {
    if (!(error instanceof TransactionError)) throw error;
  }
  return { chainId, address: checksummed(address), nonce, authority };
}

const AUTHORIZATIONS_FIELD = 9;
const PARITY_FIELD = 3;

/** viem names no authorization, only "the signature". @throws TransactionError when a y parity is neither 0 nor 1 */
function checkAuthorizationParities(bytes: Uint8Array): void {
  const list = readItems(bytes.subarray(1))[AUTHORIZATIONS_FIELD] ?? [];
  if (list instanceof Uint8Array) return;
  for (const [index, authorization] of list.entries()) {
    const parity = authorization instanceof Uint8Array ? undefined : authorization[PARITY_FIELD];
    if (!(parity instanceof Uint8Array) || parity.length === 0) continue;
    const value = BigInt(bytesToHex(parity));
    if (value <= 1n) continue;
    const which =
      list.length === 1 ? 'its authorization' : `its authorization ${index + 1} of ${list.length}`;
    const shown = value > 255n ? 'more than 255' : `${value}`;
    refuse(
      `the y parity of ${which} is ${shown}, and only 0 and 1 have an effect (EIP-7702): sign that authorization again`,
    );
  }
}

interface Signature {
  readonly r: Hex;
  readonly s: Hex;
  /** 0 or 1. */
  readonly yParity: number;
}

const integer = (hex: Hex) => (hex === '0x' ? 0n : BigInt(hex));

const ORDER = secp256k1.CURVE.n;

/** viem's recovery is asynchronous and accepts both signatures that fit: only the one with the lower `s` is valid (EIP-2). */
function recoverAddress(hash: Hex, signature: Signature): Hex {
  const [r, s] = [integer(signature.r), integer(signature.s)];
  if (r === 0n || s === 0n || r >= ORDER || s >= ORDER) refuse(NO_SIGNATURE);
  if (s > ORDER / 2n) {
    refuse('its signature has the higher of two s values, which nodes refuse (EIP-2): sign it again');
  }
  try {
    const recoverable = new secp256k1.Signature(r, s).addRecoveryBit(signature.yParity);
    return publicKeyToAddress(`0x${recoverable.recoverPublicKey(hash.slice(2)).toHex(false)}`);
  } catch {
    refuse(NO_SIGNATURE);
  }
}

const BLOB_TYPE = Uint8Array.of(3);
const UNSIGNED_FIELDS = 11;
const BLOB_LENGTH = 131_072;
const POINT_LENGTH = 48;
/** EIP-7594: cells of a blob after its extension to twice its length. */
const CELLS = 128;

/** The items of exactly one list in its canonical encoding. @throws TransactionError */
function readItems(bytes: Uint8Array): readonly RlpItem[] {
  try {
    const items = fromRlp(bytes, 'bytes');
    if (!(items instanceof Uint8Array) && toRlp(items, 'hex') === bytesToHex(bytes)) return items;
  } catch {
    // viem's messages repeat input bytes.
  }
  refuse(NOT_CANONICAL);
}

/**
 * A blob transaction in its network form: `[tx, blobs, commitments, proofs]` (EIP-4844), or `[tx, 1, blobs, commitments, cell
 * proofs]` (EIP-7594, which viem does not read), as a block stores it, and the hashes that it must name. Nodes verify proofs.
 */
function readSidecar(bytes: Uint8Array): { encoded: Uint8Array; versionedHashes: readonly Hex[] } {
  const [transaction, ...rest] = readItems(bytes.subarray(1));
  if (transaction === undefined || transaction instanceof Uint8Array) {
    refuse(
      rest.length + 1 === UNSIGNED_FIELDS
        ? NOT_SIGNED
        : 'it is a blob transaction without its blobs, which nodes refuse: give the form with the sidecar (blobs, commitments, proofs)',
    );
  }
  const isCells = rest.length === 4 && String(rest[0]) === '1';
  if (!isCells && rest.length !== 3) {
    refuse('its sidecar has a form that is not known: versions 0 (EIP-4844) and 1 (EIP-7594) are');
  }
  const [blobs, commitments, proofs] = isCells ? rest.slice(1) : rest;
  const count = listLength(blobs, BLOB_LENGTH);
  const proofCount = listLength(proofs, POINT_LENGTH);
  const isWhole = count === listLength(commitments, POINT_LENGTH);
  if (!isWhole || proofCount !== count * (isCells ? CELLS : 1)) {
    refuse('the blobs, commitments and proofs of its sidecar do not belong together: make the sidecar again');
  }
  // viem would take a second sidecar within.
  if (!(transaction[0] instanceof Uint8Array)) refuse(NOT_CANONICAL);
  return {
    encoded: concatBytes([BLOB_TYPE, toRlp(transaction, 'bytes')]),
    versionedHashes: (commitments as readonly Uint8Array[]).map(
      (commitment): Hex => `0x01${sha256(commitment).slice(4)}`,
    ),
  };
}

/** Number of entries of a list of strings of `size` bytes; `NaN` when it is no such list. */
function listLength(item: RlpItem | undefined, size: number): number {
  if (item === undefined || item instanceof Uint8Array) return Number.NaN;
  const isSized = item.every((each) => each instanceof Uint8Array && each.length === size);
  return isSized ? item.length : Number.NaN;
}

function partsOf(
  { to, value = 0n, data: hex = '0x', accessList = [], authorizationList = [] }: Parsed,
  from: Hex,
  blobs: number,
): TransactionParts {
  const data = hexToBytes(hex);
  const otherBytes = data.reduce((count, byte) => (byte === 0 ? count : count + 1), 0);
  return {
    zeroBytes: data.length - otherBytes,
    otherBytes,
    accessedAddresses: accessList.length,
    accessedKeys: accessList.reduce((sum, { storageKeys }) => sum + storageKeys.length, 0),
    authorizations: authorizationList.length,
    blobs,
    creates: to == null,
    isToSelf: to?.toLowerCase() === from.toLowerCase(),
    hasValue: value > 0n,
  };
}
