import type { AutoTxUpdate } from '../../contract/auto-txs.ts';
import type { KeptAutoTx } from '../../core/auto-txs/kept-auto-tx.ts';
import type { Hex } from '../../core/block.ts';
import { checksummedAddress } from '../../core/transactions/checksummed-address.ts';
import type { SignedTransaction } from '../../core/transactions/signed-transaction.ts';
import { transactionBytes } from '../../core/transactions/transaction-bytes.ts';
import { ApiFailure } from '../http/errors.ts';
import { wrongSignature } from './read-signed.ts';

/** What a transaction does; value in wei. */
export type Content = Pick<KeptAutoTx, 'to' | 'value' | 'data'>;

/** What is said of it on the wire, where it is said at all. */
type SaidContent = Pick<AutoTxUpdate, 'to' | 'value' | 'data'>;

/** @throws {ApiFailure} `validation_failed` where an address is mistyped, by its checksum. */
export function contentOf({ to = null, value = '0', data = '0x' }: SaidContent): Content {
  return { to: to === null ? null : addressOf(to), value: BigInt(value), data: hexOf(data) };
}

/**
 * What an auto-tx does after an update.
 * @throws {ApiFailure} where that cannot change any more, or a signature is of something else.
 */
export function contentAfter(
  kept: KeptAutoTx,
  update: SaidContent,
  signed: SignedTransaction | null,
): Content {
  const wanted = contentWith(kept, update);
  if (kept.signed === null) {
    if (signed !== null) requireSame(wanted, signed);
    return wanted;
  }
  if (signed === null) {
    const changed = differences(wanted, kept);
    if (changed.length === 0) return wanted;
    throw new ApiFailure(
      'conflict',
      `${changed.map(({ field }) => field).join(', ')} cannot change: it is signed; give signedTransaction for another one`,
    );
  }
  requireReplaceable(kept);
  const said = Object.values({ to: update.to, value: update.value, data: update.data });
  if (said.some((value) => value !== undefined)) requireSame(contentWith(signed, update), signed);
  return { to: signed.to, value: signed.value, data: signed.data };
}

/** @throws {ApiFailure} that says what `signed` does otherwise than was `said` beside it. */
export function requireSaid(said: SaidContent, signed: SignedTransaction): void {
  requireSame(contentWith(signed, said), signed);
}

function contentWith(content: Content, { to, value, data }: SaidContent): Content {
  return {
    to: to === undefined ? content.to : to === null ? null : addressOf(to),
    value: value === undefined ? content.value : BigInt(value),
    data: data === undefined ? content.data : hexOf(data),
  };
}

function requireSame(wanted: Content, signed: SignedTransaction): void {
  const found = differences(wanted, signed);
  if (found.length > 0) throw wrongSignature(found.map(({ words }) => words).join('; '));
}

function requireReplaceable({ state }: KeptAutoTx): void {
  const { attempts, mayBeOut, status } = state;
  if ((status === 'PENDING' || status === 'DISABLED') && attempts === 0 && !mayBeOut) return;
  throw new ApiFailure(
    'conflict',
    'what was signed was sent before and may still be mined, so that it cannot be replaced here; send another transaction with its nonce from the wallet',
  );
}

/** Call data is told by its length: it is a part of what was signed. */
function differences(wanted: Content, signed: Content): { readonly field: string; readonly words: string }[] {
  const found: { field: string; words: string }[] = [];
  if (wanted.to?.toLowerCase() !== signed.to?.toLowerCase()) {
    found.push({ field: 'to', words: `it is to ${whom(signed.to)} and not to ${whom(wanted.to)}` });
  }
  if (wanted.value !== signed.value) {
    found.push({ field: 'value', words: `it sends ${signed.value} wei and not ${wanted.value}` });
  }
  if (wanted.data.toLowerCase() !== signed.data.toLowerCase()) {
    const [has, should] = [lengthOf(signed.data), lengthOf(wanted.data)];
    const words =
      has === should
        ? `its ${has} bytes of data are others`
        : `it has ${has} bytes of data and not ${should}`;
    found.push({ field: 'data', words });
  }
  return found;
}

const whom = (to: Hex | null) => to ?? 'a new contract';

const lengthOf = (data: Hex) => (data.length - 2) / 2;

const hexOf = (text: string): Hex => `0x${text.slice(2).toLowerCase()}`;

/** Capitals of an address that has both are its checksum (EIP-55). */
function addressOf(text: string): Hex {
  const address = checksummedAddress(transactionBytes(text));
  const digits = text.slice(2);
  const isPlain = digits === digits.toLowerCase() || digits === digits.toUpperCase();
  if (isPlain || digits === address.slice(2)) return address;
  const message = 'is mistyped: its capitals are not those of its checksum (EIP-55); copy it again';
  throw new ApiFailure('validation_failed', `to ${message}`, { details: [{ path: 'to', message }] });
}
