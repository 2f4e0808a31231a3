import { pathOf } from '../../client/client.ts';
import { SAVINGS_GAS_MOST } from '../../contract/queries.ts';
import { PATHS } from '../../contract/routes.ts';
import { formatCount } from '../../core/units.ts';
import { alertDetailsText } from '../alerts/alert-details-text.ts';
import { alertListLines } from '../alerts/alert-list-text.ts';
import { alertSavingsText } from '../alerts/alert-savings-text.ts';
import { onAlert } from '../alerts/on-alert.ts';
import { toAscii } from '../ascii.ts';
import { usageError } from '../cli-error.ts';
import type { CommandContext } from '../command-context.ts';
import { EXIT, type ExitCode } from '../exit-code.ts';
import type { Io } from '../io.ts';
import { jsonAnswer } from '../json-answer.ts';
import { type OpenedAlerts, type OpenKeptOptions, openAlerts } from '../open-alerts.ts';
import type { Settings } from '../settings.ts';
import { ALERTS, wholeListJson } from '../whole-list-json.ts';

export interface JsonFlags {
  readonly json?: boolean;
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
export function showAlert(context: CommandContext, id: string, flags: JsonFlags): Promise<ExitCode> {
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
export function alertSavings(context: CommandContext, id: string, flags: SavingsFlags): Promise<ExitCode> {
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

export async function withAlerts<Result>(
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
