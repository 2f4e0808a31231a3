import type { ChainSource } from '../../chain/chain-source.ts';
import type { AutoTxUpdate } from '../../contract/auto-txs.ts';
import { preflight, problemsOf, withEarlierDelegation } from '../../core/auto-txs/preflight.ts';
import { NEW_DRAFT } from '../../core/auto-txs/state-machine.ts';
import { type Check, callDifferences, type StoredAutoTx } from '../../core/auto-txs/stored-auto-tx.ts';
import { cannotBroadcastReason } from '../../core/auto-txs/target.ts';
import type { Hex } from '../../core/block.ts';
import { checksummed, type SignedTransaction } from '../../core/transactions/signed-transaction.ts';
import { ApiFailure, conflict, invalidField } from '../http/errors.ts';
import { type FactSources, readFacts, type ToCheck } from './preflight-facts.ts';

/**
 * @param earlier its checks until now, where its signature stays
 * @throws {ApiFailure} `validation_failed` when its signature or this request's changes can never be included
 */
export async function checkToSend(
  sources: FactSources,
  toCheck: ToCheck & Pick<StoredAutoTx, 'owner'>,
  earlier: readonly Check[] | null = null,
): Promise<Check[]> {
  const facts = await readFacts(sources, toCheck);
  const checks = preflight({ ...facts, cannotBroadcastReason: cannotBroadcastReason(sources.source.kind) });
  const details = problemsOf(checks).filter(({ path }) => earlier === null || path !== 'signedTransaction');
  if (details.length === 0) return earlier === null ? checks : withEarlierDelegation(checks, earlier);
  const message = details.map((each) => each.message).join('; ');
  throw new ApiFailure('validation_failed', message, { details });
}

/** @throws {ApiFailure} `conflict` for a source that cannot broadcast. */
export function requirePool({ kind }: ChainSource): void {
  const why = cannotBroadcastReason(kind);
  if (why !== null) throw conflict(`${why}; run with --rpc URL`);
}

export type Content = Pick<StoredAutoTx, 'to' | 'value' | 'data'>;

type SaidContent = Pick<AutoTxUpdate, 'to' | 'value' | 'data'>;

/** @throws {ApiFailure} when it can no longer change, or a signature belongs to another call. */
export function contentAfter(
  stored: Content & Pick<StoredAutoTx, 'signed'> & Partial<Pick<StoredAutoTx, 'state'>>,
  said: SaidContent,
  signed: SignedTransaction | null,
): Content {
  const isDraft = stored.signed === null;
  const wanted = contentWith(isDraft ? stored : (signed ?? stored), said);
  if (signed === null) {
    const changed = isDraft
      ? []
      : callDifferences({ ...stored, chainId: null }, { ...wanted, chainId: null });
    if (changed.length === 0) return wanted;
    const fields = changed.map(({ field }) => field).join(', ');
    throw conflict(`${fields} cannot change: it is signed; give another signedTransaction`);
  }
  const { status, attempts, mayBeOut } = stored.state ?? NEW_DRAFT;
  if (!isDraft && (attempts > 0 || mayBeOut || (status !== 'PENDING' && status !== 'DISABLED'))) {
    throw conflict(
      'it was broadcast before and may still be mined, so its signature cannot be replaced here; send another transaction with its nonce from the wallet',
    );
  }
  const others = callDifferences(signed, { ...wanted, chainId: null });
  if (others.length > 0) throw wrongSignature(others.map(({ words }) => words).join('; '));
  return { to: signed.to, value: signed.value, data: signed.data };
}

/** @throws {ApiFailure} `validation_failed` for a mistyped address, by its checksum. */
const contentWith = (content: Content, { to, value, data }: SaidContent): Content => ({
  to: to === undefined ? content.to : to === null ? null : addressOf(to),
  value: value === undefined ? content.value : BigInt(value),
  data: data === undefined ? content.data : hexOf(data),
});

const hexOf = (text: string): Hex => `0x${text.slice(2).toLowerCase()}`;

/** Mixed case is the checksum of an address (EIP-55). */
function addressOf(text: string): Hex {
  const address = checksummed(hexOf(text));
  const digits = text.slice(2);
  const isPlain = digits === digits.toLowerCase() || digits === digits.toUpperCase();
  if (isPlain || digits === address.slice(2)) return address;
  throw invalidField('to', 'is mistyped: its capitals are not those of its checksum (EIP-55); copy it again');
}

export function wrongSignature(why: string): ApiFailure {
  return new ApiFailure('validation_failed', `signedTransaction is refused: ${why}`, {
    details: [{ path: 'signedTransaction', message: why }],
  });
}
