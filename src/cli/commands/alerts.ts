import { Option } from 'commander';
import * as z from 'zod';
import { type AlertPreview, AlertPreviewer, alertRuleOf, previewWords } from '../../client/alert-preview.ts';
import { type GasClient, pathOf, type ReachQuery } from '../../client/client.ts';
import { ClientError } from '../../client/errors.ts';
import { type Query, ROUTES } from '../../client/routes.ts';
import {
  type AlertDetailsView,
  type AlertView,
  type CreatedAlertView,
  describeCondition,
  type NewAlert,
  payloadOf,
} from '../../client/views/alerts.ts';
import type { ReachView } from '../../client/views/gas.ts';
import { ANY_SERVICE, type FieldProblem, type TargetRules } from '../../contract/alert-targets.ts';
import { AlertCreation } from '../../contract/alerts.ts';
import { checkAlert } from '../../contract/check-alert.ts';
import { type AlertChannel, COOLDOWN_LONGEST_MS, SPEED_OF_LANE } from '../../contract/choices.ts';
import { fieldProblems } from '../../contract/field-problems.ts';
import { SAVINGS_GAS_MOST } from '../../contract/queries.ts';
import { PATHS } from '../../contract/routes.ts';
import { LANES, type LaneName } from '../../core/advice.ts';
import { cooldownText, parseCooldown } from '../../core/alerts/alert-rule.ts';
import { chainProfile } from '../../core/chains.ts';
import { ownValue } from '../../core/own-value.ts';
import { exactGwei, formatLikelihood, gweiString } from '../../core/units.ts';
import { channelsOf, targetRules } from '../../service/alerts/target-rules.ts';
import { abortable } from '../../service/async.ts';
import type { CliCommand } from '../command.ts';
import type { CommandContext, Flags } from '../context.ts';
import { type CliError, failure, usageError, usageErrors } from '../errors.ts';
import type { Io } from '../io.ts';
import { openReady, type Ready } from '../open-source.ts';
import { badgeOf, cleanLine, jsonResponse, mapped, note, print, utcTime, withSpinner } from '../output.ts';
import { durationText, parseCount, parseGwei, readInput, STDIN } from '../parse.ts';
import { deliveryOf, type Settings } from '../settings.ts';
import {
  alertDetailsText,
  alertListLines,
  alertSavingsText,
  channelWords,
  cooldownWords,
} from '../text/alerts.ts';
import { knownReach, pastFor } from './now.ts';
import {
  addDelete,
  addShow,
  eachId,
  idArgument,
  idsArgument,
  JSON_ANSWER,
  type JsonFlags,
  printList,
  type Resource,
  withResource,
} from './resource.ts';

export const ALERTS: Resource<AlertView, AlertDetailsView> = {
  many: 'alerts',
  one: 'alert',
  route: ROUTES.alerts,
  path: PATHS.alert,
  list: (client, call) => client.alerts(call),
  get: (client, id, call) => client.alert(id, call),
  remove: (client, id, call) => client.deleteAlert(id, call),
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
      'gastop alerts list',
      'gastop alerts preview --below 5 --lane slow',
    );
  alerts
    .command('list', { isDefault: true })
    .description('Lists the alerts, newest first.')
    .option('--json', "the service's v1 list; several pages as one")
    .does(listAlerts);
  addShow(
    alerts,
    ALERTS,
    'One alert: what it watches for, whom it notifies, what was sent.',
    alertDetailsText,
  );
  withMessage(withRule(alerts.command('create')), false)
    .description(
      'Makes an alert and prints its id; with a webhook it also tells the secret that signs the webhooks of all your alerts.',
    )
    .argument(...INPUT)
    .option('--json', JSON_ANSWER)
    .examples(
      'gastop alerts create --below 5 --terminal --cooldown 4h',
      'gastop alerts create --above 80 --lane fast --telegram @gas_watch',
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
  for (const [name, status, description] of [
    ['enable', 'PENDING', 'Arms alerts again; a running cooldown goes on.'],
    ['disable', 'DISABLED', 'Disables alerts; they stay and can be enabled again.'],
  ] as const) {
    alerts
      .command(name)
      .description(description)
      .argument(...idsArgument(ALERTS))
      .option('--json', JSON_ANSWER)
      .does((context, ids: string[], flags: JsonFlags) =>
        withResource(context, ALERTS, flags, ({ client, call, tell, onOne }) =>
          eachId(context.io, ids, async (id) => {
            await onOne(id, client.setAlertStatus(id, status, call));
            tell(`${name === 'enable' ? 'armed' : 'disabled'} ${cleanLine(id)}`);
          }),
        ),
      );
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
    .option('--gas <N>', 'gas used each time (default 150,000, a swap)')
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

function withRule(command: CliCommand, hasDefaults = true): CliCommand {
  const words = (text: string, value: string) => (hasDefaults ? `${text} (default ${value})` : text);
  return command
    .option('--below <GWEI>', 'fire when the price is below that')
    .option('--above <GWEI>', 'fire when it is above that')
    .oneOf('--lane <LANE>', words('whose price', 'average'), LANES)
    .option('--cooldown <TIME>', words('the least time between notifications: 30m, 1h, 4h, 1d', '1h'))
    .option('--once', 'fire once, then be disabled')
    .option(
      '--rearm-margin <GWEI>',
      words('fire again only once the price has left the threshold by that much', '0: it need not'),
    )
    .option('--confirm <N>', words('fire when it holds for N blocks in a row', '1'));
}

function withMessage(command: CliCommand, isHidden: boolean): CliCommand {
  const options: readonly (readonly [string, string])[] = [
    ['--email <ADDRESS>', 'notify by mail'],
    ['--webhook <URL>', 'notify by a signed POST'],
    ['--slack <URL>', 'notify a Slack incoming webhook'],
    ['--telegram <CHAT>', 'notify a Telegram chat: its id, or @channel'],
    ['--terminal', 'notify every running monitor'],
    ['--note <TEXT>', 'goes with each notification'],
  ];
  for (const [flags, text] of options) command.addOption(new Option(flags, text).hideHelp(isHidden));
  return command;
}

function listAlerts(context: CommandContext, { json = false }: JsonFlags): Promise<void> {
  const { io } = context;
  return withResource(context, ALERTS, {}, ({ client, settings }) =>
    printList(io, ALERTS, {
      ...{ client, settings, json },
      lines: (items, { width, ending }) => alertListLines(items, io.now(), width, ending),
    }),
  );
}

function alertSavings(
  context: CommandContext,
  id: string,
  { json, gas }: Flags<'gas', 'json'>,
): Promise<void> {
  const { io } = context;
  const gasAmount = gas === undefined ? undefined : parseGas(gas);
  return withResource(context, ALERTS, {}, async ({ client, settings, call, onOne }) => {
    if (json) {
      const query: Query = gasAmount === undefined ? {} : { gasAmount: String(gasAmount) };
      const raw = await onOne(id, client.raw(pathOf(PATHS.alertSavings, { id }), query, call));
      io.stdout.write(jsonResponse(raw, PATHS.alertSavings));
      return;
    }
    const savings = await onOne(id, client.alertSavings(id, { ...call, gasAmount }));
    print(io, settings, alertSavingsText(savings, await coinOf(client, call.signal)));
    if (gasAmount !== undefined && savings.gasAmount !== gasAmount) {
      note(io, 'the service takes no amount of gas: these savings are for its own');
    }
  });
}

function parseGas(text: string): number {
  const gas = /^\d{1,3}(,\d{3})+$|^\d{1,12}$/.test(text.trim()) ? Number(text.replaceAll(',', '')) : 0;
  if (gas >= 1 && gas <= SAVINGS_GAS_MOST) return gas;
  throw usageError(`--gas: "${text}" is not an amount of gas; a whole number from 1, such as 21000`);
}

function redeliverAlert(
  context: CommandContext,
  id: string,
  deliveryId: string,
  flags: JsonFlags,
): Promise<void> {
  return withResource(context, ALERTS, flags, async ({ client, isOwn, call, tell, onOne }) => {
    await onOne(id, client.redeliver(id, deliveryId, call), ({ deliveries }) =>
      deliveries === null || deliveries.some((one) => one.id === deliveryId)
        ? null
        : `there is no delivery ${cleanLine(deliveryId)} of alert ${cleanLine(id)}; gastop alerts show lists them`,
    );
    const where = isOwn ? ', by the process that evaluates alerts on this database' : '';
    tell(`${cleanLine(deliveryId)} is sent again${where}`);
  });
}

const COIN_WITHIN_MS = 3_000;

/** Savings do not say of which chain they are. */
async function coinOf(client: GasClient, signal: AbortSignal): Promise<string> {
  const inTime = AbortSignal.any([signal, AbortSignal.timeout(COIN_WITHIN_MS)]);
  const { chainId } = await client.gasCurrent({ signal: inTime }).catch(() => ({ chainId: null }));
  return chainId === null ? 'coins' : chainProfile(chainId).nativeSymbol;
}

type AlertFlags = Flags<
  | ('below' | 'above' | 'cooldown' | 'rearmMargin' | 'confirm' | 'note')
  | ('email' | 'webhook' | 'slack' | 'telegram'),
  'terminal' | 'once' | 'json'
> & { readonly lane?: LaneName };

export async function createAlert(
  context: CommandContext,
  file: string | undefined,
  flags: AlertFlags,
): Promise<void> {
  const { io } = context;
  const { settings } = await context.loadSettings();
  refuseBoth(file, flags);
  const alert =
    file === undefined
      ? alertOfFlags(flags, await rulesOf(settings))
      : await alertOfInput(io, file, settings.source.value.kind === 'hosted');
  const mayMake = true;
  return withResource(context, ALERTS, { ...flags, mayMake }, async ({ client, isOwn, call, tell }) => {
    const created = await client.createAlert(alert, call).catch((error: unknown) => {
      throw refusalOf(error, file, flags);
    });
    if (flags.json) return;
    io.stdout.write(`${cleanLine(created.id)}\n`);
    tell(`made ${cleanLine(created.id)}: ${alertWords(created)}`);
    if (isOwn) tell('it fires while gastop or gastop serve runs on this database');
    tellSecret(io, created);
    // The local database is opened without a chain, so there is no forecast.
    const ask = async (reach: ReachQuery) => (await client.gasRecommendation({ ...call, reach })).reach;
    const likelihood = isOwn ? null : await alertLikelihood(ask, alert);
    if (likelihood !== null) tell(likelihood);
  });
}

/** The local database's channels are known in advance, so that all problems are reported at once. */
async function rulesOf({ source, ...settings }: Settings): Promise<TargetRules> {
  if (source.value.kind === 'hosted') return ANY_SERVICE;
  const { allowPrivateTargets = false, ...delivery } = deliveryOf(settings);
  const channels = channelsOf({ ...delivery, isSimulated: source.value.kind === 'simulated' });
  return targetRules(channels, { allowPrivateTargets }, 'operator');
}

const alertWords = (alert: CreatedAlertView) =>
  `${cleanLine(describeCondition(alert))}, notify: ${channelWords(alert)}, ${alert.disableOnce === true ? 'fires once' : `cooldown ${cooldownWords(alert)}`}`;

function tellSecret(io: Io, alert: CreatedAlertView | null): void {
  const secret = alert?.signingSecret ?? null;
  if (secret === null) return;
  const how = 'gastop alerts rotate-secret changes it';
  note(io, `the webhooks of all your alerts are signed with ${cleanLine(secret)}; ${how}`);
}

function refuseBoth(file: string | undefined, flags: AlertFlags): void {
  if (file === undefined || !saysAnything(flags)) return;
  throw usageError('an alert comes from flags or from JSON, not from both; leave one out');
}

function refusalOf(error: unknown, file: string | undefined, flags: AlertFlags): unknown {
  if (file !== undefined || !(error instanceof ClientError) || error.code !== 'invalid') return error;
  const fields = error.details.map(({ path, message }) => ({
    path: path
      .replace(/^[/$.]*(body[/.])?/, '')
      .replace(/\[(\w+)\]/g, '.$1')
      .replaceAll('/', '.'),
    message,
  }));
  const isTold = fields.length > 0 && fields.every(({ path }) => flagOf(path, flags) !== null);
  return isTold ? refusedAlert(fields.map((each) => flagLine(each, flags))) : error;
}

export async function updateAlert(
  context: CommandContext,
  id: string,
  file: string | undefined,
  flags: AlertFlags,
): Promise<void> {
  const { io } = context;
  if (file === undefined && !saysAnything(flags)) {
    throw usageError('say what is to change: a flag, or FILE with the whole alert as JSON');
  }
  refuseBoth(file, flags);
  const { settings } = await context.loadSettings();
  const isForeign = settings.source.value.kind === 'hosted';
  const input = file === undefined ? null : await alertOfInput(io, file, isForeign);
  return withResource(context, ALERTS, flags, async ({ client, call, tell, onOne }) => {
    const changed = async (): Promise<NewAlert> => {
      const kept = await onOne(id, client.alert(id, call));
      return alertOfFlags(flags, await rulesOf(settings), { kept, isForeign });
    };
    const alert = input ?? (await changed());
    const request = client.updateAlert(id, alert, call).catch((error: unknown) => {
      throw refusalOf(error, file, flags);
    });
    const updated = await onOne(id, request);
    if (flags.json) return;
    tell(`changed ${cleanLine(id)}${updated === null ? '' : `: ${alertWords(updated)}`}`);
    tellSecret(io, updated);
  });
}

export function rotateSecret(context: CommandContext, flags: JsonFlags): Promise<void> {
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

const DAY_SEC = 86_400;

export async function previewAlert(
  context: CommandContext,
  file: string | undefined,
  flags: AlertFlags,
): Promise<void> {
  const { io } = context;
  refuseBoth(file, flags);
  // An alert that cannot be checked here is not previewed either.
  const alert = file === undefined ? previewedAlert(flags) : await alertOfInput(io, file, false);
  const rule = alertRuleOf(alert);
  if (rule === null) throw usageError('what this alert watches for cannot be previewed');
  const { settings } = await context.loadSettings();
  await using ready = await openReady(io, settings, 'late', { historySec: DAY_SEC });
  const { client, embedded, snapshot } = ready;
  const presentMs = snapshot.blockTimestamp ?? io.now();
  const previewer = new AlertPreviewer(client, { thorough: embedded !== null, now: () => presentMs });
  const preview = await withSpinner(io, 'reading 24 hours of history', async () => {
    if (embedded !== null) await abortable(embedded.filled, io.interruption());
    return previewer.preview(rule, { signal: io.interruption() });
  });
  if (flags.json) {
    io.stdout.write(`${JSON.stringify(previewJson(preview))}\n`);
    return;
  }
  const words = `${badgeOf(snapshot)}${previewWords(preview, (ms) => `${utcTime(ms, 'minutes')} UTC`)}`;
  if (preview.lowest === null) throw failure(words);
  const likelihood = await likelihoodIn(io, ready, alert);
  print(io, settings, likelihood === null ? words : `${words}\n${likelihood}`);
}

function previewedAlert(flags: AlertFlags): NewAlert {
  const { rule, problems } = readRule(flags, {});
  const { thresholdGwei } = rule;
  if (problems.size > 0 || thresholdGwei === undefined) throw refusedAlert([...problems.values()]);
  return { ...rule, thresholdGwei, channels: [] };
}

/** Waits for forecasts that need at most the loaded day of history; of longer ones only shows known values. */
async function likelihoodIn(io: Io, ready: Ready, alert: NewAlert): Promise<string | null> {
  if (ready.snapshot.source.kind === 'replay') return null;
  const ask = async (reach: ReachQuery) =>
    pastFor(reach) <= DAY_SEC
      ? knownReach(io, ready, reach)
      : (await ready.client.gasRecommendation({ reach, signal: io.interruption() })).reach;
  return withSpinner(io, 'asking how likely that is', alertLikelihood(ask, alert));
}

function previewJson({ times, last, from, to, everySec, lowest, highest }: AlertPreview) {
  const iso = (ms: number) => new Date(ms).toISOString();
  return {
    times,
    last: mapped(last, ({ at, price }) => ({ at: iso(at), price: Number(price) })),
    from: iso(from),
    to: iso(to),
    everySec,
    lowest: mapped(lowest, Number),
    highest: mapped(highest, Number),
  };
}

const saysAnything = ({ json: _, ...flags }: AlertFlags) =>
  Object.values(flags).some((value) => value !== undefined);

function alertOfFlags(
  flags: AlertFlags,
  rules: TargetRules,
  changed: { readonly kept: AlertView; readonly isForeign: boolean } | null = null,
): NewAlert {
  const kept = changed === null ? {} : payloadOf(changed.kept);
  const { rule, problems } = readRule(flags, kept);
  const channels = namedTargets(flags);
  if (channels.length === 0 && changed === null) {
    const flagNames = '--email, --webhook, --slack, --telegram, or --terminal for running monitors';
    problems.set('channels', `name whom to notify: ${flagNames}`);
  }
  const [main = ['TERMINAL', ''], ...further] = channels;
  const targets = {
    channels: channels.map(([channel]) => channel),
    method: main[0],
    to: main[1],
    targets: Object.fromEntries(further.filter(([, target]) => target !== '')),
  };
  const body = {
    ...kept,
    ...rule,
    ...(channels.length === 0 && changed !== null ? {} : targets),
    ...(flags.note !== undefined && { note: flags.note }),
  };
  if (changed?.isForeign === true && problems.size === 0) {
    return plausibleAlert(body, (path) => flagOf(path, flags) ?? path);
  }
  const result = checkAlert(body, rules);
  if (result.ok && problems.size === 0) return result.value;
  const found = result.ok ? [] : result.problems.filter(({ path }) => !problems.has(path));
  throw refusedAlert([...problems.values(), ...found.map((each) => flagLine(each, flags))]);
}

function readRule(flags: AlertFlags, kept: Partial<NewAlert>) {
  const { below, above, lane, cooldown, once, rearmMargin, confirm } = flags;
  const problems = new Map<string, string>();
  const read = (path: string, text: string | undefined, parse: (text: string) => number) => {
    try {
      return text === undefined ? undefined : parse(text);
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      problems.set(path, `${flagOf(path, flags)}: ${error.message}`);
      return undefined;
    }
  };
  const isBoth = below !== undefined && above !== undefined;
  if (isBoth) problems.set('thresholdGwei', '--below and --above cannot be combined; make two alerts');
  else if (below === undefined && above === undefined && kept.thresholdGwei === undefined) {
    problems.set('thresholdGwei', 'an alert needs a price: --below GWEI, or --above GWEI');
  }
  const { gasSpeed = 'AVERAGE', condition = 'GREATER_THAN', disableOnce = false } = kept;
  const threshold = read('thresholdGwei', isBoth ? undefined : (below ?? above), readGwei);
  const rule = {
    thresholdGwei: threshold ?? kept.thresholdGwei,
    gasSpeed: lane === undefined ? gasSpeed : SPEED_OF_LANE[lane],
    condition: below !== undefined ? 'LESS_THAN' : above !== undefined ? 'GREATER_THAN' : condition,
    disableOnce: once ?? disableOnce,
    cooldownMs: read('cooldownMs', cooldown, readCooldown) ?? kept.cooldownMs,
    hysteresisGwei: read('hysteresisGwei', rearmMargin, readMargin) ?? kept.hysteresisGwei,
    confirmBlocks: read('confirmBlocks', confirm, parseCount) ?? kept.confirmBlocks,
  };
  return { rule, problems };
}

function namedTargets({ email, webhook, slack, telegram, terminal }: AlertFlags): [AlertChannel, string][] {
  const named: [AlertChannel, string | undefined][] = [
    ['EMAIL', email],
    ['WEBHOOK', webhook],
    ['SLACK', slack],
    ['TELEGRAM', telegram],
    ['TERMINAL', terminal ? '' : undefined],
  ];
  return named.flatMap(([channel, target]) => (target === undefined ? [] : [[channel, target]]));
}

const FLAGS: Readonly<Record<string, string>> = {
  gasSpeed: '--lane',
  disableOnce: '--once',
  cooldownMs: '--cooldown',
  note: '--note',
  hysteresisGwei: '--rearm-margin',
  confirmBlocks: '--confirm',
};

function flagOf(path: string, flags: AlertFlags): string | null {
  const [field = '', entry = ''] = path.split('.');
  if (field === 'thresholdGwei') return flags.below === undefined ? '--above' : '--below';
  const channels = namedTargets(flags).map(([channel]) => channel);
  const typed: Readonly<Record<string, string | undefined>> = {
    to: channels[0],
    targets: channels.slice(1).find((each) => each === entry),
    channels: channels[Number(entry || 0)],
  };
  const channel = ownValue(typed, field);
  return channel === undefined ? (ownValue(FLAGS, field) ?? null) : `--${channel.toLowerCase()}`;
}

function flagLine({ path, message }: FieldProblem, flags: AlertFlags): string {
  const flag = flagOf(path, flags) ?? path;
  const words = cleanLine(message).replaceAll('thresholdGwei', flagOf('thresholdGwei', flags) ?? '');
  return `${cleanLine(flag)} ${words.startsWith(`${path} `) ? words.slice(path.length + 1) : words}`;
}

const readGwei = (text: string) => Number(gweiString(parseGwei(text)));
const readMargin = (text: string) => (/^0+(\.0*)?$/.test(text.trim()) ? 0 : readGwei(text));

function readCooldown(text: string): number {
  const ms = parseCooldown(text);
  if (ms === null) throw new RangeError(`"${text}" is not a duration; write 30m, 1h30m, 1d, or 0 for none`);
  if (ms > COOLDOWN_LONGEST_MS) {
    throw new RangeError(`"${text}" is out of range; from 0 to ${cooldownText(COOLDOWN_LONGEST_MS)}`);
  }
  return ms;
}

const MOST_BYTES = 65_536;
const WANTED = 'an alert as JSON was expected';

/**
 * Reads an alert as `POST /alerts` takes it from a file or (`-`) stdin, which keeps a secret URL out of shell
 * history.
 */
async function alertOfInput(io: Io, file: string, isForeign: boolean): Promise<NewAlert> {
  const name = file === STDIN ? 'stdin' : cleanLine(file);
  if (file === STDIN && io.stdin.isTTY === true) {
    note(io, 'reading an alert as JSON from the terminal; Ctrl-D ends it');
  }
  const text = await readInput(io, file, { name, mostBytes: MOST_BYTES, wanted: WANTED });
  if (text.trim() === '') throw usageError(`${name} is empty; ${WANTED}`);
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    // The input may contain a secret, so it is not repeated.
    throw usageError(`${name} is not JSON; an alert as POST /alerts takes it was expected`);
  }
  const nameOf = (path: string) => path || 'the alert';
  if (isForeign) return plausibleAlert(body, nameOf);
  const result = checkAlert(body, ANY_SERVICE);
  if (result.ok) return result.value;
  throw refused(result.problems, nameOf);
}

/** Fields for which another operator's service may have its own values. */
const ForeignAlert = AlertCreation.extend({
  gasSpeed: z.string().min(1),
  condition: z.string().min(1),
  method: z.string().min(1).optional(),
  channels: z.array(z.string().min(1)).min(1),
  targets: z.record(z.string(), z.string()).optional(),
});

/** Checks what is wrong on any service; values and targets are left to it. @throws CliError (usage) */
function plausibleAlert(body: unknown, nameOf: (path: string) => string): NewAlert {
  const parsed = ForeignAlert.safeParse(body);
  if (parsed.success) return parsed.data;
  throw refused(fieldProblems(parsed.error, body), nameOf);
}

function refused(problems: readonly FieldProblem[], nameOf: (path: string) => string): CliError {
  return refusedAlert(problems.map(({ path, message }) => `${cleanLine(nameOf(path))} ${message}`));
}

const refusedAlert = (lines: readonly string[]) => usageErrors(lines, 'this alert');

const TIMES_SEC = [3_600, 86_400] as const;

/** `at or below 5 gwei: 45 % likely within 1h, 90 % within 24h`; `null` without a forecast, as for a rise. */
async function alertLikelihood(
  ask: (query: ReachQuery) => Promise<ReachView | null>,
  alert: NewAlert,
): Promise<string | null> {
  const rule = alertRuleOf(alert);
  if (rule === null || rule.condition !== 'LESS_THAN') return null;
  const parts: string[] = [];
  for (const deadlineSec of TIMES_SEC) {
    try {
      const reach = await ask({ targetPrice: rule.threshold, deadlineSec });
      if (reach === null) break;
      if (reach.probability === null) continue;
      const likely = parts.length === 0 ? ' likely' : '';
      parts.push(`${formatLikelihood(reach.probability)}${likely} within ${durationText(deadlineSec)}`);
    } catch (error) {
      if (!(error instanceof ClientError)) throw error;
      break;
    }
  }
  return parts.length === 0 ? null : `at or below ${exactGwei(rule.threshold)} gwei: ${parts.join(', ')}`;
}
