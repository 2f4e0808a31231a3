import type { Look } from '../../core/auto-txs/auto-tx-rule.ts';
import type { Inclusion } from '../../core/auto-txs/auto-tx-state.ts';
import type { KeptAutoTx } from '../../core/auto-txs/kept-auto-tx.ts';
import type { Block } from '../../core/block.ts';
import type { EngineContext } from './engine-context.ts';
import { findReplacement, type Replacement } from './find-replacement.ts';
import { lookAt } from './look-at.ts';
import type { SenderQuestions } from './sender-questions.ts';
import { type Beside, happen } from './step-kept.ts';

/** A coin's price of so long ago is not the present one. */
const NOW_MS = 600_000;

export interface Followed {
  /** As it is after the look. */
  readonly kept: KeptAutoTx;
  readonly look: Look | null;
}

/** What was seen of one while it is followed. */
export interface Seen {
  /** The last head at which its nonce was free. */
  readonly freeAt: number | null;
  readonly replacement: Replacement | null;
}

/** Looks what has become of one that may be with a node, and writes it down. Rejects as the node or the store do. */
export async function followOne(
  kept: KeptAutoTx,
  sender: SenderQuestions,
  {
    context,
    head,
    seen,
    signal,
  }: {
    readonly context: EngineContext;
    readonly head: Block;
    readonly seen: Map<string, Seen>;
    readonly signal: AbortSignal;
  },
): Promise<Followed> {
  const { source, blocks } = context;
  const found = await lookAt(kept, sender, { source, blocks, head, signal });
  if (found === null) return { kept, look: null };
  const before = seen.get(kept.id) ?? { freeAt: null, replacement: null };
  const isTaken = found.inclusion === null && found.nextNonce > (kept.signed?.nonce ?? 0);
  const replacement = isTaken
    ? (before.replacement ??
      (await findReplacement(kept, { source, seen: before.freeAt, head: head.number, signal })))
    : null;
  seen.set(kept.id, { freeAt: isTaken ? before.freeAt : head.number, replacement });
  const look: Look = { ...found, takenBy: replacement };
  const isNews = found.inclusion !== null && found.inclusion.blockHash !== kept.state.inclusion?.blockHash;
  const beside = isNews ? await pricesOf(kept, found.inclusion, context) : undefined;
  const changed = await happen(kept, { type: 'look', look }, context, beside);
  return { kept: changed?.after ?? kept, look };
}

/** What its savings are told by. */
async function pricesOf(
  { order }: KeptAutoTx,
  { minedAt }: Inclusion,
  { history, nativeUsd, nativeUsdAt, wallNow }: EngineContext,
): Promise<Beside> {
  const minedAtSec = Math.floor(minedAt / 1_000);
  const isNow = Math.abs(wallNow() - minedAt) <= NOW_MS;
  const [day, usd] = await Promise.all([
    history.referencePrices(minedAtSec),
    isNow ? nativeUsd() : nativeUsdAt(minedAtSec),
  ]);
  return { dayMeanPrice: day === null ? null : BigInt(day[order.lane]), nativeUsd: usd };
}
