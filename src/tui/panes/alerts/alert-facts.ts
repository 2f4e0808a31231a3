import {
  type AlertSavingsView,
  type AlertState,
  type AlertView,
  alertState,
  type DeliveryAttemptView,
  type DeliveryView,
  describeChannels,
  describeCondition,
  describeDistance,
  describeShare,
  describeWaiting,
  distanceToThreshold,
  isSavingUnknown,
  plainWord,
  shortTarget,
  targetOf,
} from '../../../client/views/alerts.ts';
import { cooldownText } from '../../../core/alerts/alert-rule.ts';
import { cleanText } from '../../../core/text.ts';
import {
  exactGwei,
  formatAge,
  formatCount,
  formatDuration,
  formatGwei,
  formatNative,
  formatUsd,
  UNKNOWN,
} from '../../../core/units.ts';
import { given, hangingLines, longFact, type NamedValue } from '../../ui/fact-list.tsx';
import type { PaneContext } from '../../ui/pane-context.tsx';
import { known, leftColumn, rightColumn, type TableColumn } from '../../ui/table.ts';
import { bold, colored, faint, type Line, plain } from '../../ui/text.tsx';
import type { ColorName } from '../../ui/theme.ts';
import { momentText, secondText, untilText } from '../../ui/time.ts';

const ROOMY_FROM = 100;
const LONGEST_TARGET = 34;

export function alertColumns(context: PaneContext): readonly TableColumn<AlertView>[] {
  const { present, snapshot, width } = context;
  return [
    leftColumn('state', 10, 0, (alert) => stateLine(alert, context)),
    leftColumn('fires when', 19, 0, (alert) => [
      { text: describeCondition(alert), bold: alert.status !== 'DISABLED' },
    ]),
    rightColumn('to go', 7, 1, (alert) => known(distanceToThreshold(alert, snapshot), distanceCell)),
    rightColumn('fired', 5, 2, ({ triggerCount }) => known(triggerCount, formatCount)),
    rightColumn('last', 9, 4, ({ lastTriggeredAt: at, triggerCount }) =>
      at === null && triggerCount === 0 ? 'never' : known(at, (last) => formatAge((present - last) / 1_000)),
    ),
    leftColumn('notify', 16, 3, (alert) => describeChannels(alert) ?? UNKNOWN, { most: LONGEST_TARGET }),
    leftColumn('note', 10, 9, ({ note }) => noteCell(note, width), { most: Number.POSITIVE_INFINITY }),
  ];
}

/** A long note is measured for every frame: cut at the edge first. */
export const noteCell = (note: string | null, width: number) => cleanText(note ?? '', width * 4);

export const distanceCell = (distance: { readonly ratio: number; readonly isThere: boolean }) =>
  distance.isThere
    ? [colored('● reached', 'good')]
    : `${distance.ratio < 0 ? '↓' : '↑'} ${describeShare(distance.ratio)}`;

type StateLook = readonly [glyph: string, word: string, color?: ColorName];
const STATE_LOOKS: Readonly<Record<AlertState['kind'], StateLook>> = {
  armed: ['●', 'armed', 'good'],
  confirming: ['●', 'confirming', 'warn'],
  leaving: ['◌', 'cooling down', 'accent'],
  cooling: ['◌', 'cooling down', 'accent'],
  disabled: ['—', 'disabled'],
  other: ['•', ''],
};

function stateLine(alert: AlertView, { snapshot, present, width }: PaneContext): Line {
  const state = alertState(alert, snapshot, present);
  const [glyph, word, color] = STATE_LOOKS[state.kind];
  const cooling = width < ROOMY_FROM ? 'cooldown' : `${word} until`;
  const text =
    state.kind === 'cooling'
      ? `${cooling} ${untilText(state.until, present)}`
      : state.kind === 'other'
        ? state.word
        : word;
  return [colored(`${glyph} `, color), { text, faint: state.kind === 'disabled' }];
}

export function alertTitle(alert: AlertView, context: PaneContext): readonly Line[] {
  const distance = distanceToThreshold(alert, context.snapshot);
  return [
    [bold(describeCondition(alert))],
    stateLine(alert, context),
    ...(distance === null
      ? []
      : [[faint(`${formatGwei(distance.price)} now, ${describeDistance(distance)}`)]]),
  ];
}

export function alertFacts(alert: AlertView, context: PaneContext): readonly NamedValue[] {
  const { snapshot, present, width } = context;
  const moment = (at: number) => momentText(at, present);
  const { missed } = alert;
  const lastMissed = missed === null || missed.lastAt === null ? '' : `, last ${moment(missed.lastAt)}`;
  const missedText =
    missed === null
      ? null
      : `${formatCount(missed.count)} × in blocks that came while nothing evaluated alerts${lastMissed}`;
  return [
    ...longFact(alert.note, 'note', width),
    ...longFact(describeWaiting(alert, snapshot, present), 'waits', width),
    ...longFact(alert.disabledReason, 'disabled', width),
    ...longFact(missedText, 'missed', width),
    ...alert.channels.flatMap((channel) =>
      given(
        targetOf(alert, channel) ?? (channel === 'TERMINAL' ? 'every running monitor' : 'target unknown'),
        plainWord(channel),
        (target) => target,
        true,
      ),
    ),
    ...given(alert.triggerCount, 'fired', (count) => `${formatCount(count)} ×`),
    ...given(alert.lastTriggeredAt, 'last fired', moment),
    ...given(alert.cooldownMs, 'cooldown', (ms) => (ms === 0 ? 'none' : cooldownText(ms))),
    ...given(alert.disableOnce, 'after firing', (once) => (once ? 'disabled' : 'armed again')),
    ...given(alert.hysteresis, 're-arm margin', (wei) => (wei === 0n ? 'none' : `${exactGwei(wei)} gwei`)),
    ...given(alert.confirmBlocks, 'holds for', blocksText),
    ...given(alert.createdAt, 'made', moment),
    ...given(alert.updatedAt, 'changed', moment),
    ...longFact(alert.keyId, 'API key', width),
    ...given(alert.id, 'id', (id) => id),
  ];
}

const blocksText = (count: number) => (count === 1 ? '1 block' : `${formatCount(count)} blocks in a row`);

export function savingsFacts(
  savings: AlertSavingsView,
  { snapshot, present, symbol, width }: PaneContext,
): readonly NamedValue[] {
  const { events, savedWei, savedUsd, best, gasAmount } = savings;
  const gas = gasAmount === null ? '' : ` at ${formatCount(gasAmount)} gas each`;
  // Zero is $0 at any price, but is only shown when there is a price.
  const dollars = (usd: number | null) =>
    usd === null || (usd === 0 && snapshot.nativeUsd === null) ? null : formatUsd(usd);
  const amount = (wei: bigint | null, usd: number | null) =>
    [wei === null ? null : formatNative(wei, symbol), dollars(usd)]
      .filter((part) => part !== null)
      .join('  ');
  const bestText =
    best === null
      ? null
      : [
          amount(best.savedWei, best.savedUsd),
          best.triggeredAt === null ? '' : `on ${momentText(best.triggeredAt, present)}`,
          best.price === null ? '' : `at ${formatGwei(best.price)} gwei`,
          best.referencePrice === null
            ? ''
            : `instead of ${formatGwei(best.referencePrice)}, the mean of the day before`,
        ]
          .filter((part) => part !== '')
          .join(' ');
  const figure = savedWei === null && savedUsd === null ? null : `${amount(savedWei, savedUsd)}${gas}`;
  const saved = isSavingUnknown(savings) ? 'not known: the day before was not known' : figure;
  return [
    ...given(events, 'firings', formatCount),
    ...given(saved, 'saved', (text) => text, true),
    ...longFact(bestText, 'best', width),
  ];
}

const DELIVERY_LOOKS = new Map<string, StateLook>([
  ['DELIVERED', ['●', 'delivered', 'good']],
  ['SIMULATED', ['●', 'simulated', 'good']],
  ['PENDING', ['◌', 'pending', 'warn']],
  ['FAILED', ['!', 'failed', 'bad']],
  ['CANCELLED', ['—', 'cancelled']],
]);

export function deliveryLines(
  delivery: DeliveryView,
  isSelected: boolean,
  context: PaneContext,
): readonly Line[] {
  const { present } = context;
  const { status, channel, target, createdAt, nextAttemptAt, attempts } = delivery;
  // The demo and a recording send nothing, and state that.
  const isSimulated = status === 'DELIVERED' && attempts.at(-1)?.answer === 'simulated';
  const [glyph, word, color] = DELIVERY_LOOKS.get(isSimulated ? 'SIMULATED' : (status ?? '')) ?? [
    '•',
    plainWord(status ?? 'state not known'),
  ];
  const next = (at: number) =>
    `, next try ${at <= present ? 'now' : `in ${formatDuration((at - present) / 1_000)}`}`;
  const sent = `  ${channel === null ? 'message' : plainWord(channel)}${target ? ` ${shortTarget(target)}` : ''}`;
  const head: Line = [
    isSelected ? bold(' ▸ ', 'accent') : plain('   '),
    colored(glyph, color),
    { text: ` ${word}`, bold: isSelected },
    colored(nextAttemptAt === null ? '' : next(nextAttemptAt), 'warn'),
    plain(sent),
    faint(createdAt === null ? '' : `  ${formatAge((present - createdAt) / 1_000)}`),
  ];
  return [head, ...attempts.flatMap((attempt) => attemptLines(attempt, context))];
}

const INDENT = 7;
const MOST_ANSWER_LINES = 4;

function attemptLines(
  { at, latencyMs, ok, answer }: DeliveryAttemptView,
  { present, width }: PaneContext,
): readonly Line[] {
  const time = at === null ? '' : `${secondText(at, present)}  `;
  const head: Line = [
    plain(' '.repeat(INDENT)),
    faint(`${time}${latencyMs === null ? '' : `${formatCount(latencyMs)} ms  `}`),
    ok === null ? plain('• ') : ok ? colored('● ', 'good') : colored('! ', 'bad'),
  ];
  const words = answer ?? (ok === true ? 'accepted' : 'response unknown');
  return hangingLines(head, words, width, MOST_ANSWER_LINES);
}
