import { Command, type CommanderError, Option } from 'commander';
import { addKeysCommand } from './commands/add-keys.ts';
import { addServeCommand } from './commands/add-serve.ts';
import { addAlertsCommand } from './commands/alerts.ts';
import { addAutoTxsCommand } from './commands/auto-txs.ts';
import type { BacktestFlags } from './commands/backtest.ts';
import { config } from './commands/config.ts';
import { type DoctorFlags, doctor } from './commands/doctor.ts';
import { block, type ExplorerFlags, tx } from './commands/explorer.ts';
import { type HistoryFlags, history } from './commands/history.ts';
import { live } from './commands/live.ts';
import { type NowFlags, now } from './commands/now.ts';
import type { RecordFlags } from './commands/record.ts';
import { type WaitFlags, wait } from './commands/wait.ts';
import { completion, type Shell } from './completion.ts';
import type { CommandContext } from './context.ts';
import { usageError } from './errors.ts';
import { examples, formatHelp, ROOT_EXAMPLES } from './help.ts';
import { VERSION } from './output.ts';
import { closestName } from './parse.ts';
import type { SourceFlags } from './settings.ts';

const WIDEST_HELP = 80;

/** What a command's action is given: its process, and the global flags that were typed anywhere on the line. */
export type ContextFor = (flags: SourceFlags) => CommandContext;

interface ProgramOutput {
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

/** The monitor, and what else shows prices, waits for them or tells of them. */
function addWatchCommands(
  program: Command,
  contextFor: ContextFor,
  flagsOf: () => SourceFlags,
  done: (exitCode: number) => void,
): void {
  program.commandsGroup('Watch');
  program
    .command('live', { isDefault: true })
    .summary('the monitor (what runs without a command)')
    .description('The monitor: lanes, advice and charts, live. Press ? in it for the keys, q to leave.')
    .allowExcessArguments()
    .action(async (_flags: object, command: Command) => {
      refuseUnknownCommand(command.args, program);
      done(await live(contextFor(flagsOf())));
    });
  program
    .command('now')
    .summary('one snapshot, for people, scripts and status bars')
    .description('One snapshot: the three lanes, the next base fee and what to do.')
    .addOption(new Option('--json', "print the service's v1 answer as it is").conflicts('format'))
    .option('--format <TEXT>', "print TEXT with {average} {next} {action} … filled in; '{}' lists all")
    .addOption(new Option('--below <GWEI>', 'how likely gas costs that or less in time').conflicts('format'))
    .option('--within <TIME>', 'by when, with --below: 10m, 6h; gastop itself can tell up to 1d (default 1h)')
    .option('--stale-ok', 'print old prices too; without it they are exit 3')
    .addHelpText(
      'after',
      examples([
        "gastop now --format '{average} gwei, {action}'",
        'gastop now --below 0.05 --within 6h',
        'gastop now --demo --json',
      ]),
    )
    .action(async (flags: NowFlags) => {
      done(await now(contextFor(flagsOf()), flags));
    });
  program
    .command('wait')
    .summary('wait for a price, then exit 0 or run a command')
    .description(
      'Waits until gas costs that or less, then ends with 0 or runs the command, whose exit code is its own. Old prices do not count; failures of the source are waited out.',
    )
    .argument('[command...]', 'what to run then, after --')
    .usage('--below GWEI [options] [-- command...]')
    .option('--below <GWEI>', 'wait until the price is that or less')
    .option('--above <GWEI>', 'wait until it is that or more')
    .addOption(
      new Option('--lane <LANE>', 'whose price').choices(['slow', 'average', 'fast']).default('average'),
    )
    .option('--timeout <TIME>', 'give up after that: 30m, 12h, at most 24d (exit 124)')
    .option('--confirm <N>', 'wait until N blocks in a row are so (default 1)')
    .option('--quiet', 'say nothing but why it ended')
    .addHelpText(
      'after',
      `${examples(['gastop wait --below 5 && ./deploy.sh', 'gastop wait --below 0.05 --timeout 6h -- ./deploy.sh --network mainnet'])}

The command gets
  GASTOP_PRICE_GWEI  GASTOP_BLOCK  GASTOP_LANE  GASTOP_CHAIN_ID  GASTOP_SOURCE
  and the lane's caps: GASTOP_MAX_FEE_GWEI  GASTOP_TIP_GWEI

Exit codes
  the command's own, 128 + n if signal n ended it   124 the time is up
  126 the command cannot be run   127 it is not there`,
    )
    .action(async (words: string[], flags: WaitFlags) => {
      done(await wait(contextFor(flagsOf()), words, flags));
    });
  addAlertsCommand(program, contextFor, flagsOf, done);
  addAutoTxsCommand(program, contextFor, flagsOf, done);
  program
    .command('history')
    .summary('base fee and tips of the last hours or days')
    .description('Base fee, tips and fullness of blocks over the last hours or days.')
    .option('--window <TIME>', 'how far back: 90m, 24h, 7d, at most 30d', '24h')
    .addOption(new Option('--bucket <SIZE>', 'length of a row').choices(['block', '1m', '5m', '1h', '1d']))
    .addOption(new Option('--csv', 'comma-separated, prices in wei').conflicts(['json', 'chart']))
    .addOption(new Option('--json', "the service's v1 answer as it is").conflicts(['csv', 'chart']))
    .addOption(new Option('--chart', 'a line drawn with text').conflicts(['csv', 'json']))
    .addHelpText('after', examples(['gastop history --window 7d --chart', 'gastop history --csv > day.csv']))
    .action(async (flags: HistoryFlags) => {
      done(await history(contextFor(flagsOf()), flags));
    });

  program
    .command('block')
    .summary('one block: fees, tips, fullness, what it burnt')
    .description('One block: base fee and the next one, tips, fullness, blobs, what it burnt.')
    .argument('[number]', 'its number (24337604, 24,337,604, 0x1735cc4) or latest', 'latest')
    .option('--json', "print the service's v1 answer as it is")
    .addHelpText('after', examples(['gastop block', 'gastop block 24337604 --json']))
    .action(async (number: string, flags: ExplorerFlags) => {
      done(await block(contextFor(flagsOf()), number, flags));
    });
  program
    .command('tx')
    .summary('one transaction: what it paid, and where its tip stood')
    .description("One transaction: what it paid, and where its tip stood among its block's.")
    .argument('<hash>', '0x and 64 hexadecimal digits')
    .option('--json', "print the service's v1 answer as it is")
    .addHelpText(
      'after',
      examples(['gastop tx 0x4a5e… --rpc http://127.0.0.1:8545', 'gastop tx 0x4a5e… --json | jq .costWei']),
    )
    .action(async (hash: string, flags: ExplorerFlags) => {
      done(await tx(contextFor(flagsOf()), hash, flags));
    });
}

/** Refuses a first word that is no command of `program`; without any word there is nothing to refuse. */
export function refuseUnknownCommand(args: readonly string[], program: Command): void {
  const words = unknownCommand(args[0], program);
  if (words !== null) throw usageError(words);
}

/** That `word` is no command of `program`, and which was meant; `null`: it is one, or none. */
function unknownCommand(word: string | undefined, program: Command): string | null {
  if (word === undefined || program.commands.some((command) => command.name() === word)) return null;
  const names = program.commands.map((command) => command.name());
  const similar =
    names.find((name) => name.startsWith(word.slice(0, 3)) || word.startsWith(name)) ??
    closestName(word, names);
  return `unknown command "${word}"; ${similar ? `did you mean ${similar}?` : `known are ${names.join(', ')}`}`;
}

/** An option may be unknown only because its command is misspelt: what is said of that, `null`: it is not. */
function misspeltCommand(program: Command, argv: readonly string[]): string | null {
  const names = new Set(program.commands.map((command) => command.name()));
  const at = argv.findIndex((word) => names.has(word));
  const [first] = argv;
  // Before the command stand options and their values; where none is known, only the first word is surely one.
  if (at < 0) return first === undefined || first.startsWith('-') ? null : unknownCommand(first, program);
  const group = program.commands.find((command) => command.name() === argv[at]);
  const next = argv[at + 1];
  if (group === undefined || group.commands.length === 0 || next === undefined || next.startsWith('-'))
    return null;
  return unknownCommand(next, group);
}
