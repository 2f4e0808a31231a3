import type { AlertView } from '../../client/views/alerts.ts';
import { channelWords, watchWords } from '../alerts/alert-words.ts';
import { onAlert } from '../alerts/on-alert.ts';
import { cleanLine } from '../clean-line.ts';
import { usageError } from '../cli-error.ts';
import type { CommandContext } from '../command-context.ts';
import { eachId } from '../each-id.ts';
import { EXIT, type ExitCode } from '../exit-code.ts';
import { answers, type JsonFlags, withAlerts } from './alerts.ts';

export interface DeleteAlertFlags extends JsonFlags {
  readonly yes?: boolean;
}

/** `gastop alerts enable` and `disable` */
export function setAlerts(
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
export async function deleteAlerts(
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
