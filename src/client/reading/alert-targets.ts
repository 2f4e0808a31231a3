import { ALERT_CHANNELS } from '../../contract/choices.ts';
import { ownValue } from '../../core/own-value.ts';
import type { AlertView } from '../views/alerts.ts';
import type { Fields } from './fields.ts';
import { isRecord } from './json.ts';
import { readWord, readWrittenText } from './values.ts';

const LONGEST_TARGET = 2_048;
const MOST_CHANNELS = 20;

type Targets = Pick<AlertView, 'method' | 'channels' | 'to' | 'targets'>;

/** Whom an alert tells: a list of words, of records that hold a target each, or one word with commas. */
export function readAlertTargets(fields: Fields): Targets {
  const method = fields.word(ALERT_CHANNELS, 'method', 'channel');
  const listed = fields.list('channels', 'methods', 'notificationChannels').slice(0, MOST_CHANNELS);
  const told = listed.length > 0 ? listed : (fields.text('channels', 'methods')?.split(',') ?? []);
  const channels = told.flatMap((one) => channelOf(one) ?? []);
  const to = fields.writtenText(LONGEST_TARGET, 'to', 'target', 'recipient', 'email', 'webhookUrl');
  const named = Object.entries(fields.record('targets')).slice(0, MOST_CHANNELS);
  const targets = Object.fromEntries([
    ...told.flatMap((one) => (isRecord(one) ? targetOf(channelOf(one), one.to ?? one.target) : [])),
    ...named.flatMap(([channel, target]) => targetOf(readWord(channel, ALERT_CHANNELS), target)),
  ]);
  const { [method ?? '']: _, ...others } = targets;
  return {
    method,
    channels: channels.length > 0 || method === null ? [...new Set(channels)] : [method],
    to: to ?? ownValue(targets, method ?? '') ?? null,
    targets: others,
  };
}

function channelOf(value: unknown): string | null {
  return readWord(isRecord(value) ? (value.type ?? value.channel ?? value.name) : value, ALERT_CHANNELS);
}

function targetOf(channel: string | null, value: unknown): [string, string][] {
  const target = readWrittenText(value, LONGEST_TARGET);
  return channel === null || target === null ? [] : [[channel, target]];
}
