import { ChainError, type ChainSource } from '../../chain/chain-source.ts';
import type { AutoTxUpdate } from '../../contract/auto-txs.ts';
import type { AutoTxOrder, Check, KeptAutoTx } from '../../core/auto-txs/kept-auto-tx.ts';
import { waitingBelow } from '../../core/auto-txs/nonces.ts';
import { preflight, problemsOf } from '../../core/auto-txs/preflight.ts';
import { cannotBroadcastReason } from '../../core/auto-txs/target.ts';
import type { Hex } from '../../core/block.ts';
import {
  checksummedAddress,
  decodeTransaction,
  transactionBytes,
} from '../../core/transactions/decode-transaction.ts';
import { type SignedTransaction, TransactionError } from '../../core/transactions/signed-transaction.ts';
import type { AutoTxStore } from '../../store/auto-txs.ts';
import { bounded } from '../chain-reader.ts';
import { dataFeesOf } from '../data-fees.ts';
import { ApiFailure, conflict, invalidField } from '../http/errors.ts';
import type { Present } from '../responses/gas.ts';

export interface CheckerParts {
  readonly source: ChainSource;
  readonly store: Pick<AutoTxStore, 'waiting'>;
  readonly moment: () => Present | null;
  readonly wallNow: () => number;
  readonly signal: AbortSignal;
}

interface ToCheck {
  readonly owner: string;
  /** `null`: it is new. */
  readonly id: string | null;
  readonly chainId: number;
  readonly transaction: SignedTransaction;
  readonly order: AutoTxOrder;
  readonly isNew: boolean;
}

/** @throws {ApiFailure} `validation_failed` when its signature or this request's changes can never be included */
export async function checkToSend(
  { source, store, moment, wallNow, signal }: CheckerParts,
  { owner, id, chainId, transaction, order, isNew }: ToCheck,
): Promise<Check[]> {
  const present = moment();
  // Stale prices do not apply to the next block.
  const fresh = present === null || present.stale ? null : present;
  const [sender, waiting, dataFees] = await Promise.all([
    readKnownOfSender(source, transaction.from, signal),
    store.waiting(owner, transaction.from),
    dataFeesOf(source, present?.profile ?? null),
  ]);
  const facts = {
    transaction,
    order,
    cannotBroadcastReason: cannotBroadcastReason(source.kind),
    chainId,
    chainName: present?.profile.name ?? `chain ${chainId}`,
    nativeSymbol: present?.profile.nativeSymbol ?? 'ETH',
    nativeUsd: present?.nativeUsd ?? null,
    ...sender,
    nextBaseFee: fresh?.advice.nextBaseFee ?? null,
    nextBlobBaseFee: fresh?.advice.nextBlobBaseFee ?? null,
    lanePrice: fresh?.advice.lanes[order.lane].price ?? null,
    now: wallNow(),
    waitingBelow: waitingBelow(waiting, { id, nonce: transaction.nonce }),
    dataFees,
  };
  const checks = preflight(facts);
  const details = problemsOf(checks).filter(({ path }) => isNew || path !== 'signedTransaction');
  if (details.length === 0) return checks;
  const message = details.map((each) => each.message).join('; ');
  throw new ApiFailure('validation_failed', message, { details });
}

/** @throws {ApiFailure} `conflict` for a source that cannot broadcast. */
export function requirePool({ kind }: ChainSource): void {
  const why = cannotBroadcastReason(kind);
  if (why !== null) throw conflict(`${why}; run with --rpc URL`);
}

export type Content = Pick<KeptAutoTx, 'to' | 'value' | 'data'>;

type SaidContent = Pick<AutoTxUpdate, 'to' | 'value' | 'data'>;

/** @throws {ApiFailure} `validation_failed` for a mistyped address, by its checksum. */
export const contentOf = (said: SaidContent): Content =>
  contentWith({ to: null, value: 0n, data: '0x' }, said);

/** @throws {ApiFailure} when it can no longer change, or a signature belongs to another call. */
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
    const fields = changed.map(({ field }) => field).join(', ');
    throw conflict(`${fields} cannot change: it is signed; give another signedTransaction`);
  }
  requireReplaceable(kept);
  const said = Object.values({ to: update.to, value: update.value, data: update.data });
  if (said.some((value) => value !== undefined)) requireSame(contentWith(signed, update), signed);
  return { to: signed.to, value: signed.value, data: signed.data };
}

/** @throws {ApiFailure} with the differences between `signed` and the fields beside it. */
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
  throw conflict(
    'it was broadcast before and may still be mined, so its signature cannot be replaced here; send another transaction with its nonce from the wallet',
  );
}

/** Call data is compared by its length in messages: it is a part of the signed transaction. */
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

/** Mixed case is the checksum of an address (EIP-55). */
function addressOf(text: string): Hex {
  const address = checksummedAddress(hexOf(text));
  const digits = text.slice(2);
  const isPlain = digits === digits.toLowerCase() || digits === digits.toUpperCase();
  if (isPlain || digits === address.slice(2)) return address;
  throw invalidField('to', 'is mistyped: its capitals are not those of its checksum (EIP-55); copy it again');
}

/** @throws {ApiFailure} `validation_failed` at `signedTransaction`, without any part of it. */
export function readSigned(text: string) {
  try {
    const bytes = transactionBytes(text);
    return { bytes, transaction: decodeTransaction(bytes) };
  } catch (error) {
    // Other errors, and their causes, may repeat their input.
    throw wrongSignature(error instanceof TransactionError ? error.message : 'it cannot be read as one');
  }
}

function wrongSignature(why: string): ApiFailure {
  return new ApiFailure('validation_failed', `signedTransaction is refused: ${why}`, {
    details: [{ path: 'signedTransaction', message: why }],
  });
}

const WITHIN_MS = 4_000;

export interface SenderAccount {
  readonly nextNonce: number;
  /** The next nonce including the node's pool. */
  readonly pendingNonce: number;
  readonly balance: bigint;
}

/** @throws {ChainError} or {ApiFailure} when the node does not return all of it in time. */
export async function readSender(
  source: ChainSource,
  address: Hex,
  ended: AbortSignal,
): Promise<SenderAccount> {
  const [nextNonce, pendingNonce, balance] = await bounded(
    () => Promise.all(senderRequests(source, address)),
    ended,
  );
  return { nextNonce, pendingNonce, balance };
}

/** The same as far as known: late values are `null`. */
async function readKnownOfSender(
  source: ChainSource,
  address: Hex,
  ended: AbortSignal,
): Promise<{ readonly [Fact in keyof SenderAccount]: SenderAccount[Fact] | null }> {
  const known = <T>(request: Promise<T>) => bounded(() => request, ended, WITHIN_MS).catch(unlessUnforeseen);
  const [nextNonce, pendingNonce, balance] = senderRequests(source, address);
  const told = await Promise.all([known(nextNonce), known(pendingNonce), known(balance)]);
  return { nextNonce: told[0], pendingNonce: told[1], balance: told[2] };
}

function senderRequests(source: ChainSource, address: Hex) {
  return [
    source.nonce(address, 'latest'),
    source.nonce(address, 'pending'),
    source.balance(address),
  ] as const;
}

function unlessUnforeseen(error: unknown): null {
  if (error instanceof ChainError || error instanceof ApiFailure) return null;
  throw error;
}
