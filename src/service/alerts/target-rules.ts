import type { TargetRules } from '../../contract/alert-targets.ts';
import { ALERT_CHANNELS, type AlertChannel } from '../../contract/choices.ts';
import { readWebTarget, type TargetPolicy } from './notifiers/safe-http.ts';

/** The settings that enable the channels that need some, for the operator. */
const REMEDIES: Readonly<Record<string, string>> = {
  EMAIL: 'smtp in the config file, or GASTOP_SMTP_URL and GASTOP_SMTP_FROM',
  TELEGRAM: 'telegram.token in the config file, or GASTOP_TELEGRAM_TOKEN',
};

export const remedyFor = (channel: string): string | undefined => REMEDIES[channel];

interface Senders {
  readonly smtp?: object | null;
  readonly telegram?: object | null;
  readonly isSimulated?: boolean;
}

export const channelsOf = ({ smtp, telegram, isSimulated }: Senders): readonly string[] =>
  isSimulated
    ? ALERT_CHANNELS
    : ['WEBHOOK', 'SLACK', ...(smtp ? ['EMAIL'] : []), ...(telegram ? ['TELEGRAM'] : [])];

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
  const words = (channel: AlertChannel) =>
    asker === 'key'
      ? `needs ${channel}, which is not set up on this service`
      : `needs ${channel}, which is not set up here: set ${remedyFor(channel)}; see docs/ALERTS.md`;
  return {
    missing: Object.fromEntries(missingChannels(channels).map((channel) => [channel, words(channel)])),
    refuseUrl: (url) => {
      const target = readWebTarget(url, policy);
      return target.ok ? null : target.problem;
    },
  };
}
