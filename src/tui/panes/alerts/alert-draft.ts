import type { AlertChoices } from '../../../client/openapi.ts';
import { type AlertView, thresholdPayload, writtenThreshold } from '../../../client/views/alerts.ts';
import { plainWord, titleWord } from '../../../client/views/words.ts';
import { channelNamed, hasTarget } from '../../../contract/alert-channels.ts';
import { recipientFields } from '../../../contract/alert-targets.ts';
import { COOLDOWN_DEFAULT_MS, COOLDOWN_PRESETS_MS } from '../../../contract/choices.ts';
import {
  parseThreshold,
  type Threshold,
  ThresholdError,
  thresholdText,
} from '../../../core/threshold/threshold.ts';
import { durationOfMs, msOfDuration } from '../../../core/time.ts';
import { gweiString } from '../../../core/units.ts';
import { choiceField, type FormField, numberProblem, textField, typedNumber } from '../../input/form.ts';

/** A new alert, as it is typed. */
export const DEFAULT_ALERT_DRAFT = {
  gasSpeed: 'AVERAGE',
  condition: 'LESS_THAN',
  threshold: '',
  // Every running monitor: it needs no target, so a first alert works as it is.
  channels: 'TERMINAL',
  cooldownMs: durationOfMs(COOLDOWN_DEFAULT_MS),
  disableOnce: 'no',
  note: '',
  hysteresisGwei: '0',
  confirmBlocks: '1',
};

/** As typed. The target of a channel stays when the channel is unticked. */
export type AlertDraft = Readonly<typeof DEFAULT_ALERT_DRAFT> & { readonly [target: `to:${string}`]: string };

export function alertDraftOf(alert: AlertView): AlertDraft {
  const { channels, cooldownMs, hysteresis, method, to } = alert;
  const written = writtenThreshold(alert);
  const targets = { ...alert.targets, ...(method !== null && to && { [method]: to }) };
  return {
    gasSpeed: alert.gasSpeed ?? DEFAULT_ALERT_DRAFT.gasSpeed,
    condition: alert.condition ?? DEFAULT_ALERT_DRAFT.condition,
    threshold: written === null ? '' : thresholdText(written),
    channels: channels.join('\n') || DEFAULT_ALERT_DRAFT.channels,
    cooldownMs: cooldownMs === null ? DEFAULT_ALERT_DRAFT.cooldownMs : durationOfMs(cooldownMs),
    disableOnce: alert.disableOnce ? 'yes' : 'no',
    note: alert.note ?? '',
    hysteresisGwei: hysteresis === null ? DEFAULT_ALERT_DRAFT.hysteresisGwei : gweiString(hysteresis),
    confirmBlocks: String(alert.confirmBlocks ?? DEFAULT_ALERT_DRAFT.confirmBlocks),
    ...Object.fromEntries(Object.entries(targets).map(([channel, target]) => [`to:${channel}`, target])),
  };
}

export const channelsOf = ({ channels }: AlertDraft) => channels.split('\n').filter((name) => name !== '');

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
export function alertFields(
  draft: AlertDraft,
  offered: AlertChoices,
  problem: string | null,
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
  const targets = channels.filter(hasTarget);
  const fields: readonly FormField[] = [
    choiceField('gasSpeed', 'lane', 'whose price is watched', lanes),
    choiceField('condition', 'fires', 'when the price is below the threshold, or above it', sides),
    textField('threshold', 'threshold', thresholdHint, {
      problem,
      ...(/^[\d.,]*$/.test(draft.threshold.trim()) && { unit: 'gwei' }),
    }),
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

/** The alert as the body of a request has it. */
export function alertBodyOf(draft: AlertDraft, threshold: Threshold | null) {
  const { gasSpeed, condition, note } = draft;
  return {
    gasSpeed,
    condition,
    note,
    ...recipientFields(
      // What another service keeps as the target of a channel that has none cannot be seen here.
      channelsOf(draft).map((name) => [name, hasTarget(name) ? (draft[`to:${name}`] ?? '').trim() : '']),
    ),
    cooldownMs: msOfDuration(draft.cooldownMs) ?? undefined,
    disableOnce: draft.disableOnce === 'yes',
    hysteresisGwei: typedNumber(draft.hysteresisGwei),
    confirmBlocks: typedNumber(draft.confirmBlocks),
    ...(threshold && thresholdPayload(threshold)),
  };
}

/** A threshold as typed, with what is wrong with it. */
export function readThreshold(text: string, takesRules: boolean | null) {
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

export const describeForms = (takesRules: boolean | null): string =>
  takesRules === false
    ? 'This service takes a threshold in gwei only: its description lists no other.'
    : 'The threshold is in gwei, or a rule: $0.40/swap, p20/7d (20 % point of 7 days), -25%/7d (below the median of 7 days), 2% of $35/swap.';
