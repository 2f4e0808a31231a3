import { type Command, type CommanderError, Option } from 'commander';
import { VERSION } from '../contract/routes.ts';
import { CliCommand, type CommandContext } from './command.ts';
import { addAlerts } from './commands/alerts.ts';
import { addAutoTxs } from './commands/auto-txs.ts';
import { addBacktest } from './commands/backtest.ts';
import { addChains } from './commands/chains.ts';
import { addConfig } from './commands/config.ts';
import { addDoctor } from './commands/doctor.ts';
import { addExplorer } from './commands/explorer.ts';
import { addHistory } from './commands/history.ts';
import { addKeys } from './commands/keys.ts';
import { addLive } from './commands/live.ts';
import { addMcp } from './commands/mcp.ts';
import { addMigrate } from './commands/migrate.ts';
import { addNow } from './commands/now.ts';
import { addRecord } from './commands/record.ts';
import { addServe } from './commands/serve.ts';
import { addWait } from './commands/wait.ts';
import { addCompletion } from './completion.ts';
import { EXIT } from './errors.ts';
import { formatHelp, ROOT_EXAMPLES } from './help.ts';
import { paints } from './output.ts';
import { append, unknownCommand } from './parse.ts';
import type { SourceFlags } from './settings.ts';

const WIDEST_HELP = 80;

interface ProgramOutput {
  write(text: string): void;
  readonly columns: number | undefined;
  readonly colour: boolean;
}

/** From this tree help, completion and dispatch are derived; `done` takes the exit code. */
export function createProgram(
  contextFor: (flags: SourceFlags) => CommandContext,
  output: ProgramOutput,
  done: (exitCode: number) => void,
): Command {
  const program: CliCommand = new CliCommand(
    'gastop',
    (work) =>
      async (...args) =>
        done((await work(contextFor(program.opts<SourceFlags>()), ...args)) ?? EXIT.ok),
  )
    .description('top for gas: what to pay now, and what to pay if you can wait')
    .usage('[command] [options]')
    .configureOutput({
      writeOut: (text) => output.write(text),
      writeErr: () => {},
      outputError: () => {},
      getOutHelpWidth: () => Math.min(output.columns ?? WIDEST_HELP, WIDEST_HELP),
      getOutHasColors: () => output.colour,
    })
    .configureHelp({ styleTitle: paints(true).title, formatHelp })
    .helpCommand(false)
    .exitOverride()
    .showHelpAfterError(false)
    .addHelpText('after', ROOT_EXAMPLES);

  addSourceOptions(program);
  const groups: Readonly<Record<string, readonly ((program: CliCommand) => void)[]>> = {
    Watch: [addLive, addNow, addChains, addWait, addAlerts, addAutoTxs, addHistory, addExplorer],
    Keep: [addRecord, addBacktest],
    Serve: [addServe, addMcp, addKeys, addMigrate],
    'Set up': [addDoctor, addConfig, addCompletion],
  };
  for (const [title, commands] of Object.entries(groups)) {
    program.commandsGroup(title);
    for (const add of commands) add(program);
  }
  for (const command of program.commands.flatMap((each) => [each, ...each.commands])) {
    command.helpOption('-h, --help', 'print this help');
  }
  return program;
}

function addSourceOptions(program: Command): void {
  program.optionsGroup('Where the data comes from (one of; else the config file, else public nodes)');
  program
    .option('--url <URL>', 'a v1 gas-price service; its key is GASTOP_API_KEY')
    .option('--rpc <URL>', 'Ethereum node, http(s) or ws(s); several are fallbacks', append)
    .option('--replay <FILE>', 'recorded blocks: JSON Lines or CSV')
    .option('--demo', 'a simulated chain; needs no network');
  program.optionsGroup('Settings (with every command, before or after its name)');
  program
    .option('--speed <N>', 'play a recording N times as fast (monitor: 1)')
    .option('--seed <N>', 'another simulated chain (default 1)')
    .option('--history <TIME>', 'how much history to load, 1h to 30d (default 30d)')
    .option('--confirmations <N>', "blocks that make an auto-tx final (default: the chain's own)")
    .option('--db <FILE>', 'keep history in this database')
    .option('--database <URL>', 'keep it in PostgreSQL: postgres://USER@HOST/NAME')
    .option('--ascii', 'ASCII characters only')
    .option('--screen-reader', 'the monitor in sentences, without tables or drawing')
    .option('--allow-private-targets', 'let webhooks go to this machine and private networks')
    .option('--config <FILE>', 'another config file');
  program.optionsGroup('Help');
  program
    .version(`gastop ${VERSION}`, '-V, --version', 'print the version')
    .addHelpOption(
      new Option('-h, --help', "print this help; after a command, the command's").helpGroup('Help'),
    );
}

/** What commander objects to, as a message that names the help; `null` where it has only printed help or version. */
export function commanderMessage(
  error: CommanderError,
  program: Command,
  argv: readonly string[],
): string | null {
  if (error.exitCode === 0) return null;
  const path = [program];
  for (const word of argv) path.push(...(path.at(-1)?.commands.filter((each) => each.name() === word) ?? []));
  const command = path.at(-1) ?? program;
  // A misspelt command may be the reason of an unknown option or an extra argument.
  const word = argv[command === program ? 0 : argv.indexOf(command.name()) + 1] ?? '-';
  const mayBeMisspelt = ['commander.unknownOption', 'commander.excessArguments'].includes(error.code);
  if (mayBeMisspelt && command.commands.length > 0 && !word.startsWith('-')) {
    return unknownCommand(word, command);
  }
  const text = error.message.replace(/^error: /, '').replace(/\s*\n\s*/g, ' ');
  return `${text.replace(/\.$/, '')}; see ${path.map((each) => each.name()).join(' ')} --help`;
}
