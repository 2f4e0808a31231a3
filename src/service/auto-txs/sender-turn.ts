import type { Look } from '../../core/auto-txs/auto-tx-rule.ts';
import type { KeptAutoTx } from '../../core/auto-txs/kept-auto-tx.ts';
import type { Block, Hex } from '../../core/block.ts';
import { mapBounded } from '../async.ts';
import { decideAgain, decideOne, isDueAt, type SenderFacts } from './decide-one.ts';
import type { EngineContext } from './engine-context.ts';
import { type Followed, followOne, type Seen } from './follow-one.ts';
import { retryLater } from './retry-later.ts';
import { type Sent, sendOne } from './send-one.ts';
import { askOfSender, type SenderQuestions } from './sender-questions.ts';
import { happen } from './step-kept.ts';

/** Receipts asked for at once, of one sender. */
const PARALLEL = 8;

export interface SenderTurnOptions {
  readonly context: EngineContext;
  readonly head: Block;
  /** What was seen of those that are followed. */
  readonly seen: Map<string, Seen>;
  /** The same of those that were never sent and whose nonce is used: kept until that is settled. */
  readonly doubts: Map<string, Seen>;
  /** What waits is looked at, too, and what is held is tried again, though nothing of it is due. */
  readonly isPatrol: boolean;
  /** So much is in doubt that whole blocks are not read to say what has used a nonce. */
  readonly isLight: boolean;
  /** Nothing is asked, or begun, after it aborts. */
  readonly signal: AbortSignal;
}

/**
 * One sender's turn: looks what has become of those of its auto-txs that may be out, then sends what is due, in the order of
 * their nonces. Answers the ids of those that are to be looked at again soon. Rejects as the node or the store do; what was
 * decided by then is written down.
 */
export async function runSenderTurn(
  from: Hex,
  followed: readonly KeptAutoTx[],
  options: SenderTurnOptions,
): Promise<readonly string[]> {
  const { context, signal, isPatrol } = options;
  const sender = askOfSender(context.source, from, signal);
  const looked = await mapBounded(followed, PARALLEL, signal, (kept) => followOne(kept, sender, options));
  for (const each of looked) if (isUnsure(each)) await sendAgain(each, options);
  if (isPatrol) await lookAtUnsent(from, sender, options);
  await sendDue(from, sender, looked, options);
  return looked.flatMap(({ kept, isSoon }) => (isSoon ? [kept.id] : []));
}

/** Of what waits for its price its nonce may be used elsewhere: one question tells. */
async function lookAtUnsent(from: Hex, sender: SenderQuestions, options: SenderTurnOptions): Promise<void> {
  const { context, doubts } = options;
  const nextNonce = await sender.nextNonce();
  const unsent = (await context.store.live(from)).filter(
    ({ state }) => state.status !== 'SUBMITTED' && !state.mayBeOut,
  );
  const used = unsent.filter((kept) => isUsed(kept, nextNonce) || kept.state.takenSince !== null);
  const ids = new Set(used.map(({ id }) => id));
  for (const id of doubts.keys()) if (!ids.has(id)) doubts.delete(id);
  for (const [index, kept] of used.entries()) {
    await lookAtUsed(kept, sender, index === 0 ? options : { ...options, isLight: true });
  }
}

/** Whether the chain has its nonce already. */
const isUsed = ({ signed }: KeptAutoTx, nextNonce: number) => signed !== null && signed.nonce < nextNonce;

/** Who signed it may have sent it: it, or another one with its nonce. */
async function lookAtUsed(
  kept: KeptAutoTx,
  sender: SenderQuestions,
  options: SenderTurnOptions,
): Promise<Followed> {
  const { doubts } = options;
  const followed = await followOne(kept, sender, { ...options, seen: doubts });
  const { status } = followed.kept.state;
  const isSettled = status !== 'PENDING' && status !== 'DISABLED';
  if (isSettled || doubts.get(kept.id)?.used === null) doubts.delete(kept.id);
  return followed;
}

/** It was decided to send it, and whether that was done nobody knows: after a crash, or when no node answered. */
const isUnsure = ({ kept, look }: Followed): boolean =>
  kept.state.status === 'SUBMITTED' &&
  kept.state.sentAt === null &&
  look !== null &&
  !look.isKnown &&
  look.nextNonce <= (kept.signed?.nonce ?? 0);

async function sendAgain({ kept }: Followed, options: SenderTurnOptions): Promise<void> {
  const decided = await decideAgain(kept, options.context);
  if (decided === null) return;
  const sent = await sendOne(decided.kept, decided.at, options.context);
  if (sent === 'nonce-used') await lookAgain(decided.kept, options);
}

async function sendDue(
  from: Hex,
  questions: ReturnType<typeof askOfSender>,
  looked: readonly Followed[],
  options: SenderTurnOptions,
): Promise<void> {
  const { context, signal } = options;
  const looks = new Map(looked.map(({ kept, look }) => [kept.id, look]));
  const live = await context.store.live(from);
  if (!live.some((kept) => isDueNow(kept, options))) return;
  const [nextNonce, pendingNonce, balance] = await Promise.all([
    questions.nextNonce(),
    // As it is now: what was not known to be out may have been sent again.
    askOfSender(context.source, from, signal).pendingNonce(),
    questions.balance(),
  ]);
  const sender = { nextNonce, pendingNonce: Math.max(nextNonce, pendingNonce), balance, live };
  let facts: SenderFacts = sender;
  for (const kept of live) {
    if (signal.aborted) return;
    if (!isDueNow(kept, options) || !mayBeDecided(kept, looks.get(kept.id), nextNonce)) continue;
    if (isStillGapped(kept, facts, context) || (await isOutByItself(kept, facts, options))) continue;
    const sent = await sendIfClear(kept, facts, options);
    // Nobody knows whether it is out: what comes after it, or has its nonce, waits until the next look tells.
    if (sent === 'unsure' || sent === 'nonce-used') return;
    if (sent !== 'sent' || kept.signed === null) continue;
    facts = { ...facts, pendingNonce: Math.max(facts.pendingNonce, kept.signed.nonce + 1) };
  }
}

/** What is in the way while others have to go before. */
const NONCES_BELOW: ReadonlySet<string> = new Set(['nonce_gap', 'nonce_order']);

function isDueNow(
  kept: KeptAutoTx,
  { context: { present, wallNow }, doubts, head, isPatrol }: SenderTurnOptions,
): boolean {
  const now = present();
  if (kept.state.status !== 'PENDING' || now === null || !isDueAt(kept, now)) return false;
  // Its nonce is used: at this head there is no more to be seen of it.
  if (doubts.get(kept.id)?.used?.last === head.number) return false;
  const { hold } = kept.state;
  // A gap may have been filled just now, by the one before it.
  return hold === null || isPatrol || hold.retryAt <= wallNow() || NONCES_BELOW.has(hold.code);
}

/** Its own bytes may be what used its nonce: the looks tell, and until they fit together nothing else does. */
function mayBeDecided(
  { state, signed }: KeptAutoTx,
  look: Look | null | undefined,
  nextNonce: number,
): boolean {
  if (!state.mayBeOut) return true;
  return look !== null && look !== undefined && !look.isKnown && nextNonce <= (signed?.nonce ?? 0);
}

/**
 * What has its nonce, in the chain or in the pool, may be this very transaction: whoever signed it can send it. Whose nonce is
 * used is settled by looks alone.
 */
async function isOutByItself(
  kept: KeptAutoTx,
  { nextNonce, pendingNonce }: SenderFacts,
  options: SenderTurnOptions,
): Promise<boolean> {
  const { from, nonce } = kept.signed ?? {};
  if (from === undefined || nonce === undefined || nonce >= pendingNonce || kept.state.mayBeOut) return false;
  const { context, signal } = options;
  const after = await lookAtUsed(kept, askOfSender(context.source, from, signal), options);
  return isUsed(kept, nextNonce) || after.look === null || after.look.isKnown;
}

const isStillGapped = (
  { state: { hold }, signed }: KeptAutoTx,
  { pendingNonce }: SenderFacts,
  { wallNow }: EngineContext,
): boolean =>
  hold !== null &&
  NONCES_BELOW.has(hold.code) &&
  hold.retryAt > wallNow() &&
  (signed?.nonce ?? 0) > pendingNonce;

async function sendIfClear(
  kept: KeptAutoTx,
  facts: SenderFacts,
  options: SenderTurnOptions,
): Promise<Sent | null> {
  const decided = await decideOne(kept, facts, options.context);
  if (decided === null) return null;
  const sent = await sendOne(decided.kept, decided.at, options.context);
  if (sent === 'nonce-used') await lookAgain(decided.kept, options);
  return sent;
}

/** A node says that its nonce is used: whether by itself or by another, the chain tells, not the node's words. */
async function lookAgain(kept: KeptAutoTx, options: SenderTurnOptions): Promise<void> {
  const { context, signal } = options;
  const from = kept.signed?.from;
  if (from === undefined) return;
  const after = await followOne(kept, askOfSender(context.source, from, signal), options);
  if (!isUnsure(after)) return;
  const { state } = after.kept;
  const blockTimeSec = context.profile()?.feeRule.blockTimeSec ?? 0;
  const retryAt = retryLater(Math.max(state.attempts - 1, 0), context.wallNow(), blockTimeSec);
  const obstacle = {
    code: 'nonce_used',
    message: `a node says that nonce ${kept.signed?.nonce} is used, the chain that it is free: it is tried again`,
  };
  await happen(after.kept, { type: 'decline', obstacle, retryAt }, context);
}
