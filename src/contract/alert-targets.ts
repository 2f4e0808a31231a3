import { ALERT_CHANNELS, type AlertChannel, channelNamed } from './alert-channels.ts';
import type { AlertCreationInput } from './alerts.ts';

/** The problem of one field. `path` is its JSON path: `targets.SLACK`, `channels.0`. */
export interface FieldProblem {
  readonly path: string;
  /** Text to follow the path: "must be above 0". */
  readonly message: string;
}

/** The channels and targets that a service supports. */
export interface TargetRules {
  /** Channels that are not set up, with what that means for their deliveries. They refuse no alert. */
  readonly missing: Readonly<Partial<Record<AlertChannel, string>>>;
  /** Why nothing is sent to a URL, as text to follow the field's name; `null` when it is allowed. */
  readonly refuseUrl: (url: string) => string | null;
}

/** The rules for an unknown service, which may still refuse more. */
export const ANY_SERVICE: TargetRules = { missing: {}, refuseUrl: refuseUnusable };

/** The fields that are checked together; invalid ones are left out. */
export type TargetFields = Partial<
  Pick<AlertCreationInput, 'method' | 'to' | 'targets' | 'condition' | 'thresholdGwei' | 'hysteresisGwei'>
> & {
  /** Unknown channels are ignored: the schema reports those. */
  readonly channels?: readonly string[];
};

export function methodOf({ method, channels }: TargetFields): AlertChannel | undefined {
  return method ?? ALERT_CHANNELS.find((channel) => channel === channels?.[0]);
}

export function targetsOf(alert: TargetFields): Partial<Record<AlertChannel, string>> {
  const method = methodOf(alert);
  const { to = '', targets = {} } = alert;
  return method === undefined || to === '' ? { ...targets } : { ...targets, [method]: to };
}

/** Whom an alert notifies, as its body says it: the first channel that has a target (empty: none) is the method. */
export function recipientFields(recipients: readonly (readonly [channel: string, target: string])[]) {
  const named = recipients.filter(([, target]) => target !== '');
  const [method, to] = named[0] ?? recipients[0] ?? [];
  return {
    channels: recipients.map(([channel]) => channel),
    method,
    to,
    targets: Object.fromEntries(named.slice(1)),
  };
}

/** Problems between fields: whether method, channels, targets and re-arm margin fit. Empty: they do. */
export function checkTargets(alert: TargetFields, rules: TargetRules): FieldProblem[] {
  const misfits = checkMethod(alert);
  return [
    ...checkChannels(alert),
    ...misfits,
    // The channel of `to` is known once the method is valid.
    ...(misfits.length > 0 ? [] : checkEachTarget(alert, rules)),
    ...checkHysteresis(alert),
  ];
}

/** Why `target` (empty: left out) is invalid for `channel`, as text to follow its name; `null` when it is valid. */
export function refuseTarget(channel: AlertChannel, target: string, rules: TargetRules): string | null {
  const wanted = channelNamed(channel)?.target ?? null;
  if (target === '') return wanted && `is missing: ${wanted.what}`;
  if (wanted === null) return `must be left out: ${channel} notifies every running monitor`;
  return wanted.refuse === 'unless-url' ? refuseUrl(target, rules) : wanted.refuse(target);
}

function checkChannels({ channels = [] }: TargetFields): FieldProblem[] {
  return ALERT_CHANNELS.flatMap((channel) => {
    const [, ...again] = channels.flatMap((each, at) => (each === channel ? [`channels.${at}`] : []));
    return again.map((path) => ({ path, message: `must name ${channel} only once` }));
  });
}

/** The channels of an alert that are not set up: its deliveries to them wait. */
export const channelWarnings = (
  channels: readonly AlertChannel[],
  { missing }: Pick<TargetRules, 'missing'>,
): FieldProblem[] =>
  channels.flatMap((channel, at) => {
    const message = missing[channel];
    return message === undefined ? [] : [{ path: `channels.${at}`, message }];
  });

function checkMethod({ channels, method }: TargetFields): FieldProblem[] {
  if (channels === undefined || method === undefined || channels.includes(method)) return [];
  if (!areKnown(channels)) return [];
  return [{ path: 'method', message: `must be one of channels: ${channels.join(', ')}` }];
}

function checkEachTarget(alert: TargetFields, rules: TargetRules): FieldProblem[] {
  const { channels = [], to, targets = {} } = alert;
  // A misspelt channel may be the one that a target belongs to.
  const mayBeWanted = (channel: AlertChannel) =>
    channels.includes(channel) || channels.length === 0 || !areKnown(channels);
  const method = methodOf(alert);
  return ALERT_CHANNELS.flatMap((channel) => {
    const further = targets[channel] ?? '';
    const problems: FieldProblem[] = [];
    if (channel === method) {
      const message = refuseTarget(channel, to ?? '', rules);
      if (message !== null && to !== undefined) problems.push({ path: 'to', message });
      if (further !== '') {
        problems.push({ path: `targets.${channel}`, message: `belongs in to: ${channel} is the method` });
      }
      return problems;
    }
    // Without a method its target may be in `to`.
    if (further === '' && (method === undefined || !channels.includes(channel))) return [];
    const message = mayBeWanted(channel)
      ? refuseTarget(channel, further, rules)
      : `must be left out: ${channel} is not in channels`;
    return message === null ? [] : [{ path: `targets.${channel}`, message }];
  });
}

const areKnown = (channels: readonly string[]) => channels.every((name) => channelNamed(name) !== undefined);

function checkHysteresis({ condition, thresholdGwei, hysteresisGwei = 0 }: TargetFields): FieldProblem[] {
  if (condition !== 'GREATER_THAN' || thresholdGwei == null || hysteresisGwei < thresholdGwei) return [];
  const message =
    'must be below thresholdGwei: the price cannot fall further, so the alert would fire only once';
  return [{ path: 'hysteresisGwei', message }];
}

function refuseUrl(text: string, rules: TargetRules): string | null {
  // Parsers remove blanks and line breaks, but the stored target must be the typed one.
  if (/[\s\p{Cc}]/u.test(text) || !URL.canParse(text)) return 'must be a URL, as https://example.org/hook';
  return rules.refuseUrl(text);
}

function refuseUnusable(text: string): string | null {
  const { protocol, username, password } = new URL(text);
  if (protocol !== 'https:' && protocol !== 'http:') return 'must begin with https://';
  return username === '' && password === '' ? null : 'must have no user name or password in it';
}
