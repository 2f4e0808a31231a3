import type { AlertCreationInput } from '../../contract/alerts.ts';
import {
  ALERT_CHANNELS,
  ALERT_CONDITIONS,
  ALERT_STATUSES,
  COOLDOWN_DEFAULT_MS,
  DELIVERY_STATUSES,
  GAS_SPEEDS,
  MOST_GWEI,
} from '../../contract/choices.ts';
import { ownValue } from '../../core/own-value.ts';
import { type Answer, type ListPage, readListPage } from '../answer.ts';
import { Fields, ID_NAMES, readWord, readWrittenText } from '../fields.ts';
import { isRecord } from '../json.ts';

/** An alert as it is sent to a service, which may offer further words than the contract's. */
export interface NewAlert extends Omit<AlertCreationInput, keyof Words>, Words {}

interface Words {
  readonly gasSpeed: string;
  readonly condition: string;
  readonly channels: readonly string[];
  /** Default: the first of `channels`. */
  readonly method?: string | undefined;
  readonly targets?: Readonly<Record<string, string>> | undefined;
}

/** The fields of a new alert that every v1 service was promised, with nothing left to its defaults. */
export function givenPayload(alert: NewAlert) {
  const { thresholdGwei, gasSpeed, condition, cooldownMs, disableOnce, method, channels, to, note } = alert;
  return {
    thresholdGwei,
    gasSpeed,
    condition,
    cooldownMs: cooldownMs ?? COOLDOWN_DEFAULT_MS,
    disableOnce: disableOnce ?? false,
    method: method ?? channels[0],
    channels,
    to: to ?? '',
    note: note ?? '',
  };
}

/** The fields that our own service knows beside those, where they differ from the default. */
export function extraPayload(
  alert: NewAlert,
): Partial<Pick<NewAlert, 'hysteresisGwei' | 'confirmBlocks' | 'targets'>> {
  const { hysteresisGwei = 0, confirmBlocks = 1, targets = {} } = alert;
  return {
    ...(hysteresisGwei === 0 ? {} : { hysteresisGwei }),
    ...(confirmBlocks === 1 ? {} : { confirmBlocks }),
    ...(Object.keys(targets).length === 0 ? {} : { targets }),
  };
}

/** An alert. `null`: the service does not say. Words a service uses that are none of the contract's stay as they are. */
export interface AlertView {
  readonly id: string;
  /** `PENDING` (armed), `DISABLED`, or a service's own word. */
  readonly status: string | null;
  readonly gasSpeed: string | null;
  readonly condition: string | null;
  /** Wei per gas. */
  readonly threshold: bigint | null;
  readonly hysteresis: bigint | null;
  readonly confirmBlocks: number | null;
  readonly cooldownMs: number | null;
  readonly disableOnce: boolean | null;
  readonly method: string | null;
  /** Empty where the service does not say. */
  readonly channels: readonly string[];
  /** The method's target. */
  readonly to: string | null;
  /** Targets of further channels. */
  readonly targets: Readonly<Record<string, string>>;
  /** As it is kept, harmless but of several lines perhaps: a screen draws it as one clean line. */
  readonly note: string | null;
  readonly createdAt: number | null;
  readonly updatedAt: number | null;
  readonly lastTriggeredAt: number | null;
  readonly cooldownUntil: number | null;
  readonly triggerCount: number | null;
  readonly disabledReason: string | null;
  /** The key that made it; `null`: one's own, or the service does not say. */
  readonly keyId: string | null;
  /** Firings that nobody was told of in time. */
  readonly missed: { readonly count: number; readonly lastAt: number | null } | null;
}

export interface DeliveryAttemptView {
  readonly at: number | null;
  readonly latencyMs: number | null;
  readonly ok: boolean | null;
  readonly answer: string | null;
}

export interface DeliveryView {
  readonly id: string;
  readonly eventId: string | null;
  readonly channel: string | null;
  readonly target: string | null;
  /** `PENDING`, `DELIVERED`, `FAILED`, `CANCELLED`, or a service's own word. */
  readonly status: string | null;
  readonly createdAt: number | null;
  readonly nextAttemptAt: number | null;
  /** Newest first. */
  readonly attempts: readonly DeliveryAttemptView[];
}

export interface AlertDetailsView extends AlertView {
  /** Newest first; `null` where the service keeps no log. */
  readonly deliveries: readonly DeliveryView[] | null;
}

export interface CreatedAlertView extends AlertView {
  /** What webhooks are signed with; said once. */
  readonly signingSecret: string | null;
}

export interface AlertListView {
  readonly items: readonly AlertView[];
  /** How many there are in all; `null` where the service does not say. */
  readonly total: number | null;
  /** Rows of the answer that could not be read; `items` are the others. */
  readonly unreadable: number;
}

export interface SavingsEntryView {
  readonly triggeredAt: number | null;
  readonly blockNumber: number | null;
  /** Wei per gas. */
  readonly price: bigint | null;
  readonly referencePrice: bigint | null;
  readonly savedWei: bigint | null;
  readonly savedUsd: number | null;
}

export interface AlertSavingsView {
  readonly events: number | null;
  readonly savedWei: bigint | null;
  readonly savedUsd: number | null;
  readonly best: SavingsEntryView | null;
  readonly gasAmount: number | null;
  readonly entries: readonly SavingsEntryView[];
}

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

const LONGEST_TARGET = 2_048;
const MOST_CHANNELS = 20;

type Targets = Pick<AlertView, 'method' | 'channels' | 'to' | 'targets'>;

/** Whom an alert tells: a list of words, of records that hold a target each, or one word with commas. */
export function readAlertTargets(fields: Fields): Targets {
  const method = fields.word(ALERT_CHANNELS, 'method', 'channel');
  const listed = fields.list('channels', 'methods', 'notificationChannels').slice(0, MOST_CHANNELS);
  const told = listed.length > 0 ? listed : (fields.text('channels', 'methods')?.split(',') ?? []);
  const channels = told.flatMap((one) => channelOf(one) ?? []);
  const to = fields.writtenText(LONGEST_TARGET, 'to', 'target', 'recipient', 'email', 'webhookUrl');
  const named = Object.entries(fields.record('targets')).slice(0, MOST_CHANNELS);
  const targets = Object.fromEntries([
    ...told.flatMap((one) => (isRecord(one) ? targetOf(channelOf(one), one.to ?? one.target) : [])),
    ...named.flatMap(([channel, target]) => targetOf(readWord(channel, ALERT_CHANNELS), target)),
  ]);
  const { [method ?? '']: _, ...others } = targets;
  return {
    method,
    channels: channels.length > 0 || method === null ? [...new Set(channels)] : [method],
    to: to ?? ownValue(targets, method ?? '') ?? null,
    targets: others,
  };
}

function channelOf(value: unknown): string | null {
  return readWord(isRecord(value) ? (value.type ?? value.channel ?? value.name) : value, ALERT_CHANNELS);
}

function targetOf(channel: string | null, value: unknown): [string, string][] {
  const target = readWrittenText(value, LONGEST_TARGET);
  return channel === null || target === null ? [] : [[channel, target]];
}

const MOST_ENTRIES = 500;

/** `GET /alerts/{id}/savings`. Required: how often it fired, or what that saved. */
export function readAlertSavings(answer: Answer): AlertSavingsView {
  const names = ['events', 'savedWei', 'saved', 'totalSavedWei', 'totalSaved', 'savedUsd', 'entries'];
  const fields = new Fields(answer, answer.record(names, 'savedWei'));
  const best = fields.child('best');
  return {
    events: fields.count('events', 'eventCount', 'triggerCount'),
    savedWei: fields.wei('savedWei', 'saved', 'totalSavedWei', 'totalSaved'),
    savedUsd: fields.amount('savedUsd', 'totalSavedUsd'),
    best: best === null ? null : readEntry(best),
    gasAmount: fields.count('gasAmount', 'gas'),
    entries: (fields.childrenIfAny('entries', 'history') ?? fields.children('events'))
      .slice(0, MOST_ENTRIES)
      .map(readEntry),
  };
}

function readEntry(fields: Fields): SavingsEntryView {
  return {
    triggeredAt: fields.time('triggeredAt', 'timestamp', 'time', 'at'),
    blockNumber: fields.count('blockNumber', 'block'),
    price: fields.fee('price', 'gasPrice'),
    referencePrice: fields.fee('referencePrice', 'reference', 'averagePrice'),
    savedWei: fields.wei('savedWei', 'saved'),
    savedUsd: fields.amount('savedUsd'),
  };
}
