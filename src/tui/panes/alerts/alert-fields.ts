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
import { checkAlert } from '../../../contract/check-alert.ts';
import { COOLDOWN_DEFAULT_MS, COOLDOWN_PRESETS_MS } from '../../../contract/choices.ts';
import { cooldownText, parseCooldown } from '../../../core/alerts/alert-rule.ts';
import { ownValue } from '../../../core/own-value.ts';
import { formatGwei, gweiString } from '../../../core/units.ts';
import type { FormField } from '../../input/form.ts';
import type { AlertPrefill } from './alert-prefill.ts';

/** A new alert as it is typed. */
export interface AlertDraft {
  readonly gasSpeed: string;
  readonly condition: string;
  /** Gwei. */
  readonly threshold: string;
  readonly channels: readonly string[];
  /** The text typed for each channel; it stays when the channel is no longer ticked. */
  readonly targets: Readonly<Record<string, string>>;
  readonly cooldown: string;
  readonly once: boolean;
  readonly note: string;
  /** Gwei. */
  readonly hysteresis: string;
  readonly confirmBlocks: string;
}

/** TERMINAL is every running monitor: it needs no target, so a first alert works as it is. */
const WITHOUT_TARGET = 'TERMINAL';

export function newDraft(prefill: Partial<AlertPrefill> = {}): AlertDraft {
  return {
    gasSpeed: 'AVERAGE',
    condition: 'LESS_THAN',
    threshold: '',
    channels: [WITHOUT_TARGET],
    targets: {},
    cooldown: cooldownText(COOLDOWN_DEFAULT_MS),
    once: false,
    note: '',
    hysteresis: '0',
    confirmBlocks: '1',
    ...prefill,
  };
}

/** A copy of `alert`, with the defaults of a new one where the service says nothing. */
export function draftLike(alert: AlertView): AlertDraft {
  const fresh = newDraft();
  const main =
    alert.method === null || alert.to === null || alert.to === '' ? {} : { [alert.method]: alert.to };
  return {
    gasSpeed: alert.gasSpeed ?? fresh.gasSpeed,
    condition: alert.condition ?? fresh.condition,
    threshold: alert.threshold === null ? '' : gweiString(alert.threshold),
    channels: alert.channels.length === 0 ? fresh.channels : alert.channels,
    targets: { ...alert.targets, ...main },
    cooldown: alert.cooldownMs === null ? fresh.cooldown : cooldownText(alert.cooldownMs),
    once: alert.disableOnce ?? false,
    note: alert.note ?? '',
    hysteresis: alert.hysteresis === null ? fresh.hysteresis : gweiString(alert.hysteresis),
    confirmBlocks: String(alert.confirmBlocks ?? fresh.confirmBlocks),
  };
}

const COOLDOWN_PRESETS: readonly string[] = COOLDOWN_PRESETS_MS.map(cooldownText);

/** The cooldown preset after this one; the first when this is none. */
function nextCooldown(text: string): string {
  const place = COOLDOWN_PRESETS.indexOf(cooldownText(parseCooldown(text) ?? 0));
  return COOLDOWN_PRESETS[(place + 1) % COOLDOWN_PRESETS.length] ?? text;
}

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

/** Fields that a service may not know, by their names in a request. */
const EXTRA: Readonly<Record<string, string>> = {
  hysteresisGwei: 'hysteresis',
  confirmBlocks: 'confirmBlocks',
};

type TextName = 'threshold' | 'note' | 'cooldown' | 'hysteresis' | 'confirmBlocks';

const text = (id: TextName) => ({
  id,
  kind: 'text' as const,
  text: (draft: AlertDraft) => draft[id],
  put: (draft: AlertDraft, typed: string): AlertDraft => ({ ...draft, [id]: typed }),
});

/** The fields from top to bottom: each ticked channel has a line for its target. */
export function alertFields(
  draft: AlertDraft,
  offered: AlertChoices,
  snapshot: SnapshotView,
): readonly FormField<AlertDraft>[] {
  const choices = (words: readonly string[], own: readonly string[], label: (word: string) => string) =>
    [...new Set([...words, ...own])].map((value) => ({ value, label: label(value) }));
  const fields: readonly FormField<AlertDraft>[] = [
    {
      id: 'gasSpeed',
      label: 'lane',
      hint: 'whose price is watched',
      kind: 'one',
      choices: choices(offered.gasSpeeds, [draft.gasSpeed], titleWord),
      chosen: ({ gasSpeed }) => gasSpeed,
      choose: (before, gasSpeed) => ({ ...before, gasSpeed }),
    },
    {
      id: 'condition',
      label: 'fires',
      hint: 'when the price is below the threshold, or above it',
      kind: 'one',
      choices: choices(
        offered.conditions,
        [draft.condition],
        (word) => CONDITIONS.get(word) ?? plainWord(word),
      ),
      chosen: ({ condition }) => condition,
      choose: (before, condition) => ({ ...before, condition }),
    },
    {
      ...text('threshold'),
      label: 'threshold',
      hint: 'gwei, such as 0.04',
      unit: 'gwei',
      beside: priceBesideThreshold(draft, snapshot),
    },
    {
      id: 'channels',
      label: 'notify',
      hint: 'space ticks; terminal: every running monitor',
      kind: 'many',
      choices: choices(offered.channels, draft.channels, plainWord),
      ticked: ({ channels }) => channels,
      tick: (before, channels) => ({ ...before, channels }),
    },
    ...draft.channels
      .filter((channel) => channel !== WITHOUT_TARGET)
      .map(
        (channel): FormField<AlertDraft> => ({
          id: `to:${channel}`,
          label: plainWord(channel),
          hint: TARGET_HINTS.get(channel) ?? 'where it is sent',
          kind: 'text',
          text: (before) => targetText(before, channel),
          put: (before, typed) => ({ ...before, targets: { ...before.targets, [channel]: typed } }),
        }),
      ),
    { ...text('note'), label: 'note', hint: 'goes with each notification', isProse: true },
    {
      ...text('cooldown'),
      label: 'cooldown',
      hint:
        parseCooldown(draft.cooldown) === 0
          ? 'none: fires once until the price has left'
          : 'least time between notifications; space: 30m 1h 4h 1d',
      next: nextCooldown,
    },
    {
      id: 'once',
      label: 'after firing',
      hint: 'armed again, once its cooldown is over',
      kind: 'one',
      choices: [
        { value: 'no', label: 'armed again' },
        { value: 'yes', label: 'disabled' },
      ],
      chosen: ({ once }) => (once ? 'yes' : 'no'),
      choose: (before, value) => ({ ...before, once: value === 'yes' }),
    },
    {
      ...text('hysteresis'),
      label: 're-arm margin',
      hint: 'how far the price must leave first; 0: it need not',
      unit: 'gwei',
    },
    {
      ...text('confirmBlocks'),
      label: 'holds for',
      hint: 'how many blocks before it fires',
      unit: draft.confirmBlocks.trim() === '1' ? 'block' : 'blocks in a row',
    },
  ];
  return fields.filter(({ id }) => !offered.unknown.some((name) => EXTRA[name] === id));
}

/** The text typed for a channel; a service's channel may be named like a property of every object. */
function targetText({ targets }: Pick<AlertDraft, 'targets'>, channel: string): string {
  return ownValue(targets, channel) ?? '';
}

/** `now 0.0507, has to fall 21 %` */
function priceBesideThreshold(draft: AlertDraft, snapshot: SnapshotView): string | null {
  const lane = laneOf(draft.gasSpeed);
  if (lane === null) return null;
  const distance = distanceToThreshold({ ...draft, threshold: weiOfTypedGwei(draft.threshold) }, snapshot);
  const now = `now ${formatGwei(snapshot.lanes[lane].price)}`;
  return distance === null ? now : `${now}, ${describeDistance(distance)}`;
}

/** The body to send, as far as the draft can be read. */
export type DraftBody = Omit<NewAlert, 'thresholdGwei'> & { readonly thresholdGwei?: number };

export function bodyOf(draft: AlertDraft): DraftBody {
  const { channels } = draft;
  const cooldownMs = parseCooldown(draft.cooldown);
  const target = (channel: string) => targetText(draft, channel).trim();
  // The first channel with a target: TERMINAL needs none.
  const method = channels.find((channel) => target(channel) !== '') ?? channels[0];
  const further = channels
    .filter((channel) => channel !== method && target(channel) !== '')
    .map((channel) => [channel, target(channel)] as const);
  return {
    ...number('thresholdGwei', draft.threshold),
    gasSpeed: draft.gasSpeed,
    condition: draft.condition,
    ...(cooldownMs === null ? {} : { cooldownMs }),
    disableOnce: draft.once,
    ...(method === undefined ? {} : { method, to: method === WITHOUT_TARGET ? '' : target(method) }),
    channels,
    ...(further.length === 0 ? {} : { targets: Object.fromEntries(further) }),
    note: draft.note,
    ...number('hysteresisGwei', draft.hysteresis),
    ...number('confirmBlocks', draft.confirmBlocks),
  };
}

const NUMBER = /^\d{1,16}(\.\d*)?$|^\.\d+$/;

function number<Name extends string>(name: Name, typed: string): { readonly [key in Name]?: number } {
  const bare = typed.trim();
  return NUMBER.test(bare) ? ({ [name]: Number(bare) } as { readonly [key in Name]?: number }) : {};
}

const WANTED = {
  threshold: 'needs a price in gwei, such as 0.04',
  hysteresis: 'needs a margin in gwei, such as 0.005, or 0 for none',
  confirmBlocks: 'needs a number of blocks, such as 3; 1 is the least',
} as const;

/** The problems of a draft by field: what cannot be read, then what the contract's schema has against the rest. */
export function alertProblems(
  draft: AlertDraft,
  body: DraftBody,
  offered: AlertChoices,
): ReadonlyMap<string, string> {
  const problems = new Map<string, string>();
  // A default must not take the place of what cannot be read.
  for (const id of ['threshold', 'hysteresis', 'confirmBlocks'] as const) {
    const typed = draft[id].trim();
    if (typed === '') problems.set(id, WANTED[id]);
    else if (!NUMBER.test(typed))
      problems.set(id, `must be a number such as ${id === 'confirmBlocks' ? '3' : '0.04'}`);
  }
  if (parseCooldown(draft.cooldown) === null)
    problems.set('cooldown', 'must be a time such as 30m, 1h, 1d or 0');
  const checked = checkAlert(body, ANY_SERVICE);
  for (const { path, message } of checked.ok ? [] : checked.problems) {
    const isWord = /^must be one of |^is not a field|^Invalid key/.test(message);
    if (isWord && isOffered(path, draft, body, offered)) continue;
    const field = fieldOfPath(path, body.method ?? '');
    if (!problems.has(field)) problems.set(field, message);
  }
  return problems;
}

/** Whether a service offers a word that the contract does not know. */
function isOffered(path: string, draft: AlertDraft, body: DraftBody, offered: AlertChoices): boolean {
  const [name, place] = path.split('.');
  if (name === 'gasSpeed') return offered.gasSpeeds.includes(draft.gasSpeed);
  if (name === 'channels' && place !== undefined)
    return offered.channels.includes(draft.channels[Number(place)] ?? '');
  if (name === 'condition') return offered.conditions.includes(draft.condition);
  if (name === 'method') return offered.channels.includes(body.method ?? '');
  return name === 'targets' && offered.channels.includes(place ?? '');
}

const FIELDS = new Map([
  ['thresholdGwei', 'threshold'],
  ['gasSpeed', 'gasSpeed'],
  ['condition', 'condition'],
  ['note', 'note'],
  ['confirmBlocks', 'confirmBlocks'],
  ['channels', 'channels'],
  ['method', 'channels'],
  ['cooldownMs', 'cooldown'],
  ['disableOnce', 'once'],
  ['hysteresisGwei', 'hysteresis'],
]);

/** The field that a path of the body is typed in; `''` for none. */
export function fieldOfPath(path: string, method: string): string {
  const [name = '', rest = ''] = path.replace(/^\//, '').split(/[./[]/);
  if (name === 'to') return method === '' ? 'channels' : `to:${method}`;
  return name === 'targets' ? `to:${rest}` : (FIELDS.get(name) ?? '');
}
