import type { Io } from './io.ts';

/** Whether what goes to stdout is coloured: on a terminal, unless that has none or its user wants none (https://no-color.org, https://bixense.com/clicolors). */
export function wantsColour({ stdout, env }: Pick<Io, 'stdout' | 'env'>): boolean {
  return stdout.isTTY === true && !env.NO_COLOR && env.CLICOLOR !== '0' && env.TERM !== 'dumb';
}
