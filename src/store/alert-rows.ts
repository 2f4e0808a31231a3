import { z } from 'zod';
import { LANES } from '../core/advice.ts';
import {
  type AlertPhase,
  type AlertRule,
  DISABLED,
  type KeptAlert,
  wakesOf,
} from '../core/alerts/alert-rule.ts';
import { columns, flagCell, integer, maybeCell, oneOf, plainCell, type Stored, wei } from './columns.ts';
import type { Queries } from './tables.ts';

const json = <Value>(schema: z.ZodType<Value>): Stored<Value, string> => ({
  write: (value) => JSON.stringify(value),
  read: (cell) => schema.parse(JSON.parse(String(cell))),
});

const ALERT = columns({
  id: ['id', plainCell<string>()],
  owner: ['owner', plainCell<string>()],
  createdAt: ['created_at', plainCell<number>()],
  updatedAt: ['updated_at', plainCell<number>()],
  method: ['method', plainCell<string>()],
  channels: ['channels', json<readonly string[]>(z.array(z.string()))],
  targets: ['targets', json<Readonly<Record<string, string>>>(z.record(z.string(), z.string()))],
  note: ['note', plainCell<string>()],
  triggerCount: ['trigger_count', plainCell<number>()],
  lastTriggeredAt: ['last_triggered_at', plainCell<number | null>()],
  missedCount: ['missed_count', plainCell<number>()],
  lastMissedAt: ['last_missed_at', plainCell<number | null>()],
  disabledReason: ['disabled_reason', plainCell<string | null>()],
});
const RULE = columns({
  lane: ['lane', oneOf(LANES)],
  condition: ['condition', oneOf(['LESS_THAN', 'GREATER_THAN'])],
  threshold: ['threshold', wei],
  hysteresis: ['hysteresis', wei],
  confirmBlocks: ['confirm_blocks', plainCell<number>()],
  cooldownMs: ['cooldown_ms', plainCell<number>()],
  disableOnce: ['disable_once', flagCell],
});

/** One alert. Wei per gas; times in ms since epoch. `core/alerts/alert-rule.ts` defines the wakes. */
export type AlertRow = ReturnType<typeof toAlertRow>;

export const toAlertRow = (alert: KeptAlert) => ({
  ...ALERT.write(alert),
  ...RULE.write(alert.rule),
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
export const toKeptAlert = (row: AlertRow): KeptAlert => ({
  ...ALERT.read(row),
  rule: RULE.read(row),
  phase: toPhase(row),
});

function toPhase(row: AlertRow): AlertPhase {
  const kind = oneOf(['armed', 'cooling', 'disabled']).read(row.phase);
  if (kind === 'armed') return { kind, trueSince: row.true_since };
  if (kind === 'disabled') return { kind };
  return { kind, cooldownUntil: row.cooldown_until ?? 0, mustLeave: row.must_leave === 1 };
}

/** Disables alerts, which the caller chooses, from any phase: a disabled one keeps its reason. */
export const disableAlerts = (trx: Queries, reason: string, now: number) =>
  trx
    .updateTable('alerts')
    .set({ phase: DISABLED.kind, disabled_reason: reason, updated_at: now })
    .set({ true_since: null, cooldown_until: null, must_leave: 0 })
    .set({ wake_at_most: null, wake_at_least: null, wake_block: null, wake_ms: null })
    .where('phase', '<>', DISABLED.kind);
