import { ALERT_CHANNELS } from '../contract/choices.ts';
import { LANES } from '../core/advice.ts';
import type { KeptAlert } from '../core/alerts/kept-alert.ts';
import { DISABLED_COLUMNS, toKeptAlert } from './alert-row.ts';
import type { AlertRow } from './alert-schema.ts';

/** Said of an alert that a damaged file, or another program, has left without sense. */
const UNREADABLE = 'what the database holds of it cannot be read; delete it and make it again';

/** The alert of a row; `null`: no program of ours wrote it. */
export function readAlertRow(row: AlertRow): KeptAlert | null {
  try {
    return toKeptAlert(row);
  } catch {
    return null;
  }
}

/** The alert of a row, disabled where it cannot be read: its owner is to see it, and may delete it. */
export function shownAlert(row: AlertRow): KeptAlert {
  return readAlertRow(row) ?? toKeptAlert(mendedRow(row));
}

/** What can be kept of a row that cannot be read, disabled. */
export function mendedRow(row: AlertRow): AlertRow {
  const channels: readonly string[] = row.channels.match(/[A-Z]+/g) ?? [];
  const known = ALERT_CHANNELS.filter((channel) => channels.includes(channel));
  return {
    ...row,
    ...DISABLED_COLUMNS,
    lane: LANES.find((lane) => lane === row.lane) ?? 'average',
    threshold: whole(row.threshold, 1),
    hysteresis: whole(row.hysteresis, 0),
    confirm_blocks: whole(row.confirm_blocks, 1),
    cooldown_ms: whole(row.cooldown_ms, 0),
    method: ALERT_CHANNELS.find((channel) => channel === row.method) ?? known[0] ?? 'TERMINAL',
    channels: JSON.stringify(known.length > 0 ? known : ['TERMINAL']),
    targets: '{}',
    disabled_reason: UNREADABLE,
  };
}

const whole = (value: number, otherwise: number) => (Number.isSafeInteger(value) ? value : otherwise);
