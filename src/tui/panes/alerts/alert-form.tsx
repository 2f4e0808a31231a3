import {
  alertRuleOf,
  loadDayPrices,
  loadPastBasis,
  previewOver,
  previewWords,
} from '../../../client/alert-preview.ts';
import { type AlertChoices, alertChoices, describedRoute } from '../../../client/openapi.ts';
import { alertThreshold, priceNow, windowSecOf } from '../../../client/threshold-basis.ts';
import {
  type AlertCondition,
  type AlertThreshold,
  type AlertView,
  alertState,
  describeCondition,
  describeDistance,
  describeReach,
  distanceToThreshold,
  laneOf,
  type NewAlert,
  plainWord,
  pricedLaneOf,
  thresholdPayload,
  titleWord,
  weiOfTypedGwei,
  writtenThreshold,
} from '../../../client/views/alerts.ts';
import { watchedPrice } from '../../../client/views/gas.ts';
import type { SnapshotView } from '../../../client/views/gas-responses.ts';
import { channelNamed } from '../../../contract/alert-channels.ts';
import { ANY_SERVICE, recipientFields } from '../../../contract/alert-targets.ts';
import { checkAlert } from '../../../contract/alerts.ts';
import { ALERT_CONDITIONS, COOLDOWN_DEFAULT_MS, COOLDOWN_PRESETS_MS } from '../../../contract/choices.ts';
import { PATHS } from '../../../contract/routes.ts';
import { NO_BLOBS } from '../../../core/advice.ts';
import {
  isPricedByHistory,
  type PriceOrReason,
  parseThreshold,
  type Threshold,
  ThresholdError,
  thresholdText,
} from '../../../core/threshold/threshold.ts';
import { DAY_SEC, durationOfMs, HOUR_SEC, msOfDuration } from '../../../core/time.ts';
import { formatDuration, formatGwei, gweiString, shortGwei } from '../../../core/units.ts';
import { useClipboard } from '../../app/terminal.ts';
import { useMonitor } from '../../data/monitor-context.ts';
import { useMonitorQuery } from '../../data/polled-query.ts';
import { SETTLED_MS, useDescription, useReach } from '../../data/queries.ts';
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
import { usePane, usePaneMemory } from '../../ui/pane-context.tsx';
import { bold, EMPTY_LINE, filledTo, plain } from '../../ui/text.tsx';
import { shortStart, untilText } from '../../ui/time.ts';
import { useElapsed } from '../../ui/use-elapsed.ts';

export function useAlertOffer() {
  const { isOwnService } = useMonitor();
  const description = useDescription();
  const choices = alertChoices(description, isOwnService);
  return {
    choices,
    /** Whether an alert may wait for something else than a price in gwei; `null`: not known yet. */
    takesRules: description === undefined && !isOwnService ? null : !choices.unknown.includes('threshold'),
    canChange: isOwnService || describedRoute(description, PATHS.alert, 'put') !== null,
  };
}

/** Lines of the preview, and at most of the reach. */
const MOST_LINES = 2;

export function AlertForm({ seed, onLeave, onSaved }: FormProps<AlertView>) {
  const { snapshot, present, width } = usePane();
  const { client } = useMonitor();
  const { choices: offered, takesRules } = useAlertOffer();
  const { like, isChange = false, prefill } = seed;
  const { madeOf = null, ...values } = prefill ?? {};
  const [made, setMade] = usePaneMemory<Saved | null>('alert-made', null);
  const [lastRule, setLastRule] = usePaneMemory('alert-rule', '');
  const state = useFormState('alert-form', () => {
    const fresh = { ...NEW_DRAFT, threshold: takesRules === false ? '' : lastRule, ...values };
    const draft = like === undefined ? fresh : draftLike(like);
    // A new alert starts with a channel that the service offers; others keep theirs.
    const isOffered = channelsOf(draft).some((channel) => offered.channels.includes(channel));
    const channels = like || isOffered ? draft.channels : (offered.channels[0] ?? '');
    // A note is the user's own text, also in a copy: typing continues it.
    return formOf({ ...draft, channels }, 'threshold', ['note']);
  });
  const draft: AlertDraft = { ...NEW_DRAFT, ...state.form.draft };
  const { gasSpeed, condition } = draft;
  const typed = readThreshold(draft.threshold, takesRules);
  const watched = { gasSpeed, condition, ...useThresholdNow(typed.threshold, draft) };
  const distance = distanceToThreshold(watched, snapshot);
  const fields = alertFields(
    draft,
    offered,
    {
      problem: typed.problem,
      beside: besideThreshold(watched, distance, snapshot),
      ...(/^[\d.,]*$/.test(draft.threshold.trim()) && { unit: 'gwei' }),
    },
    takesRules,
  );
  const body = { ...bodyOf(draft), ...(typed.threshold && thresholdPayload(typed.threshold)) };
  const { method } = body;
  const fieldOf = (name: string, channel: string) => {
    if (name === 'thresholdGwei') return 'threshold';
    if (name === 'to') return method === undefined ? 'channels' : `to:${method}`;
    return name === 'method' ? 'channels' : name === 'targets' ? `to:${channel}` : name;
  };
  const problems = formProblems(fields, checkAlert(body, ANY_SERVICE), fieldOf);
  const alert = problems.size > 0 || typed.threshold === null ? null : body;
  const preview = useAlertPreview(alert, (at) => untilText(at, present));
  const blocks = alert?.confirmBlocks ?? 1;
  const fires =
    isChange && like !== undefined ? whenItFires(like, blocks, snapshot, present) : firesNext(blocks);
  const reach = useThresholdReach(watched, distance, fires);
  const isEmpty = draft.threshold.trim() === '';
  const faint = (words: string | null) =>
    wrappedLines(words, width, { most: MOST_LINES, look: { faint: true } });
  const named = like === undefined ? '' : `${isChange ? '' : ' like '}${describeCondition(like)}`;
  const saved = describeCondition(watched);
  const isRise = like === undefined && condition === 'GREATER_THAN';
  if (made !== null) {
    const onClose = () => {
      setMade(null);
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
        setLastRule(watched.rule === null ? '' : thresholdText(watched.rule));
        return { id, secret };
      }}
      onSaved={(done) => (done.secret ? setMade(done) : onSaved(done.id))}
      lost={[saved, 'What was typed is lost.']}
      // The preview comes and goes while typing: its lines stay reserved.
      below={[
        ...faint(madeOf),
        ...faint(reach),
        ...filledTo(faint(preview ?? (isEmpty ? describeForms(takesRules) : null)), MOST_LINES),
      ]}
      rest={(room) => {
        const forms = isEmpty ? [] : faint(describeForms(takesRules));
        return forms.length < room ? [EMPTY_LINE, ...forms] : [];
      }}
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

/** A threshold as typed, with what is wrong with it. */
function readThreshold(text: string, takesRules: boolean | null) {
  const wanted = takesRules === false ? GWEI_ONLY : 'needs a threshold, such as 0.04 or $0.40/swap';
  if (text.trim() === '') return { threshold: null, problem: wanted };
  try {
    const threshold = parseThreshold(text);
    if (threshold.kind === 'gwei' || takesRules === true) return { threshold, problem: null };
    return { threshold: null, problem: takesRules === null ? LOOKING : GWEI_ONLY };
  } catch (error) {
    if (!(error instanceof ThresholdError)) throw error;
    return { threshold: null, problem: takesRules === false ? GWEI_ONLY : error.message };
  }
}

const LOOKING = 'is looked up: whether this service takes more than gwei';
const GWEI_ONLY = 'needs gwei, such as 0.04: this service takes nothing else';

const describeForms = (takesRules: boolean | null): string =>
  takesRules === false
    ? 'This service takes a threshold in gwei only: its description lists no other.'
    : 'The threshold is in gwei, or a rule: $0.40/swap, p20/7d (20 % point of 7 days), -25%/7d (below the median of 7 days), 2% of $35/swap.';

type Distance = ReturnType<typeof distanceToThreshold>;

/** `(0.21 gwei now), has to fall 21 %`, `(no dollar price of ETH)`; of a price in gwei `now 0.0507, has to fall 21 %`. */
function besideThreshold(
  { gasSpeed, rule, threshold, thresholdReason }: AlertCondition,
  distance: Distance,
  snapshot: SnapshotView,
): string | null {
  const lane = pricedLaneOf(gasSpeed);
  const present = lane && watchedPrice(snapshot, lane);
  const price = lane && (present === null ? NO_BLOBS : `now ${formatGwei(present)}`);
  const stands = threshold === null ? thresholdReason : `${shortGwei(threshold)} gwei now`;
  const looking = lane === null ? '' : 'what it is in gwei: looking …';
  const now = rule === null ? price : stands ? `(${stands})` : looking;
  return distance === null ? now : [now, describeDistance(distance)].filter((text) => text).join(', ');
}

/** It reads a day block by block: a minute more of it changes little. */
const PREVIEW_MS = 300_000;

function useAlertPreview(alert: NewAlert | null, timeText: (ms: number) => string): string | null {
  const { isOwnService: thorough } = useMonitor();
  const { snapshot } = usePane();
  const rule = alert && alertRuleOf(alert);
  const lane = rule?.lane ?? null;
  const windowSec = rule === null || rule.threshold.kind === 'gwei' ? null : windowSecOf(rule.threshold);
  const { data: day, ...days } = useMonitorQuery({
    key: ['alert-preview', lane],
    enabled: lane !== null,
    ask: async (client) => lane && loadDayPrices(client, lane, thorough),
    shortFrom: (prices) => (prices && lane !== 'blob' ? shortStart(prices.from, prices.to, '24h') : null),
    head: snapshot,
    freshMs: PREVIEW_MS,
  });
  const { data: past = null, ...pasts } = useMonitorQuery({
    // As far back as the prices reach.
    key: ['alert-past', lane, windowSec, day ? shortStart(day.from, day.to, '24h') : null],
    enabled: windowSec !== null && day !== undefined,
    ask: async (client) =>
      lane && day && windowSec !== null
        ? loadPastBasis(client, windowSec, { lane, day, snapshot, thorough })
        : null,
    head: snapshot,
    freshMs: 60_000,
  });
  if (rule === null) return null;
  if (day && (windowSec === null || past !== null)) {
    return previewWords(previewOver(rule, day, past), timeText);
  }
  const error = days.error ?? pasts.error;
  return error === null
    ? 'looking at the last 24 h …'
    : `cannot be previewed: ${error.message.replaceAll('\n', ' ')}`;
}

const PRICED_EVERY_MS = 60_000;

/** A threshold as typed with what it stands for now; nothing while that is looked up. */
function useThresholdNow(
  threshold: Threshold | null,
  { gasSpeed, condition }: Pick<AlertDraft, 'gasSpeed' | 'condition'>,
): AlertThreshold {
  const { isOwnService: thorough, intervalMs } = useMonitor();
  const { snapshot } = usePane();
  const rule = threshold === null || threshold.kind === 'gwei' ? null : threshold;
  const lane = pricedLaneOf(gasSpeed);
  const side = ALERT_CONDITIONS.find((word) => word === condition);
  const isPriced = rule !== null && lane !== null && side !== undefined;
  const text = rule && thresholdText(rule);
  const settled = useElapsed(SETTLED_MS, text);
  const isCheap = thorough && rule !== null && !isPricedByHistory(rule);
  const { data, error } = useMonitorQuery<PriceOrReason | null>({
    key: ['threshold', text, lane, side],
    enabled: isPriced && settled,
    ask: async (client, signal) =>
      isPriced ? priceNow(client, rule, side, { lane, snapshot, thorough }, { signal }) : null,
    everyMs: isCheap ? intervalMs : PRICED_EVERY_MS,
    freshMs: isCheap ? intervalMs : PRICED_EVERY_MS,
  });
  if (threshold === null) return { rule: null, threshold: null, thresholdReason: null };
  if (threshold.kind === 'gwei') return alertThreshold(threshold, threshold);
  const failure = error && { reason: error.message.replaceAll('\n', ' ') };
  return alertThreshold(threshold, data ?? failure);
}

const firesNext = (blocks: number) =>
  `it fires ${blocks === 1 ? 'with the next block' : `once that holds for ${blocks} blocks`}`;

/** When an alert that is there fires at its price: a change leaves its cooldown as it is. */
function whenItFires(alert: AlertView, blocks: number, snapshot: SnapshotView, present: number): string {
  const state = alertState(alert, snapshot, present);
  if (state.kind === 'disabled') return 'it fires once it is enabled';
  if (state.kind === 'cooling')
    return `it may fire once its cooldown is over, in ${formatDuration((state.until - present) / 1_000)}`;
  return state.kind === 'leaving' ? 'it fires once the price has left and come back' : firesNext(blocks);
}

const LOOKING_AHEAD = 'how likely it is reached: looking …';

function useThresholdReach(watched: AlertCondition, distance: Distance, fires: string): string | null {
  const { gasSpeed, condition, rule, threshold, thresholdReason } = watched;
  const { isOwnService } = useMonitor();
  const isForecast = condition === 'LESS_THAN' && laneOf(gasSpeed) !== null;
  const asked = distance === null || distance.isThere || !isForecast ? null : threshold;
  // What a rule stands for moves with each block: the likelihood is that of the figure beside it.
  const price = rule === null || asked === null ? asked : (weiOfTypedGwei(shortGwei(asked)) ?? asked);
  const hour = useReach(isOwnService ? price : null, HOUR_SEC);
  const day = useReach(price, DAY_SEC);
  if (distance?.isThere) return `reached now: ${fires}`;
  // What a rule stands for is not known yet.
  if (isForecast && rule !== null && threshold === null && thresholdReason === null) return LOOKING_AHEAD;
  if (price === null)
    return distance === null
      ? null
      : `how likely the price ${distance.ratio < 0 ? 'falls' : 'rises'} so far is not forecast`;
  if (day.data === undefined && day.error === null) return LOOKING_AHEAD;
  const words = describeReach([
    { withinSec: HOUR_SEC, reach: hour.data ?? null },
    { withinSec: DAY_SEC, reach: day.data ?? null },
  ]);
  return rule === null || words === null ? words : `${words}, for ${formatGwei(price)} gwei, its price now`;
}

/** TERMINAL is every running monitor: it needs no target, so a first alert works as it is. */
const WITHOUT_TARGET = 'TERMINAL';
const DEFAULTS = {
  gasSpeed: 'AVERAGE',
  condition: 'LESS_THAN',
  threshold: '',
  channels: WITHOUT_TARGET,
  cooldownMs: durationOfMs(COOLDOWN_DEFAULT_MS),
  disableOnce: 'no',
  note: '',
  hysteresisGwei: '0',
  confirmBlocks: '1',
};

/** As typed. The target of a channel stays when the channel is unticked. */
type AlertDraft = Readonly<typeof DEFAULTS> & { readonly [target: `to:${string}`]: string };
const NEW_DRAFT: AlertDraft = DEFAULTS;

function draftLike(alert: AlertView): AlertDraft {
  const { channels, cooldownMs, hysteresis, method, to } = alert;
  const written = writtenThreshold(alert);
  const targets = { ...alert.targets, ...(method !== null && to && { [method]: to }) };
  return {
    gasSpeed: alert.gasSpeed ?? NEW_DRAFT.gasSpeed,
    condition: alert.condition ?? NEW_DRAFT.condition,
    threshold: written === null ? '' : thresholdText(written),
    channels: channels.join('\n') || NEW_DRAFT.channels,
    cooldownMs: cooldownMs === null ? NEW_DRAFT.cooldownMs : durationOfMs(cooldownMs),
    disableOnce: alert.disableOnce ? 'yes' : 'no',
    note: alert.note ?? '',
    hysteresisGwei: hysteresis === null ? NEW_DRAFT.hysteresisGwei : gweiString(hysteresis),
    confirmBlocks: String(alert.confirmBlocks ?? NEW_DRAFT.confirmBlocks),
    ...Object.fromEntries(Object.entries(targets).map(([channel, target]) => [`to:${channel}`, target])),
  };
}

const channelsOf = ({ channels }: AlertDraft) => channels.split('\n').filter((name) => name !== '');

const COOLDOWN_PRESETS = COOLDOWN_PRESETS_MS.map(durationOfMs);

const CONDITIONS = new Map([
  ['LESS_THAN', 'below'],
  ['GREATER_THAN', 'above'],
]);

function hintOf(channel: string): string {
  const target = channelNamed(channel)?.target;
  return target?.hint ?? target?.what ?? 'where it is sent';
}

/** The fields from top to bottom, with a line for each ticked channel; unknown values of a service remain choices. */
function alertFields(
  draft: AlertDraft,
  offered: AlertChoices,
  threshold: Parameters<typeof textField>[3],
  takesRules: boolean | null,
): readonly FormField[] {
  const thresholdHint = takesRules === false ? 'gwei, such as 0.04' : 'such as 0.04, $0.40/swap or -25%/7d';
  const channels = channelsOf(draft);
  const choices = (words: readonly string[], own: readonly string[], label: (word: string) => string) =>
    [...new Set([...words, ...own])].map((value) => [value, label(value)] as const);
  const sideOf = (word: string) => CONDITIONS.get(word) ?? plainWord(word);
  const cooldownMs = msOfDuration(draft.cooldownMs);
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
    textField('threshold', 'threshold', thresholdHint, threshold),
    choiceField('channels', 'notify', 'space ticks; terminal: every running monitor', all, 'many'),
    ...targets.map((channel) => textField(`to:${channel}`, plainWord(channel), hintOf(channel))),
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
  return fields.filter(({ id }) => id === 'threshold' || !offered.unknown.some((name) => name === id));
}

function bodyOf(draft: AlertDraft) {
  const { gasSpeed, condition, note } = draft;
  return {
    gasSpeed,
    condition,
    note,
    ...recipientFields(channelsOf(draft).map((name) => [name, (draft[`to:${name}`] ?? '').trim()])),
    cooldownMs: msOfDuration(draft.cooldownMs) ?? undefined,
    disableOnce: draft.disableOnce === 'yes',
    hysteresisGwei: typedNumber(draft.hysteresisGwei),
    confirmBlocks: typedNumber(draft.confirmBlocks),
  };
}
