import { sha256 } from '@noble/hashes/sha2';
import type { RlpItem, RlpList } from './rlp.ts';
import { TransactionError } from './signed-transaction.ts';
import { TransactionFields } from './transaction-fields.ts';

const BLOB_LENGTH = 131_072;
const POINT_LENGTH = 48;
/** EIP-7594: a blob's cells, after it was extended to twice its length. */
const CELLS = 128;

export interface Blobs {
  /** The signed transaction, which is all of it that a block holds. */
  readonly transaction: RlpList;
  /** What the transaction must name, one for each blob. */
  readonly versionedHashes: readonly Uint8Array[];
}

/**
 * Takes a blob transaction in its network form apart: `[tx, blobs, commitments, proofs]` (EIP-4844), or
 * `[tx, 1, blobs, commitments, cell proofs]` (EIP-7594). Counts, sizes and versioned hashes are checked; whether the KZG
 * proofs prove anything is for the node to say, which needs the trusted setup for it.
 *
 * @throws TransactionError
 */
export function readSidecar(items: readonly RlpItem[]): Blobs {
  const transaction = items[0];
  if (transaction?.kind !== 'list' || items.length < 4 || items.length > 5) throw wrongForm();
  const rest = new TransactionFields(items.slice(1));
  const proofsOfBlob = items.length === 4 ? 1 : CELLS;
  if (items.length === 5 && rest.integer('the version of the sidecar') !== 1n) throw wrongForm();
  const blobs = rest.each('the sidecar’s blobs', sized(BLOB_LENGTH, 'a blob'));
  const commitments = rest.each('the sidecar’s commitments', sized(POINT_LENGTH, 'a commitment'));
  const proofs = rest.each('the sidecar’s proofs', sized(POINT_LENGTH, 'a proof'));
  if (commitments.length !== blobs.length || proofs.length !== blobs.length * proofsOfBlob) {
    throw new TransactionError(
      `its sidecar has ${blobs.length} blobs with ${commitments.length} commitments and ${proofs.length} proofs, which do not belong together: make it again`,
    );
  }
  return { transaction, versionedHashes: commitments.map(versionedHash) };
}

/** @throws TransactionError where the transaction names other blobs than it brings. */
export function checkBlobHashes(named: readonly Uint8Array[], brought: readonly Uint8Array[]): void {
  const isSame =
    named.length === brought.length &&
    named.every((hash, at) => hash.every((byte, index) => byte === brought[at]?.[index]));
  if (isSame) return;
  throw new TransactionError(
    'its sidecar holds other blobs than were signed: make it again from the same blobs',
  );
}

function sized(length: number, name: string): (entries: TransactionFields) => Uint8Array {
  return (entries) => {
    const bytes = entries.bytes(name);
    if (bytes.length === length) return bytes;
    throw new TransactionError(
      `${name} of its sidecar has ${bytes.length} bytes instead of ${length}: make the sidecar again`,
    );
  };
}

function versionedHash(commitment: Uint8Array): Uint8Array {
  const hash = sha256(commitment);
  hash[0] = 1;
  return hash;
}

const wrongForm = () =>
  new TransactionError(
    'its sidecar has a form that is not known: versions 0 (EIP-4844) and 1 (EIP-7594) are',
  );
