import type { AlertSavingsView, AlertView } from '../../../client/views/alerts.ts';
import {
  describeCondition,
  describeDistance,
  describeWaiting,
  distanceToThreshold,
  plainWord,
  targetOf,
} from '../../../client/views/describe-alerts.ts';
import { cooldownText } from '../../../core/alerts/cooldown-text.ts';
import { cleanText } from '../../../core/clean-text.ts';
import { formatCount, formatGwei, formatNative, formatUsd, gweiString } from '../../../core/units.ts';
import type { NamedValue } from '../../ui/fact-list.tsx';
import { type Line, wrapText } from '../../ui/text.tsx';
import type { Theme } from '../../ui/theme.ts';
import { momentText } from '../explorer/place-frame.tsx';
import { type AlertColumnsContext, stateLine } from './alert-columns.ts';

const line = (text: string): Line => [{ text }];

/** `● armed  Average < 0.04 gwei`, and what the price has to do. */
export function alertTitle(alert: AlertView, context: AlertColumnsContext): readonly Line[] {
  const distance = distanceToThreshold(alert, context.snapshot);
  return [
    [{ text: describeCondition(alert), bold: true }],
    stateLine(alert, context),
    ...(distance === null
      ? []
      : [[{ text: `${formatGwei(distance.price)} now, ${describeDistance(distance)}`, faint: true }]]),
  ];
}

/** All that is known of an alert; what the service does not say is left out. */
export function alertFacts(
  alert: AlertView,
  context: AlertColumnsContext,
  width = Number.MAX_SAFE_INTEGER,
): readonly NamedValue[] {
  const { present, offsetAt, theme } = context;
  const moment = (at: number) => line(momentText(at, present, offsetAt));
  const given = <T>(value: T | null, name: string, text: (value: T) => Line, alone = false): NamedValue[] =>
    value === null ? [] : [{ name, value: text(value), alone }];
  const long = (text: string | null, name: string) =>
    text === null ? [] : longFact(name, text, width, theme);
  const note = alert.note === '' ? null : alert.note;
  const why = describeWaiting(alert, context.snapshot, present);
  return [
    ...long(note, 'note'),
    ...long(why, 'waits'),
    ...long(alert.disabledReason, 'disabled'),
    ...long(missedWords(alert.missed, context), 'missed'),
    ...alert.channels.map((channel): NamedValue => {
      const target = targetOf(alert, channel);
      return {
        name: plainWord(channel),
        value: line(target ?? (channel === 'TERMINAL' ? 'needs no target' : 'target not said')),
        alone: true,
      };
    }),
    ...given(alert.triggerCount, 'fired', (count) => line(`${formatCount(count)} ×`)),
    ...given(alert.lastTriggeredAt, 'last fired', moment),
    ...given(alert.cooldownMs, 'cooldown', (ms) => line(ms === 0 ? 'none' : cooldownText(ms))),
    ...given(alert.disableOnce, 'after firing', (once) => line(once ? 'disables itself' : 'goes on')),
    ...given(alert.hysteresis, 'hysteresis', (wei) => line(wei === 0n ? 'none' : `${gweiString(wei)} gwei`)),
    ...given(alert.confirmBlocks, 'confirms', (blocks) =>
      line(blocks === 1 ? '1 block' : `${blocks} blocks`),
    ),
    ...given(alert.createdAt, 'made', moment),
    ...given(alert.updatedAt, 'changed', moment),
    ...long(alert.keyId, 'of key'),
    { name: 'id', value: line(alert.id) },
  ];
}

/** Margin, the longest name and the gap after it. */
const NAME_ROOM = 16;

/** A value of several lines, all of it: the details scroll. */
function longFact(name: string, text: string, width: number, theme: Theme): readonly NamedValue[] {
  return text
    .split(/\r?\n/)
    .flatMap((written) => {
      const parts = wrapText(
        theme.text(cleanText(written)),
        width - NAME_ROOM,
        Number.POSITIVE_INFINITY,
        theme.glyph.ellipsis,
      );
      return parts.length === 0 ? [''] : parts;
    })
    .map((part, place) => ({ name: place === 0 ? name : '', value: line(part), alone: true }));
}

function missedWords(missed: AlertView['missed'], { present, offsetAt }: AlertColumnsContext): string | null {
  if (missed === null) return null;
  const last = missed.lastAt === null ? '' : `, last ${momentText(missed.lastAt, present, offsetAt)}`;
  return `${formatCount(missed.count)} × in blocks that came while nothing was running${last}`;
}

/** What the alert has saved; one line where that is nothing. */
export function savingsFacts(
  savings: AlertSavingsView,
  symbol: string,
  { snapshot, present, offsetAt, theme }: AlertColumnsContext,
  width = Number.MAX_SAFE_INTEGER,
): readonly NamedValue[] {
  const { events, savedWei, savedUsd, best, gasAmount } = savings;
  const gas = gasAmount === null ? '' : ` at ${formatCount(gasAmount)} gas each`;
  // Nothing is $0 at any price, but says so only where there is one.
  const dollars = (usd: number | null) =>
    usd === null || (usd === 0 && snapshot.nativeUsd === null) ? null : formatUsd(usd);
  const amount = (wei: bigint | null, usd: number | null) =>
    [wei === null ? null : formatNative(wei, symbol), dollars(usd)]
      .filter((part) => part !== null)
      .join('  ');
  return [
    ...(events === null ? [] : [{ name: 'firings', value: line(formatCount(events)) }]),
    ...(savedWei === null && savedUsd === null
      ? []
      : [{ name: 'saved', value: line(`${amount(savedWei, savedUsd)}${gas}`), alone: true }]),
    ...(best === null
      ? []
      : longFact(
          'best',
          [
            amount(best.savedWei, best.savedUsd),
            best.price === null ? '' : `at ${formatGwei(best.price)} gwei`,
            best.referencePrice === null ? '' : `against ${formatGwei(best.referencePrice)} the day before`,
            best.triggeredAt === null ? '' : momentText(best.triggeredAt, present, offsetAt),
          ]
            .filter((part) => part !== '')
            .join(', '),
          width,
          theme,
        )),
  ];
}
