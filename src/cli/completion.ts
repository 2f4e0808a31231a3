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
    .does(async ({ io }, shell: 'bash' | 'zsh' | 'fish') => {
      io.stdout.write({ bash, zsh, fish }[shell](treeOf(program)));
    });
}

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
  const names = commands.map((command) => command.name);
  const all = [...flags, ...commands.flatMap((command) => command.flags)];
  const ofKind = (kind: Flag['kind']) => all.filter((flag) => flag.kind === kind);
  const reply = (list: readonly string[], files = '') =>
    `COMPREPLY=($(compgen ${files}-W "${list.join(' ')}" -- "$current"))`;
  const globals = [...longs(flags), '--help'];
  const branch = ({ name, words, flags: own, takesFile }: Tree['commands'][number]) =>
    `    ${name}) ${reply([...words, ...longs(own), ...globals], takesFile ? '-f ' : '')} ;;`;
  return `# bash completion for gastop
_gastop() {
  local current="\${COMP_WORDS[COMP_CWORD]}" before="\${COMP_WORDS[COMP_CWORD-1]}" command="" word
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case "$word" in ${names.join('|')}) command="$word"; break ;; esac
  done
  case "$before" in
    ${longs(ofKind('file')).join('|')}) COMPREPLY=($(compgen -f -- "$current")); return ;;
    ${longs(ofKind('text')).join('|')}) return ;;
${ofKind('choice')
  .map((flag) => `    ${flag.long}) ${reply(flag.choices)}; return ;;`)
  .join('\n')}
  esac
  case "$command" in
${commands.map(branch).join('\n')}
    *) ${reply([...names, ...globals])} ;;
  esac
}
complete -F _gastop gastop
`;
}

function zsh({ flags, commands }: Tree): string {
  const spec = ({ long, text, kind, choices }: Flag): string => {
    const choice = `:value:(${choices.join(' ')})`;
    const value = { none: '', file: ':file:_files', text: ':value: ', choice }[kind];
    const several = ['--rpc', '--cors'].includes(long) ? '*' : '';
    // Brackets and colons have a meaning in a specification.
    return zshQuote(`${several}${long}[${text.replace(/[[\]:\\]/g, (sign) => `\\${sign}`)}]${value}`);
  };
  const branch = ({ name, words, flags: own, takesFile }: Tree['commands'][number]): string => {
    const list = words.length === 0 ? [] : [zshQuote(`:word:(${words.join(' ')})`)];
    const specs = [...list, ...(takesFile ? [zshQuote('*:file:_files')] : []), ...own.map(spec)];
    return `      ${name})\n        _arguments $common ${specs.join(' ')} ;;`;
  };
  const indented = (lines: readonly string[]) => lines.map((line) => `    ${line}`).join('\n');
  return `#compdef gastop
# zsh completion for gastop
_gastop() {
  local -a common commands
  local state line
  common=(
${indented([...flags.map(spec), zshQuote('--help[print help]')])}
  )
  commands=(
${indented(commands.map((command) => zshQuote(`${command.name}:${command.text}`)))}
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
  const line = (condition: string, rest: string) => `complete -c gastop${condition} ${rest}`;
  const flagLine = ({ long, text, kind, choices }: Flag, condition = ''): string => {
    const choice = ` -x -a ${fishQuote(choices.join(' '))}`;
    const value = { none: '', file: ' -r -F', text: ' -x', choice }[kind];
    return line(condition, `-l ${long.replace(/^--/, '')}${value} -d ${fishQuote(text)}`);
  };
  const seen = (names: string) => `__fish_seen_subcommand_from ${names}`;
  const none = ` -n ${fishQuote(`not ${seen(commands.map(({ name }) => name).join(' '))}`)}`;
  return `${[
    '# fish completion for gastop',
    'complete -c gastop -f',
    ...flags.map((flag) => flagLine(flag)),
    line('', `-l help -d ${fishQuote('print help')}`),
    ...commands.map(({ name, text }) => line(none, `-a ${name} -d ${fishQuote(text)}`)),
    ...commands.flatMap(({ name, words, flags: own, takesFile }) => {
      const within = ` -n ${fishQuote(seen(name))}`;
      return [
        ...own.map((flag) => flagLine(flag, within)),
        ...(words.length === 0 ? [] : [line(within, `-a ${fishQuote(words.join(' '))}`)]),
        ...(takesFile ? [line(within, '-F')] : []),
      ];
    }),
  ].join('\n')}\n`;
}

const longs = (flags: readonly Flag[]) => flags.map(({ long }) => long);
const zshQuote = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;
const fishQuote = (text: string): string => `'${text.replace(/['\\]/g, (character) => `\\${character}`)}'`;
