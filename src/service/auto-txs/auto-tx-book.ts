import { randomBytes } from 'node:crypto';
import type {
  AutoTxAccount,
  AutoTxCreation,
  AutoTxDetails,
  AutoTxList,
  AutoTxUpdate,
} from '../../contract/auto-txs.ts';
import type { StatsChart } from '../../contract/dashboard.ts';
import { stepAutoTx } from '../../core/auto-txs/auto-tx-rule.ts';
import { NEW_DRAFT, NEW_PENDING } from '../../core/auto-txs/auto-tx-state.ts';
import { withKeptDelegation } from '../../core/auto-txs/delegation-check.ts';
import { type Check, type KeptAutoTx, transactionOf } from '../../core/auto-txs/kept-auto-tx.ts';
import type { Hex } from '../../core/block.ts';
import { type ChainProfile, chainProfile } from '../../core/chains.ts';
import type { SignedTransaction } from '../../core/transactions/signed-transaction.ts';
import type { AutoTxChange } from '../../store/auto-tx-change.ts';
import type { AutoTxStore } from '../../store/auto-tx-store.ts';
import { SameNonceError } from '../../store/same-nonce-error.ts';
import { ApiFailure } from '../http/errors.ts';
import { type AutoTxOutlook, accountAnswer, autoTxAnswer, autoTxDetails } from '../responses/auto-txs.ts';
import { isoFromMs } from '../responses/wire.ts';
import { type CheckerParts, checkToSend, requirePool } from './auto-tx-checker.ts';
import { contentOf, requireSaid } from './auto-tx-content.ts';
import { orderOf } from './auto-tx-order.ts';
import {
  AUTO_TXS_PER_KEY,
  changedMeanwhile,
  noAutoTx,
  notCancelled,
  notFinal,
  sameNonce,
  tooMany,
} from './auto-tx-refusals.ts';
import { planChange, signatureOf } from './change-auto-tx.ts';
import { readSigned } from './read-signed.ts';
import { readSender } from './sender-facts.ts';

const ID_BYTES = 8;
const TIMELINE_MOST = 200;
/** More cannot be told apart in a chart. */
const MARKS_MOST = 500;
const LOADING_RETRY_SEC = 5;

export interface AutoTxBookParts extends CheckerParts {
  readonly store: AutoTxStore;
  /** `null`: nobody has said yet which chain this is. */
  readonly chain: () => ChainProfile | null;
  /** How many blocks of a chain make a transaction final. */
  readonly confirmations: (chain: ChainProfile) => number;
  readonly outlook: AutoTxOutlook;
  /** Called when there is something new to send, or less. */
  readonly onChanged?: () => void;
}

/** The auto-txs of the service as v1 tells them, to each owner its own. What is signed is taken in and never given out. */
export class AutoTxBook {
  readonly #parts: AutoTxBookParts;

  constructor(parts: AutoTxBookParts) {
    this.#parts = parts;
  }

  /** Ms since epoch, for what is to be checked of a body. */
  now(): number {
    return this.#parts.wallNow();
  }

  /** @throws {ApiFailure} `validation_failed`, `conflict`; `upstream_unavailable` while the chain is not known. */
  async create(owner: string, creation: AutoTxCreation): Promise<AutoTxDetails> {
    const { store, source } = this.#parts;
    requirePool(source);
    const signed = creation.signedTransaction === undefined ? null : readSigned(creation.signedTransaction);
    if (signed !== null) requireSaid(creation, signed.transaction);
    const made = await this.#make(owner, creation, signed?.transaction ?? null);
    const most = owner === '' ? Number.POSITIVE_INFINITY : AUTO_TXS_PER_KEY;
    const created = await store.create(made, signed?.bytes ?? null, most);
    if (created.kind === 'too-many') throw tooMany();
    if (created.kind === 'same-nonce') throw sameNonce(created.id);
    this.#parts.onChanged?.();
    return this.#details(owner, made);
  }

  async list(owner: string, page: number, size: number): Promise<AutoTxList> {
    const { autoTxs, total } = await this.#parts.store.list(owner, { offset: page * size, limit: size });
    const moment = this.#parts.outlook.now();
    const items = autoTxs.map((autoTx) => autoTxAnswer(autoTx, owner, moment, { isListed: true }));
    return { items, page, size, total };
  }

  /** @throws {ApiFailure} `not_found`, as all below. */
  async details(owner: string, id: string): Promise<AutoTxDetails> {
    return this.#details(owner, await this.#find(owner, id));
  }

  /** @throws {ApiFailure} `validation_failed`; `conflict` where it is too late. */
  async update(owner: string, id: string, update: AutoTxUpdate): Promise<AutoTxDetails> {
    const { wallNow, source } = this.#parts;
    const before = await this.#find(owner, id);
    if (update.signedTransaction !== undefined) requirePool(source);
    const signed = update.signedTransaction === undefined ? null : readSigned(update.signedTransaction);
    const facts = () => ({
      signed: signed?.transaction ?? null,
      confirmations: this.#confirmations(before),
      now: wallNow(),
    });
    const planned = planChange(before, update, facts());
    if (planned === null) return this.#details(owner, before);
    const checks = planned.isToCheck
      ? await this.#check(owner, planned.autoTx, signed?.transaction ?? null)
      : null;
    return this.#change(owner, before, (kept) => {
      // The checks are of what was read before them.
      if (checks !== null && !isSameOrder(kept, before)) throw changedMeanwhile();
      const change = planChange(kept, update, facts());
      if (change === null) return null;
      const { autoTx, notes } = change;
      const checked = checks === null ? {} : { checks, checkedAt: wallNow() };
      return {
        autoTx: { ...autoTx, ...checked },
        notes,
        at: wallNow(),
        ...(signed === null ? {} : { signed: signed.bytes }),
      };
    });
  }

  /** Never to be sent; one that is cancelled stays so. @throws {ApiFailure} `conflict` once it was submitted, or is final. */
  async cancel(owner: string, id: string): Promise<AutoTxDetails> {
    const { wallNow } = this.#parts;
    return this.#change(owner, await this.#find(owner, id), (kept) => {
      if (kept.state.status === 'CANCELLED') return null;
      const now = wallNow();
      const nonce = kept.signed?.nonce ?? 0;
      const facts = { nonce, confirmations: this.#confirmations(kept), now };
      const next = stepAutoTx(kept.state, { type: 'cancel' }, facts);
      if (next === null) throw notCancelled(kept);
      return { autoTx: { ...kept, state: next.state, updatedAt: now }, notes: next.notes, at: now };
    });
  }

  /** @throws {ApiFailure} `conflict` where it may still be sent. */
  async remove(owner: string, id: string): Promise<void> {
    const removed = await this.#parts.store.remove(owner, id);
    if (removed === null) throw noAutoTx();
    if (removed === 'not-final') throw notFinal();
  }

  /** What the chain says of a sender. @throws {ApiFailure} or {ChainError} where it does not say it. */
  async account(owner: string, address: Hex, ended: AbortSignal): Promise<AutoTxAccount> {
    const { store, source } = this.#parts;
    requirePool(source);
    const { id: chainId } = this.#chain();
    const facts = await readSender(source, address, ended);
    return accountAnswer({ chainId, address, ...facts }, await store.waiting(owner, address));
  }

  /** Where auto-txs of the owner were mined from `from` to `to` (Unix seconds, inclusive), oldest first. */
  async marks(owner: string, from: number, to: number): Promise<StatsChart['events']> {
    const window = { from: from * 1_000, to: to * 1_000, limit: MARKS_MOST };
    const executed = await this.#parts.store.executedBetween(owner, window);
    return executed.flatMap(({ id, state: { inclusion } }) =>
      inclusion === null ? [] : [{ timestamp: isoFromMs(inclusion.minedAt), kind: 'AUTO_TX' as const, id }],
    );
  }

  async #make(
    owner: string,
    creation: AutoTxCreation,
    transaction: SignedTransaction | null,
  ): Promise<KeptAutoTx> {
    const { moment, wallNow } = this.#parts;
    const order = orderOf(creation);
    const id = `atx_${randomBytes(ID_BYTES).toString('hex')}`;
    const { id: chainId } = this.#chain();
    const checks =
      transaction === null
        ? null
        : await checkToSend(this.#parts, { owner, id, chainId, transaction, order, isNew: true });
    const present = moment();
    const now = wallNow();
    return {
      id,
      owner,
      chainId,
      order,
      note: creation.note.toWellFormed(),
      ...(transaction === null
        ? { ...contentOf(creation), signed: null, state: NEW_DRAFT }
        : {
            to: transaction.to,
            value: transaction.value,
            data: transaction.data,
            signed: signatureOf(transaction),
            state: NEW_PENDING,
          }),
      checks: checks ?? [],
      checkedAt: checks === null ? null : now,
      createdAt: now,
      updatedAt: now,
      priceAtCreation: present === null || present.stale ? null : present.advice.lanes[order.lane].price,
      dayMeanPrice: null,
      nativeUsd: null,
    };
  }

  /** @param signed what was signed now; `null`: it is what was signed before. */
  async #check(owner: string, autoTx: KeptAutoTx, signed: SignedTransaction | null): Promise<Check[]> {
    const { id, chainId, order } = autoTx;
    const transaction = signed ?? transactionOf(autoTx);
    if (transaction === null) return [];
    const isNew = signed !== null;
    const checks = await checkToSend(this.#parts, { owner, id, chainId, order, transaction, isNew });
    return isNew ? checks : withKeptDelegation(checks, autoTx.checks);
  }

  async #change(
    owner: string,
    before: KeptAutoTx,
    decide: (kept: KeptAutoTx) => AutoTxChange | null,
  ): Promise<AutoTxDetails> {
    const { store } = this.#parts;
    try {
      const changed = await store.change({ owner, id: before.id }, decide, 'owner');
      if (changed !== null) this.#parts.onChanged?.();
      // Nothing was to change, or it is gone.
      return this.#details(owner, changed?.after ?? (await this.#find(owner, before.id)));
    } catch (error) {
      throw error instanceof SameNonceError ? sameNonce(error.id) : error;
    }
  }

  async #details(owner: string, autoTx: KeptAutoTx): Promise<AutoTxDetails> {
    const { store, outlook } = this.#parts;
    return autoTxDetails(autoTx, await store.timeline(autoTx.id, TIMELINE_MOST), owner, outlook.now());
  }

  async #find(owner: string, id: string): Promise<KeptAutoTx> {
    const autoTx = await this.#parts.store.find(owner, id);
    if (autoTx === null) throw noAutoTx();
    return autoTx;
  }

  /** Also while no node says which chain this is: what is not to be sent must not wait for that. */
  #confirmations({ chainId }: KeptAutoTx): number {
    return this.#parts.confirmations(this.#parts.chain() ?? chainProfile(chainId));
  }

  #chain(): ChainProfile {
    const chain = this.#parts.chain();
    if (chain !== null) return chain;
    throw new ApiFailure(
      'upstream_unavailable',
      'no node has said yet which chain this is, which /readyz tells; ask again in a moment',
      { headers: { 'Retry-After': String(LOADING_RETRY_SEC) } },
    );
  }
}

const isSameOrder = (one: KeptAutoTx, other: KeptAutoTx) =>
  one.signed?.hash === other.signed?.hash &&
  one.order.target === other.order.target &&
  one.order.lane === other.order.lane &&
  one.order.isStrict === other.order.isStrict &&
  one.order.expiresAt === other.order.expiresAt;
