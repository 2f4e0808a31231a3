import type { Command, Option } from 'commander';
import type { CliCommand } from './command.ts';

export function addCompletion(program: CliCommand): void {
  program
    .command('completion')
    .summary('completion for your shell')
    .description('Prints a completion script. Load it from the file your shell reads at its start.')
    .addArgument(program.createArgument('<shell>', 'bash, zsh or fish').choices(['bash', 'zsh', 'fish']))
    .examples(
      'source <(gastop completion bash)',
      'gastop completion zsh > ~/.zfunc/_gastop',
      'gastop completion fish > ~/.config/fish/completions/gastop.fish',
    )
    .does(async ({ io }, shell: Shell) => {
      io.stdout.write({ bash, zsh, fish }[shell](treeOf(program)));
    });
}

type Shell = 'bash' | 'zsh' | 'fish';

const FILES = ['FILE', 'OUT'];

type Tree = ReturnType<typeof treeOf>;
type Flag = ReturnType<typeof flagOf>;

function treeOf({ options, commands }: Command) {
  return {
    flags: options.map(flagOf),
    commands: commands.map((command) => {
      const all = [command, ...command.commands].flatMap((each) => each.options);
      const args = command.registeredArguments;
      return {
        name: command.name(),
        text: command.summary(),
        flags: [...new Map(all.map((option) => [option.long, flagOf(option)])).values()],
        words: [
          ...command.commands.map((each) => each.name()),
          ...args.flatMap(({ argChoices }) => argChoices ?? []),
        ],
        takesFile: args.some((argument) => FILES.includes(argument.name())),
      };
    }),
  };
}

function flagOf({ long, flags, description: text, required, optional, argChoices = [] }: Option) {
  const isFile = FILES.some((name) => flags.includes(`<${name}>`));
  const kind = !(required || optional) ? 'none' : argChoices.length > 0 ? 'choice' : isFile ? 'file' : 'text';
  return { long: long ?? flags, text, kind, choices: argChoices } as const;
}

function bash({ flags, commands }: Tree): string {
  const names = commands.map((command) => command.name).join(' ');
  const all = [...flags, ...commands.flatMap((command) => command.flags)];
  const files = longs(all.filter(({ kind }) => kind === 'file')).join('|');
  const texts = longs(all.filter(({ kind }) => kind === 'text')).join('|');
  const chosen = all.filter(({ kind }) => kind === 'choice');
  const words = (list: readonly string[], files = '') =>
    `COMPREPLY=($(compgen ${files}-W "${list.join(' ')}" -- "$current"))`;
  return `# bash completion for gastop
_gastop() {
  local current="\${COMP_WORDS[COMP_CWORD]}" before="\${COMP_WORDS[COMP_CWORD-1]}" command="" word
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case "$word" in ${names.replaceAll(' ', '|')}) command="$word"; break ;; esac
  done
  case "$before" in
    ${files}) COMPREPLY=($(compgen -f -- "$current")); return ;;
    ${texts}) return ;;
${chosen.map((flag) => `    ${flag.long}) ${words(flag.choices)}; return ;;`).join('\n')}
  esac
  case "$command" in
${commands
  .map(
    (command) =>
      `    ${command.name}) ${words([...command.words, ...longs(command.flags), ...longs(flags), '--help'], command.takesFile ? '-f ' : '')} ;;`,
  )
  .join('\n')}
    *) ${words([...commands.map((command) => command.name), ...longs(flags), '--help'])} ;;
  esac
}
complete -F _gastop gastop
`;
}

function zsh({ flags, commands }: Tree): string {
  const spec = (flag: Flag): string => {
    const choice = `:value:(${flag.choices.join(' ')})`;
    const value = { none: '', file: ':file:_files', text: ':value: ', choice }[flag.kind];
    const several = ['--rpc', '--cors'].includes(flag.long) ? '*' : '';
    // Brackets and colons have a meaning in a specification.
    const text = flag.text.replace(/[[\]:\\]/g, (character) => `\\${character}`);
    return zshQuote(`${several}${flag.long}[${text}]${value}`);
  };
  const specs = (list: readonly Flag[]) => list.map((flag) => `    ${spec(flag)}`);
  const branch = (command: Tree['commands'][number]): string => {
    const words = command.words.length === 0 ? [] : [`    ${zshQuote(`:word:(${command.words.join(' ')})`)}`];
    const files = command.takesFile ? [`    ${zshQuote('*:file:_files')}`] : [];
    const own = [...words, ...files, ...specs(command.flags)];
    return `      ${command.name})\n        _arguments $common ${own.map((line) => line.trim()).join(' ')} ;;`;
  };
  return `#compdef gastop
# zsh completion for gastop
_gastop() {
  local -a common commands
  local state line
  common=(
${[...specs(flags), `    ${zshQuote('--help[print help]')}`].join('\n')}
  )
  commands=(
${commands.map((command) => `    ${zshQuote(`${command.name}:${command.text}`)}`).join('\n')}
  )
  _arguments -C $common '1:command:->command' '*::argument:->argument'
  case $state in
    command) _describe command commands ;;
    argument)
      case $line[1] in
${commands.map(branch).join('\n')}
      esac ;;
  esac
}
if [ "$funcstack[1]" = _gastop ]; then _gastop "$@"; else compdef _gastop gastop; fi
`;
}

function fish({ flags, commands }: Tree): string {
  const names = commands.map((command) => command.name).join(' ');
  const flagLine = (flag: Flag, condition: string): string => {
    const choice = ` -x -a ${fishQuote(flag.choices.join(' '))}`;
    const value = { none: '', file: ' -r -F', text: ' -x', choice }[flag.kind];
    return `complete -c gastop${condition} -l ${flag.long.replace(/^--/, '')}${value} -d ${fishQuote(flag.text)}`;
  };
  const none = ` -n ${fishQuote(`not __fish_seen_subcommand_from ${names}`)}`;
  const within = (name: string) => ` -n ${fishQuote(`__fish_seen_subcommand_from ${name}`)}`;
  return `${[
    '# fish completion for gastop',
    'complete -c gastop -f',
    ...flags.map((flag) => flagLine(flag, '')),
    `complete -c gastop -l help -d ${fishQuote('print help')}`,
    ...commands.map(
      (command) => `complete -c gastop${none} -a ${command.name} -d ${fishQuote(command.text)}`,
    ),
    ...commands.flatMap((command) => [
      ...command.flags.map((flag) => flagLine(flag, within(command.name))),
      ...(command.words.length === 0
        ? []
        : [`complete -c gastop${within(command.name)} -a ${fishQuote(command.words.join(' '))}`]),
      ...(command.takesFile ? [`complete -c gastop${within(command.name)} -F`] : []),
    ]),
  ].join('\n')}\n`;
}

const longs = (flags: readonly Flag[]) => flags.map(({ long }) => long);

const zshQuote = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

const fishQuote = (text: string): string => `'${text.replace(/['\\]/g, (character) => `\\${character}`)}'`;
