import { ClientError } from '../../client/client-error.ts';
import { pathOf } from '../../client/create-gas-client.ts';
import type { AlertView } from '../../client/views/alerts.ts';
import { SAVINGS_GAS_MOST } from '../../contract/queries.ts';
import { PATHS } from '../../contract/routes.ts';
import { formatCount } from '../../core/units.ts';
import { alertDetailsText } from '../alert-details-text.ts';
import { alertListLines } from '../alert-list-text.ts';
import { alertSavingsText } from '../alert-savings-text.ts';
import { channelWords, watchWords } from '../alert-words.ts';
import { toAscii } from '../ascii.ts';
import { cleanLine } from '../clean-line.ts';
import { CliError, usageError } from '../cli-error.ts';
import type { CommandContext } from '../command-context.ts';
import { EXIT, type ExitCode } from '../exit-code.ts';
import type { Io } from '../io.ts';
import { jsonAnswer } from '../json-answer.ts';
import { type OpenedAlerts, openAlerts } from '../open-alerts.ts';
import type { Settings } from '../settings.ts';

export interface JsonFlags {
  readonly json?: boolean;
}

export interface DeleteAlertFlags extends JsonFlags {
  readonly yes?: boolean;
}

export interface SavingsFlags extends JsonFlags {
  readonly gas?: string;
}

/** `gastop alerts list` */
export function listAlerts(context: CommandContext, flags: JsonFlags): Promise<ExitCode> {
  const { io } = context;
  return withAlerts(context, async ({ client }, settings) => {
    const signal = io.interruption();
    if (flags.json) {
      await printRaw(context, client.raw(PATHS.alerts, { size: '500' }, { signal }), PATHS.alerts);
      return EXIT.ok;
    }
    const { items, total, unreadable } = await client.alerts({ signal });
    const width = io.stdout.isTTY === true ? (io.stdout.columns ?? 80) : null;
    if (items.length > 0) print(context, settings, alertListLines(items, io.now(), width).join('\n'));
    else if (unreadable === 0)
      io.stderr.write('gastop: there are no alerts; gastop alerts create makes one\n');
    if (unreadable > 0)
      io.stderr.write(`gastop: ${formatCount(unreadable)} more could not be read; --json shows them\n`);
    if (total !== null && total > items.length + unreadable) {
      io.stderr.write(`gastop: these are ${formatCount(items.length)} of ${formatCount(total)}\n`);
    }
    return EXIT.ok;
  });
}

/** `gastop alerts show` */
export function showAlert(context: CommandContext, id: string, flags: JsonFlags): Promise<ExitCode> {
  const { io } = context;
  return withAlerts(context, async ({ client }, settings) => {
    const signal = io.interruption();
    if (flags.json) {
      const path = pathOf(PATHS.alert, { id });
      await printRaw(context, named(id, client.raw(path, {}, { signal })), PATHS.alert);
      return EXIT.ok;
    }
    print(context, settings, alertDetailsText(await named(id, client.alert(id, { signal })), io.now()));
    return EXIT.ok;
  });
}

/** `gastop alerts savings` */
export function alertSavings(context: CommandContext, id: string, flags: SavingsFlags): Promise<ExitCode> {
  const { io } = context;
  const gasAmount = flags.gas === undefined ? undefined : parseGas(flags.gas);
  return withAlerts(context, async ({ client }, settings) => {
    const signal = io.interruption();
    if (flags.json) {
      const query: Record<string, string> = gasAmount === undefined ? {} : { gasAmount: String(gasAmount) };
      const path = pathOf(PATHS.alertSavings, { id });
      await printRaw(context, named(id, client.raw(path, query, { signal })), PATHS.alertSavings);
      return EXIT.ok;
    }
    const asked = { signal, ...(gasAmount === undefined ? {} : { gasAmount }) };
    print(context, settings, alertSavingsText(await named(id, client.alertSavings(id, asked))));
    return EXIT.ok;
  });
}

/** `gastop alerts enable` and `disable` */
export function setAlerts(
  context: CommandContext,
  ids: readonly string[],
  status: 'PENDING' | 'DISABLED',
  flags: JsonFlags,
): Promise<ExitCode> {
  const done = status === 'PENDING' ? 'armed' : 'disabled';
  return withAlerts(context, ({ client }) =>
    each(context, ids, async (id) => {
      await client.setAlertStatus(id, status, {
        signal: context.io.interruption(),
        ...answers(context, flags),
      });
      if (!flags.json) context.io.stderr.write(`gastop: ${done} ${cleanLine(id)}\n`);
    }),
  );
}

/** `gastop alerts delete`; asks on a terminal. */
export function deleteAlerts(
  context: CommandContext,
  ids: readonly string[],
  flags: DeleteAlertFlags,
): Promise<ExitCode> {
  const { io } = context;
  const asks = flags.yes !== true && io.stdin.isTTY === true && io.stderr.isTTY === true;
  return withAlerts(context, ({ client }) =>
    each(context, ids, async (id) => {
      const signal = io.interruption();
      if (asks && !(await agrees(context, await client.alert(id, { signal })))) {
        io.stderr.write(`gastop: kept ${cleanLine(id)}\n`);
        return;
      }
      await client.deleteAlert(id, { signal, ...answers(context, flags) });
      if (!flags.json) io.stderr.write(`gastop: deleted ${cleanLine(id)}\n`);
    }),
  );
}

/** `gastop alerts redeliver` */
export function redeliverAlert(
  context: CommandContext,
  id: string,
  deliveryId: string,
  flags: JsonFlags,
): Promise<ExitCode> {
  const { io } = context;
  return withAlerts(context, async ({ client, areOwn }) => {
    const signal = io.interruption();
    const sent = client.redeliver(id, deliveryId, { signal, ...answers(context, flags) });
    await named(id, sent, `no delivery ${cleanLine(deliveryId)} of an alert ${cleanLine(id)}`);
    const where = areOwn ? ', by the gastop or gastop serve that runs on this database' : '';
    if (!flags.json) io.stderr.write(`gastop: ${cleanLine(deliveryId)} is sent once more${where}\n`);
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
): Promise<Result> {
  const opened = await openAlerts(io, settings);
  try {
    return await work(opened);
  } finally {
    await opened.close();
  }
}

/** For what changes something: its answer goes to stdout as the service gave it, a line each. */
export function answers({ io }: CommandContext, { json }: JsonFlags): { onAnswer?: (text: string) => void } {
  return json === true ? { onAnswer: (text) => io.stdout.write(jsonAnswer(text, PATHS.alerts)) } : {};
}

/** One after the other; one that fails does not keep the others from it. */
async function each(
  { io }: CommandContext,
  ids: readonly string[],
  work: (id: string) => Promise<void>,
): Promise<ExitCode> {
  let exitCode: ExitCode = EXIT.ok;
  for (const id of new Set(ids)) {
    try {
      await named(id, work(id));
    } catch (error) {
      if (!(error instanceof CliError) || ids.length === 1) throw error;
      exitCode = error.exitCode;
      io.stderr.write(`gastop: ${cleanLine(error.message)}\n`);
    }
  }
  return exitCode;
}

/** That there is no such alert is said of the alert, not of the service. */
async function named<Result>(
  id: string,
  work: Promise<Result>,
  what = `no alert ${cleanLine(id)}`,
): Promise<Result> {
  try {
    return await work;
  } catch (error) {
    if (!(error instanceof ClientError) || error.code !== 'not-found') throw error;
    throw new CliError(EXIT.failed, `there is ${what}; gastop alerts list shows them`, [], { cause: error });
  }
}

async function agrees({ io }: CommandContext, alert: AlertView): Promise<boolean> {
  const answer = await io.ask(
    `Delete ${cleanLine(alert.id)} (${watchWords(alert)}, tells ${channelWords(alert)})? [y/N] `,
  );
  return /^y(es)?$/i.test(answer?.trim() ?? '');
}

async function printRaw({ io }: CommandContext, answer: Promise<string>, path: string): Promise<void> {
  io.stdout.write(jsonAnswer(await answer, path));
}

function print({ io }: CommandContext, { ascii }: Settings, text: string): void {
  io.stdout.write(`${ascii.value ? toAscii(text) : text}\n`);
}

function parseGas(text: string): number {
  const gas = /^\d{1,3}(,\d{3})+$|^\d{1,12}$/.test(text.trim()) ? Number(text.replaceAll(',', '')) : 0;
  if (gas >= 1 && gas <= SAVINGS_GAS_MOST) return gas;
  throw usageError(`--gas: "${text}" is not an amount of gas; a whole number from 1, such as 21000`);
}
