import {
  alertState,
  describeAlert,
  describeAlertState,
  describeAttempt,
  describeCondition,
  describeSavings,
} from '../../client/views/alert-texts.ts';
import type {
  AlertDetailsView,
  AlertSavingsView,
  AlertView,
  DeliveryView,
  SavingsEntryView,
} from '../../client/views/alerts.ts';
import {
  exactGwei,
  formatCount,
  formatDuration,
  formatSavedNative,
  formatSavedUsd,
} from '../../core/units.ts';
import {
  cleanLine,
  factRows,
  fittedLines,
  LONGEST_NOTE,
  labelledLines,
  mapped,
  paragraph,
  type TextColumn,
  tableLines,
  timeWords,
} from '../output.ts';

const lower = (word: string) => cleanLine(word).toLowerCase();
export const channelWords = ({ channels }: AlertView): string => channels.map(lower).join(', ') || '-';

export function alertListLines(alerts: readonly AlertView[], now: number, width: number | null): string[] {
  const columns: TextColumn<AlertView>[] = [
    ['id', 'left', (alert) => cleanLine(alert.id)],
    ['when', 'left', (alert) => cleanLine(describeCondition(alert))],
    ['state', 'left', (alert) => cleanLine(describeAlertState(alertState(alert, null, now)))],
    ['notify', 'left', channelWords],
    ['fired', 'right', ({ triggerCount }) => mapped(triggerCount, formatCount) ?? '-'],
    ['last (UTC)', 'left', (alert) => timeWords(alert.lastTriggeredAt)],
    ['note', 'left', ({ note }) => cleanLine(note ?? '')],
  ];
  return fittedLines(columns, alerts, width, { spared: ['last (UTC)', 'fired'], least: 16 });
}

export function alertDetailsText(alert: AlertDetailsView, now: number): string {
  const deliveries = alert.deliveries ?? [];
  const state = alertState(alert, null, now);
  const leaving = state.kind === 'leaving' ? ' until the price has left the threshold' : '';
  return [
    ...labelledLines([
      ['id', cleanLine(alert.id)],
      ['fires when', cleanLine(describeCondition(alert))],
      ['state', `${cleanLine(describeAlertState(state, momentWords))}${leaving}`],
      ['note', mapped(alert.note || null, (text) => paragraph(text, LONGEST_NOTE))],
      ...factRows(describeAlert(alert, momentWords)),
    ]),
    ...(deliveries.length === 0 ? [] : ['', 'sent, newest first (UTC)']),
    ...deliveries.flatMap(deliveryLines),
  ].join('\n');
}

const momentWords = (ms: number) => `${timeWords(ms, 'seconds')} UTC`;

function deliveryLines({ id, channel, status, createdAt, nextAttemptAt, attempts }: DeliveryView): string[] {
  const next = nextAttemptAt === null ? '' : `, tried again at ${timeWords(nextAttemptAt, 'seconds')}`;
  return [
    `  ${timeWords(createdAt, 'seconds')}  ${words(channel)}  ${words(status)}${next}  ${cleanLine(id)}`,
    ...attempts.map((attempt) => {
      const { at, ok, latencyMs } = attempt;
      const took = latencyMs === null ? '' : ` after ${latencyText(latencyMs)}`;
      const result = ok === null ? '' : ok ? 'ok' : 'failed';
      return `    ${timeWords(at, 'seconds')}  ${result}${took}  ${cleanLine(describeAttempt(attempt))}`;
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
    const coins = formatSavedNative(savedWei, symbol);
    return savedUsd === null ? coins : `${coins} (${formatSavedUsd(savedUsd)})`;
  };
  const { entries } = savings;
  const head = labelledLines([
    ...factRows(describeSavings(savings, symbol, momentWords)),
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
