import type { Argument, Command, Option } from 'commander';
import { addCommands, createProgram } from '../../src/cli/program.ts';

const WIDEST = 10_000;

const refuse = () => {
  throw new Error('a command was run while its help was read');
};
const program = createProgram(refuse, { stdout: { write: () => {}, columns: WIDEST }, env: {} }, refuse);
await addCommands(program, ['--help']);

/** The program's commands as `--help` has them; none of them is run. */
export const commandTree = (): Command => program;

/** The program's commands and those below them, each before its own. */
export function allCommands(command: Command = commandTree()): readonly Command[] {
  return command.commands.flatMap((each) => [each, ...allCommands(each)]);
}

/** `gastop keys create` */
export function fullName(command: Command): string {
  return command.parent === null ? command.name() : `${fullName(command.parent)} ${command.name()}`;
}

/** Flags without `--help`, which all have. */
export function ownFlags(command: Command): readonly Option[] {
  return command
    .createHelp()
    .visibleOptions(command)
    .filter((option) => option.long !== '--help');
}

/** What a flag does, with its choices and its default where it says them only to commander. */
export function flagText({ description, argChoices, defaultValue }: Option): string {
  const choices = argChoices === undefined ? '' : `: ${argChoices.join(', ')}`;
  return `${description}${choices}${typeof defaultValue === 'string' ? ` (default ${defaultValue})` : ''}`;
}

/** `<hash>`, `[FILE]`, `<id…>` */
export function argumentTerm(argument: Argument): string {
  const name = argument.variadic ? `${argument.name()}…` : argument.name();
  return argument.required ? `<${name}>` : `[${name}]`;
}

/** What stands under a command's flags in its help: examples, and what else is to be said. */
export function textAfter(command: Command): string {
  let text = '';
  const before = command.configureOutput();
  command.configureOutput({
    ...before,
    writeOut: (part) => {
      text += part;
    },
  });
  command.outputHelp();
  command.configureOutput(before);
  return text.slice(command.helpInformation().length).trim();
}
