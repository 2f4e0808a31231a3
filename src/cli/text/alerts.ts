import stringWidth from 'string-width';
import {
  type AlertDetailsView,
  type AlertSavingsView,
  type AlertView,
  type DeliveryView,
  describeCondition,
  mustLeave,
  type SavingsEntryView,
} from '../../client/views/alerts.ts';
import { cooldownText } from '../../core/alerts/alert-rule.ts';
import { ownValue } from '../../core/own-value.ts';
import { formatCount, formatDuration, formatNative, formatUsd, gweiString } from '../../core/units.ts';
import { wrapWords } from '../help.ts';
import {
  type Column,
  cleanLine,
  cutToWidth,
  type Labelled,
  labelledLines,
  tableLines,
  utcTime,
  VALUE_WIDTH,
} from '../output.ts';

/** `armed`, `cooling down`, `disabled`, or a service's own word. `now` in ms. */
function stateWords(alert: AlertView, now: number): string {
  const { status } = alert;
  if (status === 'PENDING') return coolingWords(alert, now) === null ? 'armed' : 'cooling down';
  return status === null ? '-' : cleanLine(status).toLowerCase();
}

/** Until when an alert that has fired cools down; `null`: it does not. */
function coolingWords(alert: AlertView, now: number): string | null {
  const { cooldownUntil } = alert;
  if (cooldownUntil !== null && cooldownUntil > now)
    return `until ${timeWords(cooldownUntil, 'seconds')} UTC`;
  return mustLeave(alert) ? 'until the price has left the threshold' : null;
}

export function channelWords({ channels }: AlertView): string {
  return channels.map((channel) => cleanLine(channel).toLowerCase()).join(', ') || '-';
}

/** `2026-01-05 11:20`, UTC; with seconds where several may be within a minute. */
export function timeWords(ms: number | null, precision: 'minutes' | 'seconds' = 'minutes'): string {
  return ms === null ? '-' : utcTime(ms, precision);
}

export function cooldownWords({ cooldownMs }: AlertView): string {
  return cooldownMs === null ? '-' : cooldownMs === 0 ? 'none' : cooldownText(cooldownMs);
}

function timesWords(count: number): string {
  return count === 1 ? 'once' : `${formatCount(count)} times`;
}

/** Of a note, so that one knows which alert it is. */
const NOTE_WORTH = 16;
const SPARED = ['last (UTC)', 'fired'];

/** The lines of `gastop alerts list`, made to fit `width` columns; `null`: as long as they are. `now` in ms. */
export function alertListLines(
  alerts: readonly AlertView[],
  now: number,
  width: number | null,
  ending = '…',
): string[] {
  const columns = columnsAt(now);
  if (width === null) return tableLines(columns, alerts);
  const room = width - Math.min(widest(['', ...alerts.map(noteOf)]), NOTE_WORTH);
  const fits = (spared: number) =>
    widest(tableLines(columnsWithout(columns, ['note', ...SPARED.slice(0, spared)]), alerts)) + 2 <= room;
  const spared = SPARED.findIndex((_, count) => fits(count));
  const shown = columnsWithout(columns, SPARED.slice(0, spared < 0 ? SPARED.length : spared));
  return tableLines(shown, alerts).map((line) => cutToWidth(line, width, ending));
}

function columnsAt(now: number): Column<AlertView>[] {
  return [
    ['id', 'left', (alert) => cleanLine(alert.id)],
    ['when', 'left', (alert) => cleanLine(describeCondition(alert))],
    ['state', 'left', (alert) => stateWords(alert, now)],
    ['notify', 'left', channelWords],
    ['fired', 'right', ({ triggerCount }) => (triggerCount === null ? '-' : formatCount(triggerCount))],
    ['last (UTC)', 'left', (alert) => timeWords(alert.lastTriggeredAt)],
    ['note', 'left', noteOf],
  ];
}

const noteOf = ({ note }: AlertView) => cleanLine(note ?? '');

function columnsWithout(
  columns: readonly Column<AlertView>[],
  titles: readonly string[],
): Column<AlertView>[] {
  return columns.filter(([title]) => !titles.includes(title));
}

const widest = (lines: readonly string[]) => Math.max(...lines.map((line) => stringWidth(line)));

/** In UTF-16 units: all of a note, 500 characters that may be emoji. */
const LONGEST_NOTE = 2_048;

export function alertDetailsText(alert: AlertDetailsView, now: number): string {
  const lines = labelledLines([...alertRows(alert, now), ...firingRows(alert)]);
  const { deliveries } = alert;
  if (deliveries === null || deliveries.length === 0) return lines.join('\n');
  return [...lines, '', 'sent, newest first (UTC)', ...deliveries.flatMap(deliveryLines)].join('\n');
}

function alertRows(alert: AlertView, now: number): Labelled[] {
  const { hysteresis, confirmBlocks, disableOnce, disabledReason, note } = alert;
  const until = alert.status === 'PENDING' ? coolingWords(alert, now) : null;
  const state = until === null ? stateWords(alert, now) : `${stateWords(alert, now)} ${until}`;
  return [
    ['id', cleanLine(alert.id)],
    ['fires when', cleanLine(describeCondition(alert))],
    ['state', disabledReason === null ? state : `${state}: ${cleanLine(disabledReason)}`],
    ['cooldown', cooldownWords(alert)],
    ['then', disableOnce === true ? 'disabled after it has fired once' : null],
    ['re-arm margin', hysteresis === null || hysteresis === 0n ? null : `${gweiString(hysteresis)} gwei`],
    ['holds for', confirmBlocks === null || confirmBlocks === 1 ? null : `${confirmBlocks} blocks in a row`],
    ['notify', targetLines(alert).join('\n')],
    [
      'note',
      note === null || note === ''
        ? null
        : wrapWords(cleanLine(note, [], LONGEST_NOTE), VALUE_WIDTH).join('\n'),
    ],
    ['made', alert.createdAt === null ? null : `${timeWords(alert.createdAt)} UTC`],
  ];
}

function firingRows({ triggerCount, lastTriggeredAt, missed }: AlertView): Labelled[] {
  const last = lastTriggeredAt === null ? '' : `, last at ${timeWords(lastTriggeredAt, 'seconds')} UTC`;
  const missedLast =
    missed === null || missed.lastAt === null ? '' : `, last at ${timeWords(missed.lastAt)} UTC`;
  return [
    ['fired', triggerCount === null ? null : `${timesWords(triggerCount)}${last}`],
    [
      'missed',
      missed === null ? null : `${timesWords(missed.count)} while nothing evaluated alerts${missedLast}`,
    ],
  ];
}

/** Without a method `to` belongs to the first channel, as in the contract. */
function targetLines({ channels, method, to, targets }: AlertView): string[] {
  return channels.map((channel) => {
    const target = channel === (method ?? channels[0]) ? to : ownValue(targets, channel);
    const name = cleanLine(channel).toLowerCase();
    return target === undefined || target === null || target === '' ? name : `${name} ${cleanLine(target)}`;
  });
}

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

const words = (word: string | null) => (word === null ? '-' : cleanLine(word).toLowerCase());

const latencyText = (ms: number) => (ms < 1_000 ? `${Math.round(ms)} ms` : formatDuration(ms / 1_000));

const ROWS = 20;

export function alertSavingsText(savings: AlertSavingsView): string {
  const { events, gasAmount, entries, best } = savings;
  const head = labelledLines([
    ['fired', events === null ? null : timesWords(events)],
    ['saved', amount(savings)],
    [
      'counted for',
      gasAmount === null
        ? null
        : `${formatCount(gasAmount)} gas each time, against the mean of the day before`,
    ],
    ['best', best === null ? null : `${amount(best)} at ${timeWords(best.triggeredAt)} UTC`],
  ]);
  if (entries.length === 0) return head.join('\n');
  const table = tableLines<SavingsEntryView>(
    [
      ['fired (UTC)', 'left', ({ triggeredAt }) => timeWords(triggeredAt)],
      ['block', 'right', ({ blockNumber }) => (blockNumber === null ? '-' : formatCount(blockNumber))],
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

const gwei = (wei: bigint | null) => (wei === null ? '-' : gweiString(wei));

function amount({ savedWei, savedUsd }: Pick<SavingsEntryView, 'savedWei' | 'savedUsd'>): string {
  if (savedWei === null) return '-';
  if (savedWei === 0n) return 'nothing';
  const native = formatNative(savedWei, 'native');
  return savedUsd === null ? native : `${native} (${formatUsd(savedUsd)})`;
}
