import type { AutoTxEvent } from '../../core/auto-txs/auto-tx-rule.ts';
import type { Obstacle } from '../../core/auto-txs/auto-tx-state.ts';
import { withKeptDelegation } from '../../core/auto-txs/delegation-check.ts';
import { type KeptAutoTx, transactionOf } from '../../core/auto-txs/kept-auto-tx.ts';
import { preflight } from '../../core/auto-txs/preflight.ts';
import type { PreflightFacts } from '../../core/auto-txs/preflight-facts.ts';
import { comparedPrice, isDue } from '../../core/auto-txs/target.ts';
import { verdict } from '../../core/auto-txs/verdict.ts';
import { waitingBelow } from '../../core/auto-txs/waiting-below.ts';
import type { Present } from '../present.ts';
import type { EngineContext } from './engine-context.ts';
import { retryLater } from './retry-later.ts';
import { stepKept } from './step-kept.ts';

/** What the chain says of a sender, and what of its waits here. */
export interface SenderFacts {
  readonly nextNonce: number;
  readonly pendingNonce: number;
  /** Wei. */
  readonly balance: bigint;
  /** All live ones of the sender. */
  readonly live: readonly KeptAutoTx[];
}

/** When it was decided, by both clocks, ms: nothing may be sent long after. */
export interface Moment {
  readonly steady: number;
  readonly wall: number;
}

export interface Decided {
  readonly kept: KeptAutoTx;
  readonly at: Moment;
}

const momentOf = ({ steadyNow, wallNow }: EngineContext): Moment => ({
  steady: steadyNow(),
  wall: wallNow(),
});

/** Whether it goes out at these prices, if nothing is in the way. */
export const isDueAt = ({ order, signed }: KeptAutoTx, { prices, nextBaseFee }: Present): boolean =>
  signed !== null && isDue(order, signed, { lanePrice: prices[order.lane], nextBaseFee });

/**
 * Decides what becomes of a pending one and writes it down: that it is held, refused, or sent. Answers what is to be sent
 * now; `null`: nothing is. What its owner or the chain did in the meantime counts: it is asked within the transaction.
 */
export async function decideOne(
  { id, owner, signed }: KeptAutoTx,
  sender: SenderFacts,
  context: EngineContext,
): Promise<Decided | null> {
  let at: Moment = momentOf(context);
  const changed = await context.store.change(
    { id, owner },
    (kept) => {
      const present = context.present();
      if (kept.state.status !== 'PENDING' || present === null || !isDueAt(kept, present)) return null;
      // What is known of the sender is of this one.
      if (kept.signed?.hash !== signed?.hash) return null;
      const facts = preflightFacts(kept, sender, present, context);
      if (facts === null) return null;
      at = momentOf(context);
      const beside = {
        checks: withKeptDelegation(preflight(facts), kept.checks),
        checkedAt: context.wallNow(),
      };
      const change = stepKept(kept, eventOf(kept, facts, sender, present, context), context, beside);
      // A pause while this was worked out makes the head stale.
      return context.present()?.head === present.head ? change : null;
    },
    'engine',
  );
  return changed?.after.state.status === 'SUBMITTED' ? { kept: changed.after, at } : null;
}

/** The same bytes may go out again, of one that was decided to be sent and that no node is known to have. */
export async function decideAgain(
  { id, owner }: KeptAutoTx,
  context: EngineContext,
): Promise<Decided | null> {
  let at: Moment = momentOf(context);
  const changed = await context.store.change(
    { id, owner },
    (kept) => {
      const present = context.present();
      const isOpen = kept.state.status === 'SUBMITTED' && kept.state.sentAt === null;
      if (!isOpen || present === null || !isDueAt(kept, present)) return null;
      at = momentOf(context);
      return { autoTx: kept, notes: [], at: context.wallNow() };
    },
    'engine',
  );
  return changed === null ? null : { kept: changed.after, at };
}

function eventOf(
  kept: KeptAutoTx,
  facts: PreflightFacts,
  { live }: SenderFacts,
  present: Present,
  context: EngineContext,
): AutoTxEvent {
  const judged = verdict(facts);
  if (judged.kind === 'refuse') return { type: 'refuse', obstacle: judged.obstacle };
  const obstacle = judged.kind === 'hold' ? judged.obstacle : rivalOf(kept, live);
  if (obstacle === null) return { type: 'submit', ...reachedBy(kept, present) };
  const { hold } = kept.state;
  const times = hold !== null && hold.code === obstacle.code ? hold.times : 0;
  const blockTimeSec = context.profile()?.feeRule.blockTimeSec ?? 0;
  return { type: 'hold', obstacle, retryAt: retryLater(times, context.wallNow(), blockTimeSec) };
}

function reachedBy({ order, signed }: KeptAutoTx, { head, prices, nextBaseFee }: Present) {
  const { target, lane, isStrict } = order;
  const price = comparedPrice(order, signed, { lanePrice: prices[lane], nextBaseFee });
  if (price === null) return {};
  return { reached: { head: head.number, price, target, lane: isStrict ? null : lane } };
}

/** Somebody else's with the same nonce is on its way: nodes would take this one for a replacement of it. */
function rivalOf(kept: KeptAutoTx, live: readonly KeptAutoTx[]): Obstacle | null {
  const { nonce, hash } = kept.signed ?? {};
  const isTaken = live.some(
    ({ id, state, signed }) =>
      id !== kept.id && state.status === 'SUBMITTED' && signed?.nonce === nonce && signed?.hash !== hash,
  );
  if (!isTaken) return null;
  return {
    code: 'nonce_on_its_way',
    message: `another auto-tx of the sender has been sent with nonce ${nonce}: this one waits for what becomes of it`,
  };
}

function preflightFacts(
  kept: KeptAutoTx,
  { nextNonce, pendingNonce, balance, live }: SenderFacts,
  present: Present,
  context: EngineContext,
): PreflightFacts | null {
  const { id, order } = kept;
  const transaction = transactionOf(kept);
  const profile = context.profile();
  if (profile === null || transaction === null) return null;
  return {
    transaction,
    order,
    chainId: profile.id,
    chainName: profile.name,
    nativeSymbol: profile.nativeSymbol,
    nativeUsd: context.nativeUsd(),
    nextNonce,
    pendingNonce,
    balance,
    nextBaseFee: present.nextBaseFee,
    nextBlobBaseFee: present.nextBlobBaseFee,
    lanePrice: present.prices[order.lane],
    now: context.wallNow(),
    waitingBelow: waitingBelow(live, { id, nonce: transaction.nonce }),
  };
}
