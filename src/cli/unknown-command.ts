import type { Command } from 'commander';
import { usageError } from './cli-error.ts';

/** Refuses a first word that is no command of `program`; without any word there is nothing to refuse. */
export function refuseUnknownCommand(args: readonly string[], program: Command): void {
  const [word] = args;
  if (word === undefined) return;
  const names = program.commands.map((command) => command.name());
  const similar = names.find((name) => name.startsWith(word.slice(0, 3)) || word.startsWith(name));
  throw usageError(
    `unknown command "${word}"; ${similar ? `did you mean ${similar}?` : `known are ${names.join(', ')}`}`,
  );
}
