import { type Command, type CommanderError, type Help, Option } from 'commander';
import { VERSION } from '../contract/routes.ts';
import { CliCommand, type CommandContext } from './command.ts';
import { EXIT } from './errors.ts';
import type { Io } from './io.ts';
import { paints, wantsColour } from './output.ts';
import { append, unknownCommand } from './parse.ts';
import { SETTING_ROWS, type SourceFlags } from './settings-table.ts';

const WIDEST_HELP = 80;

type AddCommand = (program: CliCommand) => void;
type LoadCommand = () => Promise<AddCommand>;

const explorer: LoadCommand = async () => (await import('./commands/explorer.ts')).addExplorer;

/** By name, in the order of the help. The code of a command is loaded when it is called, or when all are listed. */
const COMMANDS: Readonly<Record<string, Readonly<Record<string, LoadCommand>>>> = {
  Watch: {
    live: async () => (await import('./commands/live.ts')).addLive,
    now: async () => (await import('./commands/now.ts')).addNow,
    cost: async () => (await import('./commands/cost.ts')).addCost,
    chains: async () => (await import('./commands/chains.ts')).addChains,
    wait: async () => (await import('./commands/wait.ts')).addWait,
    alerts: async () => (await import('./commands/alerts.ts')).addAlerts,
    'auto-txs': async () => (await import('./commands/auto-txs.ts')).addAutoTxs,
    history: async () => (await import('./commands/history.ts')).addHistory,
    block: explorer,
    tx: explorer,
    fork: async () => (await import('./commands/fork.ts')).addFork,
  },
  Keep: {
    record: async () => (await import('./commands/record.ts')).addRecord,
    backtest: async () => (await import('./commands/backtest.ts')).addBacktest,
  },
  Serve: {
    serve: async () => (await import('./commands/serve.ts')).addServe,
    mcp: async () => (await import('./commands/mcp.ts')).addMcp,
    keys: async () => (await import('./commands/keys.ts')).addKeys,
    migrate: async () => (await import('./commands/migrate.ts')).addMigrate,
  },
  'Set up': {
    doctor: async () => (await import('./commands/doctor.ts')).addDoctor,
    config: async () => (await import('./commands/config.ts')).addConfig,
    completion: async () => (await import('./completion.ts')).addCompletion,
  },
};
/** Runs without a name. */
const DEFAULT_COMMAND = 'live';

/** Without commands, which `addCommands` adds; `done` takes the exit code. */
export function createProgram(
  contextFor: (flags: SourceFlags) => CommandContext,
  { stdout, env }: Pick<Io, 'stdout' | 'env'>,
  done: (exitCode: number) => void,
): CliCommand {
  const program: CliCommand = new CliCommand(
    'gastop',
    (work) =>
      async (...args) =>
        done((await work(contextFor(program.opts<SourceFlags>()), ...args)) ?? EXIT.ok),
  )
    .description('top for gas: what to pay now, and what to pay if you can wait')
    .usage('[command] [options]')
    .configureOutput({
      writeOut: (text) => stdout.write(text),
      writeErr: () => {},
      outputError: () => {},
      getOutHelpWidth: () => Math.min(stdout.columns ?? WIDEST_HELP, WIDEST_HELP),
      getOutHasColors: () => wantsColour({ stdout, env }),
    })
    .configureHelp({ styleTitle: paints(true).title, formatHelp })
    .helpCommand(false)
    .exitOverride()
    .showHelpAfterError(false)
    .addHelpText('after', ROOT_EXAMPLES);
  addSourceOptions(program);
  return program;
}

/** Adds what `argv` calls: one command, none for the version, all where they are listed or the name is not known. */
export async function addCommands(program: CliCommand, argv: readonly string[]): Promise<void> {
  const word = commandWord(program, argv);
  const names = Object.values(COMMANDS).flatMap((group) => Object.keys(group));
  if (word === undefined && argv.some((each) => each === '--version' || each === '-V')) return;
  const isListed = word === undefined && argv.some((each) => each === '--help' || each === '-h');
  // Completion is of all.
  const isOfAll = isListed || word === 'completion' || (word !== undefined && !names.includes(word));
  await addNamed(program, isOfAll ? names : [word ?? DEFAULT_COMMAND]);
}

async function addNamed(program: CliCommand, names: readonly string[]): Promise<void> {
  for (const [title, group] of Object.entries(COMMANDS)) {
    program.commandsGroup(title);
    const loads = new Set(names.flatMap((name) => group[name] ?? []));
    for (const add of await Promise.all([...loads].map((load) => load()))) add(program);
  }
  for (const command of program.commands.flatMap((each) => [each, ...each.commands])) {
    command.helpOption('-h, --help', 'print this help');
  }
}

/** The first word that is neither an option of the program nor its value. */
function commandWord(program: Command, argv: readonly string[]): string | undefined {
  for (let place = 0; place < argv.length; place++) {
    const word = argv[place] ?? '';
    if (word === '--') return undefined;
    if (!word.startsWith('-')) return word;
    const option = program.options.find(({ long, short }) => word === long || word === short);
    const isValue = option?.optional === true && argv[place + 1]?.startsWith('-') === false;
    if (option?.required === true || isValue) place += 1;
  }
  return undefined;
}

function addSourceOptions(program: Command): void {
  for (const [, { at, help, append: isList, as }] of SETTING_ROWS) {
    program.optionsGroup(as === 'source' ? SOURCES : FOR_ALL);
    if (at.flag === undefined) continue;
    const option = new Option(at.flag, help);
    program.addOption(isList ? option.argParser(append) : option);
  }
  program.optionsGroup('Help');
  program
    .version(`gastop ${VERSION}`, '-V, --version', 'print the version')
    .addHelpOption(
      new Option('-h, --help', "print this help; after a command, the command's").helpGroup('Help'),
    );
}

const SOURCES = 'Where the data comes from (one of; else the config file, else public nodes)';
const FOR_ALL = 'Settings (with every command, before or after its name)';

const ROOT_EXAMPLES = `
Examples
  gastop --demo                              look around, no network needed
  gastop --rpc http://127.0.0.1:8545         your own node
  gastop now --format '{average} gwei'       for a status bar
  gastop history --window 7d --chart         the week as a line
  gastop chains --chains base,op,scroll      what a swap costs on each

Exit codes
  0 ok   1 failed   2 wrong usage   3 source unreachable or prices old
  4 key missing or refused   5 quota used up`;

type Item = readonly [term: string, text: string];

function formatHelp(command: Command, helper: Help): string {
  const title = (text: string): string => helper.styleTitle(text);
  const commands = helper.groupItems(
    [...command.commands],
    helper.visibleCommands(command),
    (each) => each.helpGroup() || 'Commands',
  );
  const options = helper.groupItems(
    [...command.options],
    helper.visibleOptions(command),
    (option) => option.helpGroupHeading ?? 'Flags',
  );
  const args = helper.visibleArguments(command);
  const sections: (readonly [string, readonly Item[]])[] = [
    ...[...commands].map(
      ([heading, list]) => [heading, list.map((one) => commandItem(one, helper))] as const,
    ),
    ['Arguments', args.map((each): Item => [helper.argumentTerm(each), each.description])],
    ...[...options].map(([heading, list]) => [heading, list.map((one) => optionItem(one, helper))] as const),
  ];
  const width = Math.max(...sections.flatMap(([, items]) => items.map(([term]) => term.length)), 0);
  return `${[
    helper.boxWrap(`${title(fullName(command))}  ${command.description()}`, helper.helpWidth ?? 80),
    '',
    `${title('Usage')}  ${helper.commandUsage(command)}`,
    ...sections
      .filter(([, items]) => items.length > 0)
      .flatMap(([heading, items]) => [
        '',
        title(heading),
        ...items.map(([term, text]) => helper.formatItem(term, width, text, helper)),
      ]),
    ...(command.parent === null
      ? []
      : ['', 'Source and settings flags go with every command: gastop --help']),
  ].join('\n')}\n`;
}

function fullName(command: Command): string {
  return command.parent === null ? command.name() : `${fullName(command.parent)} ${command.name()}`;
}

function commandItem(command: Command, helper: Help): Item {
  const words = command.registeredArguments.map((argument) => {
    const name = argument.variadic ? `${argument.name()}…` : argument.name();
    return argument.required ? `<${name}>` : `[${name}]`;
  });
  return [[command.name(), ...words].join(' '), helper.subcommandDescription(command)];
}

function optionItem(option: Option, helper: Help): Item {
  const choices = option.argChoices === undefined ? '' : `: ${option.argChoices.join(', ')}`;
  const standard = typeof option.defaultValue === 'string' ? ` (default ${option.defaultValue})` : '';
  return [helper.optionTerm(option), `${option.description}${choices}${standard}`];
}

/** What commander objects to, as a message that names the help. */
export function commanderMessage(error: CommanderError, program: Command, argv: readonly string[]): string {
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
