import { sql } from 'kysely';
import { z } from 'zod';
import { LANES, type LaneName, PRICED_LANES } from '../core/advice.ts';
import {
  type AlertPhase,
  type AlertRule,
  DISABLED,
  type StoredAlert,
  wakesOf,
} from '../core/alerts/alert-rule.ts';
import { type RuleWire, ruleFromWire, ruleToWire } from '../core/threshold/rule-wire.ts';
import type { PaidWork } from '../core/threshold/threshold.ts';
import {
  columns,
  flagCell,
  integer,
  jsonCell,
  maybeCell,
  moment,
  oneOf,
  orNull,
  plainCell,
  wei,
} from './columns.ts';
import { pagesOf, type Queries, readRows } from './tables.ts';

const Channels = z.array(z.string());
const Targets = z.record(z.string(), z.string());

const ALERT = columns({
  id: ['id', plainCell<string>()],
  owner: ['owner', plainCell<string>()],
  createdAt: ['created_at', plainCell<number>()],
  updatedAt: ['updated_at', plainCell<number>()],
  method: ['method', plainCell<string>()],
  channels: ['channels', jsonCell<readonly string[]>((json) => Channels.parse(json))],
  targets: ['targets', jsonCell<Readonly<Record<string, string>>>((json) => Targets.parse(json))],
  note: ['note', plainCell<string>()],
  triggerCount: ['trigger_count', plainCell<number>()],
  lastTriggeredAt: ['last_triggered_at', plainCell<number | null>()],
  missedCount: ['missed_count', plainCell<number>()],
  lastMissedAt: ['last_missed_at', plainCell<number | null>()],
  disabledReason: ['disabled_reason', plainCell<string | null>()],
});
const RULE = columns({
  lane: ['lane', oneOf(PRICED_LANES)],
  condition: ['condition', oneOf(['LESS_THAN', 'GREATER_THAN'])],
  threshold: ['threshold', wei],
  hysteresis: ['hysteresis', wei],
  confirmBlocks: ['confirm_blocks', plainCell<number>()],
  cooldownMs: ['cooldown_ms', plainCell<number>()],
  disableOnce: ['disable_once', flagCell],
});
const RELATIVE = columns({
  written: ['threshold_rule', jsonCell((json) => ruleFromWire(json as RuleWire), ruleToWire)],
  since: ['effective_since', orNull(moment)],
  reason: ['threshold_reason', plainCell<string | null>()],
});

/** Rules that follow from one figure, the cost of some work or a past price, each by a factor of its own. */
export type RuleGroup = { readonly key: string } & (
  | { readonly kind: 'dollars'; readonly work: PaidWork }
  | {
      readonly kind: 'history';
      readonly lane: LaneName;
      readonly percentile: number;
      readonly windowSec: number;
    }
);

const MEDIAN = 50;

interface GroupColumns {
  price_group: string | null;
  price_factor: number | null;
}

function groupColumns(rule: Pick<AlertRule, 'lane' | 'relative'>): GroupColumns {
  if (rule.relative == null) return { price_group: null, price_factor: null };
  const { written } = rule.relative;
  const past = (percentile: number, windowSec: number) => `history ${rule.lane} ${percentile} ${windowSec}`;
  switch (written.kind) {
    case 'usd':
      return { price_group: dollarsFor(written.work), price_factor: written.usd };
    case 'share':
      return { price_group: dollarsFor(written.work), price_factor: written.ratio * written.ofUsd };
    case 'percentile':
      return { price_group: past(written.percentile, written.windowSec), price_factor: 1 };
    case 'belowMedian':
      return { price_group: past(MEDIAN, written.windowSec), price_factor: 1 - written.ratio };
  }
}

const dollarsFor = (work: PaidWork) => `dollars ${'gas' in work ? work.gas : work.action}`;

/** `null` for a key that gastop did not write. */
export function readGroup(key: string): RuleGroup | null {
  const [kind, first = '', percentile, windowSec] = key.split(' ');
  if (kind === 'dollars')
    return { key, kind, work: /^\d+$/.test(first) ? { gas: Number(first) } : { action: first } };
  const lane = LANES.find((each) => each === first);
  if (kind !== 'history' || lane === undefined) return null;
  return { key, kind, lane, percentile: Number(percentile), windowSec: Number(windowSec) };
}

/** One alert. Wei per gas; times in ms since epoch. `core/alerts/alert-rule.ts` defines the wakes. */
export type AlertRow = ReturnType<typeof toAlertRow>;

export const toAlertRow = (alert: StoredAlert) => ({
  ...ALERT.write(alert),
  ...RULE.write(alert.rule),
  ...RELATIVE.writeOrNull(alert.rule.relative ?? null),
  ...groupColumns(alert.rule),
  ...phaseColumns(alert.rule, alert.phase),
});

function phaseColumns(rule: AlertRule, phase: AlertPhase) {
  const { atMost, atLeast, fromBlock, fromMs } = wakesOf(rule, phase);
  return {
    phase: String(phase.kind),
    true_since: phase.kind === 'armed' ? phase.trueSince : null,
    cooldown_until: phase.kind === 'cooling' ? phase.cooldownUntil : null,
    must_leave: phase.kind === 'cooling' && phase.mustLeave ? 1 : 0,
    wake_at_most: maybeCell(atMost, integer),
    wake_at_least: maybeCell(atLeast, integer),
    wake_block: fromBlock,
    wake_ms: fromMs,
  };
}

/** @throws for a row that gastop did not write. */
export const toStoredAlert = (row: AlertRow): StoredAlert => ({
  ...ALERT.read(row),
  rule: { ...RULE.read(row), ...(row.threshold_rule !== null && { relative: RELATIVE.read(row) }) },
  phase: toPhase(row),
});

function toPhase(row: AlertRow): AlertPhase {
  const kind = oneOf(['armed', 'cooling', 'disabled']).read(row.phase);
  if (kind === 'armed') return { kind, trueSince: row.true_since };
  if (kind === 'disabled') return { kind };
  return { kind, cooldownUntil: row.cooldown_until ?? 0, mustLeave: row.must_leave === 1 };
}

/** Their indexes need no update. */
const CONSTANT = ['id', 'owner', 'created_at'];

/** Updates existing alerts, many per statement: an insert that always conflicts. */
export async function saveChanged(trx: Queries, alerts: readonly StoredAlert[]): Promise<void> {
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

/** The values of a column, read one row of each by its index, even of a million alerts. */
export function distinctIn(column: 'owner' | 'price_group') {
  const value = sql.ref(column);
  return sql<{ key: string }>`
    with recursive found (key) as (
      select min(${value}) from alerts where ${value} > ''
      union all
      select (select min(${value}) from alerts where ${value} > found.key) from found where key is not null
    )
    select key from found where key is not null`;
}

export const alertsIn = (trx: Queries) => trx.selectFrom('alerts').selectAll();

/** Armed alerts whose condition holds, and that wait for a block above `number`, read by index. */
export const confirmingIn = (trx: Queries, number = -1) =>
  alertsIn(trx).where('lane', 'in', PRICED_LANES).where('wake_block', '>', number);

export async function changeAlerts(
  trx: Queries,
  which: ReturnType<typeof alertsIn>,
  next: (phase: AlertPhase) => AlertPhase,
): Promise<void> {
  const alerts = readRows(await which.execute(), toStoredAlert);
  const after = alerts.map((alert) => ({ ...alert, phase: next(alert.phase) }));
  await saveChanged(trx, after);
}

/** Disables alerts, which the caller chooses, from any phase: a disabled one keeps its reason. */
export const disableAlerts = (trx: Queries, reason: string, now: number) =>
  trx
    .updateTable('alerts')
    .set({ phase: DISABLED.kind, disabled_reason: reason, updated_at: now })
    .set({ true_since: null, cooldown_until: null, must_leave: 0 })
    .set({ wake_at_most: null, wake_at_least: null, wake_block: null, wake_ms: null })
    .where('phase', '<>', DISABLED.kind);
