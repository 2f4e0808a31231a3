import type { AlertChoices } from '../../../client/openapi.ts';
import {
  type AlertView,
  describeDistance,
  distanceToThreshold,
  laneOf,
  type NewAlert,
  plainWord,
  titleWord,
  weiOfTypedGwei,
} from '../../../client/views/alerts.ts';
import type { SnapshotView } from '../../../client/views/gas.ts';
import { ANY_SERVICE } from '../../../contract/alert-targets.ts';
import { checkAlert } from '../../../contract/alerts.ts';
import { COOLDOWN_DEFAULT_MS, COOLDOWN_PRESETS_MS } from '../../../contract/choices.ts';
import { cooldownText, parseCooldown } from '../../../core/alerts/alert-rule.ts';
import { formatGwei, gweiString } from '../../../core/units.ts';
import {
  choiceField,
  type FormField,
  numberProblem,
  partsOfPath,
  presetAfter,
  TYPED_NUMBER,
  textField,
} from '../../input/form.ts';

export type AlertPrefill = ReturnType<typeof prefill>;

function prefill(condition: 'LESS_THAN' | 'GREATER_THAN', wei: bigint) {
  return { gasSpeed: 'AVERAGE', condition, thresholdGwei: wei > 0n ? gweiString(wei) : '' };
}

const step = (wei: bigint, digits: number) => 10n ** BigInt(Math.max(wei.toString().length - digits, 0));

/** From the present price: fires when it is cheaper. Two digits, so that it does not fire at once. */
export function cheaperThan(price: bigint): AlertPrefill {
  return prefill('LESS_THAN', price - (price % step(price, 2)));
}

/** From a past price: fires once it is reached again (wei), as round as possible without firing at the present one. */
export function thereAgain(price: bigint, present: bigint): AlertPrefill {
  if (price === present) return cheaperThan(present);
  const isBelow = price < present;
  // An alert does not fire at the threshold itself, so it is beyond the price.
  const beyond = [2, 3, 4].map((digits) => {
    const unit = step(price, digits);
    const rest = price % unit;
    return isBelow ? price - rest + unit : price - (rest === 0n ? unit : rest);
  });
  const threshold = beyond.find((wei) => (isBelow ? wei <= present : wei >= present));
  return prefill(isBelow ? 'LESS_THAN' : 'GREATER_THAN', threshold ?? price);
}

export type AlertDraft = {
  readonly gasSpeed: string;
  readonly condition: string;
  readonly thresholdGwei: string;
  /** One per line. */
  readonly channels: string;
  readonly cooldownMs: string;
  readonly disableOnce: string;
  readonly note: string;
  readonly hysteresisGwei: string;
  readonly confirmBlocks: string;
  /** Target of a channel; it stays when the channel is unticked. */
  readonly [target: `to:${string}`]: string;
};

/** TERMINAL is every running monitor: it needs no target, so a first alert works as it is. */
const WITHOUT_TARGET = 'TERMINAL';
export const NEW_DRAFT: AlertDraft = {
  gasSpeed: 'AVERAGE',
  condition: 'LESS_THAN',
  thresholdGwei: '',
  channels: WITHOUT_TARGET,
  cooldownMs: cooldownText(COOLDOWN_DEFAULT_MS),
  disableOnce: 'no',
  note: '',
  hysteresisGwei: '0',
  confirmBlocks: '1',
};

export function draftLike(alert: AlertView): AlertDraft {
  const { threshold, channels, cooldownMs, hysteresis, method, to } = alert;
  const targets = { ...alert.targets, ...(method !== null && to && { [method]: to }) };
  return {
    gasSpeed: alert.gasSpeed ?? NEW_DRAFT.gasSpeed,
    condition: alert.condition ?? NEW_DRAFT.condition,
    thresholdGwei: threshold === null ? '' : gweiString(threshold),
    channels: channels.join('\n') || NEW_DRAFT.channels,
    cooldownMs: cooldownMs === null ? NEW_DRAFT.cooldownMs : cooldownText(cooldownMs),
    disableOnce: alert.disableOnce ? 'yes' : 'no',
    note: alert.note ?? '',
    hysteresisGwei: hysteresis === null ? NEW_DRAFT.hysteresisGwei : gweiString(hysteresis),
    confirmBlocks: String(alert.confirmBlocks ?? NEW_DRAFT.confirmBlocks),
    ...Object.fromEntries(Object.entries(targets).map(([channel, target]) => [`to:${channel}`, target])),
  };
}

export const channelsOf = ({ channels }: AlertDraft) => channels.split('\n').filter((name) => name !== '');

export const watchedBy = ({ gasSpeed, condition, thresholdGwei }: AlertDraft) => ({
  gasSpeed,
  condition,
  threshold: weiOfTypedGwei(thresholdGwei),
});

const COOLDOWN_PRESETS: readonly string[] = COOLDOWN_PRESETS_MS.map(cooldownText);

const CONDITIONS = new Map([
  ['LESS_THAN', 'below'],
  ['GREATER_THAN', 'above'],
]);

const TARGET_HINTS = new Map([
  ['EMAIL', 'an address such as gas@example.org'],
  ['WEBHOOK', 'a URL that takes a POST'],
  ['SLACK', 'the URL of an incoming webhook'],
  ['TELEGRAM', 'a chat id such as -1001234567890, or @channel'],
]);

/** The fields from top to bottom, with a line for each ticked channel; unknown values of a service remain choices. */
export function alertFields(
  draft: AlertDraft,
  offered: AlertChoices,
  snapshot: SnapshotView,
): readonly FormField[] {
  const channels = channelsOf(draft);
  const choices = (words: readonly string[], own: readonly string[], label: (word: string) => string) =>
    [...new Set([...words, ...own])].map((value) => [value, label(value)] as const);
  const sideOf = (word: string) => CONDITIONS.get(word) ?? plainWord(word);
  const cooldownHint =
    parseCooldown(draft.cooldownMs) === 0
      ? 'none: fires once until the price has left'
      : 'least time between notifications; space: 30m 1h 4h 1d';
  const fields: readonly FormField[] = [
    choiceField(
      'gasSpeed',
      'lane',
      'whose price is watched',
      choices(offered.gasSpeeds, [draft.gasSpeed], titleWord),
    ),
    choiceField(
      'condition',
      'fires',
      'when the price is below the threshold, or above it',
      choices(offered.conditions, [draft.condition], sideOf),
    ),
    textField('thresholdGwei', 'threshold', 'gwei, such as 0.04', {
      unit: 'gwei',
      beside: priceBesideThreshold(draft, snapshot),
    }),
    choiceField(
      'channels',
      'notify',
      'space ticks; terminal: every running monitor',
      choices(offered.channels, channels, plainWord),
      'many',
    ),
    ...channels
      .filter((channel) => channel !== WITHOUT_TARGET)
      .map((channel) =>
        textField(`to:${channel}`, plainWord(channel), TARGET_HINTS.get(channel) ?? 'where it is sent'),
      ),
    textField('note', 'note', 'goes with each notification', { isProse: true }),
    textField('cooldownMs', 'cooldown', cooldownHint, {
      next: (text) => presetAfter(COOLDOWN_PRESETS, cooldownText(parseCooldown(text) ?? 0)),
    }),
    choiceField('disableOnce', 'after firing', 'armed again, once its cooldown is over', [
      ['no', 'armed again'],
      ['yes', 'disabled'],
    ]),
    textField('hysteresisGwei', 're-arm margin', 'how far the price must leave first; 0: it need not', {
      unit: 'gwei',
    }),
    textField('confirmBlocks', 'holds for', 'how many blocks before it fires', {
      unit: draft.confirmBlocks.trim() === '1' ? 'block' : 'blocks in a row',
    }),
  ];
  return fields.filter(({ id }) => !offered.unknown.some((name) => name === id));
}

function priceBesideThreshold(draft: AlertDraft, snapshot: SnapshotView): string | null {
  const lane = laneOf(draft.gasSpeed);
  if (lane === null) return null;
  const distance = distanceToThreshold(watchedBy(draft), snapshot);
  const now = `now ${formatGwei(snapshot.lanes[lane].price)}`;
  return distance === null ? now : `${now}, ${describeDistance(distance)}`;
}

/** The valid part of the request body. */
type DraftBody = Omit<NewAlert, 'thresholdGwei'> & { readonly thresholdGwei: number | undefined };

export function bodyOf(draft: AlertDraft): DraftBody {
  const channels = channelsOf(draft);
  const cooldownMs = parseCooldown(draft.cooldownMs);
  const target = (channel: string) => (draft[`to:${channel}`] ?? '').trim();
  // The first channel with a target: TERMINAL needs none.
  const method = channels.find((channel) => target(channel) !== '') ?? channels[0];
  const further = channels.filter((channel) => channel !== method && target(channel) !== '');
  const number = (typed: string) => (TYPED_NUMBER.test(typed.trim()) ? Number(typed) : undefined);
  return {
    gasSpeed: draft.gasSpeed,
    condition: draft.condition,
    ...(cooldownMs === null ? {} : { cooldownMs }),
    disableOnce: draft.disableOnce === 'yes',
    ...(method === undefined ? {} : { method, to: method === WITHOUT_TARGET ? '' : target(method) }),
    channels,
    ...(further.length > 0 && { targets: Object.fromEntries(further.map((name) => [name, target(name)])) }),
    note: draft.note,
    thresholdGwei: number(draft.thresholdGwei),
    hysteresisGwei: number(draft.hysteresisGwei),
    confirmBlocks: number(draft.confirmBlocks),
  };
}

const NUMBERS = [
  ['thresholdGwei', 'needs a price in gwei, such as 0.04', '0.04'],
  ['hysteresisGwei', 'needs a margin in gwei, such as 0.005, or 0 for none', '0.04'],
  ['confirmBlocks', 'needs a number of blocks, such as 3; 1 is the least', '3'],
] as const;

export function alertProblems(draft: AlertDraft, body: DraftBody): ReadonlyMap<string, string> {
  const problems = new Map<string, string>();
  // A default must not replace an unreadable value.
  for (const [id, needed, example] of NUMBERS) {
    const problem = numberProblem(draft[id], needed, example);
    if (problem !== null) problems.set(id, problem);
  }
  if (parseCooldown(draft.cooldownMs) === null)
    problems.set('cooldownMs', 'must be a time such as 30m, 1h, 1d or 0');
  const checked = checkAlert(body, ANY_SERVICE);
  for (const { path, message } of checked.ok ? [] : checked.problems) {
    // The choices are the service's own words.
    if (/^must be one of |^is not a field|^Invalid key/.test(message)) continue;
    const field = fieldOfPath(path, body.method);
    if (!problems.has(field)) problems.set(field, message);
  }
  return problems;
}

export function fieldOfPath(path: string, method: string | undefined): string {
  const [name = '', rest = ''] = partsOfPath(path);
  if (name === 'method' || (name === 'to' && method === undefined)) return 'channels';
  if (name === 'to') return `to:${method}`;
  if (name === 'targets') return `to:${rest}`;
  return Object.hasOwn(NEW_DRAFT, name) ? name : '';
}
