import type { AlertDetailsView, AlertView, DeliveryView } from '../../client/views/alerts.ts';
import { ownValue } from '../../core/own-value.ts';
import { formatDuration, gweiString } from '../../core/units.ts';
import { cleanLine } from '../clean-line.ts';
import { type Labelled, labelledLines, VALUE_WIDTH } from '../labelled-lines.ts';
import { wrapWords } from '../wrap-words.ts';
import { cooldownWords, restWords, stateWords, timesWords, timeWords, watchWords } from './alert-words.ts';

/** In UTF-16 units: all of a note, 500 characters that may be emoji. */
const LONGEST_NOTE = 2_048;

/** What `gastop alerts show` prints. `now` in ms. */
export function alertDetailsText(alert: AlertDetailsView, now: number): string {
  const lines = labelledLines([...alertRows(alert, now), ...firingRows(alert)]);
  const { deliveries } = alert;
  if (deliveries === null || deliveries.length === 0) return lines.join('\n');
  return [...lines, '', 'sent, newest first (UTC)', ...deliveries.flatMap(deliveryLines)].join('\n');
}

function alertRows(alert: AlertView, now: number): Labelled[] {
  const { hysteresis, confirmBlocks, disableOnce, disabledReason, note } = alert;
  const rest = alert.status === 'PENDING' ? restWords(alert, now) : null;
  const state = rest === null ? stateWords(alert, now) : `${stateWords(alert, now)} ${rest}`;
  return [
    ['id', cleanLine(alert.id)],
    ['fires when', watchWords(alert)],
    ['state', disabledReason === null ? state : `${state}: ${cleanLine(disabledReason)}`],
    ['cooldown', cooldownWords(alert)],
    ['then', disableOnce === true ? 'it is disabled once it has fired' : null],
    ['hysteresis', hysteresis === null || hysteresis === 0n ? null : `${gweiString(hysteresis)} gwei`],
    ['confirmed by', confirmBlocks === null || confirmBlocks === 1 ? null : `${confirmBlocks} blocks`],
    ['tells', targetLines(alert).join('\n')],
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
      missed === null ? null : `${timesWords(missed.count)} while nobody could be told${missedLast}`,
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
