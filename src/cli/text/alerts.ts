import {
  type AlertDetailsView,
  type AlertSavingsView,
  type AlertView,
  type DeliveryView,
  describeAlert,
  describeCondition,
  describeSavings,
  mustLeave,
  type SavingsEntryView,
} from '../../client/views/alerts.ts';
import type { Fact } from '../../client/views/metrics.ts';
import { cooldownText } from '../../core/alerts/alert-rule.ts';
import { exactGwei, formatCount, formatDuration, formatNative, formatUsd } from '../../core/units.ts';
import {
  type Column,
  cleanLine,
  fittedLines,
  type Labelled,
  LONGEST_NOTE,
  labelledLines,
  mapped,
  paragraph,
  tableLines,
  utcTime,
} from '../output.ts';

function stateWords(alert: AlertView, now: number): string {
  const { status } = alert;
  if (status === 'PENDING') return coolingWords(alert, now) === null ? 'armed' : 'cooling down';
  return words(status);
}

function coolingWords(alert: AlertView, now: number): string | null {
  const { cooldownUntil } = alert;
  if (cooldownUntil !== null && cooldownUntil > now)
    return `until ${timeWords(cooldownUntil, 'seconds')} UTC`;
  return mustLeave(alert) ? 'until the price has left the threshold' : null;
}

const lower = (word: string) => cleanLine(word).toLowerCase();
export const channelWords = ({ channels }: AlertView): string => channels.map(lower).join(', ') || '-';

export const timeWords = (ms: number | null, precision: 'minutes' | 'seconds' = 'minutes'): string =>
  mapped(ms, (time) => utcTime(time, precision)) ?? '-';

export const cooldownWords = ({ cooldownMs }: AlertView): string =>
  mapped(cooldownMs, (ms) => (ms === 0 ? 'none' : cooldownText(ms))) ?? '-';

export const alertListLines = (alerts: readonly AlertView[], now: number, width: number | null): string[] =>
  fittedLines(columnsAt(now), alerts, width, { spared: ['last (UTC)', 'fired'], least: 16 });

function columnsAt(now: number): Column<AlertView>[] {
  return [
    ['id', 'left', (alert) => cleanLine(alert.id)],
    ['when', 'left', (alert) => cleanLine(describeCondition(alert))],
    ['state', 'left', (alert) => stateWords(alert, now)],
    ['notify', 'left', channelWords],
    ['fired', 'right', ({ triggerCount }) => mapped(triggerCount, formatCount) ?? '-'],
    ['last (UTC)', 'left', (alert) => timeWords(alert.lastTriggeredAt)],
    ['note', 'left', ({ note }) => cleanLine(note ?? '')],
  ];
}

export function alertDetailsText(alert: AlertDetailsView, now: number): string {
  const lines = labelledLines(alertRows(alert, now));
  const { deliveries } = alert;
  if (deliveries === null || deliveries.length === 0) return lines.join('\n');
  return [...lines, '', 'sent, newest first (UTC)', ...deliveries.flatMap(deliveryLines)].join('\n');
}

function alertRows(alert: AlertView, now: number): Labelled[] {
  const until = mapped(alert.status === 'PENDING' ? coolingWords(alert, now) : null, (words) => ` ${words}`);
  return [
    ['id', cleanLine(alert.id)],
    ['fires when', cleanLine(describeCondition(alert))],
    ['state', `${stateWords(alert, now)}${until ?? ''}`],
    ['note', mapped(alert.note || null, (text) => paragraph(text, LONGEST_NOTE))],
    ...toldRows(describeAlert(alert, momentWords)),
  ];
}

const momentWords = (ms: number) => `${timeWords(ms, 'seconds')} UTC`;

const toldRows = (facts: readonly Fact[]): Labelled[] =>
  facts.map(([name, text]) => {
    // An address stays whole.
    const shown = mapped(text, (words) => (words.includes(' ') ? paragraph(words) : cleanLine(words)));
    return [cleanLine(name), shown];
  });

function deliveryLines({ id, channel, status, createdAt, nextAttemptAt, attempts }: DeliveryView): string[] {
  const next = nextAttemptAt === null ? '' : `, tried again at ${timeWords(nextAttemptAt, 'seconds')}`;
  return [
    `  ${timeWords(createdAt, 'seconds')}  ${words(channel)}  ${words(status)}${next}  ${cleanLine(id)}`,
    ...attempts.map(({ at, ok, latencyMs, answer }) => {
      const took = latencyMs === null ? '' : ` after ${latencyText(latencyMs)}`;
      const result = ok === null ? '' : ok ? 'ok' : 'failed';
      return `    ${timeWords(at, 'seconds')}  ${result}${took}  ${cleanLine(answer ?? '')}`.trimEnd();
    }),
  ];
}

const words = (word: string | null) => mapped(word, lower) ?? '-';
const latencyText = (ms: number) => (ms < 1_000 ? `${Math.round(ms)} ms` : formatDuration(ms / 1_000));
const ROWS = 20;
export function alertSavingsText(savings: AlertSavingsView, symbol: string): string {
  const amount = ({ savedWei, savedUsd }: Pick<SavingsEntryView, 'savedWei' | 'savedUsd'>): string => {
    if (savedWei === null) return '-';
    if (savedWei === 0n) return 'nothing';
    const coins = formatNative(savedWei, symbol);
    return savedUsd === null ? coins : `${coins} (${formatUsd(savedUsd)})`;
  };

  const { entries } = savings;
  const head = labelledLines([
    ...toldRows(describeSavings(savings, symbol, momentWords)),
    ['against', 'the mean of the day before'],
  ]);
  if (entries.length === 0) return head.join('\n');
  const table = tableLines<SavingsEntryView>(
    [
      ['fired (UTC)', 'left', ({ triggeredAt }) => timeWords(triggeredAt)],
      ['block', 'right', ({ blockNumber }) => mapped(blockNumber, formatCount) ?? '-'],
      ['gwei', 'right', ({ price }) => gwei(price)],
      ['reference', 'right', ({ referencePrice }) => gwei(referencePrice)],
      ['saved', 'right', amount],
    ],
    entries.slice(0, ROWS),
  );
  const more =
    entries.length > ROWS ? [`and ${formatCount(entries.length - ROWS)} more: --json has them`] : [];
  return [...head, '', ...table, ...more].join('\n');
}

const gwei = (wei: bigint | null) => mapped(wei, exactGwei) ?? '-';
