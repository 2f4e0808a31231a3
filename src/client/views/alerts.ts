import * as z from 'zod';
import { hasTarget } from '../../contract/alert-channels.ts';
import {
  type AlertCreationInput,
  AlertDelivery,
  AlertDetails as AlertDetailsWire,
  AlertList,
  AlertSavings as AlertSavingsWire,
  Alert as AlertWire,
  CreatedAlert as CreatedAlertWire,
  RotatedSecret as RotatedSecretWire,
} from '../../contract/alerts.ts';
import { COOLDOWN_DEFAULT_MS } from '../../contract/choices.ts';
import { ownValue } from '../../core/own-value.ts';
import { ruleFromWire, ruleToWire } from '../../core/threshold/rule-wire.ts';
import type { Threshold } from '../../core/threshold/threshold.ts';
import { gweiString } from '../../core/units.ts';
import { countedRows, lenient, sayingAny, type Wire, weiFromGwei } from '../lenient.ts';

/** An alert for a service, which may offer further values than the contract. */
export interface NewAlert extends Omit<AlertCreationInput, keyof Words>, Words {}

interface Words {
  readonly gasSpeed: string;
  readonly condition: string;
  readonly channels: readonly string[];
  /** Default: the first of `channels`. */
  readonly method?: string | undefined;
  readonly targets?: Readonly<Record<string, string>> | undefined;
}

/** The whole of a new alert, for any service: fields that the given v1 document lacks only where they differ from the default. */
export function alertBody(alert: NewAlert) {
  const { hysteresisGwei = 0, confirmBlocks = 1, targets = {}, threshold, ...given } = alert;
  const { cooldownMs = COOLDOWN_DEFAULT_MS, disableOnce = false, method = given.channels[0] } = given;
  return {
    ...given,
    cooldownMs,
    disableOnce,
    method,
    to: given.to ?? '',
    note: given.note ?? '',
    ...(threshold == null ? {} : { threshold }),
    ...(hysteresisGwei === 0 ? {} : { hysteresisGwei }),
    ...(confirmBlocks === 1 ? {} : { confirmBlocks }),
    ...(Object.keys(targets).length === 0 ? {} : { targets }),
  };
}

/** The fields of a new alert that say what it waits for: the one of them that is not wanted is `undefined`. */
export const thresholdPayload = (threshold: Threshold) =>
  threshold.kind === 'gwei'
    ? { thresholdGwei: Number(gweiString(threshold.price)), threshold: undefined }
    : { thresholdGwei: undefined, threshold: ruleToWire(threshold) };

/** What an alert waits for, as written; `null`: unknown. */
export const writtenThreshold = ({ rule, threshold }: Pick<AlertView, 'rule' | 'threshold'>) =>
  rule ?? (threshold === null ? null : ({ kind: 'gwei', price: threshold } as const));

/** The alert as the body of a request, without a target that a service keeps for a channel that has none. */
export function payloadOf(alert: AlertView): Partial<NewAlert> {
  const { hysteresis, gasSpeed, condition, cooldownMs, disableOnce, confirmBlocks } = alert;
  const { method, channels, note } = alert;
  const to = method === null || hasTarget(method) ? alert.to : null;
  const targets = Object.fromEntries(Object.entries(alert.targets).filter(([channel]) => hasTarget(channel)));
  const written = writtenThreshold(alert);
  const fields = {
    ...(written && thresholdPayload(written)),
    hysteresisGwei: hysteresis === null ? null : Number(gweiString(hysteresis)),
    ...{ gasSpeed, condition, cooldownMs, disableOnce, confirmBlocks, method, channels, to, targets, note },
  };
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value != null));
}

const alertOf = ({
  thresholdGwei,
  effectiveThresholdGwei,
  threshold,
  hysteresisGwei,
  missed,
  ...wire
}: Wire<typeof AlertWire.shape, 'id'>) => ({
  ...wire,
  /** What it waits for, where that is no price in gwei. */
  rule: threshold === null ? null : ruleFromWire(threshold),
  /** Wei per gas; of a rule what it stands for now. */
  threshold: weiFromGwei(threshold === null ? thresholdGwei : effectiveThresholdGwei),
  hysteresis: weiFromGwei(hysteresisGwei),
  ...alertTargets(wire),
  /** Firings in blocks that came too late for a notification. */
  missed: missed === null || missed.count === null ? null : { count: missed.count, lastAt: missed.lastAt },
});

/** Required: its id. `null`: unknown. `status` may be a service's own; `note` may have several lines. */
export const AlertView = lenient(AlertWire, 'id').transform(alertOf);
export type AlertView = z.infer<typeof AlertView>;
type WireTargets = Pick<Wire<typeof AlertWire.shape, 'id'>, 'method' | 'channels' | 'to' | 'targets'>;

/** `to` is the method's target, `targets` those of further channels. */
function alertTargets({ method, channels, to, targets }: WireTargets) {
  const all = Object.entries(targets ?? {});
  const named: readonly string[] = channels;
  const notified: readonly string[] = named.length === 0 && method !== null ? [method] : [...new Set(named)];
  return {
    method,
    channels: notified,
    to: to ?? ownValue(targets ?? {}, method ?? '') ?? null,
    targets: Object.fromEntries(all.filter(([channel]) => channel !== method)),
  };
}

/** A delivery without an id cannot be retried, so it is left out. */
const Delivery = lenient(AlertDelivery, 'id');
export type DeliveryView = z.infer<typeof Delivery>;
export type DeliveryAttemptView = DeliveryView['attempts'][number];

/** `GET /alerts/{id}`. Deliveries are newest first; `null` when the service has no log. */
export const AlertDetailsView = lenient(
  AlertDetailsWire.extend({ deliveries: z.array(Delivery).nullable() }),
  'id',
).transform(({ deliveries, ...wire }) => ({
  ...alertOf(wire),
  deliveries,
}));
export type AlertDetailsView = z.infer<typeof AlertDetailsView> & {
  /** Why the details route failed, so that this comes from the list. */
  readonly problem?: string;
};

/** Some services respond with little more than the id. `signingSecret`: `null` when it is not returned. */
export const CreatedAlertView = lenient(CreatedAlertWire, 'id').transform(({ signingSecret, ...wire }) => ({
  ...alertOf(wire),
  signingSecret,
}));
export type CreatedAlertView = z.infer<typeof CreatedAlertView>;
/** `previousUntil`: until then the previous secret signs as well; `null`: it does not. */
export const RotatedSecretView = lenient(RotatedSecretWire, 'signingSecret');
export type RotatedSecretView = z.infer<typeof RotatedSecretView>;

/** One page of `GET /alerts`, or all alerts of a service without paging. */
export const AlertPage = lenient(AlertList.extend({ items: countedRows(AlertView) }), 'items').transform(
  ({ items, total }) => ({ ...items, total }),
);

/** A whole list. `unreadable`: number of invalid rows; `items` are the others. */
export interface ListView<Item> {
  readonly items: readonly Item[];
  readonly total: number | null;
  readonly unreadable: number;
}
export type AlertListView = ListView<AlertView>;

/** `GET /alerts/{id}/savings` */
export const AlertSavingsView = sayingAny(lenient(AlertSavingsWire), 'savedWei').transform(
  ({ alertId: _, ...wire }) => wire,
);
export type AlertSavingsView = z.infer<typeof AlertSavingsView>;
export type SavingsEntryView = AlertSavingsView['entries'][number];
