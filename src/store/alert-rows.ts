import { z } from 'zod';
import { LANES } from '../core/advice.ts';
import {
  type AlertPhase,
  type AlertRule,
  DISABLED,
  type KeptAlert,
  wakesOf,
} from '../core/alerts/alert-rule.ts';
import { integer } from './block-rows.ts';
import { maybe, oneOf } from './columns.ts';
import type { Queries } from './tables.ts';

type PhaseColumns = ReturnType<typeof phaseColumns>;

export function phaseColumns(rule: AlertRule, phase: AlertPhase) {
  const { atMost, atLeast, fromBlock, fromMs } = wakesOf(rule, phase);
  return {
    phase: String(phase.kind),
    true_since: phase.kind === 'armed' ? phase.trueSince : null,
    cooldown_until: phase.kind === 'cooling' ? phase.cooldownUntil : null,
    must_leave: phase.kind === 'cooling' && phase.mustLeave ? 1 : 0,
    wake_at_most: maybe(atMost, integer),
    wake_at_least: maybe(atLeast, integer),
    wake_block: fromBlock,
    wake_ms: fromMs,
  };
}

/** Disables alerts, which the caller chooses, from any phase: a disabled one keeps its reason. */
export const disableAlerts = (trx: Queries, reason: string, now: number) =>
  trx
    .updateTable('alerts')
    .set({ ...DISABLED_COLUMNS, disabled_reason: reason, updated_at: now })
    .where('phase', '<>', DISABLED.kind);

const DISABLED_COLUMNS: PhaseColumns = {
  phase: DISABLED.kind,
  true_since: null,
  cooldown_until: null,
  must_leave: 0,
  wake_at_most: null,
  wake_at_least: null,
  wake_block: null,
  wake_ms: null,
};

/** One alert. Wei per gas; times in ms since epoch. `core/alerts/alert-rule.ts` defines the wakes. */
export type AlertRow = ReturnType<typeof toAlertRow>;

export function toAlertRow(alert: KeptAlert) {
  const { rule } = alert;
  return {
    id: alert.id,
    owner: alert.owner,
    created_at: alert.createdAt,
    updated_at: alert.updatedAt,
    lane: rule.lane,
    condition: rule.condition,
    threshold: integer(rule.threshold),
    hysteresis: integer(rule.hysteresis),
    confirm_blocks: rule.confirmBlocks,
    cooldown_ms: rule.cooldownMs,
    disable_once: rule.disableOnce ? 1 : 0,
    method: alert.method,
    // JSON: the channels in order, and the target of each.
    channels: JSON.stringify(alert.channels),
    targets: JSON.stringify(alert.targets),
    note: alert.note,
    ...phaseColumns(rule, alert.phase),
    trigger_count: alert.triggerCount,
    last_triggered_at: alert.lastTriggeredAt,
    missed_count: alert.missedCount,
    last_missed_at: alert.lastMissedAt,
    disabled_reason: alert.disabledReason,
  };
}

const Channels = z.array(z.string());
const Targets = z.record(z.string(), z.string());

/** @throws for a row that gastop did not write. */
export function toKeptAlert(row: AlertRow): KeptAlert {
  return {
    id: row.id,
    owner: row.owner,
    rule: toRule(row),
    phase: toPhase(row),
    method: row.method,
    channels: Channels.parse(JSON.parse(row.channels)),
    targets: Targets.parse(JSON.parse(row.targets)),
    note: row.note,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    triggerCount: row.trigger_count,
    lastTriggeredAt: row.last_triggered_at,
    missedCount: row.missed_count,
    lastMissedAt: row.last_missed_at,
    disabledReason: row.disabled_reason,
  };
}

function toRule(row: AlertRow): AlertRule {
  return {
    lane: oneOf(LANES, row.lane),
    condition: row.condition === 'LESS_THAN' ? 'LESS_THAN' : 'GREATER_THAN',
    threshold: BigInt(row.threshold),
    hysteresis: BigInt(row.hysteresis),
    confirmBlocks: row.confirm_blocks,
    cooldownMs: row.cooldown_ms,
    disableOnce: row.disable_once === 1,
  };
}

function toPhase(row: AlertRow): AlertPhase {
  const kind = oneOf(['armed', 'cooling', 'disabled'] as const, row.phase);
  if (kind === 'armed') return { kind, trueSince: row.true_since };
  if (kind === 'disabled') return { kind };
  return { kind, cooldownUntil: row.cooldown_until ?? 0, mustLeave: row.must_leave === 1 };
}
