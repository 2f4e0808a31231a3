import type { TargetRules } from '../../contract/alert-targets.ts';
import { ALERT_CHANNELS, type AlertChannel } from '../../contract/choices.ts';
import { readWebTarget, type TargetPolicy } from './notifiers/safe-http.ts';

/** Settings that enable a channel, for the operator. */
const REMEDY = new Map<string, string>([
  ['EMAIL', 'smtp in the config file, or GASTOP_SMTP_URL and GASTOP_SMTP_FROM'],
  ['TELEGRAM', 'telegram.token in the config file, or GASTOP_TELEGRAM_TOKEN'],
] satisfies [AlertChannel, string][]);

const SENDER: Readonly<Partial<Record<AlertChannel, string>>> = {
  EMAIL: 'a mail server (EMAIL)',
  TELEGRAM: 'a Telegram bot (TELEGRAM)',
};

export const remedyFor = (channel: string): string | undefined => REMEDY.get(channel);

export function channelsOf({
  smtp = null,
  telegram = null,
  isSimulated = false,
}: {
  readonly smtp?: object | null;
  readonly telegram?: object | null;
  readonly isSimulated?: boolean;
}): readonly string[] {
  if (isSimulated) return ALERT_CHANNELS;
  return [
    'WEBHOOK',
    'SLACK',
    ...(smtp === null ? [] : ['EMAIL']),
    ...(telegram === null ? [] : ['TELEGRAM']),
  ];
}

/** The missing ones of all channels; TERMINAL needs no delivery. */
const missingChannels = (channels: readonly string[]): readonly AlertChannel[] =>
  ALERT_CHANNELS.filter((channel) => channel !== 'TERMINAL' && !channels.includes(channel));

/** One line for each of mail and Telegram that is not set up, with the settings that enable it. */
export function setUpLines(channels: readonly string[]): readonly string[] {
  return missingChannels(channels).map((channel) => `${channel} is not set up: set ${remedyFor(channel)}`);
}

/** @param asker the operator reads what to set; the holder of a key cannot set it */
export function targetRules(
  channels: readonly string[],
  policy: TargetPolicy,
  asker: 'operator' | 'key',
): TargetRules {
  const words = asker === 'operator' ? notSetUp : notSetUpHere;
  return {
    missing: Object.fromEntries(missingChannels(channels).map((channel) => [channel, words(channel)])),
    refuseUrl: (url) => {
      const target = readWebTarget(url, policy);
      return target.ok ? null : target.problem;
    },
  };
}

const notSetUpHere = (channel: AlertChannel) => `needs ${channel}, which is not set up on this service`;

function notSetUp(channel: AlertChannel): string {
  const remedy = remedyFor(channel);
  const how = remedy === undefined ? '' : `: set ${remedy}; see docs/ALERTS.md`;
  return `needs ${SENDER[channel] ?? channel}, which is not set up here${how}`;
}
