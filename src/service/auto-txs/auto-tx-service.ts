import { randomBytes } from 'node:crypto';
import type { ChainSource } from '../../chain/chain-source.ts';
import type {
  AutoTxAccount,
  AutoTxCreation,
  AutoTxDetails,
  AutoTxList,
  AutoTxUpdate,
} from '../../contract/auto-txs.ts';
import type { StatsChart, Summary } from '../../contract/dashboard.ts';
import type { Pending } from '../../contract/pending.ts';
import type { LaneName } from '../../core/advice.ts';
import type { Check } from '../../core/auto-txs/check.ts';
import { type AutoTxOrder, isSameOrder } from '../../core/auto-txs/order.ts';
import {
  liveForChecks,
  preflight,
  problemsOf,
  withEarlierDelegation,
} from '../../core/auto-txs/preflight.ts';
import {
  type AutoTxStep,
  type StoredAutoTx,
  stepStored,
  transactionOf,
} from '../../core/auto-txs/stored-auto-tx.ts';
import { cannotBroadcastReason, ownPriceAt } from '../../core/auto-txs/target.ts';
import type { Hex } from '../../core/block.ts';
import { type ChainProfile, chainProfile } from '../../core/chains.ts';
import { readSigned } from '../../core/transactions/decode-transaction.ts';
import { checksummed, type SignedTransaction } from '../../core/transactions/signed-transaction.ts';
import type { Pooled } from '../../core/transactions/stuck.ts';
import { formatCount } from '../../core/units.ts';
import type { AutoTxStore } from '../../store/auto-txs.ts';
import { OPERATOR, type TimeSpan } from '../../store/tables.ts';
import { bounded } from '../chain-reader.ts';
import { dataFeesOf } from '../data-fees-in-time.ts';
import { ApiFailure, conflict, notFound, requireAwaited, unavailable } from '../http/errors.ts';
import { unlessOutdated } from '../published-chain.ts';
import { type AutoTxMomentParts, autoTxMoments, autoTxResponse } from '../responses/auto-txs.ts';
import type { Totals } from '../responses/summary.ts';
import { integerOrNull, isoFromMs } from '../responses/wire.ts';
import {
  contentAfter,
  isWords,
  NO_CONTENT,
  newAutoTx,
  orderWith,
  planChange,
  wrongSignature,
} from './auto-tx-change.ts';
import { workOutTarget } from './cost-limits.ts';
import { codeKind, type FactSources, readFacts, senderRequests, type ToCheck } from './preflight-facts.ts';

const ID_BYTES = 8;
const LOADING_RETRY_SEC = 5;

interface AutoTxServiceParts extends FactSources, AutoTxMomentParts {
  readonly store: AutoTxStore;
  /** What holds back a transaction in no block; `null` while that is not known. */
  readonly pending: (transaction: Pooled, lane: LaneName) => Promise<Pending | null>;
  readonly onChanged?: () => void;
}

/** The auto-tx endpoints of v1, separated by owner. Accepts signed bytes and never returns them. */
export class AutoTxService {
  readonly #parts: AutoTxServiceParts;
  readonly #moment: ReturnType<typeof autoTxMoments>;

  constructor(parts: AutoTxServiceParts) {
    this.#parts = parts;
    this.#moment = autoTxMoments(parts);
  }

  now(): number {
    return this.#parts.wallNow();
  }

  /** @throws {ApiFailure} `validation_failed`, `conflict`; `upstream_unavailable` while the chain is unknown. */
  async create(owner: string, creation: AutoTxCreation, ended: AbortSignal): Promise<AutoTxDetails> {
    const { store, source, wallNow } = this.#parts;
    requirePool(source);
    const signed = await this.#readNew(owner, null, creation.signedTransaction);
    const transaction = signed?.transaction ?? null;
    const content = contentAfter({ ...(transaction ?? NO_CONTENT), signed: null }, creation, transaction);
    const id = `atx_${randomBytes(ID_BYTES).toString('hex')}`;
    const chain = this.#profile();
    const chainId = chain.id;
    const toPrice = { order: orderWith(creation), transaction, value: content.value, profile: () => chain };
    const order = await workOutTarget(this.#parts, toPrice);
    const checks =
      transaction && (await checkToSend(this.#parts, { owner, id, chainId, transaction, order }));
    const priceAtCreation = this.#ownPrice(transaction);
    const note = creation.note.toWellFormed();
    const facts = { id, owner, chainId, order, note, ...content, priceAtCreation };
    const made = newAutoTx(facts, transaction, checks, wallNow());
    const most = owner === OPERATOR ? Number.POSITIVE_INFINITY : AUTO_TXS_PER_KEY;
    requireAwaited(ended);
    const created = await store.create(made, signed?.bytes ?? null, most);
    if (created.kind === 'too-many') {
      throw conflict(
        `this key has ${formatCount(AUTO_TXS_PER_KEY)} auto-txs already that are not final, which is the most; cancel some, or delete drafts`,
      );
    }
    if (created.kind === 'same-nonce') throw sameNonce(created.id);
    this.#parts.onChanged?.();
    return this.#details(owner, made);
  }

  async list(owner: string, page: number, size: number): Promise<AutoTxList> {
    const { autoTxs, total } = await this.#parts.store.list(owner, { offset: page * size, limit: size });
    const moment = this.#moment();
    const items = autoTxs.map((autoTx) => autoTxResponse(autoTx, owner, moment, { isListed: true }));
    return { items, page, size, total };
  }

  /** @throws {ApiFailure} `not_found`, like all methods below. */
  async details(owner: string, id: string): Promise<AutoTxDetails> {
    return this.#details(owner, await this.#find(owner, id));
  }

  /** @throws {ApiFailure} `validation_failed`; `conflict` when it is too late. */
  async update(owner: string, id: string, update: AutoTxUpdate, ended: AbortSignal): Promise<AutoTxDetails> {
    const { wallNow, source } = this.#parts;
    const before = await this.#find(owner, id);
    if (update.signedTransaction !== undefined) requirePool(source);
    const signed = await this.#readNew(before.owner, id, update.signedTransaction);
    const transaction = signed?.transaction ?? null;
    const plan = (stored: StoredAutoTx, checks: Check[] | null, priced: AutoTxOrder | null) =>
      planChange(stored, update, {
        signed: transaction,
        checks,
        priced,
        confirmations: this.#confirmations(before),
        now: wallNow(),
      });
    const planned = plan(before, null, null);
    if (planned === null) return this.#details(owner, before);
    const whole = transaction ?? transactionOf(planned.autoTx);
    const toPrice = { ...planned.autoTx, transaction: whole, profile: () => this.#profile() };
    const priced = planned.isToPrice ? await workOutTarget(this.#parts, toPrice) : null;
    const order = priced ?? planned.autoTx.order;
    const toCheck = whole && { ...planned.autoTx, owner, order, transaction: whole };
    const earlier = transaction === null ? before.checks : null;
    const checks = planned.isToCheck && toCheck ? await checkToSend(this.#parts, toCheck, earlier) : null;
    return this.#change(owner, before, (stored) => {
      requireAwaited(ended);
      // The checks belong to the state read before them.
      if (
        checks !== null &&
        !(stored.signed?.hash === before.signed?.hash && isSameOrder(stored.order, before.order))
      ) {
        throw conflict('another request changed it meanwhile; read it and try again');
      }
      const change = plan(stored, checks, priced);
      if (change === null) return null;
      const at = wallNow();
      const autoTx = { ...change.autoTx, ...(checks && { checks, checkedAt: at }) };
      if (signed === null) return { autoTx, notes: change.notes, at };
      const priceAtCreation = this.#ownPrice(transaction);
      return { autoTx: { ...autoTx, priceAtCreation }, notes: change.notes, at, signedBytes: signed.bytes };
    });
  }

  /** Cancels it for good. @throws {ApiFailure} `conflict` once it is submitted or final. */
  async cancel(owner: string, id: string): Promise<AutoTxDetails> {
    const { wallNow } = this.#parts;
    return this.#change(owner, await this.#find(owner, id), (stored) => {
      if (stored.state.status === 'CANCELLED') return null;
      const facts = { confirmations: this.#confirmations(stored), now: wallNow() };
      const step = stepStored(stored, { type: 'cancel' }, facts);
      if (step !== null) return step;
      throw conflict(
        stored.state.status === 'SUBMITTED'
          ? `it was submitted: only a same-nonce replacement from the wallet can stop it (nonce ${stored.signed?.nonce}, with a higher fee)`
          : `it ${isWords(stored.state.status)}: there is nothing to cancel`,
      );
    });
  }

  async remove(owner: string, id: string): Promise<void> {
    const removed = await this.#parts.store.remove(owner, id);
    if (removed === null) throw noAutoTx();
    if (removed === 'not-final') {
      throw conflict(
        'it may still be broadcast: cancel it first; a submitted one can be deleted once it is final',
      );
    }
  }

  /** The chain's account of a sender. @throws {ApiFailure} or {ChainError} when the node fails. */
  async account(owner: string, address: Hex, ended: AbortSignal): Promise<AutoTxAccount> {
    const { store, source } = this.#parts;
    requirePool(source);
    const chain = this.#profile();
    const requests = () => Promise.all(senderRequests(source, address));
    const code = bounded(async () => source.code?.(address), ended).then(
      (found) => (found === undefined ? null : codeKind(found)),
      () => null,
    );
    const [[nextNonce, pendingNonce, balance], { parameters, reason }, kind] = await Promise.all([
      bounded(requests, ended),
      dataFeesOf(source, chain),
      code,
    ]);
    const live = await store.liveOf(owner, checksummed(address));
    return {
      chainId: chain.id,
      address,
      nonce: nextNonce,
      pendingNonce,
      balanceWei: balance.toString(),
      waiting: [...liveForChecks(live)],
      dataFees: parameters && {
        rate: parameters.rate.toString(),
        operatorPerMillionGas: parameters.operatorPerMillionGas.toString(),
        operatorConstant: parameters.operatorConstant.toString(),
      },
      dataFeesReason: reason,
      code: kind,
      blockGasLimit: integerOrNull(this.#parts.readPublished()?.head.gasLimit),
    };
  }

  async totals(owner: string): Promise<Totals<Summary['autoTxs']>> {
    const { byStatus, executed, savedWei, savedUsd } = await this.#parts.store.totals(owner);
    const total = Object.values(byStatus).reduce((sum, count) => sum + count, 0);
    return {
      counts: { total, byStatus },
      events: executed,
      saved: { savedWei: savedWei.toString(), savedUsd },
    };
  }

  /** The owner's auto-txs by when they were mined, oldest first. */
  async marks(owner: string, span: TimeSpan): Promise<StatsChart['events']> {
    const executed = await this.#parts.store.executedBetween(owner, span);
    return executed.flatMap(({ id, state: { inclusion } }) =>
      inclusion === null ? [] : [{ timestamp: isoFromMs(inclusion.minedAt), kind: 'AUTO_TX' as const, id }],
    );
  }

  /** Price per gas it would pay in the next block, wei; `null` for a draft, or when unknown. */
  #ownPrice(transaction: SignedTransaction | null): bigint | null {
    const published = unlessOutdated(this.#parts.readPublished());
    return transaction && published && ownPriceAt(transaction, published.advice.nextBaseFee);
  }

  async #change(
    owner: string,
    before: StoredAutoTx,
    decide: (stored: StoredAutoTx) => AutoTxStep | null,
  ): Promise<AutoTxDetails> {
    const { store } = this.#parts;
    const changed = await store.change({ owner, id: before.id }, decide, 'owner');
    if (changed !== null && 'rival' in changed) throw sameNonce(changed.rival);
    if (changed !== null) this.#parts.onChanged?.();
    return this.#details(owner, changed ?? (await this.#find(owner, before.id)));
  }

  /** Two entries with the same bytes would report one transaction twice. */
  async #readNew(owner: string, id: string | null, text: string | undefined) {
    if (text === undefined) return null;
    const signed = readSigned(text);
    if (signed.problem !== null) throw wrongSignature(signed.problem);
    const same = await this.#parts.store.sameBytes(owner, signed.transaction.hash);
    if (same === null || same.id === id) return signed;
    throw conflict(
      `it is the same transaction as ${same.id}, which ${isWords(same.state.status)}: change, cancel or delete that one instead, or sign another transaction`,
    );
  }

  async #details(owner: string, autoTx: StoredAutoTx): Promise<AutoTxDetails> {
    const { store, pending } = this.#parts;
    const transaction = transactionOf(autoTx);
    const { status, inclusion } = autoTx.state;
    const isOut = status === 'SUBMITTED' && inclusion === null && transaction !== null;
    const [timeline, held] = await Promise.all([
      store.timeline(autoTx.id),
      isOut ? pending(transaction, autoTx.order.lane) : null,
    ]);
    return {
      ...autoTxResponse(autoTx, owner, this.#moment(), { isListed: false }),
      timeline: timeline.map((entry) => ({ ...entry, at: isoFromMs(entry.at) })),
      pending: held,
    };
  }

  async #find(owner: string, id: string): Promise<StoredAutoTx> {
    const autoTx = await this.#parts.store.find(owner, id);
    if (autoTx === null) throw noAutoTx();
    return autoTx;
  }

  /** Also without a known chain: cancelling must not wait for a node. */
  #confirmations({ chainId }: StoredAutoTx): number {
    return this.#parts.confirmations(this.#parts.profile() ?? chainProfile(chainId));
  }

  #profile(): ChainProfile {
    const chain = this.#parts.profile();
    if (chain !== null) return chain;
    const why = 'no node has said yet which chain this is, see /readyz; try again in a moment';
    throw unavailable(why, LOADING_RETRY_SEC);
  }
}

/**
 * @param earlier its checks until now, where its signature stays
 * @throws {ApiFailure} `validation_failed` when its signature or this request's changes can never be included
 */
async function checkToSend(
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
function requirePool({ kind }: ChainSource): void {
  const why = cannotBroadcastReason(kind);
  if (why !== null) throw conflict(`${why}; run with --rpc URL`);
}

/** Maximum number of auto-txs per key that are not final, drafts included; the operator has no limit. */
export const AUTO_TXS_PER_KEY = 1_000;

const sameNonce = (id: string) =>
  conflict(
    `${id} has the same nonce of the same sender, and only one of them can be mined; cancel it first, or sign with another nonce`,
  );

const noAutoTx = () =>
  notFound('there is no such auto-tx, or it belongs to another key; GET /auto-txs lists yours');
