import { Command, type CommanderError, Option } from 'commander';
import { addKeysCommand } from './add-keys-command.ts';
import { addWatchCommands } from './add-watch-commands.ts';
import type { CommandContext } from './command-context.ts';
import type { BacktestFlags } from './commands/backtest.ts';
import { completion } from './commands/completion.ts';
import { config } from './commands/config.ts';
import type { DoctorFlags } from './commands/doctor.ts';
import { doctor } from './commands/doctor.ts';
import type { RecordFlags } from './commands/record.ts';
import type { Shell } from './completion-scripts.ts';
import { formatHelp } from './help-layout.ts';
import { examples, ROOT_EXAMPLES } from './help-text.ts';
import { addServeCommand } from './serve/add-serve-command.ts';
import type { SourceFlags } from './settings.ts';
import { misspeltCommand } from './unknown-command.ts';
import { VERSION } from './version.ts';

const WIDEST_HELP = 80;

/** What a command's action is given: its process, and the global flags that were typed anywhere on the line. */
export type ContextFor = (flags: SourceFlags) => CommandContext;

export interface ProgramOutput {
  write(text: string): void;
  readonly columns: number | undefined;
  readonly colour: boolean;
}

/**
 * The tree of commands: help, completion and dispatch all come from it. Each action imports its own file, so
 * that a command loads no other's code. `done` takes the exit code.
 */
export function createProgram(
  contextFor: ContextFor,
  output: ProgramOutput,
  done: (exitCode: number) => void,
): Command {
  const program = new Command('gastop')
    .description('top for gas: what to pay now, and what to pay if you can wait')
    .usage('[command] [options]')
    .configureOutput({
      writeOut: (text) => output.write(text),
      writeErr: () => {},
      outputError: () => {},
      getOutHelpWidth: () => Math.min(output.columns ?? WIDEST_HELP, WIDEST_HELP),
      getOutHasColors: () => output.colour,
    })
    .configureHelp({
      styleTitle: (title) => `\u001b[1m${title}\u001b[22m`,
      formatHelp,
    })
    .helpCommand(false)
    .exitOverride()
    .showHelpAfterError(false)
    .addHelpText('after', ROOT_EXAMPLES);

  addSourceOptions(program);
  const flagsOf = (): SourceFlags => program.opts<SourceFlags>();

  addWatchCommands(program, contextFor, flagsOf, done);

  program.commandsGroup('Keep');
  program
    .command('record')
    .summary('write blocks to a file for --replay')
    .description('Follows the chain and writes one line of JSON per block, until Ctrl-C or a limit.')
    .requiredOption('--out <FILE>', 'where to write')
    .option('--force', 'replace FILE if it exists')
    .option('--past <TIME>', 'begin that far back: 1h, 24h; then goes on with new blocks')
    .option('--blocks <N>', 'stop after N blocks')
    .option('--window <TIME>', 'stop after that much chain time: 10m, 24h')
    .addHelpText('after', examples(['gastop record --out blocks.jsonl --past 24h --blocks 7200']))
    .action(async (flags: RecordFlags) => {
      const { record } = await import('./commands/record.ts');
      done(await record(contextFor(flagsOf()), flags));
    });

  program
    .command('backtest')
    .summary('score the advice, and others, on recorded blocks')
    .description(
      'Walks recorded blocks one by one, advises at each with the past alone, and says what came of it: for gastop, for what other tools would have signed, and for perfect foresight.',
    )
    .argument('<FILE>', 'JSON Lines of gastop record or CSV, plain or gzip')
    .option('--from <N>', 'judge from block N on; what lies before is learned from')
    .option('--to <N>', 'judge up to block N; what lies behind only tells what came of it')
    .option('--lanes', 'only the lanes')
    .option('--horizons', 'only the horizons')
    .option('--json', 'all figures for programs; docs/COMMANDS.md says what stands where')
    .option('--predictions <OUT>', 'write what was said at each block as JSON Lines')
    .option('--force', 'replace OUT if it exists')
    .addHelpText(
      'after',
      examples(['gastop backtest blocks.jsonl', 'gastop backtest blocks.csv.gz --json | jq .lanes']),
    )
    .action(async (file: string, flags: BacktestFlags) => {
      const { backtest } = await import('./commands/backtest.ts');
      done(await backtest(contextFor(flagsOf()), file, flags));
    });

  program.commandsGroup('Serve');
  addServeCommand(program, contextFor, flagsOf, done);
  addKeysCommand(program, contextFor, flagsOf, done);

  program.commandsGroup('Set up');
  program
    .command('doctor')
    .summary('what a service answers, route by route')
    .description('Asks every read route of the service and says what was understood and what was missing.')
    .option('--json', 'all of it for programs; docs/COMMANDS.md says what stands where')
    .addHelpText(
      'after',
      `${examples(['gastop doctor --url https://gas.example.org', 'gastop doctor --json | jq .warnings'])}

Exit codes
  0 usable   1 its prices cannot be understood   3 unreachable
  4 key missing or refused   5 quota used up`,
    )
    .action(async (flags: DoctorFlags) => {
      done(await doctor(contextFor(flagsOf()), flags));
    });
  program
    .command('config')
    .summary('every setting and where it came from')
    .description('Prints every setting and where it came from. Keys are never shown.')
    .action(async () => {
      done(await config(contextFor(flagsOf())));
    });
  program
    .command('completion')
    .summary('completion for your shell')
    .description('Prints a completion script. Load it from the file your shell reads at its start.')
    .addArgument(program.createArgument('<shell>', 'bash, zsh or fish').choices(['bash', 'zsh', 'fish']))
    .addHelpText(
      'after',
      examples([
        'source <(gastop completion bash)',
        'gastop completion zsh > ~/.zfunc/_gastop',
        'gastop completion fish > ~/.config/fish/completions/gastop.fish',
      ]),
    )
    .action(async (shell: Shell) => {
      done(completion(contextFor(flagsOf()), program, shell));
    });

  for (const command of program.commands) command.helpOption('-h, --help', 'print this help');
  return program;
}

function addSourceOptions(program: Command): void {
  program.optionsGroup('Where the data comes from (one of; else the config file, else public nodes)');
  program
    .option('--url <URL>', 'a v1 gas-price service; its key is GASTOP_API_KEY')
    .option('--rpc <URL>', 'Ethereum node, http(s) or ws(s); several fall over', append)
    .option('--replay <FILE>', 'recorded blocks: JSON Lines or CSV')
    .option('--demo', 'a simulated chain; needs no network');
  program.optionsGroup('Settings (with every command, before or after its name)');
  program
    .option('--speed <N>', 'play a recording N times as fast (monitor: 1)')
    .option('--seed <N>', 'another simulated chain (default 1)')
    .option('--history <TIME>', 'how much past to load, 1h to 30d (default 30d)')
    .option('--confirmations <N>', "blocks that make an auto-tx final (default: the chain's own)")
    .option('--db <FILE>', 'keep history in this database')
    .option('--ascii', 'nothing but ASCII characters')
    .option('--allow-private-targets', 'alerts may go to this machine and private networks')
    .option('--config <FILE>', 'another config file');
  program.optionsGroup('Help');
  program

    .version(`gastop ${VERSION}`, '-V, --version', 'print the version')
    .addHelpOption(
      new Option('-h, --help', "print this help; after a command, the command's").helpGroup('Help'),
    );
}

function append(url: string, before: readonly string[] = []): readonly string[] {
  return [...before, url];
}

/** commander's words about `argv` as one line; `null` where it only printed help or the version. */
export function commanderMessage(
  error: CommanderError,
  program: Command,
  argv: readonly string[],
): string | null {
  if (error.exitCode === 0) return null;
  const unknown = error.code === 'commander.unknownOption' ? misspeltCommand(program, argv) : null;
  if (unknown !== null) return unknown;
  const text = error.message.replace(/^error: /, '').replace(/\s*\n\s*/g, ' ');
  return `${text.replace(/\.$/, '')}; see ${commandWords(program, argv)} --help`;
}

/** `gastop keys create`, as far as `argv` names a command. */
function commandWords(program: Command, argv: readonly string[]): string {
  const names = [program.name()];
  let command = program;
  for (const word of argv) {
    const next = command.commands.find((candidate) => candidate.name() === word);
    if (next === undefined) continue;
    names.push(word);
    command = next;
  }
  return names.join(' ');
}
