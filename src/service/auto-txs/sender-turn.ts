import type { Look } from '../../core/auto-txs/auto-tx-rule.ts';
import type { KeptAutoTx } from '../../core/auto-txs/kept-auto-tx.ts';
import type { Block, Hex } from '../../core/block.ts';
import { mapBounded } from '../map-bounded.ts';
import { decideAgain, decideOne, isDueAt, type SenderFacts } from './decide-one.ts';
import type { EngineContext } from './engine-context.ts';
import { type Followed, followOne, type Seen } from './follow-one.ts';
import { retryLater } from './retry-later.ts';
import { type Sent, sendOne } from './send-one.ts';
import { askOfSender } from './sender-questions.ts';
import { happen } from './step-kept.ts';

/** Receipts asked for at once, of one sender. */
const PARALLEL = 8;

export interface SenderTurnOptions {
  readonly context: EngineContext;
  readonly head: Block;
  readonly seen: Map<string, Seen>;
  /** Nothing is asked, or begun, after it aborts. */
  readonly signal: AbortSignal;
}

/**
 * One sender's turn: looks what has become of those of its auto-txs that may be out, then sends what is due, in the order of
 * their nonces. Rejects as the node or the store do; what was decided by then is written down.
 */
export async function runSenderTurn(
  from: Hex,
  followed: readonly KeptAutoTx[],
  options: SenderTurnOptions,
): Promise<void> {
  const { context, signal } = options;
  const sender = askOfSender(context.source, from, signal);
  const looked = await mapBounded(followed, PARALLEL, signal, (kept) => followOne(kept, sender, options));
  for (const each of looked) if (isUnsure(each)) await sendAgain(each, options);
  await sendDue(from, sender, looked, options);
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
  if (!live.some((kept) => isDueNow(kept, context))) return;
  const [nextNonce, pendingNonce, balance] = await Promise.all([
    questions.nextNonce(),
    questions.pendingNonce(),
    questions.balance(),
  ]);
  const sender = { nextNonce, pendingNonce: Math.max(nextNonce, pendingNonce), balance, live };
  let facts: SenderFacts = sender;
  for (const kept of live) {
    if (signal.aborted) return;
    if (!isDueNow(kept, context) || !mayBeDecided(kept, looks.get(kept.id), nextNonce)) continue;
    if (isStillGapped(kept, facts, context) || (await isOutByItself(kept, facts, options))) continue;
    const sent = await sendIfClear(kept, facts, options);
    if (sent !== 'sent' || kept.signed === null) continue;
    facts = { ...facts, pendingNonce: Math.max(facts.pendingNonce, kept.signed.nonce + 1) };
  }
}

/** What is in the way while others have to go before. */
const NONCES_BELOW: ReadonlySet<string> = new Set(['nonce_gap', 'nonce_order']);

function isDueNow(kept: KeptAutoTx, { present, wallNow }: EngineContext): boolean {
  const now = present();
  if (kept.state.status !== 'PENDING' || now === null || !isDueAt(kept, now)) return false;
  const { hold } = kept.state;
  // A gap may have been filled just now, by the one before it.
  return hold === null || hold.retryAt <= wallNow() || NONCES_BELOW.has(hold.code);
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

/** What has its nonce, in the chain or in the pool, may be this very transaction: whoever signed it can send it. */
async function isOutByItself(
  kept: KeptAutoTx,
  { pendingNonce }: SenderFacts,
  options: SenderTurnOptions,
): Promise<boolean> {
  const { from, nonce } = kept.signed ?? {};
  if (from === undefined || nonce === undefined || nonce >= pendingNonce || kept.state.mayBeOut) return false;
  const { context, signal } = options;
  const after = await followOne(kept, askOfSender(context.source, from, signal), options);
  return after.look === null || after.look.isKnown;
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
