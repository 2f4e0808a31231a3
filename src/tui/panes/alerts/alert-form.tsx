import { alertRuleOf, loadDayPrices, previewOver, previewWords } from '../../../client/alert-preview.ts';
import { type AlertChoices, alertChoices, describedRoute } from '../../../client/openapi.ts';
import {
  type AlertCondition,
  type AlertView,
  describeCondition,
  describeDistance,
  describeReach,
  distanceToThreshold,
  laneOf,
  type NewAlert,
  plainWord,
  pricedLaneOf,
  titleWord,
  weiOfTypedGwei,
} from '../../../client/views/alerts.ts';
import { type SnapshotView, watchedPrice } from '../../../client/views/gas.ts';
import { ANY_SERVICE } from '../../../contract/alert-targets.ts';
import { checkAlert } from '../../../contract/alerts.ts';
import { COOLDOWN_DEFAULT_MS, COOLDOWN_PRESETS_MS } from '../../../contract/choices.ts';
import { PATHS } from '../../../contract/routes.ts';
import { NO_BLOBS } from '../../../core/advice.ts';
import { cooldownText, parseCooldown } from '../../../core/alerts/alert-rule.ts';
import { formatGwei, gweiString } from '../../../core/units.ts';
import { useClipboard } from '../../app/terminal.ts';
import {
  type AlertPrefill,
  useDescription,
  useMonitor,
  useMonitorQuery,
  useReach,
} from '../../data/queries.ts';
import { DialogBox } from '../../input/confirm.tsx';
import {
  choiceField,
  type FormField,
  formOf,
  formProblems,
  numberProblem,
  textField,
  typedNumber,
} from '../../input/form.ts';
import { useModalKeys } from '../../input/use-keys.tsx';
import { ResourceForm, type Saved, useFormState } from '../../resource/resource-form.tsx';
import type { FormProps } from '../../resource/resource-pane.tsx';
import { wrappedLines } from '../../ui/fact-list.tsx';
import { useKeptState, usePane } from '../../ui/pane-context.tsx';
import { bold, filledTo, plain } from '../../ui/text.tsx';
import { untilText } from '../../ui/time.ts';

export function useAlertOffer() {
  const { isOwnService } = useMonitor();
  const description = useDescription();
  return {
    choices: alertChoices(description, isOwnService),
    canChange: isOwnService || describedRoute(description, PATHS.alert, 'put') !== null,
  };
}

/** Lines of the preview, and at most of the reach. */
const MOST_LINES = 2;

export function AlertForm({ seed, onLeave, onSaved }: FormProps<AlertView>) {
  const { snapshot, present, width } = usePane();
  const { client } = useMonitor();
  const { choices: offered } = useAlertOffer();
  const { like, isChange = false, prefill } = seed;
  const [made, setMade] = useKeptState<Saved | null>('alert-made', null);
  const state = useFormState('alert-form', () => {
    const draft = like === undefined ? { ...NEW_DRAFT, ...prefill } : draftLike(like);
    // A new alert starts with a channel that the service offers; others keep theirs.
    const isOffered = channelsOf(draft).some((channel) => offered.channels.includes(channel));
    const channels = like || isOffered ? draft.channels : (offered.channels[0] ?? '');
    // A note is the user's own text, also in a copy: typing continues it.
    return formOf({ ...draft, channels }, 'thresholdGwei', ['note']);
  });
  const draft: AlertDraft = { ...NEW_DRAFT, ...state.form.draft };
  const { gasSpeed, condition } = draft;
  const watched = { gasSpeed, condition, threshold: weiOfTypedGwei(draft.thresholdGwei) };
  const distance = watched.threshold === 0n ? null : distanceToThreshold(watched, snapshot);
  const lane = pricedLaneOf(gasSpeed);
  const price = lane && watchedPrice(snapshot, lane);
  const now = lane && (price === null ? NO_BLOBS : `now ${formatGwei(price)}`);
  const beside = distance === null ? now : `${now}, ${describeDistance(distance)}`;
  const fields = alertFields(draft, offered, beside);
  const body = bodyOf(draft);
  const { method, thresholdGwei } = body;
  const fieldOf = (name: string, channel: string) => {
    if (name === 'to') return method === undefined ? 'channels' : `to:${method}`;
    return name === 'method' ? 'channels' : name === 'targets' ? `to:${channel}` : name;
  };
  const problems = formProblems(fields, checkAlert(body, ANY_SERVICE), fieldOf);
  const alert = problems.size > 0 || thresholdGwei === undefined ? null : { ...body, thresholdGwei };
  const preview = useAlertPreview(alert, (at) => untilText(at, present));
  const reach = useThresholdReach(watched, distance, alert?.confirmBlocks ?? 1, snapshot);
  const faint = (words: string | null) =>
    wrappedLines(words, width, { most: MOST_LINES, look: { faint: true } });
  const named = like === undefined ? '' : `${isChange ? '' : ' like '}${describeCondition(like)}`;
  const saved = describeCondition(watched);
  const isRise = like === undefined && condition === 'GREATER_THAN';
  if (made !== null) {
    const onClose = () => {
      setMade(() => null);
      onSaved(made.id);
    };
    return <SecretBox secret={made.secret ?? ''} onClose={onClose} />;
  }
  return (
    <ResourceForm
      {...{ ...state, onLeave, fields, problems, fieldOf, isChange, saved }}
      resource="alert"
      title={`${isChange ? 'Change ' : isRise ? 'New alert for a rise' : 'New alert'}${named}`}
      save={async () => {
        if (alert === null) throw new Error('the alert is not complete');
        const answer = isChange && like ? client.updateAlert(like.id, alert) : client.createAlert(alert);
        const { id = like?.id ?? '', signingSecret: secret = null } = (await answer) ?? {};
        return { id, secret };
      }}
      onSaved={(done) => (done.secret ? setMade(() => done) : onSaved(done.id))}
      lost={[saved, 'What was typed is lost.']}
      // The preview comes and goes while typing: its lines stay reserved.
      below={[...faint(reach), ...filledTo(faint(preview), MOST_LINES)]}
    />
  );
}

/** The secret that signs the webhooks of all alerts. The service returns it when an alert gets a webhook. */
function SecretBox({ secret, onClose }: { readonly secret: string; readonly onClose: () => void }) {
  const copy = useClipboard();
  useModalKeys('secret', { copy: () => copy(secret, 'the signing secret'), close: onClose });
  const lines = [
    ...[' ', secret, ' '],
    'Give it to the receiver, which checks the header X-Gastop-Signature with it. It is shown again when another alert gets a webhook; gastop alerts rotate-secret changes it.',
  ];
  return (
    <DialogBox
      title="This secret signs the webhooks of all your alerts:"
      lines={lines}
      last={[bold('y'), plain(' copies it   '), bold('⏎'), plain(' closes')]}
    />
  );
}

function useAlertPreview(alert: NewAlert | null, timeText: (ms: number) => string): string | null {
  const { isOwnService } = useMonitor();
  const rule = alert && alertRuleOf(alert);
  const lane = rule?.lane ?? null;
  const { data, error } = useMonitorQuery({
    key: ['alert-preview', lane],
    enabled: lane !== null,
    ask: async (client) => lane && loadDayPrices(client, lane, isOwnService),
    freshMs: 60_000,
  });
  if (rule === null) return null;
  if (data) return previewWords(previewOver(rule, data), timeText);
  return error === null
    ? 'looking at the last 24 h …'
    : `cannot be previewed: ${error.message.replaceAll('\n', ' ')}`;
}

const HOUR_SEC = 3_600;
const DAY_SEC = 86_400;

function useThresholdReach(
  { gasSpeed, condition, threshold }: AlertCondition,
  distance: ReturnType<typeof distanceToThreshold>,
  blocks: number,
  snapshot: SnapshotView,
): string | null {
  const { isOwnService } = useMonitor();
  const isForecast = condition === 'LESS_THAN' && laneOf(gasSpeed) !== null;
  const price = distance === null || distance.isThere || !isForecast ? null : threshold;
  const hour = useReach(isOwnService ? price : null, HOUR_SEC, snapshot);
  const day = useReach(price, DAY_SEC, snapshot);
  if (distance?.isThere) {
    return `reached now: it fires ${blocks === 1 ? 'with the next block' : `once that holds for ${blocks} blocks`}`;
  }
  if (price === null)
    return distance === null
      ? null
      : `how likely the price ${distance.ratio < 0 ? 'falls' : 'rises'} so far is not forecast`;
  if (day.data === undefined && day.error === null) return 'how likely it is reached: looking …';
  return describeReach([
    { withinSec: HOUR_SEC, reach: hour.data ?? null },
    { withinSec: DAY_SEC, reach: day.data ?? null },
  ]);
}

function prefill(condition: 'LESS_THAN' | 'GREATER_THAN', wei: bigint) {
  return { gasSpeed: 'AVERAGE', condition, thresholdGwei: wei > 0n ? gweiString(wei) : '' };
}

const step = (wei: bigint, digits: number) => 10n ** BigInt(Math.max(wei.toString().length - digits, 0));

/** From an advised price: the figure that the advice shows. */
export const atOrBelow = (price: bigint): AlertPrefill => ({
  ...prefill('LESS_THAN', price),
  thresholdGwei: formatGwei(price).replaceAll(',', ''),
});

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

/** TERMINAL is every running monitor: it needs no target, so a first alert works as it is. */
const WITHOUT_TARGET = 'TERMINAL';
const DEFAULTS = {
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

/** As typed. The target of a channel stays when the channel is unticked. */
type AlertDraft = Readonly<typeof DEFAULTS> & { readonly [target: `to:${string}`]: string };
const NEW_DRAFT: AlertDraft = DEFAULTS;

function draftLike(alert: AlertView): AlertDraft {
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

const channelsOf = ({ channels }: AlertDraft) => channels.split('\n').filter((name) => name !== '');

const COOLDOWN_PRESETS = COOLDOWN_PRESETS_MS.map(cooldownText);

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
function alertFields(draft: AlertDraft, offered: AlertChoices, beside: string | null): readonly FormField[] {
  const channels = channelsOf(draft);
  const choices = (words: readonly string[], own: readonly string[], label: (word: string) => string) =>
    [...new Set([...words, ...own])].map((value) => [value, label(value)] as const);
  const sideOf = (word: string) => CONDITIONS.get(word) ?? plainWord(word);
  const cooldownMs = parseCooldown(draft.cooldownMs);
  const cooldownHint =
    cooldownMs === 0
      ? 'none: fires once until the price has left'
      : 'least time between notifications; space: 30m 1h 4h 1d';
  const lanes = choices(offered.gasSpeeds, [draft.gasSpeed], titleWord);
  const sides = choices(offered.conditions, [draft.condition], sideOf);
  const all = choices(offered.channels, channels, plainWord);
  const targets = channels.filter((channel) => channel !== WITHOUT_TARGET);
  const fields: readonly FormField[] = [
    choiceField('gasSpeed', 'lane', 'whose price is watched', lanes),
    choiceField('condition', 'fires', 'when the price is below the threshold, or above it', sides),
    textField('thresholdGwei', 'threshold', 'gwei, such as 0.04', {
      ...{ unit: 'gwei', beside },
      problem: numberProblem(draft.thresholdGwei, 'a price in gwei, such as 0.04'),
    }),
    choiceField('channels', 'notify', 'space ticks; terminal: every running monitor', all, 'many'),
    ...targets.map((channel) =>
      textField(`to:${channel}`, plainWord(channel), TARGET_HINTS.get(channel) ?? 'where it is sent'),
    ),
    textField('note', 'note', 'goes with each notification', { isProse: true }),
    textField('cooldownMs', 'cooldown', cooldownHint, {
      problem: cooldownMs === null ? 'must be a time such as 30m, 1h, 1d or 0' : null,
      presets: COOLDOWN_PRESETS,
    }),
    choiceField('disableOnce', 'after firing', 'armed again, once its cooldown is over', [
      ['no', 'armed again'],
      ['yes', 'disabled'],
    ]),
    textField('hysteresisGwei', 're-arm margin', 'how far the price must leave first; 0: it need not', {
      unit: 'gwei',
      // A default must not replace an unreadable value.
      problem: numberProblem(draft.hysteresisGwei, 'a margin in gwei, such as 0.005, or 0 for none'),
    }),
    textField('confirmBlocks', 'holds for', 'how many blocks before it fires', {
      unit: draft.confirmBlocks.trim() === '1' ? 'block' : 'blocks in a row',
      problem: numberProblem(draft.confirmBlocks, 'a number of blocks, such as 3; 1 is the least', '3'),
    }),
  ];
  return fields.filter(({ id }) => !offered.unknown.some((name) => name === id));
}

function bodyOf(draft: AlertDraft) {
  const { gasSpeed, condition, note } = draft;
  const channels = channelsOf(draft);
  const target = (channel: string) => (draft[`to:${channel}`] ?? '').trim();
  // The first channel with a target: TERMINAL needs none.
  const method = channels.find((channel) => target(channel) !== '') ?? channels[0];
  const further = channels.filter((channel) => channel !== method && target(channel) !== '');
  return {
    ...{ gasSpeed, condition, note, channels, method },
    to: method && (method === WITHOUT_TARGET ? '' : target(method)),
    ...(further.length > 0 && { targets: Object.fromEntries(further.map((name) => [name, target(name)])) }),
    cooldownMs: parseCooldown(draft.cooldownMs) ?? undefined,
    disableOnce: draft.disableOnce === 'yes',
    thresholdGwei: typedNumber(draft.thresholdGwei),
    hysteresisGwei: typedNumber(draft.hysteresisGwei),
    confirmBlocks: typedNumber(draft.confirmBlocks),
  };
}
