import { type Command, Option } from 'commander';
import { usageError } from '../cli-error.ts';
import type { JsonFlags, SavingsFlags } from '../commands/alerts.ts';
import { alertSavings, listAlerts, showAlert } from '../commands/alerts.ts';
import type { DeleteAlertFlags } from '../commands/change-alerts.ts';
import { deleteAlerts, redeliverAlert, setAlerts } from '../commands/change-alerts.ts';
import type { CreateAlertFlags } from '../commands/create-alert.ts';
import { createAlert } from '../commands/create-alert.ts';
import type { PreviewFlags } from '../commands/preview-alert.ts';
import { previewAlert } from '../commands/preview-alert.ts';
import { examples } from '../help-text.ts';
import type { ContextFor } from '../program.ts';
import type { SourceFlags } from '../settings.ts';
import { refuseUnknownCommand } from '../unknown-command.ts';

const JSON_ANSWER = "print the service's v1 answer as it is";
const ID = ['<id>', 'as gastop alerts list shows it'] as const;
const IDS = ['<id...>', 'one or several, as gastop alerts list shows them'] as const;
const INPUT = ['[FILE]', 'the alert as JSON instead, as POST /alerts takes it; - is stdin'] as const;
const NAMES = 'list, show, create, enable, disable, delete, savings, preview, redeliver';

/** `gastop alerts` and what it can do. */
export function addAlertsCommand(
  program: Command,
  contextFor: ContextFor,
  flagsOf: () => SourceFlags,
  done: (exitCode: number) => void,
): void {
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
  const context = () => contextFor(flagsOf());

  alerts
    .command('list')
    .description('Lists the alerts, newest first.')
    .option('--json', "the service's v1 list; several pages as one")
    .action(async (flags: JsonFlags) => {
      done(await listAlerts(context(), flags));
    });
  alerts
    .command('show')
    .description('One alert: what it watches for, whom it tells, what was sent.')
    .argument(...ID)
    .option('--json', JSON_ANSWER)
    .action(async (id: string, flags: JsonFlags) => {
      done(await showAlert(context(), id, flags));
    });
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
    .action(async (file: string | undefined, flags: CreateAlertFlags) => {
      done(await createAlert(context(), file, flags));
    });
  for (const [name, status, description] of [
    ['enable', 'PENDING', 'Arms alerts again, at once.'],
    ['disable', 'DISABLED', 'Disables alerts; they stay and can be enabled again.'],
  ] as const) {
    alerts
      .command(name)
      .description(description)
      .argument(...IDS)
      .option('--json', JSON_ANSWER)
      .action(async (ids: string[], flags: JsonFlags) => {
        done(await setAlerts(context(), ids, status, flags));
      });
  }
  alerts
    .command('delete')
    .description(
      'Deletes alerts and what was sent for them. It asks first; without a terminal it needs --yes.',
    )
    .argument(...IDS)
    .option('--yes', 'do not ask')
    .option('--json', JSON_ANSWER)
    .action(async (ids: string[], flags: DeleteAlertFlags) => {
      done(await deleteAlerts(context(), ids, flags));
    });
  alerts
    .command('savings')
    .description('What an alert has saved, against the mean price of the day before each firing.')
    .argument(...ID)
    .option('--gas <N>', 'gas used each time (default 150,000, a swap)')
    .option('--json', JSON_ANSWER)
    .action(async (id: string, flags: SavingsFlags) => {
      done(await alertSavings(context(), id, flags));
    });
  // So that the same line does for both.
  withMessage(withRule(alerts.command('preview')), true)
    .description('How often an alert would have fired in the last 24 hours; takes all flags of create.')
    .argument(...INPUT)
    .option('--json', 'for programs: times, last, from, to, lowest, highest; prices in wei')
    .addHelpText(
      'after',
      examples(['gastop alerts preview --below 5', 'gastop alerts preview - < alert.json']),
    )
    .action(async (file: string | undefined, flags: PreviewFlags) => {
      done(await previewAlert(context(), file, flags));
    });
  alerts
    .command('redeliver')
    .description('Sends once more what was sent; not every service can.')
    .argument(...ID)
    .argument('<delivery>', 'as gastop alerts show lists it')
    .option('--json', JSON_ANSWER)
    .action(async (id: string, delivery: string, flags: JsonFlags) => {
      done(await redeliverAlert(context(), id, delivery, flags));
    });
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
