import type { AutoTxUpdate } from '../../contract/auto-txs.ts';
import { type AutoTxStatus, LANE_OF_SPEED } from '../../contract/choices.ts';
import type { Check } from '../../core/auto-txs/check.ts';
import { changedTargetWords } from '../../core/auto-txs/cost-limit.ts';
import {
  type AutoTxOrder,
  changedOrder,
  isSameOrder,
  isSameTarget,
  NEW_ORDER,
} from '../../core/auto-txs/order.ts';
import { gasObstacleOf } from '../../core/auto-txs/preflight.ts';
import {
  type AutoTxEvent,
  isChangeable,
  isWaiting,
  NEW_DRAFT,
  NEW_PENDING,
  type RuleFacts,
  type TimelineNote,
} from '../../core/auto-txs/state-machine.ts';
import { callDifferences, type StoredAutoTx, stepStored } from '../../core/auto-txs/stored-auto-tx.ts';
import type { Hex } from '../../core/block.ts';
import { checksummed, type SignedTransaction } from '../../core/transactions/signed-transaction.ts';
import { utcMinute, weiOfGwei } from '../../core/units.ts';
import { ApiFailure, conflict, invalidField } from '../http/errors.ts';

/** What a request makes of an auto-tx, new or stored. */

export type Content = Pick<StoredAutoTx, 'to' | 'value' | 'data'>;

/** Of a new auto-tx, before anything is asked for. */
export const NO_CONTENT: Content = { to: null, value: 0n, data: '0x' };

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
  const { state = NEW_DRAFT } = stored;
  if (!isDraft && (state.attempts > 0 || state.mayBeOut || !isWaiting(state))) {
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

interface ChangeFacts extends Omit<RuleFacts, 'nonce'> {
  readonly signed: SignedTransaction | null;
  /** Of this change; `null`: those before it. */
  readonly checks: readonly Check[] | null;
  /** The order with the target of its new limit of cost; `null`: it is not worked out. */
  readonly priced: AutoTxOrder | null;
}

/** `null`: nothing changes. @throws {ApiFailure} `conflict` when it is too late, `validation_failed` */
export function planChange(
  stored: StoredAutoTx,
  update: AutoTxUpdate,
  { signed, checks, priced, confirmations, now }: ChangeFacts,
) {
  const content = contentAfter(stored, update, signed);
  const wanted = orderWith(update, stored.order, signed !== null);
  const order = priced !== null && isSameOrder(priced, wanted) ? priced : wanted;
  const news = changedWords(stored, { ...content, order }, signed?.nonce);
  const isSigned = stored.signed !== null || signed !== null;
  if (!isChangeable(stored.state) && (news.length > 0 || update.status !== undefined)) throw tooLate(stored);
  const note = (update.note ?? stored.note).toWellFormed();
  const signature = signed && { signed: signatureOf(signed) };
  let autoTx: StoredAutoTx = { ...stored, ...content, ...signature, order, note, updatedAt: now };
  const notes: TimelineNote[] = [];
  const apply = (event: AutoTxEvent) => {
    const step = stepStored(autoTx, event, { confirmations, now });
    if (step === null) throw tooLate(stored);
    autoTx = step.autoTx;
    notes.push(...step.notes);
  };
  if (news.length > 0) apply({ type: 'change', message: news.join('; ') });
  if (stored.signed === null && signed !== null) apply({ type: 'sign' });
  if (update.status !== undefined && !isSigned) {
    throw conflict('a draft needs its signature: give signedTransaction first');
  }
  if (update.status !== undefined && update.status !== autoTx.state.status) {
    apply({ type: update.status === 'PENDING' ? 'enable' : 'disable' });
  }
  const obstacle = gasObstacleOf(checks ?? stored.checks);
  // A change frees it of its hold, and the gas pass judges it anew only with other rules.
  if (notes.length > 0 && autoTx.state.status === 'PENDING' && obstacle !== null) {
    apply({ type: 'hold', obstacle, retryAt: now });
  }
  if (notes.length === 0 && note === stored.note) return null;
  const isToPrice = order.costLimit !== null && order.costLimit.since === null;
  return { autoTx, notes, isToPrice, isToCheck: isSigned && (signed !== null || news.length > 0) };
}

/** One that begins to wait; without a transaction a draft. `now`: ms since epoch. */
export const newAutoTx = (
  facts: Pick<StoredAutoTx, 'id' | 'owner' | 'chainId' | 'order' | 'note' | 'priceAtCreation'> & Content,
  transaction: SignedTransaction | null,
  checks: readonly Check[] | null,
  now: number,
): StoredAutoTx => ({
  ...facts,
  signed: transaction && signatureOf(transaction),
  state: transaction === null ? NEW_DRAFT : NEW_PENDING,
  checks: checks ?? [],
  checkedAt: checks && now,
  createdAt: now,
  updatedAt: now,
  dayMeanPrice: null,
  nativeUsd: null,
});

function signatureOf(transaction: SignedTransaction): NonNullable<StoredAutoTx['signed']> {
  const { to, value, data, authorizations, ...signature } = transaction;
  return signature;
}

function changedWords(
  stored: StoredAutoTx,
  after: Content & Pick<StoredAutoTx, 'order'>,
  nonce?: number,
): string[] {
  const { order: before, signed } = stored;
  const { order } = after;
  const hasOther = (['to', 'value', 'data'] as const).some((field) => after[field] !== stored[field]);
  return [
    signed !== null && nonce !== undefined && `signed again, with nonce ${nonce}`,
    signed === null && hasOther && 'its to, value or data changed',
    !isSameTarget(order, before) && changedTargetWords(before, order),
    order.lane !== before.lane && `lane ${before.lane} → ${order.lane}`,
    order.isStrict !== before.isStrict &&
      (order.isStrict ? 'compares its own price' : "compares its lane's price"),
    order.expiresAt !== before.expiresAt &&
      (order.expiresAt === null ? 'it no longer expires' : `it expires at ${utcMinute(order.expiresAt)}`),
  ].filter((words) => words !== false);
}

function tooLate({ state }: StoredAutoTx): ApiFailure {
  return conflict(
    state.status === 'SUBMITTED'
      ? 'it was submitted, so only its note can change; only a same-nonce replacement from the wallet can stop it'
      : `it ${isWords(state.status)}, so only its note can change; create another one`,
  );
}

export const orderWith = (
  { targetGasPriceGwei, threshold, gasSpeed, strictTargetPrice, expiresAt }: AutoTxUpdate,
  order = NEW_ORDER,
  isSignedAnew = false,
): AutoTxOrder =>
  changedOrder(
    order,
    {
      target: targetGasPriceGwei == null ? undefined : weiOfGwei(targetGasPriceGwei),
      maxCost: threshold ?? undefined,
      lane: gasSpeed && LANE_OF_SPEED[gasSpeed],
      isStrict: strictTargetPrice,
      expiresAt: expiresAt == null ? expiresAt : Date.parse(expiresAt),
    },
    isSignedAnew,
  );

export const isWords = (status: AutoTxStatus) =>
  `${status === 'FAILED' || status === 'EXPIRED' ? 'has' : 'is'} ${status.toLowerCase()}`;
