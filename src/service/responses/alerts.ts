import { ALERT_CHANNELS, type AlertChannel } from '../../contract/alert-channels.ts';
import { channelWarnings, type TargetRules } from '../../contract/alert-targets.ts';
import type { Alert, AlertDelivery, AlertSavings } from '../../contract/alerts.ts';
import { DELIVERY_STATUSES, SPEED_OF_LANE } from '../../contract/choices.ts';
import type { StoredAlert } from '../../core/alerts/alert-rule.ts';
import { ruleToWire } from '../../core/threshold/rule-wire.ts';
import { gweiString } from '../../core/units.ts';
import type { AlertFiring, AlertSum } from '../../store/alerts.ts';
import type { StoredDelivery } from '../../store/outbox.ts';
import { integerOrNull, isoFromMs, isoOrNull, thresholdWarnings, usdOrNull } from './wire.ts';

/** An alert as v1 shows it to `asker` (as `StoredAlert.owner`) at `now`, ms since epoch by the chain's clock. */
export function alertResponse(
  alert: StoredAlert,
  asker: string,
  now: number,
  rules: Pick<TargetRules, 'missing'>,
): Alert {
  const { rule, phase, missedCount, lastMissedAt } = alert;
  const method = channelOf(alert.method);
  const { [method]: to = '', ...targets } = alert.targets;
  // The price may have to leave the threshold after the cooldown.
  const { relative = null } = rule;
  const threshold = relative?.reason == null ? gweiNumber(rule.threshold) : null;
  const isCooling = phase.kind === 'cooling' && (phase.cooldownUntil > now || phase.mustLeave);
  return {
    id: alert.id,
    status: phase.kind === 'disabled' ? 'DISABLED' : 'PENDING',
    thresholdGwei: threshold,
    threshold: relative && ruleToWire(relative.written),
    effectiveThresholdGwei: relative && threshold,
    effectiveSince: isoOrNull(relative && (relative.since ?? alert.updatedAt)),
    thresholdReason: relative?.reason ?? null,
    gasSpeed: SPEED_OF_LANE[rule.lane],
    condition: rule.condition,
    cooldownMs: rule.cooldownMs,
    disableOnce: rule.disableOnce,
    method,
    channels: alert.channels.map(channelOf),
    to,
    targets,
    note: alert.note,
    hysteresisGwei: gweiNumber(rule.hysteresis),
    confirmBlocks: rule.confirmBlocks,
    createdAt: isoFromMs(alert.createdAt),
    updatedAt: isoFromMs(alert.updatedAt),
    lastTriggeredAt: isoOrNull(alert.lastTriggeredAt),
    cooldownUntil: isCooling ? isoFromMs(phase.cooldownUntil) : null,
    triggerCount: alert.triggerCount,
    warnings: [
      ...thresholdWarnings(relative?.reason),
      ...channelWarnings(alert.channels.map(channelOf), rules),
    ],
    disabledReason: alert.disabledReason,
    keyId: alert.owner === asker ? null : alert.owner,
    missed:
      missedCount === 0 || lastMissedAt === null
        ? null
        : { count: missedCount, lastAt: isoFromMs(lastMissedAt) },
  };
}

export function deliveryResponse(delivery: StoredDelivery): AlertDelivery {
  const { alertId: _, ...rest } = delivery;
  return {
    ...rest,
    channel: channelOf(rest.channel),
    status: known(DELIVERY_STATUSES, rest.status),
    createdAt: isoFromMs(rest.createdAt),
    nextAttemptAt: isoOrNull(rest.nextAttemptAt),
    attempts: rest.attempts.map((attempt) => ({ ...attempt, at: isoFromMs(attempt.at) })),
  };
}

/** @throws RangeError for a value that gastop did not write. */
export function channelOf(text: string): AlertChannel {
  return known(ALERT_CHANNELS, text);
}

function known<Word extends string>(words: readonly Word[], text: string): Word {
  const word = words.find((each) => each === text);
  if (word === undefined) throw new RangeError(`the database holds a word that is not known: ${text}`);
  return word;
}

/** At most 16 digits, which are exact in a number. */
const gweiNumber = (wei: bigint) => Number(gweiString(wei));

const SAVINGS_ENTRIES_MOST = 500;

/** What `gasAmount` gas cost less at each firing (newest first) than at the mean of the day before. */
export function savingsResponse(
  alertId: string,
  sum: AlertSum,
  firings: readonly AlertFiring[],
  gasAmount: number,
): AlertSavings {
  const [best] = firings
    .filter(({ savedPerGas }) => savedPerGas > 0n)
    .toSorted((one, other) => Number(other.savedPerGas - one.savedPerGas));
  return {
    alertId,
    events: sum.firings,
    ...firingsSaved(sum, gasAmount),
    best: best === undefined ? null : toEntry(best, gasAmount),
    gasAmount,
    entries: firings.slice(0, SAVINGS_ENTRIES_MOST).map((firing) => toEntry(firing, gasAmount)),
  };
}

/** Total savings of firings; in dollars if each firing with savings has a dollar price. */
export function firingsSaved({ savedPerGas, usdPerGas }: AlertSum, gas: number) {
  return {
    savedWei: (savedPerGas * BigInt(gas)).toString(),
    savedUsd: usdPerGas === null ? null : (usdPerGas / 1e18) * gas,
  };
}

function toEntry(firing: AlertFiring, gasAmount: number): AlertSavings['entries'][number] {
  const savedWei = firing.savedPerGas * BigInt(gasAmount);
  return {
    triggeredAt: isoFromMs(firing.triggeredAt),
    blockNumber: firing.blockNumber,
    price: integerOrNull(firing.price),
    referencePrice: integerOrNull(firing.referencePrice),
    savedWei: savedWei.toString(),
    savedUsd: savedWei === 0n ? 0 : usdOrNull(savedWei, firing.nativeUsd),
  };
}
