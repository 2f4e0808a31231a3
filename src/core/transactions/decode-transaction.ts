import { keccak_256 } from '@noble/hashes/sha3';
import { bytesToHex } from '@noble/hashes/utils';
import { checkBlobHashes, readSidecar } from './blob-sidecar.ts';
import { checksummedAddress } from './checksummed-address.ts';
import { intrinsicGas } from './intrinsic-gas.ts';
import { readTransaction, type TransactionContent } from './read-transaction.ts';
import { recoverSender } from './recover-sender.ts';
import type { RlpList } from './rlp.ts';
import { type SignedTransaction, TransactionError } from './signed-transaction.ts';
import { transactionBytes } from './transaction-bytes.ts';
import { checkIsSigned, openEnvelope } from './transaction-envelope.ts';

/** What nodes let into their pools: `txMaxSize` of go-ethereum’s pools, of which the other is the blobs’. */
const LARGEST = 128 * 1_024;
const LARGEST_WITH_BLOBS = 1_024 * 1_024;

/**
 * Reads a signed transaction of type 0 to 4, as strictly as nodes do: one encoding, one signature, a sender. What no
 * chain would take is refused; what depends on a chain or an account (its id, nonce, balance, gas) is for the pre-flight.
 * A blob transaction must bring its sidecar, whose KZG proofs are left to the node. Wei.
 *
 * @param raw The bytes, or their hex text with or without `0x`, quotes and line breaks.
 * @throws TransactionError one line that says why, and repeats nothing of `raw`.
 */
export function decodeTransaction(raw: string | Uint8Array): SignedTransaction {
  const bytes = typeof raw === 'string' ? transactionBytes(raw) : raw;
  checkSize(bytes);
  const { type, list } = openEnvelope(bytes);
  if (type !== 3) return decodeList(type, list, bytes);
  if (list.items[0]?.kind !== 'list') {
    checkIsSigned(type, list.items);
    throw new TransactionError(
      'it is a blob transaction without its blobs, which nodes refuse: give the form with the sidecar (blobs, commitments, proofs)',
    );
  }
  const { transaction, versionedHashes } = readSidecar(list.items);
  return decodeList(type, transaction, withType(type, transaction.encoded), versionedHashes);
}

/** @param hashed What its hash is of: a blob transaction without its sidecar. */
function decodeList(
  type: SignedTransaction['type'],
  list: RlpList,
  hashed: Uint8Array,
  brought: readonly Uint8Array[] = [],
): SignedTransaction {
  checkIsSigned(type, list.items);
  const content = readTransaction(type, list.items);
  checkBlobHashes(content.blobHashes, brought);
  const payload = type === 0 ? content.signedPayload : withType(type, content.signedPayload);
  return {
    type,
    hash: `0x${bytesToHex(keccak_256(hashed))}`,
    from: recoverSender(payload, content.signature),
    ...wordsOf(content),
  };
}

function wordsOf(content: TransactionContent): Omit<SignedTransaction, 'type' | 'hash' | 'from'> {
  const { to, data, authorizations } = content;
  return {
    to: to === null ? null : checksummedAddress(to),
    chainId: content.chainId,
    nonce: content.nonce,
    gasLimit: content.gasLimit,
    value: content.value,
    data: `0x${bytesToHex(data)}`,
    gasPrice: content.gasPrice,
    maxFeePerGas: content.maxFeePerGas,
    maxPriorityFeePerGas: content.maxPriorityFeePerGas,
    maxFeePerBlobGas: content.maxFeePerBlobGas,
    blobCount: content.blobHashes.length,
    authorizations,
    intrinsicGas: intrinsicGas({
      ...content,
      authorizations: authorizations.length,
      isCreation: to === null,
    }),
  };
}

function checkSize(bytes: Uint8Array): void {
  const largest = bytes[0] === 3 ? LARGEST_WITH_BLOBS : LARGEST;
  if (bytes.length <= largest) return;
  throw new TransactionError(
    `it has ${bytes.length} bytes, and nodes take at most ${largest}: split what it does over several transactions`,
  );
}

function withType(type: number, list: Uint8Array): Uint8Array {
  const bytes = new Uint8Array(list.length + 1);
  bytes[0] = type;
  bytes.set(list, 1);
  return bytes;
}
