import type { TargetRules } from '../../contract/alert-targets.ts';
import { ALERT_CHANNELS, type AlertChannel } from '../../contract/choices.ts';
import { readWebTarget, type TargetPolicy } from './notifiers/safe-http.ts';

/** Channels that need settings: what sends them, and the settings that enable it, for the operator. */
const SET_UP = new Map<string, { readonly sender: string; readonly remedy: string }>([
  [
    'EMAIL',
    {
      sender: 'a mail server (EMAIL)',
      remedy: 'smtp in the config file, or GASTOP_SMTP_URL and GASTOP_SMTP_FROM',
    },
  ],
  [
    'TELEGRAM',
    {
      sender: 'a Telegram bot (TELEGRAM)',
      remedy: 'telegram.token in the config file, or GASTOP_TELEGRAM_TOKEN',
    },
  ],
]);

export const remedyFor = (channel: string): string | undefined => SET_UP.get(channel)?.remedy;

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
  const words = (channel: AlertChannel) => {
    const { sender, remedy } = SET_UP.get(channel) ?? { sender: channel, remedy: '' };
    if (asker === 'key') return `needs ${channel}, which is not set up on this service`;
    return `needs ${sender}, which is not set up here${remedy && `: set ${remedy}; see docs/ALERTS.md`}`;
  };
  return {
    missing: Object.fromEntries(missingChannels(channels).map((channel) => [channel, words(channel)])),
    refuseUrl: (url) => {
      const target = readWebTarget(url, policy);
      return target.ok ? null : target.problem;
    },
  };
}
