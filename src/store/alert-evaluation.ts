import { setImmediate } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { type ExpressionBuilder, sql } from 'kysely';
import { type LanePrices, PRICED_LANES, type PricedLane } from '../core/advice.ts';
import {
  type AlertMessage,
  type AlertPhase,
  ARMED,
  type StoredAlert,
  stepAlert,
  stepMissed,
  stepUnseen,
} from '../core/alerts/alert-rule.ts';
import type { Block } from '../core/block.ts';
import { insertFirings } from './alert-firings.ts';
import { saveChanged, toStoredAlert } from './alert-rows.ts';
import { integer, maybeCell } from './columns.ts';
import { type ReferencePrices, referencePrices } from './history.ts';
import { type DollarBasis, forgetHistory, PRICED_BY, pricedAt, RulePrices } from './rule-prices.ts';
import { dropMeta, pagesOf, type Queries, readMeta, readRows, saveMeta, type Tables } from './tables.ts';

export interface PricedBlock {
  readonly block: Block;
  readonly prices: LanePrices;
  /** Blob base fee of the block; `null` or absent: the chain has no blobs. */
  readonly blobPrice?: bigint | null;
  /** Too late for notifications: an alert that would have fired counts as missed, and nothing is sent. */
  readonly isTooLate: boolean;
  /** What rules in dollars are priced by; absent or `null`: it is not known yet, and they pass over the block. */
  readonly basis?: DollarBasis | null;
}

export interface AlertRun {
  /** Ascending. Skips blocks that were evaluated before. */
  readonly blocks: readonly PricedBlock[];
  readonly chain: Pick<AlertMessage, 'chainId' | 'chainName' | 'sourceKind'>;
  readonly nativeUsd: number | null;
  /** Ms since epoch, wall clock: time of the first delivery attempt. */
  readonly now: number;
}

const priceOf = ({ prices, blobPrice = null }: PricedBlock, lane: PricedLane): bigint | null =>
  lane === 'blob' ? blobPrice : prices[lane];

/** The alerts that a block can change. Each condition has its own index: others cost nothing. */
const isWoken = (priced: PricedBlock) => (e: ExpressionBuilder<Tables, 'alerts'>) => {
  const { block, isTooLate } = priced;
  // With the lane in each condition SQLite uses one index per condition, otherwise at most one.
  const conditions = PRICED_LANES.flatMap((lane) => {
    const price = priceOf(priced, lane);
    if (price === null) return [];
    return [
      e('wake_at_most', '>=', integer(price)),
      e('wake_at_least', '<=', integer(price)),
      // A past block wakes a confirming alert only where it completes it.
      e('wake_block', isTooLate ? '=' : '<=', block.number),
      e('wake_ms', '<=', Math.floor(block.timestamp) * 1_000),
    ].map((wakes) => e.and([e('lane', '=', lane), wakes]));
  });
  return e.or(conditions);
};

const POSITION = 'alerts_at';
const DEEPEST_REORG_SEC = 3_600;

/** Evaluates the alerts at these blocks, each once, and writes firings with their deliveries. Returns their number. */
export async function evaluateAlerts(trx: Queries, run: AlertRun): Promise<number> {
  let position = maybeCell(await readMeta(trx, POSITION), Number);
  let fired = 0;
  const prices = await RulePrices.read(trx);
  if (position === null) await rearmFuture(trx);
  let parent: Block | null = null;
  for (const priced of run.blocks) {
    const { number, timestamp } = priced.block;
    if (position !== null && number <= position) continue;
    if (position !== null && number !== position + 1) await passUnseen(trx);
    // The previous block's time lay in the future: no chain goes back that far, but a node may have made it up.
    const before = parent?.number === number - 1 ? parent.timestamp : await storedTimestamp(trx, number - 1);
    if (before > timestamp + DEEPEST_REORG_SEC) await rearmFuture(trx, timestamp);
    await prices.follow(priced);
    fired += await evaluateBlock(trx, priced, run);
    position = number;
    parent = priced.block;
  }
  if (position !== null) await saveMeta(trx, POSITION, String(position));
  await prices.save();
  return fired;
}

/** The blocks above `number` are replaced: confirmations that rest on them restart, firings stay. */
export async function rewindAlerts(trx: Queries, number: number): Promise<void> {
  const at = await readMeta(trx, POSITION);
  if (at === null || Number(at) <= number) return;
  await saveMeta(trx, POSITION, String(number));
  await forgetHistory(trx);
  const confirming = alertsIn(trx).where('lane', 'in', PRICED_LANES).where('wake_block', '>', number);
  await change(trx, confirming.where('true_since', '>', number), () => ARMED);
  await rearmFuture(trx);
}

/** Prepares the alerts for another chain, whose blocks have other numbers. Running cooldowns continue by time. */
export async function restartAlerts(trx: Queries): Promise<void> {
  for (const key of [POSITION, PRICED_BY]) await dropMeta(trx, key);
  await passUnseen(trx);
}

const alertsIn = (trx: Queries) => trx.selectFrom('alerts').selectAll();

async function change(
  trx: Queries,
  which: ReturnType<typeof alertsIn>,
  next: (phase: AlertPhase) => AlertPhase,
): Promise<void> {
  const alerts = readRows(await which.execute(), toStoredAlert);
  const after = alerts.map((alert) => ({ ...alert, phase: next(alert.phase) }));
  await saveChanged(trx, after);
}

async function passUnseen(trx: Queries): Promise<void> {
  await change(trx, alertsIn(trx).where('lane', 'in', PRICED_LANES).where('wake_block', '>', -1), stepUnseen);
  await change(trx, alertsIn(trx).where('phase', '=', 'cooling').where('must_leave', '=', 1), stepUnseen);
}

async function storedTimestamp(trx: Queries, number: number): Promise<number> {
  const block = trx.selectFrom('blocks').select('timestamp').where('number', '=', number);
  return (await block.executeTakeFirst())?.timestamp ?? 0;
}

/** Re-arms alerts that fired in the future, as a recording restarted or a time was made up. `now` in Unix seconds. */
async function rearmFuture(trx: Queries, now: number | null = null): Promise<void> {
  const present = now ?? (await headTimestamp(trx));
  if (present === null) return;
  const latest = (present + DEEPEST_REORG_SEC) * 1_000;
  const firedAt = sql<number>`cooldown_until - cooldown_ms`;
  await change(trx, alertsIn(trx).where('phase', '=', 'cooling').where(firedAt, '>', latest), () => ARMED);
}

export async function headTimestamp(db: Queries): Promise<number | null> {
  const newest = db.selectFrom('blocks').select('timestamp').orderBy('number', 'desc').limit(1);
  return (await newest.executeTakeFirst())?.timestamp ?? null;
}

async function evaluateBlock(trx: Queries, priced: PricedBlock, run: AlertRun): Promise<number> {
  const { block } = priced;
  let reference: ReferencePrices | null | undefined;
  let fired = 0;
  const woken = await trx.selectFrom('alerts').select('id').where(isWoken(priced)).orderBy('id').execute();
  for (const page of pagesOf(woken.map(({ id }) => id))) {
    const rows = trx.selectFrom('alerts').selectAll().where('id', 'in', page).orderBy('id');
    const steps = readRows(await rows.execute(), toStoredAlert).flatMap((alert) =>
      stepAtBlock(alert, priced, run),
    );
    await saveChanged(
      trx,
      steps.map(({ alert }) => alert),
    );
    const firings = steps.filter(({ fires }) => fires);
    if (firings.length > 0) {
      if (reference === undefined) reference = await referencePrices(trx, Math.floor(block.timestamp));
      await insertFirings(trx, firings, { block, reference, run });
      fired += firings.length;
    }
    // The transaction stays open; requests without database access go on, also before the commit.
    if (woken.length > page.length) await setImmediate();
  }
  return fired;
}

/** None where the block changes nothing, as when the exact price of a rule is not reached. */
function stepAtBlock(stored: StoredAlert, priced: PricedBlock, run: AlertRun) {
  const { block, isTooLate } = priced;
  const price = priceOf(priced, stored.rule.lane);
  const alert = pricedAt(stored, priced);
  if (alert === null || price === null) return [];
  const timestamp = Math.floor(block.timestamp);
  const at = timestamp * 1_000;
  const step = isTooLate ? stepMissed : stepAlert;
  const { phase, fires } = step(alert.rule, alert.phase, { number: block.number, timestamp, price });
  const isSame = isDeepStrictEqual(
    [phase, alert.rule.relative?.reason],
    [stored.phase, stored.rule.relative?.reason],
  );
  if (isSame && !fires) return [];
  const after = { ...alert, phase };
  if (fires && !isTooLate)
    Object.assign(after, { triggerCount: alert.triggerCount + 1, lastTriggeredAt: at, updatedAt: run.now });
  // A firing before the alert was created is not missed.
  else if (fires && at >= alert.createdAt)
    Object.assign(after, { missedCount: alert.missedCount + 1, lastMissedAt: at });
  return [{ alert: after, price, fires: fires && !isTooLate }];
}
