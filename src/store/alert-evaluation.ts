import { setImmediate } from 'node:timers/promises';
import { type ExpressionBuilder, sql } from 'kysely';
import { PRICED_LANES } from '../core/advice.ts';
import { ARMED, blockPrice, decideAlert, type PricedBlock, stepUnseen } from '../core/alerts/alert-rule.ts';
import type { Block } from '../core/block.ts';
import { alertsIn, changeAlerts, confirmingIn, saveChanged, toStoredAlert } from './alert-rows.ts';
import { integer, maybeCell } from './columns.ts';
import { type ReferencePrices, referencePrices } from './history.ts';
import { type FiringBlock, insertFirings } from './outbox.ts';
import { forgetHistory, PRICED_BY, RulePrices } from './rule-prices.ts';
import {
  dropMeta,
  newestBlock,
  pagesOf,
  type Queries,
  readMeta,
  readRows,
  saveMeta,
  type Tables,
} from './tables.ts';

export interface AlertRun extends Pick<FiringBlock, 'chain' | 'nativeUsd' | 'now'> {
  /** Ascending. Skips blocks that were evaluated before. */
  readonly blocks: readonly PricedBlock[];
  /** Time of the newest block that came in time, Unix seconds: `nativeUsd` is stored as of it. `null`: none did. */
  readonly nativeUsdAt: number | null;
}

/** The alerts that a block can change, by what `wakesOf` says. Each condition has its own index: others cost nothing. */
const isWoken = (priced: PricedBlock) => (e: ExpressionBuilder<Tables, 'alerts'>) => {
  const { block, isMissed } = priced;
  // A past block wakes a confirming alert only where it completes it; a present one also where it comes later than that.
  const completes = isMissed ? '=' : '<=';
  // With the lane in each condition SQLite uses one index per condition, otherwise at most one.
  const conditions = PRICED_LANES.flatMap((lane) => {
    const price = blockPrice(priced, lane);
    if (price === null) return [];
    return [
      e('wake_at_most', '>=', integer(price)),
      e('wake_at_least', '<=', integer(price)),
      e('wake_block', completes, block.number),
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
  await changeAlerts(trx, confirmingIn(trx, number).where('true_since', '>', number), () => ARMED);
  await rearmFuture(trx);
}

/** Prepares the alerts for another chain, whose blocks have other numbers. Running cooldowns continue by time. */
export async function restartAlerts(trx: Queries): Promise<void> {
  for (const key of [POSITION, PRICED_BY]) await dropMeta(trx, key);
  await passUnseen(trx);
}

const coolingIn = (trx: Queries) => alertsIn(trx).where('phase', '=', 'cooling');

async function passUnseen(trx: Queries): Promise<void> {
  await changeAlerts(trx, confirmingIn(trx), stepUnseen);
  await changeAlerts(trx, coolingIn(trx).where('must_leave', '=', 1), stepUnseen);
}

async function storedTimestamp(trx: Queries, number: number): Promise<number> {
  const block = trx.selectFrom('blocks').select('timestamp').where('number', '=', number);
  return (await block.executeTakeFirst())?.timestamp ?? 0;
}

/** Re-arms alerts that fired in the future, as a recording restarted or a time was made up. `now` in Unix seconds. */
async function rearmFuture(trx: Queries, now: number | null = null): Promise<void> {
  const present = now ?? (await newestBlock(trx))?.timestamp;
  if (present === undefined) return;
  const latest = (present + DEEPEST_REORG_SEC) * 1_000;
  const firedAt = sql<number>`cooldown_until - cooldown_ms`;
  await changeAlerts(trx, coolingIn(trx).where(firedAt, '>', latest), () => ARMED);
}

async function evaluateBlock(trx: Queries, priced: PricedBlock, run: AlertRun): Promise<number> {
  const { block } = priced;
  let reference: ReferencePrices | null | undefined;
  let fired = 0;
  const woken = await trx.selectFrom('alerts').select('id').where(isWoken(priced)).orderBy('id').execute();
  for (const page of pagesOf(woken.map(({ id }) => id))) {
    const rows = alertsIn(trx).where('id', 'in', page).orderBy('id');
    const alerts = readRows(await rows.execute(), toStoredAlert);
    const decisions = alerts.flatMap((alert) => decideAlert(alert, priced, run.now) ?? []);
    const changed = decisions.map(({ alert }) => alert);
    await saveChanged(trx, changed);
    const firings = decisions.filter(({ fires }) => fires);
    if (firings.length > 0) {
      if (reference === undefined) reference = await referencePrices(trx, Math.floor(block.timestamp));
      await insertFirings(trx, firings, { ...run, block, reference });
      fired += firings.length;
    }
    // The transaction stays open; requests without database access go on, also before the commit.
    if (woken.length > page.length) await setImmediate();
  }
  return fired;
}
