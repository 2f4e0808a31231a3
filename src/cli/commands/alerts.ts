import { Option } from 'commander';
import { abortable } from '../../chain/async.ts';
import {
  alertRuleOf,
  loadDayPrices,
  loadPastBasis,
  previewOver,
  previewWords,
} from '../../client/alert-preview.ts';
import { ClientError } from '../../client/errors.ts';
import type { GasClient } from '../../client/gas-client.ts';
import { alertThreshold, priceNow, windowSecOf } from '../../client/threshold-basis.ts';
import type { ReachView } from '../../client/views/advice.ts';
import {
  type AlertCondition,
  describeCondition,
  describeReach,
  describeThreshold,
} from '../../client/views/alert-texts.ts';
import {
  type AlertDetailsView,
  type AlertView,
  type CreatedAlertView,
  type NewAlert,
  payloadOf,
  thresholdPayload,
} from '../../client/views/alerts.ts';
import { ALERT_CHANNELS, CHANNELS } from '../../contract/alert-channels.ts';
import { ANY_SERVICE, recipientFields, type TargetRules } from '../../contract/alert-targets.ts';
import { checkAlert } from '../../contract/alerts.ts';
import { COOLDOWN_LONGEST_MS, SAVINGS_GAS_MOST, SPEED_OF_LANE } from '../../contract/choices.ts';
import { PATHS } from '../../contract/routes.ts';
import { PRICED_LANES, type PricedLane } from '../../core/advice.ts';
import { coinSymbol } from '../../core/chains.ts';
import type { Threshold } from '../../core/threshold/threshold.ts';
import { DAY_SEC, durationOfMs, HOUR_SEC } from '../../core/time.ts';
import { exactGwei, formatGwei } from '../../core/units.ts';
import { targetRules } from '../../service/alerts/target-rules.ts';
import type { CliCommand, CommandContext, Flags } from '../command.ts';
import { failure, usageError, usageErrors } from '../errors.ts';
import type { Io } from '../io.ts';
import { openReady } from '../open-source.ts';
import { badgeOf, cleanLine, jsonText, mapped, note, print, utcTime, withSpinner } from '../output.ts';
import {
  parseCount,
  parseDuration,
  parseGweiNumber,
  parseWhole,
  parseWritten,
  readInput,
  STDIN,
} from '../parse.ts';
import { deliveryOf, type Settings } from '../settings.ts';
import { alertDetailsText, alertListLines, alertSavingsText, channelWords } from '../text/alerts.ts';
import {
  addDelete,
  addEach,
  addShow,
  flagged,
  idArgument,
  JSON_ANSWER,
  type JsonFlags,
  printList,
  type ResourceCommands,
  refused,
  snapshotIfAny,
  withResource,
} from './resource.ts';

export const ALERTS: ResourceCommands<AlertView, AlertDetailsView> = {
  many: 'alerts',
  one: 'alert',
  path: PATHS.alert,
  list: (client, call) => client.alerts(call),
  get: (client, id, call) => client.alert(id, call),
  remove: (client, id, call) => client.deleteAlert(id, call),
  details: alertDetailsText,
  deleted: (alert) => `(${cleanLine(describeCondition(alert))}, notify: ${channelWords(alert)})`,
};
const INPUT = ['[FILE]', 'the alert as JSON instead, as POST /alerts takes it; - is stdin'] as const;

export function addAlerts(program: CliCommand): void {
  const alerts = program
    .group(
      'alerts',
      'alerts: list, show, create, update, enable, disable, delete …',
      'Alerts of the service at --url, or of the database here: those fire while gastop or gastop serve runs on it.',
    )
    .examples(
      'gastop alerts create --below 5 --email gas@example.org --once',
      "gastop alerts create --below '$0.40/swap' --terminal",
      'gastop alerts list',
      'gastop alerts preview --below 5 --lane slow',
    );
  alerts
    .command('list', { isDefault: true })
    .description('Lists the alerts, newest first.')
    .option('--json', "the service's v1 list; several pages as one")
    .does(listAlerts);
  addShow(alerts, ALERTS, 'One alert: what it watches for, whom it notifies, what was sent.');
  withMessage(withRule(alerts.command('create')), false)
    .description(
      'Makes an alert and prints its id; with a webhook it also tells the secret that signs the webhooks of all your alerts.',
    )
    .argument(...INPUT)
    .option('--json', JSON_ANSWER)
    .examples(
      'gastop alerts create --below 5 --terminal --cooldown 4h',
      'gastop alerts create --below -25%/7d --telegram @gas_watch',
      "gastop alerts create --below '2% of $35/swap' --terminal",
      'gastop alerts create - < alert.json',
    )
    .addHelpText(
      'after',
      `
Others can read a command line, and the shell keeps it: a URL that holds a
secret (Slack's do) is better given as JSON on stdin.`,
    )
    .does(createAlert);
  withMessage(withRule(alerts.command('update'), false), false)
    .description(
      'Changes what is given; id, history, savings and a running cooldown stay. Channels that are given replace all that it notifies.',
    )
    .argument(...idArgument(ALERTS))
    .argument('[FILE]', 'the whole alert as JSON instead, as PUT /alerts/{id} takes it; - is stdin')
    .option('--no-once', 'stay armed after it has fired')
    .option('--json', JSON_ANSWER)
    .examples(
      'gastop alerts update alr_8f2k --below 4 --cooldown 4h',
      'gastop alerts update alr_8f2k --terminal --slack https://hooks.example.org/T0/B0',
    )
    .does(updateAlert);
  for (const [status, done, words] of [
    ['PENDING', 'armed', ['enable', 'Arms alerts again; a running cooldown goes on.']],
    ['DISABLED', 'disabled', ['disable', 'Disables alerts; they stay and can be enabled again.']],
  ] as const) {
    addEach(alerts, ALERTS, words, async (id, { client, call, tell, onOne }) => {
      await onOne(id, client.setAlertStatus(id, status, call));
      tell(`${done} ${cleanLine(id)}`);
    });
  }
  addDelete(
    alerts,
    ALERTS,
    'Deletes alerts and what was sent for them. It asks first; without a terminal it needs --yes.',
  );
  alerts
    .command('savings')
    .description('What an alert has saved, against the mean price of the day before each firing.')
    .argument(...idArgument(ALERTS))
    .parsed('--gas <N>', 'gas used each time (default: what a swap takes)', (text) =>
      parseWhole(text.replaceAll(',', ''), 'an amount of gas', 1, SAVINGS_GAS_MOST),
    )
    .option('--json', JSON_ANSWER)
    .does(alertSavings);
  withMessage(withRule(alerts.command('preview')), true)
    .description('How often an alert would have fired in the last 24 hours; takes all flags of create.')
    .argument(...INPUT)
    .option('--json', 'for programs: times, last, from, to, lowest, highest; prices in wei')
    .examples('gastop alerts preview --below 5', 'gastop alerts preview - < alert.json')
    .does(previewAlert);
  alerts
    .command('redeliver')
    .description('Sends a delivery again, where the service can.')
    .argument(...idArgument(ALERTS))
    .argument('<delivery>', 'as gastop alerts show lists it')
    .option('--json', JSON_ANSWER)
    .does(redeliverAlert);
  alerts
    .command('rotate-secret')
    .description(
      'Changes the secret that signs the webhooks of all your alerts, and prints the new one; the one before signs as well for a day.',
    )
    .option('--json', JSON_ANSWER)
    .does(rotateSecret);
}

const LONGEST_COOLDOWN = durationOfMs(COOLDOWN_LONGEST_MS);

function withRule(command: CliCommand, hasDefaults = true): CliCommand {
  const words = (text: string, value: string) => (hasDefaults ? `${text} (default ${value})` : text);
  return command
    .parsed(
      '--below <PRICE>',
      "fire when the price is below that: gwei, '$0.40/swap', p20/7d, -25%/7d, '2% of $35/swap'",
      parseWritten,
    )
    .parsed('--above <PRICE>', 'fire when it is above that', parseWritten)
    .oneOf('--lane <LANE>', words('whose price, or that of blobs', 'average'), PRICED_LANES)
    .parsed(
      '--cooldown <TIME>',
      words('the least time between notifications: 30m, 1h, 4h, 1d', '1h'),
      (text) => parseDuration(text, { min: '0', max: LONGEST_COOLDOWN }) * 1_000,
    )
    .option('--once', 'fire once, then be disabled')
    .parsed(
      '--rearm-margin <GWEI>',
      words('fire again only once the price has left the threshold by that much', '0: it need not'),
      (text) => (/^0+(\.0*)?$/.test(text.trim()) ? 0 : parseGweiNumber(text)),
    )
    .parsed('--confirm <N>', words('fire when it holds for N blocks in a row', '1'), parseCount);
}

function withMessage(command: CliCommand, isHidden: boolean): CliCommand {
  const add = (flag: string, text: string) => command.addOption(new Option(flag, text).hideHelp(isHidden));
  for (const { name, flag } of CHANNELS) add(`${flagOf(name)} ${flag[0]}`.trim(), flag[1]);
  return add('--note <TEXT>', 'goes with each notification');
}

/** Besides these the flags of the channels. */
type AlertFlags = Flags<'note', 'once' | 'json', Record<'cooldown' | 'rearmMargin' | 'confirm', number>> &
  Flags<never, never, { below: Threshold; above: Threshold; lane: PricedLane }>;

function listAlerts(context: CommandContext, { json }: JsonFlags): Promise<void> {
  const lines = (items: readonly AlertView[], width: number | null) =>
    alertListLines(items, context.io.now(), width);
  return withResource(context, ALERTS, {}, (opened) => printList(opened, ALERTS, { json, lines }));
}

function alertSavings(context: CommandContext, id: string, flags: Flags<never, 'json', { gas: number }>) {
  return withResource(context, ALERTS, flags, async ({ client, settings, call, onOne }) => {
    const savings = await onOne(id, client.alertSavings(id, { ...call, gasAmount: flags.gas }));
    if (flags.json) return;
    // Savings do not say of which chain they are.
    const symbol = coinSymbol((await snapshotIfAny(client, call.signal))?.chainId ?? null);
    print(context.io, settings, alertSavingsText(savings, symbol));
  });
}

function redeliverAlert(context: CommandContext, id: string, delivery: string, flags: JsonFlags) {
  return withResource(context, ALERTS, flags, async ({ client, isOwn, call, tell, onOne }) => {
    await onOne(id, client.redeliver(id, delivery, call), `delivery ${delivery} of alert ${id}`);
    const where = isOwn ? ', by the process that evaluates alerts on this database' : '';
    tell(`${cleanLine(delivery)} is sent again${where}`);
  });
}

async function createAlert(
  context: CommandContext,
  file: string | undefined,
  flags: AlertFlags,
): Promise<void> {
  const { io } = context;
  const { settings } = await context.loadSettings();
  const alert = await alertOf(io, file, flags, await rulesOf(settings));
  return withResource(context, ALERTS, { ...flags, mayMake: true }, async ({ client, isOwn, call, tell }) => {
    const created = await flagged(client.createAlert(alert, call), 'alert', flagNames(flags));
    if (flags.json) return;
    io.stdout.write(`${cleanLine(created.id)}\n`);
    tell(`made ${cleanLine(created.id)}: ${alertWords(created)}`);
    if (isOwn) tell('it fires while gastop or gastop serve runs on this database');
    tellMore(io, created);
    // The local database is opened without a chain, so there is no forecast.
    if (isOwn) return;
    const likely = await likelihoodOf(client, { ...created, condition: alert.condition }, call.signal);
    if (likely !== null) tell(likely);
  });
}

async function updateAlert(
  context: CommandContext,
  id: string,
  file: string | undefined,
  flags: AlertFlags,
): Promise<void> {
  const { io } = context;
  if (file === undefined && !saysAnything(flags)) {
    throw usageError('say what is to change: a flag, or FILE with the whole alert as JSON');
  }
  const { settings } = await context.loadSettings();
  const rules = await rulesOf(settings);
  const whole = file === undefined ? null : await alertOf(io, file, flags, rules);
  return withResource(context, ALERTS, flags, async ({ client, call, tell, onOne }) => {
    const stored = async () => payloadOf(await onOne(id, client.alert(id, { signal: call.signal })));
    const alert = whole ?? checked(bodyOf(flags, await stored()), rules, flags);
    const request = flagged(client.updateAlert(id, alert, call), 'alert', flagNames(flags));
    const updated = await onOne(id, request);
    if (flags.json) return;
    tell(`changed ${cleanLine(id)}${updated === null ? '' : `: ${alertWords(updated)}`}`);
    tellMore(io, updated);
  });
}

/** The local database's channels are known in advance, so that all problems are reported at once. */
async function rulesOf({ source, ...settings }: Settings): Promise<TargetRules> {
  if (source.value.kind === 'hosted') return ANY_SERVICE;
  return targetRules({ ...deliveryOf(settings), isSimulated: source.value.kind === 'simulated' });
}

function alertWords(alert: CreatedAlertView): string {
  const cooldown = mapped(alert.cooldownMs, (ms) => (ms === 0 ? 'none' : durationOfMs(ms))) ?? '-';
  const after = alert.disableOnce === true ? 'fires once' : `cooldown ${cooldown}`;
  return `${cleanLine(describeCondition(alert))}, notify: ${channelWords(alert)}, ${after}`;
}

function tellMore(io: Io, alert: CreatedAlertView | null): void {
  const secret = cleanLine(alert?.signingSecret ?? '');
  const how = 'gastop alerts rotate-secret changes it';
  if (secret !== '') note(io, `the webhooks of all your alerts are signed with ${secret}; ${how}`);
  for (const { message } of alert?.warnings ?? []) note(io, cleanLine(message ?? ''));
}

function rotateSecret(context: CommandContext, flags: JsonFlags): Promise<void> {
  return withResource(context, ALERTS, flags, async ({ client, call, tell }) => {
    const { signingSecret, previousUntil } = await client.rotateSigningSecret(call);
    if (flags.json) return;
    context.io.stdout.write(`${cleanLine(signingSecret)}\n`);
    const until = mapped(
      previousUntil,
      (ms) => `, until ${utcTime(ms, 'minutes')} UTC with the one before as well`,
    );
    tell(`it signs the webhooks of all your alerts from now on${until ?? ''}`);
  });
}

async function previewAlert(
  { io, loadSettings }: CommandContext,
  file: string | undefined,
  flags: AlertFlags,
): Promise<void> {
  const alert =
    file === undefined ? { channels: [], ...bodyOf(flags, {}) } : await alertOf(io, file, flags, ANY_SERVICE);
  const rule = alertRuleOf(alert);
  if (rule === null) throw usageError('what this alert watches for cannot be previewed');
  const { settings } = await loadSettings();
  const { lane, threshold, condition } = rule;
  const windowSec = windowSecOf(threshold);
  await using ready = await openReady(io, settings, 'late', { historySec: DAY_SEC + windowSec });
  const { client, embedded, snapshot } = ready;
  const signal = io.interruption();
  const priced = { lane, snapshot, thorough: embedded !== null };
  const preview = await withSpinner(io, 'reading 24 hours of history', async () => {
    if (embedded !== null) await embedded.filled();
    const day = await abortable(loadDayPrices(client, lane, priced.thorough), signal);
    const past =
      threshold.kind === 'gwei'
        ? null
        : await abortable(loadPastBasis(client, windowSec, { ...priced, day }), signal);
    return previewOver(rule, day, past);
  });
  if (flags.json) {
    const isTime = (name: string) => name === 'at' || name === 'from' || name === 'to';
    io.stdout.write(
      jsonText(preview, (value, name) => (isTime(name) ? new Date(value).toISOString() : value)),
    );
    return;
  }
  const words = `${badgeOf(snapshot)}${previewWords(preview, (ms) => `${utcTime(ms, 'minutes')} UTC`)}`;
  if (preview.lowest === null) throw failure(words);
  const now = await priceNow(client, threshold, condition, priced, { signal });
  const watched = { gasSpeed: alert.gasSpeed, condition, ...alertThreshold(threshold, now) };
  const likely = snapshot.source.kind === 'replay' ? null : await likelihoodOf(client, watched, signal);
  const stands = watched.rule === null ? [] : [describeThreshold(watched)];
  print(io, settings, [...stands, words, ...(likely === null ? [] : [likely])].join('\n'));
}

/** `likely at or below 5 gwei: 45 % within 1h, 90 % within 1d`; `null` without a forecast, as for a rise. */
async function likelihoodOf(
  client: GasClient,
  { gasSpeed, condition, threshold, rule }: AlertCondition,
  signal: AbortSignal,
): Promise<string | null> {
  if (threshold === null || condition !== 'LESS_THAN' || gasSpeed === 'BLOB') return null;
  const reaches: { withinSec: number; reach: ReachView }[] = [];
  for (const withinSec of [HOUR_SEC, DAY_SEC]) {
    const query = { reach: { targetPrice: threshold, deadlineSec: withinSec }, signal };
    const { reach } = await client.gasRecommendation(query).catch((error: unknown) => {
      if (error instanceof ClientError) return { reach: null };
      throw error;
    });
    if (reach === null) break;
    reaches.push({ withinSec, reach });
  }
  const what =
    rule === null ? `${exactGwei(threshold)} gwei` : `${formatGwei(threshold)} gwei, what it stands for now`;
  return describeReach(reaches, `likely at or below ${what}`);
}

const saysAnything = ({ json: _, ...flags }: AlertFlags) =>
  Object.values(flags).some((value) => value !== undefined);

const MOST_BYTES = 65_536;
const WANTED = 'an alert as JSON was expected';

/** From flags, or from JSON in a file or on stdin, which keeps a secret URL out of the shell's history. */
async function alertOf(io: Io, file: string | undefined, flags: AlertFlags, rules: TargetRules) {
  if (file === undefined) {
    const names = CHANNELS.flatMap(({ name, target }) => (target === null ? [] : [flagOf(name)])).join(', ');
    const words = `name whom to notify: ${names}, or --terminal for running monitors`;
    const lacking = targetsOf(flags).length === 0 ? [words] : [];
    return checked(bodyOf(flags, {}, lacking), rules, flags);
  }
  if (saysAnything(flags)) {
    throw usageError('an alert comes from flags or from JSON, not from both; leave one out');
  }
  const name = file === STDIN ? 'stdin' : cleanLine(file);
  if (file === STDIN && io.stdin.isTTY === true) {
    note(io, 'reading an alert as JSON from the terminal; Ctrl-D ends it');
  }
  const text = await readInput(io, file, { name, mostBytes: MOST_BYTES, wanted: WANTED });
  if (text.trim() === '') throw usageError(`${name} is empty; ${WANTED}`);
  try {
    return checked(JSON.parse(text), ANY_SERVICE, null);
  } catch (error) {
    // The input may contain a secret, so it is not repeated.
    if (error instanceof SyntaxError) throw usageError(`${name} is not JSON; ${WANTED}`);
    throw error;
  }
}

function checked(body: unknown, rules: TargetRules, flags: AlertFlags | null) {
  const result = checkAlert(body, rules);
  if (result.ok) return result.value;
  throw refused('alert', result.problems, flags === null ? { '': 'the alert' } : flagNames(flags));
}

/** The body of an alert: what the flags say, the rest as `stored`. */
function bodyOf(flags: AlertFlags, stored: Partial<NewAlert>, lacking: readonly string[] = []) {
  const { below, above, lane, once, note } = flags;
  if (below !== undefined && above !== undefined) {
    throw usageError('--below and --above cannot be combined; make two alerts');
  }
  const written = below ?? above;
  const isPriced =
    written !== undefined || stored.thresholdGwei !== undefined || stored.threshold !== undefined;
  const unpriced = isPriced ? [] : ['an alert needs a price: --below PRICE, or --above PRICE'];
  if (!isPriced || lacking.length > 0) throw usageErrors([...unpriced, ...lacking], 'this alert');
  const given = below === undefined ? (above === undefined ? undefined : 'GREATER_THAN') : 'LESS_THAN';
  const recipients = targetsOf(flags);
  return {
    ...stored,
    ...(written && thresholdPayload(written)),
    gasSpeed: lane === undefined ? (stored.gasSpeed ?? 'AVERAGE') : SPEED_OF_LANE[lane],
    condition: given ?? stored.condition ?? 'GREATER_THAN',
    disableOnce: once ?? stored.disableOnce ?? false,
    cooldownMs: flags.cooldown ?? stored.cooldownMs,
    hysteresisGwei: flags.rearmMargin ?? stored.hysteresisGwei,
    confirmBlocks: flags.confirm ?? stored.confirmBlocks,
    ...(note !== undefined && { note }),
    ...(recipients.length > 0 && recipientFields(recipients)),
  };
}

const flagOf = (channel: string) => `--${channel.toLowerCase()}`;

/** The channels whose flag is given, with its value. */
function targetsOf(flags: AlertFlags): [channel: string, target: string][] {
  const values = new Map<string, unknown>(Object.entries(flags));
  return ALERT_CHANNELS.flatMap((channel) => {
    const value = values.get(channel.toLowerCase());
    return value === undefined ? [] : [[channel, typeof value === 'string' ? value : '']];
  });
}

/** The flag of each field of the body. */
function flagNames(flags: AlertFlags): Readonly<Record<string, string>> {
  const thresholdFlag = flags.below === undefined ? '--above' : '--below';
  const recipients = targetsOf(flags);
  const { method } = recipientFields(recipients);
  return {
    gasSpeed: '--lane',
    disableOnce: '--once',
    cooldownMs: '--cooldown',
    note: '--note',
    hysteresisGwei: '--rearm-margin',
    confirmBlocks: '--confirm',
    thresholdGwei: thresholdFlag,
    threshold: thresholdFlag,
    ...(method !== undefined && { to: flagOf(method) }),
    ...Object.fromEntries(
      recipients.flatMap(([channel], at) => [
        [`targets.${channel}`, flagOf(channel)],
        [`channels.${at}`, flagOf(channel)],
      ]),
    ),
  };
}
