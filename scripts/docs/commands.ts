import type { Command } from 'commander';
import { EXIT } from '../../src/cli/errors.ts';
import { allCommands, argumentTerm, commandTree, flagText, fullName, ownFlags } from './command-tree.ts';
import { code, table } from './markdown.ts';

const EXIT_SAYS: Readonly<Record<keyof typeof EXIT, string>> = {
  ok: 'ok',
  failed: 'failed',
  usage: 'wrong usage',
  unreachable: 'source unreachable, or it gives nothing new',
  key: 'key missing or refused',
  quota: 'quota used up',
  timedOut: '`wait` gave up after `--timeout`',
  notExecutable: 'the command of `wait` cannot be run',
  notFound: 'the command of `wait` is not there',
};

/** Each exit code once, with what it says, smallest first. */
export const EXIT_CODES: readonly (readonly [code: number, says: string])[] = Object.entries(EXIT).map(
  ([name, exitCode]) => [exitCode, EXIT_SAYS[name as keyof typeof EXIT]],
);

export function exitCodesTable(): string {
  return table(
    ['exit code', 'meaning'],
    EXIT_CODES.map(([exitCode, says]) => [String(exitCode), says]),
  );
}

/** Every command's arguments and flags, as its help has them; those of all commands first. */
export function flagsReference(): string {
  const root = commandTree();
  const all = ['### With every command', flagRows(root)];
  return [...all, ...allCommands(root).flatMap(commandPart)].join('\n\n');
}

function commandPart(command: Command): readonly string[] {
  const title = `### ${fullName(command)}`;
  const rows = flagRows(command);
  return [title, command.description(), ...(rows === '' ? [] : [rows])];
}

function flagRows(command: Command): string {
  const rows = [
    ...command.registeredArguments.map((argument) => [code(argumentTerm(argument)), argument.description]),
    ...ownFlags(command).map((option) => [code(option.flags), flagText(option)]),
  ];
  return rows.length === 0
    ? ''
    : table(
        ['', ''],
        rows.map((row) => row.map(plain)),
      );
}

/** What the help says in angle brackets and braces is text here, too. */
function plain(text: string): string {
  return text.startsWith('`') ? text : text.replaceAll('<', '&lt;').replaceAll('{', '&#123;');
}
