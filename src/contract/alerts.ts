import * as z from 'zod';
import { ALERT_CHANNELS } from './alert-channels.ts';
import { checkTargets, type TargetFields, type TargetRules } from './alert-targets.ts';
import * as choices from './choices.ts';
import { type Body, type Checked, checkBody } from './field-problems.ts';
import * as wire from './primitives.ts';
import { flag, listOf, maybe, object, pageOf, text, whole } from './primitives.ts';
import { ThresholdWire } from './threshold.ts';

const Target = z.string().max(2_048);

const Channel = z.enum(ALERT_CHANNELS).meta({
  ...{ id: 'AlertChannel', description: 'How the alert notifies; TERMINAL: in every running monitor' },
});

const fields = {
  thresholdGwei: wire.PriceGwei.describe('Price per gas to watch for, in gwei'),
  gasSpeed: z
    .enum(choices.ALERT_SPEEDS)
    .describe('Which lane is watched; BLOB: the blob base fee of the newest block, on a chain with blobs'),
  condition: z.enum(choices.ALERT_CONDITIONS).describe('On which side of the threshold it fires'),
  cooldownMs: whole(0, choices.COOLDOWN_LONGEST_MS).describe(
    'The least time between notifications, in ms: while the condition holds, it notifies again each time this is over. With 0 only once until the price has left the threshold',
  ),
  disableOnce: flag('Disables itself after it fired'),
  method: Channel.describe('The channel that `to` belongs to; one of channels'),
  channels: z.array(Channel).min(1).max(ALERT_CHANNELS.length),
  to: Target.describe("The method's target: an address, a URL, a chat id; empty for TERMINAL"),
  targets: z.partialRecord(Channel, Target.min(1)).describe('Targets of the further channels'),
  note: wire.Note.describe('Goes with each notification'),
  hysteresisGwei: wire
    .wholeWeiInGwei(z.number().min(0))
    .describe('How far the price must leave the threshold to notify again, in gwei; 0: it need not leave'),
  confirmBlocks: whole(1, choices.CONFIRM_BLOCKS_MOST).describe('Blocks in a row it must hold'),
};

/** Body of `POST /alerts` and `PUT /alerts/{id}`. */
export const AlertCreation = object('AlertCreation', 'A new alert, or all that an alert is changed to', {
  ...fields,
  thresholdGwei: fields.thresholdGwei
    .nullable()
    .optional()
    .describe(`${fields.thresholdGwei.description}; required without threshold`),
  threshold: ThresholdWire.nullable()
    .optional()
    .describe('In place of thresholdGwei: a rule in dollars or against history, for which a price stands'),
  cooldownMs: fields.cooldownMs.default(choices.COOLDOWN_DEFAULT_MS),
  disableOnce: fields.disableOnce.default(false),
  method: fields.method.optional(),
  to: fields.to.default(''),
  targets: fields.targets.optional(),
  note: fields.note.default(''),
  hysteresisGwei: fields.hysteresisGwei.default(0),
  confirmBlocks: fields.confirmBlocks.default(1),
});
export type AlertCreation = z.infer<typeof AlertCreation>;
/** As sent: fields with a default may be absent. */
export type AlertCreationInput = z.input<typeof AlertCreation>;

/** Validates such a body as a whole: all problems at once, field by field. */
export const checkAlert = (body: unknown, rules: TargetRules): Checked<AlertCreation> =>
  checkBody(AlertCreation, body, (given) => {
    const { targets } = given;
    // A name that zod removes from records before validation.
    const isHidden = typeof targets === 'object' && targets !== null && Object.hasOwn(targets, '__proto__');
    const message = `must be one of ${ALERT_CHANNELS.join(', ')}`;
    const hidden = isHidden ? [{ path: 'targets.__proto__', message }] : [];
    return [...wrongThreshold(given), ...hidden, ...checkTargets(soundFields(given), rules)];
  });

function wrongThreshold({ thresholdGwei, threshold, gasSpeed }: Body) {
  const rule = ThresholdWire.safeParse(threshold).data;
  if (gasSpeed === 'BLOB' && rule !== undefined && 'action' in rule) {
    const message =
      'is of an action, which pays for gas: for blobs give so much gas, 131072 for each, or gwei';
    return [{ path: 'threshold', message }];
  }
  if (thresholdGwei != null && threshold != null) {
    const message = 'goes without thresholdGwei, which follows from it: give one of the two';
    return [{ path: 'threshold', message }];
  }
  if (thresholdGwei != null || threshold != null) return [];
  const message =
    'is missing: a price in gwei; or give threshold, a rule such as {"usd": 0.4, "action": "swap"} or {"percentile": 20, "windowSec": 604800}';
  return [{ path: 'thresholdGwei', message }];
}

/** The valid fields, so that problems between them are reported with the others. */
function soundFields(given: Body): TargetFields {
  const { method, to, condition, thresholdGwei, hysteresisGwei } = AlertCreation.shape;
  const prices = {
    condition: condition.safeParse(given.condition).data,
    thresholdGwei: thresholdGwei.safeParse(given.thresholdGwei).data,
    hysteresisGwei: hysteresisGwei.safeParse(given.hysteresisGwei).data,
  };
  const chosen = method.safeParse(given.method);
  const { targets = {} } = given;
  // Which target is wanted is known once the method is valid.
  if (!chosen.success || typeof targets !== 'object') return prices;
  return {
    ...prices,
    method: chosen.data,
    to: to.safeParse(given.to).data,
    // One invalid target does not hide problems of the others.
    targets: Object.fromEntries(
      Object.entries(targets ?? {}).filter(([, target]) => to.safeParse(target).success),
    ),
    channels: z.array(z.string()).min(1).safeParse(given.channels).data,
  };
}

export const AlertStatusUpdate = object('AlertStatusUpdate', 'Arms or disables an alert', {
  status: z.enum(choices.ALERT_STATUSES),
});

export const AlertRedelivery = object('AlertRedelivery', 'Which delivery to send again', {
  deliveryId: z.string().min(1).describe('Which of the deliveries of the alert'),
});

export const AlertDelivery = object('AlertDelivery', 'What was sent to one channel for one firing', {
  id: text('Also the idempotency key that is sent to the recipient'),
  eventId: text('The firing it is for'),
  channel: Channel,
  target: z.string(),
  status: z.enum(choices.DELIVERY_STATUSES),
  createdAt: wire.Timestamp,
  nextAttemptAt: maybe(wire.Timestamp, 'When it is tried again; null once it is done'),
  attempts: listOf('The newest 20, newest first', {
    at: wire.Timestamp,
    latencyMs: z.number().min(0),
    ok: z.boolean(),
    answer: text("The recipient's response, in short"),
  }),
});
export type AlertDelivery = z.infer<typeof AlertDelivery>;

export const Alert = object('Alert', 'An alert', {
  id: z.string(),
  status: z.enum(choices.ALERT_STATUSES).describe('PENDING is armed'),
  ...fields,
  thresholdGwei: maybe(
    z.number().min(0),
    `${fields.thresholdGwei.description}; null: its threshold stands for none now`,
  ),
  threshold: ThresholdWire.nullable().describe('Its rule; null: it has a price in gwei'),
  effectiveThresholdGwei: maybe(
    z.number().min(0),
    'The price that its rule stands for now, in gwei; null: none, for thresholdReason, or it has no rule',
  ),
  effectiveSince: maybe(wire.Timestamp, 'Since when'),
  thresholdReason: maybe(z.string(), 'Why its rule stands for no price now, so that it waits'),
  createdAt: wire.Timestamp,
  updatedAt: wire.Timestamp,
  lastTriggeredAt: wire.Timestamp.nullable(),
  cooldownUntil: maybe(
    wire.Timestamp,
    'Until when it cools down at least; null while it does not. In the past: it waits for the price to leave the threshold',
  ),
  triggerCount: whole(0),
  warnings: listOf('What keeps its notifications back, such as a channel that is not set up', {
    path: z.string(),
    message: z.string(),
  }),
  disabledReason: maybe(z.string(), 'Why it was disabled, where the service did it by itself'),
  keyId: maybe(z.string(), "The id of the key that made it; null: one's own"),
  missed: maybe(
    z.strictObject({ count: whole(1), lastAt: wire.Timestamp }),
    'Firings in blocks that came too late to notify: the service was not running, or behind',
  ),
});
export type Alert = z.infer<typeof Alert>;

export const AlertDetails = Alert.extend({
  deliveries: z.array(AlertDelivery).describe('What was sent, newest first, at most 50'),
}).meta({ id: 'AlertDetails', description: 'An alert and what was sent for it' });
export type AlertDetails = z.infer<typeof AlertDetails>;

export const CreatedAlert = Alert.extend({
  signingSecret: maybe(
    z.string(),
    'The secret that signs the webhooks of all alerts of the key. Told when an alert gets a webhook: null where it has none, or had one before',
  ),
}).meta({ id: 'CreatedAlert', description: 'An alert that was just made or changed' });
export type CreatedAlert = z.infer<typeof CreatedAlert>;

export const RotatedSecret = object('RotatedSecret', 'A new signing secret', {
  signingSecret: text('The secret that signs the webhooks of all alerts of the key from now on'),
  previousUntil: maybe(
    wire.Timestamp,
    'Until when the previous secret signs webhooks as well; null: there was none',
  ),
});
export type RotatedSecret = z.infer<typeof RotatedSecret>;
export const AlertList = pageOf(Alert).meta({ id: 'AlertList', description: 'Alerts, newest first' });
export type AlertList = z.infer<typeof AlertList>;

const SavingsEntry = object('SavingsEntry', 'One firing and what it saved', {
  triggeredAt: wire.Timestamp,
  blockNumber: wire.BlockNumber,
  price: wire.Price,
  referencePrice: maybe(wire.Wei, "The lane's mean over the 24 hours before; null: unknown"),
  savedWei: wire.Amount,
  savedUsd: wire.Usd.nullable(),
});

export const AlertSavings = object('AlertSavings', 'What an alert saved against the mean of the day before', {
  alertId: z.string(),
  events: whole(0).describe('Firings of the last 90 days, at most 1,000; entries: the newest 500'),
  savedWei: wire.Amount,
  savedUsd: wire.Usd.nullable(),
  best: SavingsEntry.nullable(),
  gasAmount: whole(1).describe('Gas that the savings are counted for'),
  entries: z.array(SavingsEntry),
});
export type AlertSavings = z.infer<typeof AlertSavings>;
