import type { AutoTxUpdate } from '../../contract/auto-txs.ts';
import { type AutoTxEvent, type Note, stepAutoTx } from '../../core/auto-txs/auto-tx-rule.ts';
import type { AutoTxState } from '../../core/auto-txs/auto-tx-state.ts';
import type { AutoTxOrder, KeptAutoTx } from '../../core/auto-txs/kept-auto-tx.ts';
import type { SignedTransaction } from '../../core/transactions/signed-transaction.ts';
import { formatGwei } from '../../core/units.ts';
import { ApiFailure } from '../http/errors.ts';
import { type Content, contentAfter } from './auto-tx-content.ts';
import { orderAfter } from './auto-tx-order.ts';
import { overWords } from './auto-tx-refusals.ts';

/** What an update makes of an auto-tx. */
export interface PlannedChange {
  readonly autoTx: KeptAutoTx;
  readonly notes: readonly Note[];
  /** What was signed, or when it is to be sent, is another: its checks are to be made again. */
  readonly isToCheck: boolean;
}

export interface ChangeFacts {
  /** What the update's signature is of; `null`: it has none. */
  readonly signed: SignedTransaction | null;
  /** Blocks that make it final. */
  readonly confirmations: number;
  /** Ms since epoch. */
  readonly now: number;
}

/**
 * What becomes of `kept` by an update; `null`: nothing changes.
 * @throws {ApiFailure} `conflict` where it is too late for that, `validation_failed` where a signature is of something else.
 */
export function planChange(
  kept: KeptAutoTx,
  update: AutoTxUpdate,
  { signed, confirmations, now }: ChangeFacts,
): PlannedChange | null {
  const content = contentAfter(kept, update, signed);
  const order = orderAfter(kept.order, update);
  const news = changedWords(kept, { content, order, signed });
  const isSigned = kept.signed !== null || signed !== null;
  if (!isOpen(kept.state) && (news.length > 0 || update.status !== undefined)) throw tooLate(kept);
  const step = (state: AutoTxState, event: AutoTxEvent) => {
    const nonce = (signed ?? kept.signed)?.nonce ?? 0;
    const next = stepAutoTx(state, event, { nonce, confirmations, now });
    if (next === null) throw tooLate(kept);
    return next;
  };
  const notes: Note[] = [];
  let { state } = kept;
  const apply = (event: AutoTxEvent) => {
    const next = step(state, event);
    state = next.state;
    notes.push(...next.notes);
  };
  if (news.length > 0) apply({ type: 'change', message: news.join('; ') });
  if (kept.signed === null && signed !== null) apply({ type: 'sign' });
  if (update.status !== undefined && !isSigned) throw unsigned();
  if (update.status !== undefined && update.status !== state.status) {
    apply({ type: update.status === 'PENDING' ? 'enable' : 'disable' });
  }
  const note = (update.note ?? kept.note).toWellFormed();
  if (notes.length === 0 && note === kept.note) return null;
  const autoTx = { ...kept, ...content, ...signatureAfter(kept, signed), order, note, state, updatedAt: now };
  return { autoTx, notes, isToCheck: isSigned && (signed !== null || news.length > 0) };
}

const isOpen = ({ status }: AutoTxState) =>
  status === 'DRAFT' || status === 'PENDING' || status === 'DISABLED';

function signatureAfter(kept: KeptAutoTx, signed: SignedTransaction | null): Pick<KeptAutoTx, 'signed'> {
  return { signed: signed === null ? kept.signed : signatureOf(signed) };
}

/** What is kept of a signed transaction beside what it does. */
export function signatureOf(transaction: SignedTransaction): NonNullable<KeptAutoTx['signed']> {
  const { to: _to, value: _value, data: _data, authorizations: _authorizations, ...signature } = transaction;
  return signature;
}

function changedWords(
  kept: KeptAutoTx,
  after: {
    readonly content: Content;
    readonly order: AutoTxOrder;
    readonly signed: SignedTransaction | null;
  },
): string[] {
  const { content, order, signed } = after;
  const before = kept.order;
  const words: string[] = [];
  if (kept.signed !== null && signed !== null) words.push(`it was signed anew, with nonce ${signed.nonce}`);
  if (
    kept.signed === null &&
    (['to', 'value', 'data'] as const).some((field) => content[field] !== kept[field])
  )
    words.push('what it is to do was changed');
  if (order.target !== before.target) {
    words.push(`its target is ${formatGwei(order.target)} gwei, it was ${formatGwei(before.target)} gwei`);
  }
  if (order.lane !== before.lane) words.push(`the ${order.lane} lane counts, it was the ${before.lane} one`);
  if (order.isStrict !== before.isStrict) {
    words.push(order.isStrict ? 'its own price counts' : "its lane's price counts");
  }
  if (order.expiresAt !== before.expiresAt) {
    words.push(
      order.expiresAt === null
        ? 'it does not expire any more'
        : `it expires at ${new Date(order.expiresAt).toISOString()}`,
    );
  }
  return words;
}

const unsigned = () =>
  new ApiFailure('conflict', 'a draft waits for its signature: give signedTransaction first');

function tooLate({ state }: KeptAutoTx): ApiFailure {
  return new ApiFailure(
    'conflict',
    state.status === 'SUBMITTED'
      ? 'it was submitted, so that only its note can change; only another transaction with its nonce, sent from the wallet, can stop it'
      : `${overWords(state.status)}, so that only its note can change; make another one`,
  );
}
