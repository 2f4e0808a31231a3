import { spawn } from 'node:child_process';
import { constants, readFileSync } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import { constants as osConstants } from 'node:os';
import { delimiter, join } from 'node:path';
import { type Command, Option } from 'commander';
import type { LaneName } from '../../core/advice.ts';
import { formatCount, formatGwei, gweiString } from '../../core/units.ts';
import { holdsKey } from '../config-file.ts';
import type { CommandContext, Flags, Run } from '../context.ts';
import { CliError, EXIT, usageError } from '../errors.ts';
import { examples } from '../help.ts';
import type { Io } from '../io.ts';
import { warnOfPlainKey } from '../open-source.ts';
import { badgeOf, cleanLine, note } from '../output.ts';
import { checked, given, parseCount, parseDuration, parseGwei } from '../parse.ts';
import { isSecretVariable } from '../settings.ts';
import { followPrice, type Reached } from './follow-price.ts';

export function addWait(program: Command, run: Run): void {
  program
    .command('wait')
    .summary('wait for a price, then exit 0 or run a command')
    .description(
      'Waits until the price is at or below the target, then exits 0, or runs the command and exits with its code. Stale prices do not count; while the source is down it keeps waiting.',
    )
    .argument('[command...]', 'the command to run, after --')
    .usage('--below GWEI [options] [-- command...]')
    .option('--below <GWEI>', 'wait until the price is at or below this')
    .option('--above <GWEI>', 'wait until the price is at or above this')
    .addOption(
      new Option('--lane <LANE>', 'the lane whose price counts')
        .choices(['slow', 'average', 'fast'])
        .default('average'),
    )
    .option('--timeout <TIME>', 'give up after this: 30m, 12h, at most 24d (exit 124)')
    .option('--confirm <N>', 'for N blocks in a row (default 1)')
    .option('--quiet', 'print nothing but errors')
    .addHelpText(
      'after',
      `${examples(['gastop wait --below 5 && ./deploy.sh', 'gastop wait --below 0.05 --timeout 6h -- ./deploy.sh --network mainnet'])}

The command gets
  GASTOP_PRICE_GWEI  GASTOP_BLOCK  GASTOP_LANE  GASTOP_CHAIN_ID  GASTOP_SOURCE
  and the lane's caps: GASTOP_MAX_FEE_GWEI  GASTOP_TIP_GWEI

Exit codes
  the command's own, 128 + n if signal n ended it   124 timed out
  126 the command cannot be run   127 it is not found`,
    )
    .action(run(wait));
}

const LONGEST_TIMEOUT = '24d';
const MOST_CONFIRMATIONS = 1_000;

type WaitFlags = Flags<'below' | 'above' | 'timeout' | 'confirm', 'quiet'> & { readonly lane?: LaneName };

export interface WaitPlan {
  readonly lane: LaneName;
  readonly side: 'below' | 'above';
  readonly target: bigint;
  readonly timeoutSec: number | null;
  readonly confirm: number;
}

export function waitPlan(flags: WaitFlags): WaitPlan {
  const { below, above, timeout, confirm } = flags;
  if (below !== undefined && above !== undefined) {
    throw usageError('--below and --above cannot be combined; name one price to wait for');
  }
  const side = above === undefined ? 'below' : 'above';
  const price = below ?? above;
  if (price === undefined) {
    throw usageError('wait needs a price to wait for: --below GWEI, or --above GWEI');
  }
  return {
    lane: flags.lane ?? 'average',
    side,
    target: checked(`--${side}`, () => parseGwei(price)),
    timeoutSec: given('--timeout', timeout, (text) =>
      parseDuration(text, { min: '1s', max: LONGEST_TIMEOUT }),
    ),
    confirm: given('--confirm', confirm, (text) => parseCount(text, MOST_CONFIRMATIONS)) ?? 1,
  };
}

export function isMet({ side, target }: WaitPlan, price: bigint): boolean {
  return side === 'below' ? price <= target : price >= target;
}

async function wait(
  { io, loadSettings }: CommandContext,
  [command, ...args]: readonly string[],
  flags: WaitFlags,
): Promise<number> {
  const plan = waitPlan(flags);
  const quiet = flags.quiet === true;
  const { settings } = await loadSettings();
  if (command !== undefined) await refuseUnrunnable(command, io);
  warnOfPlainKey(io, settings.source.value);
  const reached = await followPrice(io, settings, plan, quiet);
  // An interruption in the last moment prevents the command.
  io.interruption().throwIfAborted();
  const { price, snapshot } = reached;
  const block = snapshot.blockNumber === null ? '' : ` at block ${formatCount(snapshot.blockNumber)}`;
  if (!quiet) note(io, `${badgeOf(snapshot)}${plan.lane} is ${formatGwei(price)} gwei${block}`);
  return command === undefined ? EXIT.ok : runCommand(io, command, args, withPrice(io.env, plan, reached));
}

/** Keys and passwords are only for gastop: the command may be anything, and passes its environment on. */
const isSecret = ([name, value = '']: readonly [string, string | undefined]) =>
  isSecretVariable(name) || (name === 'GASTOP_RPC' && holdsKey(value));

function withPrice(env: Io['env'], { lane }: WaitPlan, { price, snapshot }: Reached): Io['env'] {
  const { maxFeePerGas, maxPriorityFeePerGas } = snapshot.lanes[lane];
  return {
    ...Object.fromEntries(Object.entries(env).filter((variable) => !isSecret(variable))),
    GASTOP_PRICE_GWEI: gweiString(price),
    GASTOP_BLOCK: snapshot.blockNumber?.toString(),
    GASTOP_CHAIN_ID: snapshot.chainId?.toString(),
    GASTOP_LANE: lane,
    GASTOP_MAX_FEE_GWEI: maxFeePerGas === null ? undefined : gweiString(maxFeePerGas),
    GASTOP_TIP_GWEI: maxPriorityFeePerGas === null ? undefined : gweiString(maxPriorityFeePerGas),
    GASTOP_SOURCE: snapshot.source.kind,
  };
}

const DEFAULT_PATH = '/usr/local/bin:/usr/bin:/bin';

/**
 * Checks that a command can be run, as the shell would, because hours later is too late to report it.
 * @throws CliError (127: not found, 126: not executable)
 */
async function refuseUnrunnable(command: string, { env, platform }: Io): Promise<void> {
  if (platform === 'win32') return;
  const folders = command.includes('/') ? [''] : (env.PATH ?? DEFAULT_PATH).split(delimiter);
  const found = await Promise.all(
    folders.map((folder) => lookAt(folder === '' ? command : join(folder, command))),
  );
  if (command !== '' && found.includes('runnable')) return;
  throw found.includes('not-executable') && command !== '' ? notExecutable(command) : notFound(command);
}

function notFound(command: string): CliError {
  return new CliError(EXIT.notFound, `${named(command)}: there is no such command`);
}

function notExecutable(command: string): CliError {
  return new CliError(
    EXIT.notExecutable,
    `${named(command)} cannot be run; is it a program, and may you run it?`,
  );
}

const named = (command: string) => (command === '' ? '""' : cleanLine(command));

async function lookAt(file: string): Promise<'runnable' | 'not-executable' | 'absent'> {
  try {
    if (!(await stat(file)).isFile()) return file.includes('/') ? 'not-executable' : 'absent';
    await access(file, constants.X_OK);
    return 'runnable';
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EACCES' ? 'not-executable' : 'absent';
  }
}

const OF_THE_KEYBOARD: ReadonlySet<NodeJS.Signals> = new Set(['SIGINT', 'SIGQUIT']);

/** Runs a command with this process's streams and signals; 128 + n for signal n. @throws CliError (127, 126) */
function runCommand(io: Io, command: string, args: readonly string[], env: Io['env']): Promise<number> {
  return new Promise((resolve, reject) => {
    // In this process group: otherwise it could not read from the terminal.
    const child = spawn(command, args, { stdio: 'inherit', env });
    io.takeSignals((name) => {
      if (OF_THE_KEYBOARD.has(name) && isInForeground(io)) return;
      child.kill(name);
    });
    child.once('error', (error: NodeJS.ErrnoException) => {
      if (child.pid !== undefined) return;
      reject(error.code === 'ENOENT' ? notFound(command) : notExecutable(command));
    });
    child.once('exit', (code, signal) =>
      resolve(code ?? 128 + (signal === null ? 0 : osConstants.signals[signal])),
    );
  });
}

/**
 * Whether Ctrl-C reaches the command by itself: then it must not get it twice. `kill -INT` counts as the keyboard.
 *
 */
function isInForeground(io: Io): boolean {
  try {
    // proc(5): pid (comm) state ppid pgrp session tty_nr tpgid
    const fields = readFileSync('/proc/self/stat', 'latin1')
      .replace(/^.*\) /s, '')
      .split(' ');
    return fields[2] === fields[5];
  } catch {
    return [io.stdin, io.stdout, io.stderr].some((stream) => stream.isTTY === true);
  }
}
