import { type Command, Option } from 'commander';
import { usageError } from '../cli-error.ts';
import type { JsonFlags } from '../commands/alerts.ts';
import type { ListAutoTxsFlags } from '../commands/auto-txs.ts';
import { listAutoTxs, showAutoTx } from '../commands/auto-txs.ts';
import type { DeleteAutoTxFlags, UpdateAutoTxFlags } from '../commands/change-auto-txs.ts';
import { cancelAutoTxs, deleteAutoTxs, updateAutoTx } from '../commands/change-auto-txs.ts';
import type { CheckAutoTxFlags } from '../commands/check-auto-tx.ts';
import { checkAutoTxs } from '../commands/check-auto-tx.ts';
import type { CreateAutoTxFlags } from '../commands/create-auto-tx.ts';
import { createAutoTx } from '../commands/create-auto-tx.ts';
import { examples } from '../help-text.ts';
import type { ContextFor } from '../program.ts';
import type { SourceFlags } from '../settings.ts';
import { refuseUnknownCommand } from '../unknown-command.ts';

const JSON_ANSWER = "print the service's v1 answer as it is";
const ID = ['<id>', 'as gastop auto-txs list shows it'] as const;
const IDS = ['<id...>', 'one or several, as gastop auto-txs list shows them'] as const;
const SIGNED = ['[FILE]', 'the raw signed transaction as hex; - or nothing is stdin'] as const;
const NAMES = 'list, show, check, create, update, cancel, delete';

/** `gastop auto-txs` and what it can do. */
export function addAutoTxsCommand(
  program: Command,
  contextFor: ContextFor,
  flagsOf: () => SourceFlags,
  done: (exitCode: number) => void,
): void {
  const autoTxs = program
    .command('auto-txs')
    .summary('signed transactions that wait for cheap gas')
    .description(
      'Signed transactions that wait for cheap gas, of the service at --url, or of the database here: those are sent while gastop or gastop serve runs on it. No private key is ever asked for; a signed transaction comes from a file or stdin alone.',
    )
    .usage('<command> [options]')
    .helpCommand(false)
    .action((_flags: object, command: Command) => {
      refuseUnknownCommand(command.args, autoTxs);
      throw usageError(`gastop auto-txs needs one of ${NAMES}; see gastop auto-txs --help`);
    })
    .addHelpText(
      'after',
      examples([
        'gastop auto-txs check signed.txt --target 5',
        'gastop auto-txs create signed.txt --target 5 --expires 6h',
        'gastop auto-txs list --status pending,submitted',
      ]),
    );
  const context = () => contextFor(flagsOf());

  autoTxs
    .command('list')
    .description('Lists the auto-txs by state, with how far their prices are off.')
    .option(
      '--status <STATUS>',
      'only those: draft, pending, held, disabled, submitted, mined …; several by commas',
    )
    .option('--json', "the service's v1 list; several pages as one")
    .action(async (flags: ListAutoTxsFlags) => {
      done(await listAutoTxs(context(), flags));
    });
  autoTxs
    .command('show')
    .description('One auto-tx: what it does and when, its checks, what happened to it.')
    .argument(...ID)
    .option('--json', JSON_ANSWER)
    .action(async (id: string, flags: JsonFlags) => {
      done(await showAutoTx(context(), id, flags));
    });
  withOrder(autoTxs.command('check'))
    .description(
      'Decodes a signed transaction and says how it stands, without handing it to anybody; exit 1 if a check fails.',
    )
    .argument(...SIGNED)
    .option('--id <ID>', 'check one that is kept, anew, instead')
    .option('--json', 'for programs: hash, from, …, call, checks; prices in wei')
    .addHelpText('after', examples(['gastop auto-txs check --target 5 < signed.txt']))
    .action(async (file: string | undefined, flags: CheckAutoTxFlags) => {
      done(await checkAutoTxs(context(), file, flags));
    });
  withDraft(withNote(withOrder(autoTxs.command('create'))))
    .description(
      'Hands over a signed transaction, to be sent at its target, and prints its id; with --to, --value or --data makes a draft that is signed later.',
    )
    .argument(...SIGNED)
    .option('--yes', 'do not ask at a terminal')
    .option('--json', JSON_ANSWER)
    .addHelpText(
      'after',
      examples([
        'gastop auto-txs create signed.txt --target 5 --lane slow --expires 7d',
        'gastop auto-txs create --target 5 --to 0x7099… --value 0.1',
      ]),
    )
    .action(async (file: string | undefined, flags: CreateAutoTxFlags) => {
      done(await createAutoTx(context(), file, flags));
    });
  withDraft(withNote(withOrder(autoTxs.command('update'))))
    .description('Changes what is given; with FILE it signs a draft, or replaces what was not sent yet.')
    .argument(...ID)
    .argument('[FILE]', 'the raw signed transaction as hex; - is stdin')
    .option('--no-strict', "compare the lane's price again")
    .option('--enable', 'have it wait for its target again')
    .option('--disable', 'do not send it for now')
    .option('--yes', 'do not ask at a terminal')
    .option('--json', JSON_ANSWER)
    .action(async (id: string, file: string | undefined, flags: UpdateAutoTxFlags) => {
      done(await updateAutoTx(context(), id, file, flags));
    });
  autoTxs
    .command('cancel')
    .description('Cancels auto-txs: they are never sent. One that was sent already can only be replaced.')
    .argument(...IDS)
    .option('--json', JSON_ANSWER)
    .action(async (ids: string[], flags: JsonFlags) => {
      done(await cancelAutoTxs(context(), ids, flags));
    });
  autoTxs
    .command('delete')
    .description('Deletes drafts and what is over. It asks first; without a terminal it needs --yes.')
    .argument(...IDS)
    .option('--yes', 'do not ask')
    .option('--json', JSON_ANSWER)
    .action(async (ids: string[], flags: DeleteAutoTxFlags) => {
      done(await deleteAutoTxs(context(), ids, flags));
    });
  for (const command of autoTxs.commands) command.helpOption('-h, --help', 'print this help');
  // After the commands within it, which would take it over.
  autoTxs.allowExcessArguments();
}

/** When it is to be sent. */
function withOrder(command: Command): Command {
  return command
    .option('--target <GWEI>', 'send it when the price is that or less')
    .addOption(
      new Option('--lane <LANE>', 'whose price (default average)').choices(['slow', 'average', 'fast']),
    )
    .option('--strict', 'compare what it would pay itself instead')
    .option('--expires <WHEN>', 'give up then: 6h, 7d, 2026-01-31T12:00Z, never');
}

function withNote(command: Command): Command {
  return command.option('--note <TEXT>', 'for yourself');
}

/** What a draft is to do. */
function withDraft(command: Command): Command {
  return command
    .option('--to <ADDRESS>', 'of a draft: whom it goes to')
    .option('--value <AMOUNT>', 'of a draft: native coins, such as 0.1, or 100wei')
    .option('--data <HEX>', 'of a draft: what the call is given');
}
