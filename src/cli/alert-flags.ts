import type { AlertCreation, AlertCreationInput } from '../contract/alerts.ts';
import type { AlertChannel } from '../contract/choices.ts';
import { ownValue } from '../core/own-value.ts';
import { gweiString } from '../core/units.ts';
import { acceptedAlert } from './accepted-alert.ts';
import { checked } from './checked.ts';
import { usageError } from './cli-error.ts';
import { parseDuration } from './duration.ts';
import { parseGwei } from './gwei.ts';
import { parseCount } from './setting-values.ts';

/** What an alert is made of on the command line. */
export interface AlertFlags {
  readonly below?: string;
  readonly above?: string;
  readonly lane?: 'slow' | 'average' | 'fast';
  readonly email?: string;
  readonly webhook?: string;
  readonly slack?: string;
  readonly telegram?: string;
  readonly terminal?: boolean;
  readonly cooldown?: string;
  readonly once?: boolean;
  readonly note?: string;
  readonly hysteresis?: string;
  readonly confirm?: string;
}

const SPEED = { slow: 'SLOW', average: 'AVERAGE', fast: 'FAST' } as const;

/** Whether the flags say anything of an alert at all. */
export function saysAnything(flags: AlertFlags): boolean {
  const { below, above, lane, cooldown, once, note, hysteresis, confirm } = flags;
  return (
    channelsOf(flags).length > 0 ||
    [below, above, lane, cooldown, once, note, hysteresis, confirm].some((value) => value !== undefined)
  );
}

/** The alert that the flags describe, checked by the contract. @throws CliError (usage) with a line per problem. */
export function alertOfFlags(flags: AlertFlags): AlertCreation {
  const channels = channelsOf(flags);
  if (channels.length === 0) {
    throw usageError(
      'name whom it tells: --email, --webhook, --slack, --telegram, or --terminal for running monitors',
    );
  }
  const [method = 'TERMINAL', ...further] = channels.map(([channel]) => channel);
  const targets = new Map(channels);
  const body: AlertCreationInput = {
    ...ruleOfFlags(flags),
    channels: [method, ...further],
    method,
    to: targets.get(method) ?? '',
    targets: Object.fromEntries(
      further.flatMap((channel) => {
        const target = targets.get(channel) ?? '';
        return target === '' ? [] : [[channel, target]];
      }),
    ),
    ...(flags.note === undefined ? {} : { note: flags.note }),
  };
  return acceptedAlert(body, (path) => flagOf(path, flags, method));
}

/** What the alert watches for, without whom it tells. @throws CliError (usage) */
export function ruleOfFlags(
  flags: AlertFlags,
): Pick<AlertCreationInput, 'thresholdGwei' | 'gasSpeed' | 'condition'> & Partial<AlertCreationInput> {
  const { below, above, lane = 'average', cooldown, once, hysteresis, confirm } = flags;
  if (below !== undefined && above !== undefined) {
    throw usageError('--below and --above cannot be combined; make two alerts');
  }
  const threshold = below ?? above;
  if (threshold === undefined) throw usageError('an alert needs a price: --below GWEI, or --above GWEI');
  return {
    thresholdGwei: gwei(below === undefined ? '--above' : '--below', threshold),
    gasSpeed: SPEED[lane],
    condition: below === undefined ? 'GREATER_THAN' : 'LESS_THAN',
    disableOnce: once === true,
    ...(cooldown === undefined ? {} : { cooldownMs: cooldownMs(cooldown) }),
    ...(hysteresis === undefined ? {} : { hysteresisGwei: gwei('--hysteresis', hysteresis) }),
    ...(confirm === undefined ? {} : { confirmBlocks: checked('--confirm', () => parseCount(confirm)) }),
  };
}

function channelsOf({ email, webhook, slack, telegram, terminal }: AlertFlags): [AlertChannel, string][] {
  const named: [AlertChannel, string | undefined][] = [
    ['EMAIL', email],
    ['WEBHOOK', webhook],
    ['SLACK', slack],
    ['TELEGRAM', telegram],
    ['TERMINAL', terminal === true ? '' : undefined],
  ];
  return named.flatMap(([channel, target]) => (target === undefined ? [] : [[channel, target]]));
}

const FLAGS: Readonly<Record<string, string>> = {
  cooldownMs: '--cooldown',
  note: '--note',
  hysteresisGwei: '--hysteresis',
  confirmBlocks: '--confirm',
};

function flagOf(path: string, { below }: AlertFlags, method: string): string {
  if (path === 'thresholdGwei') return below === undefined ? '--above' : '--below';
  const channel = path === 'to' ? method : path.startsWith('targets.') ? path.slice('targets.'.length) : null;
  return channel === null ? (ownValue(FLAGS, path) ?? path) : `--${channel.toLowerCase()}`;
}

function gwei(flag: string, text: string): number {
  return Number(gweiString(checked(flag, () => parseGwei(text))));
}

function cooldownMs(text: string): number {
  return checked('--cooldown', () => parseDuration(text, { min: '0s', max: '30d' })) * 1_000;
}
