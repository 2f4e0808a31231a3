import type * as z from 'zod';
import {
  type AlertCreationInput,
  AlertDelivery,
  AlertDetails as AlertDetailsWire,
  AlertList,
  AlertSavings as AlertSavingsWire,
  Alert as AlertWire,
  CreatedAlert as CreatedAlertWire,
} from '../../contract/alerts.ts';
import { COOLDOWN_DEFAULT_MS } from '../../contract/choices.ts';
import { ownValue } from '../../core/own-value.ts';
import { countedRows, lenient, ms, rows, said, sayingAny, type Wire, wei, weiFromGwei } from '../lenient.ts';

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

const alertOf = (wire: Wire<typeof AlertWire.shape, 'id'>) => ({
  id: wire.id,
  /** `PENDING` (armed), `DISABLED`, or a service's own word. */
  status: wire.status,
  gasSpeed: wire.gasSpeed,
  condition: wire.condition,
  threshold: weiFromGwei(wire.thresholdGwei),
  hysteresis: weiFromGwei(wire.hysteresisGwei),
  confirmBlocks: wire.confirmBlocks,
  cooldownMs: wire.cooldownMs,
  disableOnce: wire.disableOnce,
  ...alertTargets(wire),
  /** As it is kept, harmless but of several lines perhaps: a screen draws it as one clean line. */
  note: wire.note,
  createdAt: ms(wire.createdAt),
  updatedAt: ms(wire.updatedAt),
  lastTriggeredAt: ms(wire.lastTriggeredAt),
  cooldownUntil: ms(wire.cooldownUntil),
  triggerCount: wire.triggerCount,
  disabledReason: said(wire.disabledReason),
  /** The key that made it; `null`: one's own, or the service does not say. */
  keyId: wire.keyId,
  /** Firings that nobody was told of in time. */
  missed:
    (wire.missed?.count ?? null) === null
      ? null
      : { count: wire.missed?.count ?? 0, lastAt: ms(wire.missed?.lastAt) },
});

/** An alert. Required: its id. `null`: the service does not say. */
export const Alert = lenient(AlertWire, 'id').transform(alertOf);
export type AlertView = z.infer<typeof Alert>;

type WireTargets = Pick<Wire<typeof AlertWire.shape, 'id'>, 'method' | 'channels' | 'to' | 'targets'>;

/** `to` is the method's target, `targets` those of further channels. */
function alertTargets({ method, channels, to, targets }: WireTargets) {
  const all = Object.entries(targets ?? {});
  const named: readonly string[] = channels ?? [];
  /** Empty where the service does not say. */
  const told: readonly string[] = named.length === 0 && method !== null ? [method] : [...new Set(named)];
  return {
    method,
    channels: told,
    to: to ?? ownValue(targets ?? {}, method ?? '') ?? null,
    targets: Object.fromEntries(all.filter(([channel]) => channel !== method)),
  };
}

const MOST_DELIVERIES = 200;

const Attempt = lenient(AlertDelivery.shape.attempts.element).transform((wire) => ({
  ...wire,
  at: ms(wire.at),
}));

/** What cannot be named cannot be sent again, so it is left out. */
const Delivery = lenient(AlertDelivery.extend({ attempts: rows(Attempt) }), 'id').transform((wire) => ({
  ...wire,
  createdAt: ms(wire.createdAt),
  nextAttemptAt: ms(wire.nextAttemptAt),
  /** Newest first. */
  attempts: (wire.attempts ?? []).slice(0, MOST_DELIVERIES),
}));
export type DeliveryAttemptView = z.infer<typeof Attempt>;
export type DeliveryView = z.infer<typeof Delivery>;

/** `GET /alerts/{id}`. Deliveries are newest first; `null` where the service keeps no log. */
export const AlertDetails = lenient(AlertDetailsWire.extend({ deliveries: rows(Delivery) }), 'id').transform(
  ({ deliveries, ...wire }) => ({
    ...alertOf(wire),
    deliveries: deliveries?.slice(0, MOST_DELIVERIES) ?? null,
  }),
);
export type AlertDetailsView = z.infer<typeof AlertDetails>;

/** `POST /alerts`, which some services answer with little more than the id. Webhooks are signed with `signingSecret`, said once. */
export const CreatedAlert = lenient(CreatedAlertWire, 'id').transform(({ signingSecret, ...wire }) => ({
  ...alertOf(wire),
  signingSecret,
}));
export type CreatedAlertView = z.infer<typeof CreatedAlert>;

/** One page of `GET /alerts`, or all of them from a service that knows no pages. */
export const AlertPage = lenient(AlertList.extend({ items: countedRows(Alert) }), 'items').transform(
  ({ items, total }) => ({ ...items, total }),
);

/** A whole list. `unreadable`: rows that could not be read; `items` are the others. */
export interface ListView<Item> {
  readonly items: readonly Item[];
  /** How many there are in all; `null` where the service does not say. */
  readonly total: number | null;
  readonly unreadable: number;
}
export type AlertListView = ListView<AlertView>;

const MOST_ENTRIES = 500;

const { entries } = AlertSavingsWire.shape;
const Entry = lenient(entries.element).transform((wire) => ({
  ...wire,
  triggeredAt: ms(wire.triggeredAt),
  price: wei(wire.price),
  referencePrice: wei(wire.referencePrice),
  savedWei: wei(wire.savedWei),
}));
export type SavingsEntryView = z.infer<typeof Entry>;

/** `GET /alerts/{id}/savings` */
export const AlertSavings = sayingAny(
  lenient(AlertSavingsWire.extend({ best: Entry, entries: rows(Entry) })),
  'savedWei',
).transform(({ alertId: _, ...wire }) => ({
  ...wire,
  savedWei: wei(wire.savedWei),
  entries: (wire.entries ?? []).slice(0, MOST_ENTRIES),
}));
export type AlertSavingsView = z.infer<typeof AlertSavings>;
