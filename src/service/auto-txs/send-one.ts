import { SendFailure } from '../../chain/errors.ts';
import type { AutoTxEvent } from '../../core/auto-txs/auto-tx-rule.ts';
import type { Obstacle } from '../../core/auto-txs/auto-tx-state.ts';
import type { KeptAutoTx } from '../../core/auto-txs/kept-auto-tx.ts';
import type { Hex } from '../../core/block.ts';
import { abortable } from '../async.ts';
import { isDueAt, type Moment } from './decide-one.ts';
import type { EngineContext } from './engine-context.ts';
import { retryLater } from './retry-later.ts';
import { sendWords } from './send-words.ts';
import { happen } from './step-kept.ts';

/** Whoever was held up for longer after its decision does not act on it any more. */
const SEND_WITHIN_MS = 5_000;
/** Nodes that have not answered by then may have it. */
const ANSWER_WITHIN_MS = 10_000;

/** `unsure`: a node may have it; the next look tells. */
export type Sent = 'sent' | 'refused' | 'nonce-used' | 'unsure';

/** Long after a block had it, and that block is gone; or a file that somebody else has changed. */
const BYTES_GONE: Obstacle = {
  code: 'bytes_gone',
  message: 'what was signed is not kept any more, so that it cannot be sent; hand it over again',
};

/**
 * Gives one to the nodes that it was decided to send at `decidedAt` and writes down what they say. Its bytes
 * are nowhere but in the question. Rejects with a `StoreError` alone.
 */
export async function sendOne(kept: KeptAutoTx, decidedAt: Moment, context: EngineContext): Promise<Sent> {
  const { source, store } = context;
  const isStillWanted = () => isInTime(decidedAt, context) && isDueNow(kept, context);
  const bytes = await store.signedBytes(kept.id);
  if (bytes === null) {
    // Where it was cancelled meanwhile, or is final, that counts.
    await happen(kept, { type: 'refuse', obstacle: BYTES_GONE }, context);
    return 'refused';
  }
  if (!isStillWanted()) return 'unsure';
  const signed: Hex = `0x${Buffer.from(bytes).toString('hex')}`;
  const taken: string[] = [];
  try {
    await abortable(
      source.sendRawTransaction(signed, { isStillWanted, onTaken: (name) => taken.push(name) }),
      AbortSignal.timeout(ANSWER_WITHIN_MS),
    );
  } catch (error) {
    return refused(kept, error, context);
  }
  await happen(kept, { type: 'sent', node: taken[0] ?? null }, context);
  return 'sent';
}

/** The steady clock stands still while a machine sleeps, and the other one may be set: both have to agree. */
const isInTime = (decidedAt: Moment, { steadyNow, wallNow }: EngineContext): boolean =>
  steadyNow() - decidedAt.steady <= SEND_WITHIN_MS && Math.abs(wallNow() - decidedAt.wall) <= SEND_WITHIN_MS;

/** The head may have changed, or become stale, since it was decided. */
function isDueNow(kept: KeptAutoTx, { present }: EngineContext): boolean {
  const now = present();
  return now !== null && isDueAt(kept, now);
}

async function refused(kept: KeptAutoTx, error: unknown, context: EngineContext): Promise<Sent> {
  if (!(error instanceof SendFailure) || error.outcome === 'unknown' || error.reason === 'too_late')
    return 'unsure';
  if (error.outcome === 'nonce-used') return 'nonce-used';
  await happen(kept, refusalOf(kept, error, context), context);
  return 'refused';
}

/** Refused for good, or declined for now. */
function refusalOf({ state }: KeptAutoTx, failure: SendFailure, context: EngineContext): AutoTxEvent {
  const obstacle = sendWords(failure);
  if (failure.outcome === 'never') return { type: 'refuse', obstacle };
  const blockTimeSec = context.profile()?.feeRule.blockTimeSec ?? 0;
  return {
    type: 'decline',
    obstacle,
    retryAt: retryLater(Math.max(state.attempts - 1, 0), context.wallNow(), blockTimeSec),
  };
}
