import {
  ALERT_CHANNELS,
  ALERT_CONDITIONS,
  ALERT_STATUSES,
  DELIVERY_STATUSES,
  GAS_SPEEDS,
  MOST_GWEI,
} from '../../contract/choices.ts';
import type {
  AlertDetailsView,
  AlertView,
  CreatedAlertView,
  DeliveryAttemptView,
  DeliveryView,
} from '../views/alerts.ts';
import { readAlertTargets } from './alert-targets.ts';
import type { Answer } from './answer.ts';
import { Fields, ID_NAMES } from './fields.ts';
import { type ListPage, readListPage } from './list-page.ts';

/** As long as any address, URL or note may be, with room for other services' ideas. */
const LONGEST_TEXT = 2_048;
const MOST_DELIVERIES = 200;
const WEI_PER_GWEI = 1_000_000_000n;
const HIGHEST_WEI = BigInt(MOST_GWEI) * WEI_PER_GWEI;

/** One alert, by itself or a row of a list. Required: its id. */
function readAlert(fields: Fields): AlertView {
  const id = fields.exactId(...ID_NAMES);
  if (id === null) throw fields.missing('id');
  const missed = fields.child('missed');
  const missedCount = missed?.count('count') ?? null;
  return {
    id,
    status: fields.word(ALERT_STATUSES, 'status', 'state') ?? statusOf(fields.flag('enabled', 'active')),
    gasSpeed: fields.word(GAS_SPEEDS, 'gasSpeed', 'speed', 'lane'),
    condition: fields.word(ALERT_CONDITIONS, 'condition', 'operator', 'comparison'),
    threshold: thresholdOf(fields),
    hysteresis: fields.fee('hysteresisGwei', 'hysteresis'),
    confirmBlocks: fields.count('confirmBlocks', 'confirmations'),
    cooldownMs: cooldownOf(fields),
    disableOnce: fields.flag('disableOnce', 'once'),
    ...readAlertTargets(fields),
    note: fields.note(LONGEST_TEXT, 'note', 'message', 'description'),
    createdAt: fields.time('createdAt', 'created'),
    updatedAt: fields.time('updatedAt', 'updated'),
    lastTriggeredAt: fields.time('lastTriggeredAt', 'lastTriggered', 'lastFiredAt', 'triggeredAt'),
    cooldownUntil: fields.time('cooldownUntil', 'cooldownEndsAt'),
    triggerCount: fields.count('triggerCount', 'triggeredCount', 'firedCount', 'fireCount'),
    disabledReason: fields.text('disabledReason'),
    keyId: fields.text('keyId'),
    missed: missedCount === null ? null : { count: missedCount, lastAt: missed?.time('lastAt') ?? null },
  };
}

/** One page of `GET /alerts`. */
export function readAlertPage(answer: Answer): ListPage<AlertView> {
  return readListPage(answer, 'alerts', readAlert);
}

/** `GET /alerts/{id}`. */
export function readAlertDetails(answer: Answer): AlertDetailsView {
  const { alert, beside } = alertOf(answer);
  const rows =
    alert.childrenIfAny('deliveries', 'deliveryLog') ??
    beside?.childrenIfAny('deliveries', 'deliveryLog') ??
    null;
  return {
    ...readAlert(alert),
    deliveries: rows === null ? null : rows.slice(0, MOST_DELIVERIES).flatMap(readDelivery),
  };
}

/** `POST /alerts`, which some services answer with little more than the id. */
export function readCreatedAlert(answer: Answer): CreatedAlertView {
  const { alert, beside } = alertOf(answer);
  return {
    ...readAlert(alert),
    signingSecret: alert.text('signingSecret') ?? beside?.text('signingSecret') ?? null,
  };
}

/** What `PUT /alerts/{id}/status` answers; `null` where that is no whole alert. */
export function readChangedAlert(answer: Answer): AlertView | null {
  answer.throwIfRefused();
  try {
    const alert = readAlert(alertOf(answer).alert);
    return alert.threshold === null && alert.condition === null ? null : alert;
  } catch {
    return null;
  }
}

/** The alert may stand in a record of its own. */
function alertOf(answer: Answer): { readonly alert: Fields; readonly beside: Fields | null } {
  const found = new Fields(answer, answer.record([...ID_NAMES, 'alert'], 'id'));
  const inside = found.inside('alert');
  return inside === null ? { alert: found, beside: null } : { alert: inside, beside: found };
}

function statusOf(isEnabled: boolean | null): string | null {
  if (isEnabled === null) return null;
  return isEnabled ? 'PENDING' : 'DISABLED';
}

/** Thresholds are entered in gwei and may be kept in wei, sometimes under the name they were entered with. */
function thresholdOf(fields: Fields): bigint | null {
  const threshold = fields.fee('thresholdGwei', 'thresholdWei', 'threshold', 'targetPrice', 'targetGasPrice');
  return threshold !== null && threshold > HIGHEST_WEI ? threshold / WEI_PER_GWEI : threshold;
}

function cooldownOf(fields: Fields): number | null {
  const ms = fields.amount('cooldownMs');
  if (ms !== null) return ms;
  const seconds = fields.amount('cooldownSec', 'cooldownSeconds');
  if (seconds !== null) return seconds * 1_000;
  const minutes = fields.amount('cooldownMin', 'cooldownMinutes');
  return minutes === null ? null : minutes * 60_000;
}

/** What cannot be named cannot be sent again, so it is left out. */
function readDelivery(fields: Fields): DeliveryView[] {
  const id = fields.exactId(...ID_NAMES, 'deliveryId');
  if (id === null) return [];
  return [
    {
      id,
      eventId: fields.text('eventId', 'event'),
      channel: fields.word(ALERT_CHANNELS, 'channel', 'method', 'type'),
      target: fields.writtenText(LONGEST_TEXT, 'target', 'to'),
      status: fields.word(DELIVERY_STATUSES, 'status', 'state'),
      createdAt: fields.time('createdAt', 'created'),
      nextAttemptAt: fields.time('nextAttemptAt'),
      attempts: fields.children('attempts').slice(0, MOST_DELIVERIES).map(readAttempt),
    },
  ];
}

function readAttempt(fields: Fields): DeliveryAttemptView {
  return {
    at: fields.time('at', 'attemptedAt', 'timestamp', 'createdAt'),
    latencyMs: fields.amount('latencyMs', 'durationMs'),
    ok: fields.flag('ok', 'success'),
    answer: fields.text('answer', 'response', 'error', 'message'),
  };
}
