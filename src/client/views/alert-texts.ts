import { COOLDOWN_DEFAULT_MS } from '../../contract/choices.ts';
import { hasLeft, holds, waitsForLeaving } from '../../core/alerts/alert-rule.ts';
import { ownValue } from '../../core/own-value.ts';
import { cleanText } from '../../core/text.ts';
import { thresholdText } from '../../core/threshold/threshold.ts';
import { DAY_MS, durationOfMs } from '../../core/time.ts';
import {
  exactGwei,
  formatAge,
  formatCount,
  formatDuration,
  formatGwei,
  formatLikelihood,
  formatSavedNative,
  formatSavedUsd,
  priceBeside,
  shortGwei,
  UNKNOWN,
} from '../../core/units.ts';
import type { ReachView } from './advice.ts';
import type { AlertSavingsView, AlertView, DeliveryAttemptView } from './alerts.ts';
import { ratioTo } from './distance.ts';
import { type Fact, mapped } from './fact.ts';
import type { SnapshotView } from './gas.ts';
import { watchedPrice } from './gas-texts.ts';
import { plainWord, pricedLaneOf, titleWord } from './words.ts';

/** `0.04 gwei`; of a rule `$0.40/swap (0.21 gwei now)`, or `$0.40/swap (no dollar price of ETH)`. */
export function describeThreshold({ rule, threshold, thresholdReason }: AlertThreshold): string {
  if (rule === null) return `${threshold === null ? UNKNOWN : exactGwei(threshold)} gwei`;
  const now = threshold === null ? thresholdReason : `${shortGwei(threshold)} gwei now`;
  return `${thresholdText(rule)}${now === null ? '' : ` (${now})`}`;
}

export type AlertThreshold = Pick<AlertView, 'rule' | 'threshold' | 'thresholdReason'>;
export type AlertCondition = AlertThreshold & Pick<AlertView, 'gasSpeed' | 'condition'>;
const SIGNS: Readonly<Record<string, string>> = { LESS_THAN: '<', GREATER_THAN: '>' };

/** `Average < 0.04 gwei`, `Average < $0.40/swap (0.21 gwei now)` */
export function describeCondition({ gasSpeed, condition, ...threshold }: AlertCondition): string {
  const lane = gasSpeed === null ? 'price' : titleWord(gasSpeed);
  const sign = condition === null ? '?' : (ownValue(SIGNS, condition) ?? plainWord(condition));
  return `${lane} ${sign} ${describeThreshold(threshold)}`;
}

const LONGEST_NOTE = 200;

/** `Average below 0.04 gwei`, for reading aloud and for messages. */
export const describeConditionInWords = (alert: AlertCondition): string =>
  describeCondition(alert).replace('<', 'below').replace('>', 'above');

export type AlertState =
  /** `unpriced`: what its rule stands for now is unknown. */
  | { readonly kind: 'armed' | 'confirming' | 'leaving' | 'unpriced' | 'disabled' }
  | { readonly kind: 'cooling'; readonly until: number }
  | { readonly kind: 'other'; readonly word: string };

/** Confirmation and leaving are derived from the present price, because services do not report them; `null`: unknown. */
export function alertState(alert: AlertView, snapshot: SnapshotView | null, present: number): AlertState {
  const { status, cooldownUntil, confirmBlocks } = alert;
  if (status === 'DISABLED') return { kind: 'disabled' };
  if (status !== 'PENDING') return { kind: 'other', word: status === null ? 'unknown' : plainWord(status) };
  if (cooldownUntil !== null && cooldownUntil > present) return { kind: 'cooling', until: cooldownUntil };
  if (alert.thresholdReason !== null) return { kind: 'unpriced' };
  const distance = snapshot && distanceToThreshold(alert, snapshot);
  const rule = distance && { ...distance.rule, hysteresis: alert.hysteresis ?? 0n };
  if (mustLeave(alert) && !(rule && hasLeft(rule, distance.price))) return { kind: 'leaving' };
  return { kind: distance?.isThere && (confirmBlocks ?? 1) > 1 ? 'confirming' : 'armed' };
}

/** `cooling down`; with `when`, which words a time, `cooling down until 13:20`. */
export function describeAlertState(state: AlertState, when?: (ms: number) => string): string {
  if (state.kind === 'other') return state.word;
  if (state.kind === 'unpriced') return 'waits';
  if (state.kind === 'cooling' && when !== undefined) return `cooling down until ${when(state.until)}`;
  return state.kind === 'cooling' || state.kind === 'leaving' ? 'cooling down' : state.kind;
}

/** Whether the price must leave the threshold before it may fire again; without a re-arm margin a cooldown means nothing. */
const mustLeave = ({ cooldownUntil, cooldownMs, hysteresis }: AlertView): boolean =>
  cooldownUntil !== null &&
  hysteresis !== null &&
  waitsForLeaving({ hysteresis, cooldownMs: cooldownMs ?? COOLDOWN_DEFAULT_MS });

/** Why an armed alert at its price does not fire; `null` when there is nothing to explain. */
export function describeWaiting(alert: AlertView, snapshot: SnapshotView, present: number): string | null {
  const state = alertState(alert, snapshot, present);
  if (state.kind === 'unpriced')
    return `it cannot fire while what ${mapped(alert.rule, thresholdText) ?? 'it waits for'} stands for is unknown: ${alert.thresholdReason}`;
  if (state.kind === 'cooling')
    return `for its cooldown, ${formatDuration((state.until - present) / 1_000)} more`;
  if (state.kind === 'leaving') {
    const beyond = alert.hysteresis === null || alert.hysteresis === 0n ? '' : ' by its re-arm margin';
    return `for the price to leave the threshold${beyond} before it may fire again`;
  }
  return state.kind === 'confirming'
    ? `until the price stays there for ${alert.confirmBlocks} blocks in a row`
    : null;
}

export function distanceToThreshold(
  { gasSpeed, condition, threshold }: Pick<AlertView, 'gasSpeed' | 'condition' | 'threshold'>,
  snapshot: SnapshotView,
) {
  const lane = pricedLaneOf(gasSpeed);
  if (lane === null || threshold === null) return null;
  if (condition !== 'LESS_THAN' && condition !== 'GREATER_THAN') return null;
  const rule = { threshold, condition } as const;
  const price = watchedPrice(snapshot, lane);
  if (price === null) return null;
  return { rule, price, ratio: ratioTo(threshold, price), isThere: holds(rule, price) };
}

type AlertTargets = Pick<AlertView, 'method' | 'channels' | 'to' | 'targets'>;

function targetOf({ method, to, targets, channels }: AlertTargets, channel: string): string | null {
  const own = ownValue(targets, channel);
  if (own !== undefined) return own;
  const isMain = method === channel || (method === null && channels.length === 1);
  return isMain && to !== null && to !== '' ? to : null;
}

/** A short target: only the host of a URL, because its path may be a secret. */
export function shortTarget(target: string): string {
  if (!/^https?:\/\//i.test(target) || !URL.canParse(target)) return target;
  const url = new URL(target);
  return url.pathname === '/' && url.search === '' ? url.host : `${url.host}/…`;
}

/** `email gas@example.org`; for several channels `email, slack`; `null` when unknown. */
export function describeChannels(alert: AlertTargets): string | null {
  const { channels } = alert;
  const [only] = channels;
  if (only === undefined) return null;
  if (channels.length > 1) return channels.map(plainWord).join(', ');
  const target = targetOf(alert, only);
  return target === null ? plainWord(only) : `${plainWord(only)} ${shortTarget(target)}`;
}

/** What came back of a delivery's attempt. */
export const describeAttempt = ({ ok, answer }: DeliveryAttemptView): string =>
  answer ?? (ok === true ? 'accepted' : 'response unknown');

const timesWords = (count: number) => (count === 1 ? 'once' : `${formatCount(count)} times`);

/** What an alert is and has done, besides its condition and state; `when` words a time. */
export function describeAlert(alert: AlertView, when: (ms: number) => string): readonly Fact[] {
  const { missed, channels, disableOnce, hysteresis, cooldownMs } = alert;
  const last = mapped(missed?.lastAt, (at) => `, last ${when(at)}`) ?? '';
  const recipients = channels.map((channel): Fact => {
    const without = channel === 'TERMINAL' ? 'every running monitor' : 'target unknown';
    return [plainWord(channel), targetOf(alert, channel) ?? without];
  });
  return [
    ...(alert.warnings ?? []).map(({ message }): Fact => ['waits', message]),
    ['disabled', alert.disabledReason],
    [
      'stands for',
      alert.rule &&
        mapped(alert.threshold, (wei) => {
          const since = mapped(alert.effectiveSince, (at) => `, since ${when(at)}`) ?? '';
          return `${exactGwei(wei)} gwei${since}`;
        }),
    ],
    ['missed', mapped(missed, ({ count }) => `${timesWords(count)} while nothing evaluated alerts${last}`)],
    ...recipients,
    ['fired', mapped(alert.triggerCount, timesWords)],
    ['last fired', mapped(alert.lastTriggeredAt, when)],
    ['cooldown', mapped(cooldownMs, (ms) => (ms === 0 ? 'none' : durationOfMs(ms)))],
    ['after firing', mapped(disableOnce, (once) => (once ? 'disabled' : 'armed again'))],
    ['re-arm margin', mapped(hysteresis, (wei) => (wei === 0n ? 'none' : `${exactGwei(wei)} gwei`))],
    [
      'holds for',
      mapped(alert.confirmBlocks, (count) => (count === 1 ? '1 block' : `${count} blocks in a row`)),
    ],
    ['made', mapped(alert.createdAt, when)],
    ['changed', mapped(alert.updatedAt, when)],
  ];
}

/** What an alert could have saved, and the best of its firings. */
export function describeSavings(
  savings: AlertSavingsView,
  symbol: string,
  when: (ms: number) => string,
): readonly Fact[] {
  const { events, best, gasAmount, savedWei, entries } = savings;
  // Rather than 0.
  const isUnknown =
    savedWei === 0n && entries.length > 0 && entries.every(({ referencePrice }) => referencePrice === null);
  const joined = (words: readonly (string | null)[], gap: string) => words.filter((word) => word).join(gap);
  // Nothing saved is $0 even without a price.
  const amount = ({ savedWei: wei, savedUsd: usd }: Pick<AlertSavingsView, 'savedWei' | 'savedUsd'>) =>
    joined(
      [mapped(wei, (of) => formatSavedNative(of, symbol)), mapped(wei === 0n ? null : usd, formatSavedUsd)],
      '  ',
    );
  const gas = mapped(gasAmount, (each) => `at ${formatCount(each)} gas each`);
  const saved = amount(savings) === '' ? null : joined([amount(savings), gas], ' ');
  const bestWords = (of: NonNullable<typeof best>) => [
    amount(of),
    mapped(of.triggeredAt, (at) => `on ${when(at)}`),
    mapped(of.price, (wei) => `at ${formatGwei(wei)} gwei`),
    mapped(of.referencePrice, (wei) => `instead of ${formatGwei(wei)}, the mean of the day before`),
  ];
  return [
    ['firings', mapped(events, formatCount)],
    ['saved', isUnknown ? 'not known: the day before was not known' : saved],
    ['best', mapped(best, (of) => joined(bestWords(of), ' '))],
  ];
}

/** `Average below 0.04 gwei: 0.0388 · deploy the registry`; `price` when it fired, `null` when unknown. */
export function describeFiring(alert: AlertView, price: bigint | null): string {
  const note = cleanText(alert.note ?? '', LONGEST_NOTE).trim();
  const beside = (wei: bigint) =>
    alert.threshold === null ? formatGwei(wei) : priceBeside(wei, alert.threshold);
  const at = price === null ? ': reached' : `: ${beside(price)}`;
  return `${describeConditionInWords(alert)}${at}${note === '' ? '' : ` · ${note}`}`;
}

/** Several firings at once: `3 alerts fired: Average below 0.04 gwei, Fast above 60 gwei, …`. */
export function describeFirings(fired: readonly AlertView[]): string {
  const conditions = [...new Set(fired.map(describeConditionInWords))];
  return `${fired.length} alerts fired: ${conditions.join(', ')}`;
}

/**
 * The day before this monitor ran: `shown` alerts would have been shown here, `all` may have been missed. `at`: the
 * present, ms.
 */
export function describeEarlierFirings(
  shown: readonly AlertView[],
  all: readonly AlertView[],
  at: number,
): string | null {
  const recent = (times: readonly (number | null)[]) =>
    times.filter((time) => time !== null && time > at - DAY_MS).map(Number);
  const part = (times: readonly number[], words: string) => {
    const alerts = times.length === 1 ? '1 alert' : `${times.length} alerts`;
    return times.length === 0 ? [] : [`${alerts} ${words} (${formatAge((at - Math.max(...times)) / 1_000)})`];
  };
  const parts = [
    ...part(recent(shown.map(({ lastTriggeredAt }) => lastTriggeredAt)), 'fired'),
    ...part(recent(all.map(({ missed }) => missed?.lastAt ?? null)), 'would have fired while nothing ran'),
  ];
  return parts.length === 0 ? null : `In the last day ${parts.join(', ')}`;
}

/** `likely reached: 35 % within 1h, 92 % within 1d` (`likely`: the first words), or why it is unknown; `null` without a forecast. */
export function describeReach(
  reaches: readonly { readonly withinSec: number; readonly reach: ReachView | null }[],
  likely = 'likely reached',
): string | null {
  const known = reaches.flatMap(({ withinSec, reach }) =>
    reach?.probability == null
      ? []
      : [`${formatLikelihood(reach.probability)} within ${formatDuration(withinSec)}`],
  );
  const unknown = reaches.find(({ reach }) => reach?.probability === null && reach.reason !== null);
  const problem = unknown && `not known: ${unknown.reach?.reason}`;
  if (known.length === 0) return problem ? `how likely it is reached is ${problem}` : null;
  const rest = problem ? `; within ${formatDuration(unknown.withinSec)} ${problem}` : '';
  return `${likely}: ${known.join(', ')}${rest}`;
}
