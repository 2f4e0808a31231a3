import { type Command, Option } from 'commander';
import { type GasClient, pathOf } from '../../client/client.ts';
import type { AlertView } from '../../client/views/alerts.ts';
import { SAVINGS_GAS_MOST } from '../../contract/queries.ts';
import { PATHS } from '../../contract/routes.ts';
import { formatCount } from '../../core/units.ts';
import type { CommandContext, Run } from '../context.ts';
import { EXIT, type ExitCode, usageError } from '../errors.ts';
import { examples } from '../help.ts';
import type { Io } from '../io.ts';
import { type OpenedAlerts, type OpenKeptOptions, openAlerts } from '../open-source.ts';
import { ALERTS, cleanLine, jsonAnswer, toAscii, wholeListJson } from '../output.ts';
import { refuseUnknownCommand } from '../parse.ts';
import type { Settings } from '../settings.ts';
import {
  alertDetailsText,
  alertListLines,
  alertSavingsText,
  channelWords,
  watchWords,
} from '../text/alerts.ts';
import { type CreateAlertFlags, createAlert, type PreviewFlags, previewAlert } from './create-alert.ts';
import { eachId, lookFor, sayMissing } from './resource.ts';

const JSON_ANSWER = "print the service's v1 answer as it is";
const ID = ['<id>', 'as gastop alerts list shows it'] as const;
const IDS = ['<id...>', 'one or several, as gastop alerts list shows them'] as const;
const INPUT = ['[FILE]', 'the alert as JSON instead, as POST /alerts takes it; - is stdin'] as const;
const NAMES = 'list, show, create, enable, disable, delete, savings, preview, redeliver';

/** `gastop alerts` and what it can do. */
export function addAlerts(program: Command, run: Run): void {
  const alerts = program
    .command('alerts')
    .summary('alerts: list, show, create, enable, disable, delete …')
    .description(
      'Alerts of the service at --url, or of the database here: those fire while gastop or gastop serve runs on it.',
    )
    .usage('<command> [options]')
    .helpCommand(false)
    .action((_flags: object, command: Command) => {
      refuseUnknownCommand(command.args, alerts);
      throw usageError(`gastop alerts needs one of ${NAMES}; see gastop alerts --help`);
    })
    .addHelpText(
      'after',
      examples([
        'gastop alerts create --below 5 --email gas@example.org --once',
        'gastop alerts list',
        'gastop alerts preview --below 5 --lane slow',
      ]),
    );

  alerts
    .command('list')
    .description('Lists the alerts, newest first.')
    .option('--json', "the service's v1 list; several pages as one")
    .action((flags: JsonFlags) => run((context) => listAlerts(context, flags)));
  alerts
    .command('show')
    .description('One alert: what it watches for, whom it tells, what was sent.')
    .argument(...ID)
    .option('--json', JSON_ANSWER)
    .action((id: string, flags: JsonFlags) => run((context) => showAlert(context, id, flags)));
  withMessage(withRule(alerts.command('create')), false)
    .description(
      'Makes an alert and prints its id; the secret that webhooks are signed with is said only then.',
    )
    .argument(...INPUT)
    .option('--json', JSON_ANSWER)
    .addHelpText(
      'after',
      `${examples([
        'gastop alerts create --below 5 --terminal --cooldown 4h',
        'gastop alerts create --above 80 --lane fast --telegram @gas_watch',
        'gastop alerts create - < alert.json',
      ])}

Others can read a command line, and the shell keeps it: a URL that holds a
secret (Slack's do) is better given as JSON on stdin.`,
    )
    .action((file: string | undefined, flags: CreateAlertFlags) =>
      run((context) => createAlert(context, file, flags)),
    );
  for (const [name, status, description] of [
    ['enable', 'PENDING', 'Arms alerts again, at once.'],
    ['disable', 'DISABLED', 'Disables alerts; they stay and can be enabled again.'],
  ] as const) {
    alerts
      .command(name)
      .description(description)
      .argument(...IDS)
      .option('--json', JSON_ANSWER)
      .action((ids: string[], flags: JsonFlags) => run((context) => setAlerts(context, ids, status, flags)));
  }
  alerts
    .command('delete')
    .description(
      'Deletes alerts and what was sent for them. It asks first; without a terminal it needs --yes.',
    )
    .argument(...IDS)
    .option('--yes', 'do not ask')
    .option('--json', JSON_ANSWER)
    .action((ids: string[], flags: DeleteAlertFlags) => run((context) => deleteAlerts(context, ids, flags)));
  alerts
    .command('savings')
    .description('What an alert has saved, against the mean price of the day before each firing.')
    .argument(...ID)
    .option('--gas <N>', 'gas used each time (default 150,000, a swap)')
    .option('--json', JSON_ANSWER)
    .action((id: string, flags: SavingsFlags) => run((context) => alertSavings(context, id, flags)));
  // So that the same line does for both.
  withMessage(withRule(alerts.command('preview')), true)
    .description('How often an alert would have fired in the last 24 hours; takes all flags of create.')
    .argument(...INPUT)
    .option('--json', 'for programs: times, last, from, to, lowest, highest; prices in wei')
    .addHelpText(
      'after',
      examples(['gastop alerts preview --below 5', 'gastop alerts preview - < alert.json']),
    )
    .action((file: string | undefined, flags: PreviewFlags) =>
      run((context) => previewAlert(context, file, flags)),
    );
  alerts
    .command('redeliver')
    .description('Sends once more what was sent; not every service can.')
    .argument(...ID)
    .argument('<delivery>', 'as gastop alerts show lists it')
    .option('--json', JSON_ANSWER)
    .action((id: string, delivery: string, flags: JsonFlags) =>
      run((context) => redeliverAlert(context, id, delivery, flags)),
    );
  for (const command of alerts.commands) command.helpOption('-h, --help', 'print this help');
  // After the commands within it, which would take it over.
  alerts.allowExcessArguments();
}

/** What an alert watches for. */
function withRule(command: Command): Command {
  return command
    .option('--below <GWEI>', 'fire when the price is below that')
    .option('--above <GWEI>', 'fire when it is above that')
    .addOption(
      new Option('--lane <LANE>', 'whose price (default average)').choices(['slow', 'average', 'fast']),
    )
    .option('--cooldown <TIME>', 'rest so long after it fired: 30m, 1h, 4h, 1d (default 1h)')
    .option('--once', 'fire once, then be disabled')
    .option('--hysteresis <GWEI>', 'fire again only once the price was so far on the other side')
    .option('--confirm <N>', 'fire when N blocks in a row are so (default 1)');
}

/** Whom it tells, and what. */
function withMessage(command: Command, isHidden: boolean): Command {
  const options: readonly (readonly [string, string])[] = [
    ['--email <ADDRESS>', 'tell by mail'],
    ['--webhook <URL>', 'tell by a signed POST'],
    ['--slack <URL>', 'tell a Slack incoming webhook'],
    ['--telegram <CHAT>', 'tell a Telegram chat: its id, or @channel'],
    ['--terminal', 'tell every running monitor'],
    ['--note <TEXT>', 'what to say when it fires'],
  ];
  for (const [flags, text] of options) command.addOption(new Option(flags, text).hideHelp(isHidden));
  return command;
}

export interface JsonFlags {
  readonly json?: boolean;
}

interface SavingsFlags extends JsonFlags {
  readonly gas?: string;
}

/** `gastop alerts list` */
function listAlerts(context: CommandContext, flags: JsonFlags): Promise<ExitCode> {
  const { io } = context;
  return withAlerts(context, async ({ client }, settings) => {
    const signal = io.interruption();
    if (flags.json) {
      const { json, part } = await wholeListJson(client, ALERTS, signal);
      io.stdout.write(json);
      if (part !== null) io.stderr.write(partLine(part.shown, part.total));
      return EXIT.ok;
    }
    const { items, total, unreadable } = await client.alerts({ signal });
    const width = io.stdout.isTTY === true ? (io.stdout.columns ?? 80) : null;
    const ending = settings.ascii.value ? '...' : '…';
    const text = () => alertListLines(items, io.now(), width, ending).join('\n');
    if (items.length > 0) print(context, settings, text());
    else if (unreadable === 0)
      io.stderr.write('gastop: there are no alerts; gastop alerts create makes one\n');
    if (unreadable > 0)
      io.stderr.write(`gastop: ${formatCount(unreadable)} more could not be read; --json shows them\n`);
    if (total !== null && total > items.length + unreadable) {
      io.stderr.write(partLine(items.length, total));
    }
    return EXIT.ok;
  });
}

/** `gastop alerts show` */
function showAlert(context: CommandContext, id: string, flags: JsonFlags): Promise<ExitCode> {
  const { io } = context;
  return withAlerts(context, async ({ client }, settings) => {
    const signal = io.interruption();
    if (flags.json) {
      const path = pathOf(PATHS.alert, { id });
      await printRaw(context, onAlert({ client, id, signal }, client.raw(path, {}, { signal })), PATHS.alert);
      return EXIT.ok;
    }
    print(
      context,
      settings,
      alertDetailsText(await onAlert({ client, id, signal }, client.alert(id, { signal })), io.now()),
    );
    return EXIT.ok;
  });
}

/** `gastop alerts savings` */
function alertSavings(context: CommandContext, id: string, flags: SavingsFlags): Promise<ExitCode> {
  const { io } = context;
  const gasAmount = flags.gas === undefined ? undefined : parseGas(flags.gas);
  return withAlerts(context, async ({ client }, settings) => {
    const signal = io.interruption();
    if (flags.json) {
      const query: Record<string, string> = gasAmount === undefined ? {} : { gasAmount: String(gasAmount) };
      const path = pathOf(PATHS.alertSavings, { id });
      await printRaw(
        context,
        onAlert({ client, id, signal }, client.raw(path, query, { signal })),
        PATHS.alertSavings,
      );
      return EXIT.ok;
    }
    const asked = { signal, ...(gasAmount === undefined ? {} : { gasAmount }) };
    print(
      context,
      settings,
      alertSavingsText(await onAlert({ client, id, signal }, client.alertSavings(id, asked))),
    );
    return EXIT.ok;
  });
}

async function withAlerts<Result>(
  { io, loadSettings }: CommandContext,
  work: (opened: OpenedAlerts, settings: Settings) => Promise<Result>,
): Promise<Result> {
  const { settings } = await loadSettings();
  return withOpenAlerts(io, settings, (opened) => work(opened, settings));
}

/** Opens the alerts for `work`, and closes them whatever comes of it. */
export async function withOpenAlerts<Result>(
  io: Io,
  settings: Settings,
  work: (opened: OpenedAlerts) => Promise<Result>,
  options: OpenKeptOptions = {},
): Promise<Result> {
  const opened = await openAlerts(io, settings, options);
  try {
    return await work(opened);
  } finally {
    await opened.close();
  }
}

/** For what changes something: its answer goes to stdout as the service gave it, a line each. */
export function answers(
  { io }: CommandContext,
  { json }: JsonFlags,
  path: string = PATHS.alerts,
): { onAnswer?: (text: string) => void } {
  return json === true ? { onAnswer: (text) => io.stdout.write(jsonAnswer(text, path)) } : {};
}

export async function printRaw({ io }: CommandContext, answer: Promise<string>, path: string): Promise<void> {
  io.stdout.write(jsonAnswer(await answer, path));
}

export const partLine = (shown: number, total: number) =>
  `gastop: these are ${formatCount(shown)} of ${formatCount(total)}\n`;

export function print({ io }: CommandContext, { ascii }: Settings, text: string): void {
  io.stdout.write(`${ascii.value ? toAscii(text) : text}\n`);
}

function parseGas(text: string): number {
  const gas = /^\d{1,3}(,\d{3})+$|^\d{1,12}$/.test(text.trim()) ? Number(text.replaceAll(',', '')) : 0;
  if (gas >= 1 && gas <= SAVINGS_GAS_MOST) return gas;
  throw usageError(`--gas: "${text}" is not an amount of gas; a whole number from 1, such as 21000`);
}

interface DeleteAlertFlags extends JsonFlags {
  readonly yes?: boolean;
}

/** `gastop alerts enable` and `disable` */
function setAlerts(
  context: CommandContext,
  ids: readonly string[],
  status: 'PENDING' | 'DISABLED',
  flags: JsonFlags,
): Promise<number> {
  const done = status === 'PENDING' ? 'armed' : 'disabled';
  return withAlerts(context, ({ client }) =>
    eachId(context, ids, async (id) => {
      const signal = context.io.interruption();
      const set = client.setAlertStatus(id, status, { signal, ...answers(context, flags) });
      await onAlert({ client, id, signal }, set);
      if (!flags.json) context.io.stderr.write(`gastop: ${done} ${cleanLine(id)}\n`);
    }),
  );
}

/** `gastop alerts delete`; asks. @throws CliError (usage) where nobody can be asked. */
async function deleteAlerts(
  context: CommandContext,
  ids: readonly string[],
  flags: DeleteAlertFlags,
): Promise<number> {
  const { io } = context;
  const asks = flags.yes !== true;
  if (asks && io.stdin.isTTY !== true) {
    throw usageError('nobody can be asked whether to delete, as stdin is no terminal; say --yes');
  }
  if (asks && io.stderr.isTTY !== true) {
    throw usageError('the question whether to delete would not be seen, as stderr is no terminal; say --yes');
  }
  return withAlerts(context, ({ client }) =>
    eachId(context, ids, async (id) => {
      const signal = io.interruption();
      const named = { client, id, signal };
      if (asks && !(await agrees(context, await onAlert(named, client.alert(id, { signal }))))) {
        io.stderr.write(`gastop: kept ${cleanLine(id)}\n`);
        return;
      }
      await onAlert(named, client.deleteAlert(id, { signal, ...answers(context, flags) }));
      if (!flags.json) io.stderr.write(`gastop: deleted ${cleanLine(id)}\n`);
    }),
  );
}

/** `gastop alerts redeliver` */
function redeliverAlert(
  context: CommandContext,
  id: string,
  deliveryId: string,
  flags: JsonFlags,
): Promise<ExitCode> {
  const { io } = context;
  return withAlerts(context, async ({ client, areOwn }) => {
    const signal = io.interruption();
    const sent = client.redeliver(id, deliveryId, { signal, ...answers(context, flags) });
    await onAlert({ client, id, deliveryId, signal }, sent);
    const where = areOwn ? ', by the gastop or gastop serve that runs on this database' : '';
    if (!flags.json) io.stderr.write(`gastop: ${cleanLine(deliveryId)} is sent once more${where}\n`);
    return EXIT.ok;
  });
}

async function agrees({ io }: CommandContext, alert: AlertView): Promise<boolean> {
  const answer = await io.ask(
    `Delete ${cleanLine(alert.id)} (${watchWords(alert)}, tells ${channelWords(alert)})? [y/N] `,
  );
  return /^y(es)?$/i.test(answer?.trim() ?? '');
}

interface Named {
  readonly client: Pick<GasClient, 'alert' | 'alerts'>;
  readonly id: string;
  /** Where that is what may be missing. */
  readonly deliveryId?: string;
  readonly signal: AbortSignal;
}

/**
 * Waits for `work` on an alert; that the alert (or its delivery) is not there is said of it.
 *
 * @throws CliError (failed) where it is known not to be there; else whatever `work` throws.
 */
function onAlert<Result>(named: Named, work: Promise<Result>): Promise<Result> {
  return sayMissing(work, () => missing(named));
}

async function missing({ client, id, deliveryId, signal }: Named): Promise<string | null> {
  const alert = await lookFor(
    id,
    () => client.alert(id, { signal }),
    () => client.alerts({ signal }),
  );
  if (alert === 'unknown') return null;
  if (alert === 'missing') return `there is no alert ${cleanLine(id)}; gastop alerts list shows them`;
  const { deliveries } = alert;
  if (deliveryId === undefined || deliveries === null || deliveries.some((one) => one.id === deliveryId)) {
    return null;
  }
  return `there is no delivery ${cleanLine(deliveryId)} of alert ${cleanLine(id)}; gastop alerts show lists them`;
}
