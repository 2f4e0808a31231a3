import type { Command } from 'commander';
import type { CommandContext } from '../command-context.ts';
import { completionScript, type Shell } from '../completion-scripts.ts';
import { EXIT, type ExitCode } from '../exit-code.ts';

/** `gastop completion SHELL`; commander has checked the shell's name. */
export function completion({ io }: CommandContext, program: Command, shell: Shell): ExitCode {
  io.stdout.write(completionScript(program, shell));
  return EXIT.ok;
}
