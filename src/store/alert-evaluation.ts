import { setImmediate } from 'node:timers/promises';
import { type ExpressionBuilder, sql } from 'kysely';
import { LANES, type LanePrices } from '../core/advice.ts';
import {
  type AlertMessage,
  type AlertPhase,
  ARMED,
  type KeptAlert,
  stepAlert,
  stepMissed,
  stepUnseen,
} from '../core/alerts/alert-rule.ts';
import type { Block } from '../core/block.ts';
import { type Firing, insertFirings } from './alert-firings.ts';
import { type AlertRow, toAlertRow, toKeptAlert } from './alert-rows.ts';
import { integer } from './block-rows.ts';
import { maybe } from './columns.ts';
import { type ReferencePrices, referencePrices } from './history.ts';
import { dropMeta, readMeta, saveMeta } from './meta.ts';
import { pagesOf, type Queries, readRows, type Tables } from './tables.ts';

export interface PricedBlock {
  readonly block: Block;
  readonly prices: LanePrices;
  /** Too late for notifications: an alert that would have fired counts as missed, and nothing is sent. */
  readonly isPast: boolean;
}

export interface AlertRun {
  /** Ascending. Skips blocks that were evaluated before. */
  readonly blocks: readonly PricedBlock[];
  readonly chain: Pick<AlertMessage, 'chainId' | 'chainName' | 'sourceKind'>;
  readonly nativeUsd: number | null;
  /** Ms since epoch, wall clock: time of the first delivery attempt. */
  readonly now: number;
}

export interface Span {
  readonly firstBlock: number;
  readonly lastBlock: number;
  /** The latest block time, ms since epoch. */
  readonly lastMs: number;
  readonly lowest: LanePrices;
  readonly highest: LanePrices;
  /** The blocks came too late for notifications: a confirming alert wakes only at the block that completes it. */
  readonly isPast: boolean;
}

const AT_ONCE = 128;

/** The alerts that a block can change, in pages. Each condition has its own index: others cost nothing. */
async function* wokenAlerts(trx: Queries, span: Span): AsyncGenerator<readonly AlertRow[]> {
  const woken = await wokenBy(trx, span).orderBy('id').execute();
  for (let at = 0; at < woken.length; at += AT_ONCE) {
    const ids = woken.slice(at, at + AT_ONCE).map(({ id }) => id);
    yield await trx.selectFrom('alerts').selectAll().where('id', 'in', ids).orderBy('id').execute();
    // The transaction stays open; requests without database access go on, also before the commit.
    if (woken.length > AT_ONCE) await setImmediate();
  }
}

const wokenBy = (trx: Queries, span: Span) => trx.selectFrom('alerts').select('id').where(isWoken(span));

const isWoken =
  ({ firstBlock, lastBlock, lastMs, lowest, highest, isPast }: Span) =>
  (e: ExpressionBuilder<Tables, 'alerts'>) =>
    e.or(
      // With the lane in each condition SQLite uses one index per condition, otherwise at most one.
      LANES.flatMap((lane) => [
        e.and([e('lane', '=', lane), e('wake_at_most', '>=', integer(lowest[lane]))]),
        e.and([e('lane', '=', lane), e('wake_at_least', '<=', integer(highest[lane]))]),
        e.and([
          e('lane', '=', lane),
          e('wake_block', '<=', lastBlock),
          // Timely blocks have no lower bound.
          e('wake_block', '>=', isPast ? firstBlock : -1),
        ]),
        e.and([e('lane', '=', lane), e('wake_ms', '<=', lastMs)]),
      ]),
    );

const POSITION = 'alerts_at';
/** Longer than any reorg. */
const DEEPEST_REORG_SEC = 3_600;

/** Their indexes need no update. */
const CONSTANT = ['id', 'owner', 'created_at'];

/** Updates existing alerts, many per statement: an insert that always conflicts. */
async function saveChanged(trx: Queries, alerts: readonly KeptAlert[]): Promise<void> {
  for (const page of pagesOf(alerts.map(toAlertRow))) {
    const columns = Object.keys(page[0] ?? {}).filter((column) => !CONSTANT.includes(column));
    const rows = trx.insertInto('alerts').values(page);
    const updated = rows.onConflict((conflict) =>
      conflict
        .column('id')
        .doUpdateSet(Object.fromEntries(columns.map((column) => [column, sql.ref(`excluded.${column}`)]))),
    );
    await updated.execute();
  }
}

/** Evaluates the alerts at these blocks, each once, and writes firings with their deliveries. Returns their number. */
export async function evaluateAlerts(trx: Queries, run: AlertRun): Promise<number> {
  let position = maybe(await readMeta(trx, POSITION), Number);
  let fired = 0;
  if (position === null) await rearmFuture(trx);
  for (const stretch of stretches(run.blocks, position ?? -1)) {
    const first = stretch[0].block.number;
    if (position !== null && first <= position) continue;
    if (position !== null && first !== position + 1) await passUnseen(trx);
    if (await isLeapBack(trx, stretch[0].block)) await rearmFuture(trx, stretch[0].block.timestamp);
    fired += await evaluateStretch(trx, stretch, run);
    position = first + stretch.length - 1;
  }
  if (position !== null) await saveMeta(trx, POSITION, String(position));
  return fired;
}

/** The blocks above `number` are replaced: confirmations that rest on them restart, firings stay. */
export async function rewindAlerts(trx: Queries, number: number): Promise<void> {
  const at = await readMeta(trx, POSITION);
  if (at === null || Number(at) <= number) return;
  await saveMeta(trx, POSITION, String(number));
  await confirmAnew(trx, number);
  await rearmFuture(trx);
}

/** Prepares the alerts for another chain, whose blocks have other numbers. Running cooldowns continue by time. */
export async function restartAlerts(trx: Queries): Promise<void> {
  await dropMeta(trx, POSITION);
  await passUnseen(trx);
}

async function passUnseen(trx: Queries): Promise<void> {
  const all = trx.selectFrom('alerts').selectAll();
  const confirming = all.where('lane', 'in', LANES).where('wake_block', '>', -1);
  const leaving = all.where('phase', '=', 'cooling').where('must_leave', '=', 1);
  for (const rows of [await confirming.execute(), await leaving.execute()])
    await change(trx, rows, stepUnseen);
}

async function confirmAnew(trx: Queries, number: number): Promise<void> {
  const waking = trx
    .selectFrom('alerts')
    .selectAll()
    .where('lane', 'in', LANES)
    .where('wake_block', '>', number);
  await change(trx, await waking.where('true_since', '>', number).execute(), () => ARMED);
}

/** Whether the previous block's time lay in the future: no chain goes back that far, but a node may have made it up. */
async function isLeapBack(trx: Queries, { number, timestamp }: Block): Promise<boolean> {
  const before = trx
    .selectFrom('blocks')
    .select('timestamp')
    .where('number', '=', number - 1);
  const time = (await before.executeTakeFirst())?.timestamp ?? 0;
  return time > timestamp + DEEPEST_REORG_SEC;
}

/** Re-arms alerts that fired in the future, as a recording restarted or a time was made up. `now` in Unix seconds. */
async function rearmFuture(trx: Queries, now: number | null = null): Promise<void> {
  const present = now ?? (await headTimestamp(trx));
  if (present === null) return;
  const latest = (present + DEEPEST_REORG_SEC) * 1_000;
  const cooling = trx.selectFrom('alerts').selectAll().where('phase', '=', 'cooling');
  const future = cooling.where((e) => e(e('cooldown_until', '-', e.ref('cooldown_ms')), '>', latest));
  await change(trx, await future.execute(), () => ARMED);
}

export async function headTimestamp(db: Queries): Promise<number | null> {
  const newest = db.selectFrom('blocks').select('timestamp').orderBy('number', 'desc').limit(1);
  return (await newest.executeTakeFirst())?.timestamp ?? null;
}

const change = (trx: Queries, rows: readonly AlertRow[], next: (phase: AlertPhase) => AlertPhase) =>
  saveChanged(
    trx,
    readRows(rows, toKeptAlert).map((alert) => ({ ...alert, phase: next(alert.phase) })),
  );

type Stretch = readonly [PricedBlock, ...PricedBlock[]];

/** Splits the blocks above `above` into runs consecutive in number and time, all past or all timely. */
function stretches(blocks: readonly PricedBlock[], above: number): Stretch[] {
  const found: [PricedBlock, ...PricedBlock[]][] = [];
  for (const next of blocks) {
    if (next.block.number <= above) continue;
    const last = found.at(-1);
    const before = last?.at(-1);
    const follows =
      before?.block.number === next.block.number - 1 &&
      before.isPast === next.isPast &&
      before.block.timestamp <= next.block.timestamp + DEEPEST_REORG_SEC;
    if (last !== undefined && follows) last.push(next);
    else found.push([next]);
  }
  return found;
}

/** Halves the stretch until only blocks remain that wake an alert: thousands of blocks without one cost one query. */
async function evaluateStretch(trx: Queries, stretch: Stretch, run: AlertRun): Promise<number> {
  const [first, ...others] = stretch;
  if (others.length === 0) return evaluateBlock(trx, first, run);
  if ((await wokenBy(trx, spanOf(stretch)).limit(1).executeTakeFirst()) === undefined) return 0;
  const half = stretch.length >> 1;
  const [middle, ...rest] = stretch.slice(half);
  const before = await evaluateStretch(trx, [first, ...others.slice(0, half - 1)], run);
  return middle === undefined ? before : before + (await evaluateStretch(trx, [middle, ...rest], run));
}

async function evaluateBlock(trx: Queries, priced: PricedBlock, run: AlertRun): Promise<number> {
  let reference: ReferencePrices | null | undefined;
  let fired = 0;
  for await (const rows of wokenAlerts(trx, spanOf([priced]))) {
    const firings: Firing[] = [];
    const changed = readRows(rows, toKeptAlert).map((before) => {
      const { alert, price, fires } = stepKept(before, priced, run);
      if (fires) firings.push({ alert, price });
      return alert;
    });
    await saveChanged(trx, changed);
    if (firings.length === 0) continue;
    if (reference === undefined) reference = await referencePrices(trx, Math.floor(priced.block.timestamp));
    await insertFirings(trx, firings, { block: priced.block, reference, run });
    fired += firings.length;
  }
  return fired;
}

function stepKept(alert: KeptAlert, { block, prices, isPast }: PricedBlock, run: AlertRun) {
  const price = prices[alert.rule.lane];
  const step = isPast ? stepMissed : stepAlert;
  const timestamp = Math.floor(block.timestamp);
  const { phase, fires } = step(alert.rule, alert.phase, { number: block.number, timestamp, price });
  const at = timestamp * 1_000;
  // A firing before the alert was created is not missed.
  const isBefore = isPast && at < alert.createdAt;
  const counted =
    !fires || isBefore
      ? {}
      : isPast
        ? { missedCount: alert.missedCount + 1, lastMissedAt: at }
        : { triggerCount: alert.triggerCount + 1, lastTriggeredAt: at, updatedAt: run.now };
  return { alert: { ...alert, phase, ...counted }, price, fires: fires && !isPast };
}

function spanOf(blocks: Stretch): Span {
  const [first] = blocks;
  return {
    firstBlock: first.block.number,
    lastBlock: first.block.number + blocks.length - 1,
    lastMs: Math.max(...blocks.map(({ block }) => Math.floor(block.timestamp) * 1_000)),
    lowest: pricesOf(blocks, (a, b) => a < b),
    highest: pricesOf(blocks, (a, b) => a > b),
    isPast: first.isPast,
  };
}

function pricesOf(blocks: Stretch, before: (a: bigint, b: bigint) => boolean): LanePrices {
  const most = { ...blocks[0].prices };
  for (const { prices } of blocks) {
    for (const lane of LANES) if (before(prices[lane], most[lane])) most[lane] = prices[lane];
  }
  return most;
}
