import type { FieldProblem, TargetRules } from '../../contract/alert-targets.ts';
import type { AlertCreation, AlertCreationInput } from '../../contract/alerts.ts';
import { checkAlert } from '../../contract/check-alert.ts';
import { type AlertChannel, COOLDOWN_LONGEST_MS, SPEED_OF_LANE } from '../../contract/choices.ts';
import { cooldownText, parseCooldown } from '../../core/alerts/cooldown-text.ts';
import { ownValue } from '../../core/own-value.ts';
import { gweiString } from '../../core/units.ts';
import { cleanLine } from '../clean-line.ts';
import type { CliError } from '../cli-error.ts';
import { parseGwei } from '../gwei.ts';
import { parseCount } from '../setting-values.ts';
import { refusedAlert } from './accepted-alert.ts';

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

/** Whether the flags say anything of an alert at all. */
export function saysAnything(flags: AlertFlags): boolean {
  const { below, above, lane, cooldown, once, note, hysteresis, confirm } = flags;
  return (
    channelsOf(flags).length > 0 ||
    [below, above, lane, cooldown, once, note, hysteresis, confirm].some((value) => value !== undefined)
  );
}

/** The alert that the flags describe, checked by the contract and `rules`. @throws CliError (usage) with a line per problem. */
export function alertOfFlags(flags: AlertFlags, rules: TargetRules): AlertCreation {
  const channels = channelsOf(flags);
  const { rule, problems } = readRule(flags);
  if (channels.length === 0) {
    problems.push({
      path: 'channels',
      line: 'name whom it tells: --email, --webhook, --slack, --telegram, or --terminal for running monitors',
    });
  }
  const [main, ...further] = channels;
  const body: Partial<AlertCreationInput> = {
    ...rule,
    channels: channels.map(([channel]) => channel),
    method: main?.[0] ?? 'TERMINAL',
    to: main?.[1] ?? '',
    targets: Object.fromEntries(further.filter(([, target]) => target !== '')),
    ...(flags.note === undefined ? {} : { note: flags.note }),
  };
  const result = checkAlert(body, rules);
  if (result.ok && problems.length === 0) return result.alert;
  const isKnown = (path: string) => problems.some((problem) => problem.path === path);
  const found = result.ok ? [] : result.problems.filter(({ path }) => !isKnown(path));
  throw refusedAlert([...problems.map(({ line }) => line), ...found.map((each) => flagLine(each, flags))]);
}

/** What a service has against the alert of `flags`, told by the flags; `null`: it does not say of which field. */
export function refusedFlags(problems: readonly FieldProblem[], flags: AlertFlags): CliError | null {
  const fields = problems.map(({ path, message }) => ({
    path: path
      .replace(/^[/$.]*(body[/.])?/, '')
      .replace(/\[(\w+)\]/g, '.$1')
      .replaceAll('/', '.'),
    message,
  }));
  const isTold = fields.length > 0 && fields.every(({ path }) => flagOf(path, flags) !== null);
  return isTold ? refusedAlert(fields.map((each) => flagLine(each, flags))) : null;
}

/** What the alert watches for, without whom it tells. @throws CliError (usage) with a line per problem. */
export function ruleOfFlags(flags: AlertFlags): Rule {
  const { rule, problems } = readRule(flags);
  const { thresholdGwei } = rule;
  if (problems.length > 0 || thresholdGwei === undefined) {
    throw refusedAlert(problems.map(({ line }) => line));
  }
  return { ...rule, thresholdGwei };
}

type Rule = Pick<AlertCreationInput, 'thresholdGwei' | 'gasSpeed' | 'condition'> &
  Partial<AlertCreationInput>;

/** What cannot be read of the flags: the field that it was for, and what is said of it. */
interface UnreadFlag {
  readonly path: string;
  readonly line: string;
}

function readRule(flags: AlertFlags): {
  readonly rule: Omit<Rule, 'thresholdGwei'> & { readonly thresholdGwei?: number };
  readonly problems: UnreadFlag[];
} {
  const { below, above, lane = 'average', cooldown, once, hysteresis, confirm } = flags;
  const problems: UnreadFlag[] = [];
  const read = <Name extends string>(
    path: Name,
    text: string | undefined,
    parse: (text: string) => number,
  ) => {
    if (text === undefined) return {};
    try {
      return { [path]: parse(text) } as { readonly [key in Name]?: number };
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      problems.push({ path, line: `${flagOf(path, flags)}: ${error.message}` });
      return {};
    }
  };
  const isBoth = below !== undefined && above !== undefined;
  if (isBoth) {
    problems.push({ path: 'thresholdGwei', line: '--below and --above cannot be combined; make two alerts' });
  } else if (below === undefined && above === undefined) {
    problems.push({ path: 'thresholdGwei', line: 'an alert needs a price: --below GWEI, or --above GWEI' });
  }
  const rule = {
    ...read('thresholdGwei', isBoth ? undefined : (below ?? above), readGwei),
    gasSpeed: SPEED_OF_LANE[lane],
    condition: below === undefined ? 'GREATER_THAN' : 'LESS_THAN',
    disableOnce: once === true,
    ...read('cooldownMs', cooldown, readCooldown),
    ...read('hysteresisGwei', hysteresis, (text) => (/^0+(\.0*)?$/.test(text.trim()) ? 0 : readGwei(text))),
    ...read('confirmBlocks', confirm, parseCount),
  } as const;
  return { rule, problems };
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
  gasSpeed: '--lane',
  disableOnce: '--once',
  cooldownMs: '--cooldown',
  note: '--note',
  hysteresisGwei: '--hysteresis',
  confirmBlocks: '--confirm',
};

/** The flag that a field of the body was typed as; `null`: there is none. */
function flagOf(path: string, flags: AlertFlags): string | null {
  const [field = '', entry = ''] = path.split('.');
  if (field === 'thresholdGwei') return flags.below === undefined ? '--above' : '--below';
  const [first, ...further] = channelsOf(flags).map(([channel]) => channel);
  const channel =
    field === 'to'
      ? first
      : field === 'targets'
        ? further.find((each) => each === entry)
        : field === 'channels'
          ? [first, ...further][entry === '' ? 0 : Number(entry)]
          : undefined;
  return channel === undefined ? (ownValue(FLAGS, field) ?? null) : `--${channel.toLowerCase()}`;
}

/** A service may have named the field in its words already. */
function flagLine({ path, message }: FieldProblem, flags: AlertFlags): string {
  const flag = flagOf(path, flags) ?? path;
  const words = cleanLine(message).replaceAll('thresholdGwei', flagOf('thresholdGwei', flags) ?? '');
  return `${cleanLine(flag)} ${words.startsWith(`${path} `) ? words.slice(path.length + 1) : words}`;
}

const readGwei = (text: string) => Number(gweiString(parseGwei(text)));

function readCooldown(text: string): number {
  const ms = parseCooldown(text);
  if (ms === null) throw new RangeError(`"${text}" is not a duration; write 30m, 1h30m, 1d, or 0 for none`);
  if (ms > COOLDOWN_LONGEST_MS) {
    throw new RangeError(`"${text}" is out of range; from 0 to ${cooldownText(COOLDOWN_LONGEST_MS)}`);
  }
  return ms;
}
