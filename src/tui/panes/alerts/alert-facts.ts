import {
  type AlertSavingsView,
  type AlertView,
  type DeliveryAttemptView,
  type DeliveryView,
  describeCondition,
  describeDistance,
  describeWaiting,
  distanceToThreshold,
  isSavingUnknown,
  plainWord,
  shortTarget,
  targetOf,
} from '../../../client/views/alerts.ts';
import { cooldownText } from '../../../core/alerts/alert-rule.ts';
import {
  exactGwei,
  formatAge,
  formatCount,
  formatDuration,
  formatGwei,
  formatNative,
  formatUsd,
} from '../../../core/units.ts';
import { given, hangingLines, longFact, type NamedValue } from '../../ui/fact-list.tsx';
import type { PaneContext } from '../../ui/pane-context.ts';
import type { Line } from '../../ui/text.tsx';
import type { ColorName, GlyphName } from '../../ui/theme.ts';
import { momentText, secondText } from '../../ui/time.ts';
import { stateLine } from './alert-columns.ts';

/** `Average < 0.04 gwei  ● armed`, and the distance of the price. */
export function alertTitle(alert: AlertView, context: PaneContext): readonly Line[] {
  const distance = distanceToThreshold(alert, context.snapshot);
  return [
    [{ text: describeCondition(alert), bold: true }],
    stateLine(alert, context),
    ...(distance === null
      ? []
      : [[{ text: `${formatGwei(distance.price)} now, ${describeDistance(distance)}`, faint: true }]]),
  ];
}

export function alertFacts(alert: AlertView, context: PaneContext): readonly NamedValue[] {
  const { snapshot, present, offsetAt } = context;
  const moment = (at: number) => momentText(at, present, offsetAt);
  const { missed } = alert;
  const lastMissed = missed === null || missed.lastAt === null ? '' : `, last ${moment(missed.lastAt)}`;
  const missedText =
    missed === null
      ? null
      : `${formatCount(missed.count)} × in blocks that came while nothing evaluated alerts${lastMissed}`;
  return [
    ...longFact(alert.note, 'note', context),
    ...longFact(describeWaiting(alert, snapshot, present), 'waits', context),
    ...longFact(alert.disabledReason, 'disabled', context),
    ...longFact(missedText, 'missed', context),
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
    ...longFact(alert.keyId, 'API key', context),
    ...given(alert.id, 'id', (id) => id),
  ];
}

const blocksText = (count: number) => (count === 1 ? '1 block' : `${formatCount(count)} blocks in a row`);

export function savingsFacts(
  savings: AlertSavingsView,
  symbol: string,
  context: PaneContext,
): readonly NamedValue[] {
  const { snapshot, present, offsetAt } = context;
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
          best.triggeredAt === null ? '' : `on ${momentText(best.triggeredAt, present, offsetAt)}`,
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
    ...longFact(bestText, 'best', context),
  ];
}

const LOOKS = new Map<
  string,
  { readonly glyph: GlyphName; readonly word: string; readonly color?: ColorName }
>([
  ['DELIVERED', { glyph: 'live', word: 'delivered', color: 'good' }],
  ['SIMULATED', { glyph: 'live', word: 'simulated', color: 'good' }],
  ['PENDING', { glyph: 'stale', word: 'pending', color: 'warn' }],
  ['FAILED', { glyph: 'warning', word: 'failed', color: 'bad' }],
  ['CANCELLED', { glyph: 'unknown', word: 'cancelled' }],
]);

export function deliveryLines(
  delivery: DeliveryView,
  isSelected: boolean,
  context: PaneContext,
): readonly Line[] {
  const { theme, present } = context;
  const { status, channel, target, createdAt, nextAttemptAt, attempts } = delivery;
  // The demo and a recording send nothing, and state that.
  const isSimulated = status === 'DELIVERED' && attempts.at(-1)?.answer === 'simulated';
  const look = LOOKS.get(isSimulated ? 'SIMULATED' : (status ?? '')) ?? {
    glyph: 'bullet',
    word: plainWord(status ?? 'state not known'),
  };
  const next =
    nextAttemptAt === null
      ? ''
      : `, next try ${nextAttemptAt <= present ? 'now' : `in ${formatDuration((nextAttemptAt - present) / 1_000)}`}`;
  const head: Line = [
    isSelected ? { text: ` ${theme.glyph.arrow} `, color: 'accent', bold: true } : { text: '   ' },
    { text: theme.glyph[look.glyph], color: look.color },
    { text: ` ${look.word}`, bold: isSelected },
    { text: next, color: 'warn' },
    { text: `  ${channel === null ? 'message' : plainWord(channel)}` },
    { text: target === null || target === '' ? '' : ` ${shortTarget(target)}` },
    { text: createdAt === null ? '' : `  ${formatAge((present - createdAt) / 1_000)}`, faint: true },
  ];
  return [head, ...attempts.flatMap((attempt) => attemptLines(attempt, context))];
}

const INDENT = 7;
const MOST_ANSWER_LINES = 4;

function attemptLines(
  { at, latencyMs, ok, answer }: DeliveryAttemptView,
  context: PaneContext,
): readonly Line[] {
  const {
    present,
    offsetAt,
    theme: { glyph },
  } = context;
  const mark = ok === null ? glyph.bullet : ok ? glyph.live : glyph.warning;
  const head: Line = [
    { text: ' '.repeat(INDENT) },
    { text: at === null ? '' : `${secondText(at, present, offsetAt)}  `, faint: true },
    { text: latencyMs === null ? '' : `${formatCount(latencyMs)} ms  `, faint: true },
    { text: `${mark} `, ...(ok === null ? {} : { color: ok ? 'good' : 'bad' }) },
  ];
  return hangingLines(
    head,
    answer ?? (ok === true ? 'accepted' : 'response unknown'),
    context,
    MOST_ANSWER_LINES,
  );
}
