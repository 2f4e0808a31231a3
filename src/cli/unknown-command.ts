import type { Command } from 'commander';
import { usageError } from './cli-error.ts';
import { closestName } from './closest-name.ts';

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
export function misspeltCommand(program: Command, argv: readonly string[]): string | null {
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
