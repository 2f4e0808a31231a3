import { spawn } from 'node:child_process';
import { constants, readFileSync } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import { constants as osConstants } from 'node:os';
import { delimiter, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { GasClient } from '../../client/client.ts';
import { ClientError } from '../../client/errors.ts';
import type { SnapshotView } from '../../client/views/gas.ts';
import { LANES, type LaneName } from '../../core/advice.ts';
import { staleAfterMs } from '../../core/chains.ts';
import {
  exactGwei,
  formatCount,
  formatDuration,
  formatGwei,
  formatLikelihood,
  gweiString,
} from '../../core/units.ts';
import type { CliCommand } from '../command.ts';
import { holdsKey } from '../config-file.ts';
import type { CommandContext, Flags } from '../context.ts';
import { CliError, EXIT, usageError } from '../errors.ts';
import { FASTEST_POLL_MS, followSnapshots, retryableFailure } from '../follow-snapshots.ts';
import type { Io } from '../io.ts';
import { openClient, warnOfPlainKey, warnOfUnsaved } from '../open-source.ts';
import { badgeOf, cleanLine, mapped, note, StatusLine } from '../output.ts';
import { checked, durationText, given, parseCount, parseDuration, parseGwei } from '../parse.ts';
import { isSecretVariable, type Settings } from '../settings.ts';
import { pastFor } from './now.ts';

export function addWait(program: CliCommand): void {
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
    .oneOf('--lane <LANE>', 'the lane whose price counts', LANES, 'average')
    .option('--timeout <TIME>', 'give up after this: 30m, 12h, at most 24d (exit 124)')
    .option('--confirm <N>', 'for N blocks in a row (default 1)')
    .option('--quiet', 'print nothing but errors')
    .examples(
      'gastop wait --below 5 && ./deploy.sh',
      'gastop wait --below 0.05 --timeout 6h -- ./deploy.sh --network mainnet',
    )
    .addHelpText(
      'after',
      `
The command gets
  GASTOP_PRICE_GWEI  GASTOP_BLOCK  GASTOP_LANE  GASTOP_CHAIN_ID  GASTOP_SOURCE
  and the lane's caps: GASTOP_MAX_FEE_GWEI  GASTOP_TIP_GWEI

Exit codes
  the command's own, 128 + n if signal n ended it   124 timed out
  126 the command cannot be run   127 it is not found`,
    )
    .does(wait);
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

/** Whether Ctrl-C reaches the command by itself: then it must not get it twice. `kill -INT` counts as the keyboard. */
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

const REDRAW_MS = 1_000;

export type Reached = Awaited<ReturnType<typeof followPrice>>;

/**
 * @throws CliError (124) when the time is up, (3) at the end of a recording; Interruption; errors that no waiting
 * fixes.
 */
export async function followPrice(io: Io, settings: Settings, plan: WaitPlan, quiet: boolean) {
  const { lane, side, timeoutSec, confirm } = plan;
  const isReplay = settings.source.value.kind === 'replay';
  const wanted = `at or ${side} ${exactGwei(plan.target)} gwei`;
  const began = performance.now();
  const watch = new PriceWatch(plan);
  const likelihood = waitLikelihood(plan);
  let snapshot: SnapshotView | null = null;
  let firstBlockAt: number | null = null;
  let price: bigint | null = null;
  let inARow = 0;
  let tries = 0;

  const elapsedSec = () =>
    isReplay
      ? ((snapshot?.blockTimestamp ?? 0) - (firstBlockAt ?? 0)) / 1_000
      : (performance.now() - began) / 1_000;
  const blockWords = (where: string, number: number | null | undefined) =>
    mapped(number, (block) => ` at ${where}${formatCount(block)}`) ?? '';
  const lineText = () => {
    const why = trouble.reason();
    const at = blockWords('#', snapshot?.blockNumber);
    const known = price === null ? `${lane} price not known yet` : `${lane} ${formatGwei(price)} gwei${at}`;
    const parts = [
      `${badgeOf(snapshot).trimEnd()} ${known}`.trimStart(),
      `waiting: ${wanted}`,
      inARow === 0 ? '' : `${inARow} of ${confirm} blocks`,
      why === null ? likelihood.text : '',
      formatDuration(elapsedSec()),
      why === null ? '' : `(${cleanLine(why)})`,
    ];
    return parts.filter((part) => part !== '').join('  ');
  };
  // The terminal itself adds ^C.
  const line = new StatusLine(io, lineText, !quiet, 3);
  const trouble = waitTrouble((text) => {
    if (!quiet) line.note(text);
  });
  const timedOut = () => {
    const noPrice = price === null ? 'no price came' : `it is ${formatGwei(price)} gwei`;
    const state = trouble.reason() === null ? noPrice : `no current prices: ${trouble.reason()}`;
    const waited = durationText(timeoutSec ?? 0);
    const message = `gave up after ${waited} of waiting until ${lane} is ${wanted}; ${state}`;
    return new CliError(EXIT.timedOut, message);
  };
  const recordingEnded = ({ blockNumber }: SnapshotView) => {
    const last = price === null ? '' : `; ${lane} was last ${formatGwei(price)} gwei`;
    const message = `the recording ended${blockWords('block ', blockNumber)} before the price was ${wanted}${last}`;
    return new CliError(EXIT.unreachable, message);
  };

  const interruption = io.interruption();
  const timeLimit = new AbortController();
  const timer =
    timeoutSec === null || isReplay ? undefined : setTimeout(() => timeLimit.abort(), timeoutSec * 1_000);
  const signal = AbortSignal.any([interruption, timeLimit.signal]);

  const survive = async (error: unknown) => {
    signal.throwIfAborted();
    tries += 1;
    watch.missed();
    const retryable = retryableFailure(error, tries, snapshot !== null);
    if (retryable === null) throw error;
    const isStarting = snapshot === null && error instanceof ClientError && error.code === 'unavailable';
    trouble.begin(retryable.reason, isStarting);
    line.draw();
    await sleep(retryable.afterMs, undefined, { signal });
  };
  /** A node that does not state its chain yet will do so once it responds. */
  const open = async () => {
    for (;;) {
      try {
        return await openClient(io, settings, { historySec: likelihood.pastSec, signal });
      } catch (error) {
        await survive(error);
      }
    }
  };

  try {
    line.start(0, REDRAW_MS);
    await using opened = await open();
    warnOfUnsaved(io, opened);
    for await (const { snapshot: current } of followSnapshots(opened, { signal, survive })) {
      const sight = watch.see(current, io.now());
      tries = 0;
      snapshot = current;
      firstBlockAt ??= current.blockTimestamp;
      inARow = sight.kind === 'present' ? sight.inARow : 0;
      if (sight.kind === 'met') return { snapshot, price: sight.price };
      if (sight.kind === 'ended') throw recordingEnded(current);
      if (sight.kind === 'present') {
        price = sight.price;
        trouble.end();
      } else trouble.begin(sight.reason);
      if (isReplay && timeoutSec !== null && elapsedSec() >= timeoutSec) throw timedOut();
      if (line.isDrawn) await likelihood.ask(opened.client, current, elapsedSec(), signal);
      line.draw();
    }
    throw signal.reason;
  } catch (error) {
    interruption.throwIfAborted();
    throw timeLimit.signal.aborted ? timedOut() : error;
  } finally {
    clearTimeout(timer);
    trouble.forget();
    line.end();
  }
}

type Sight =
  | { readonly kind: 'met'; readonly price: bigint }
  | { readonly kind: 'present'; readonly price: bigint; readonly inARow: number }
  | { readonly kind: 'old'; readonly reason: string }
  | { readonly kind: 'ended' };

/** Judges snapshots in sequence. Stale prices do not count; a missed block that could have been seen breaks the row. */
export class PriceWatch {
  readonly #plan: WaitPlan;
  #before: string | null = null;
  #changedAt: number | null = null;
  #inARow = 0;
  #last: SnapshotView | null = null;
  #isInterrupted = false;

  constructor(plan: WaitPlan) {
    this.#plan = plan;
  }

  see(snapshot: SnapshotView, now: number): Sight {
    if (snapshot.source.ended) return { kind: 'ended' };
    const reason = this.#whyOld(snapshot, now);
    const { price } = snapshot.lanes[this.#plan.lane];
    if (reason !== null || !isMet(this.#plan, price)) {
      this.#inARow = 0;
      this.#last = null;
      this.#isInterrupted = false;
      return reason !== null ? { kind: 'old', reason } : { kind: 'present', price, inARow: 0 };
    }
    const last = this.#last;
    if (last === null || blockOf(last) !== blockOf(snapshot)) {
      this.#inARow = last !== null && this.#follows(last, snapshot) ? this.#inARow + 1 : 1;
      this.#last = snapshot;
      this.#isInterrupted = false;
    }
    const inARow = this.#inARow;
    return inARow >= this.#plan.confirm ? { kind: 'met', price } : { kind: 'present', price, inARow };
  }

  /** No response: prices in between are unknown, so only the very next block continues the row. */
  missed(): void {
    this.#isInterrupted = true;
  }

  #whyOld(snapshot: SnapshotView, now: number): string | null {
    const { source, stale, blockTimestamp, updatedAt } = snapshot;
    const prices = fingerprint(snapshot);
    if (this.#before !== null && this.#before !== prices) this.#changedAt = now;
    this.#before = prices;
    // A problem without a retry while prices are fresh concerns something else: the history cannot be written.
    if (stale || source.problem?.retryAt != null)
      return source.problem?.message ?? 'the service says its prices are old';
    // Blocks of a recording or a simulation have no age by our clock.
    if (source.kind === 'replay' || source.kind === 'simulated') return null;
    const at = blockTimestamp ?? updatedAt;
    const freshSec = freshForSec(snapshot);
    // Prices without a time may be of any day; only a change shows that the service is up to date.
    const isNew = this.#changedAt !== null && (now - this.#changedAt) / 1_000 <= freshSec;
    if (at === null) {
      return isNew ? null : 'the service does not say how old its prices are, so they must change first';
    }
    const ageSec = (now - at) / 1_000;
    if (ageSec > freshSec) return `the newest block is ${formatDuration(ageSec)} old by this machine's clock`;
    // The service's clock counts as much as ours, which may be slow.
    const saidSec = ((updatedAt ?? at) - at) / 1_000;
    if (saidSec > freshSec)
      return `the newest block is ${formatDuration(saidSec)} old by the service's clock`;
    if (ageSec >= -SLACK_SEC || isNew) return null;
    return `the newest block is ${formatDuration(-ageSec)} ahead of this machine's clock, so it must change first`;
  }

  #follows(last: SnapshotView, next: SnapshotView): boolean {
    // `null`: the service has no block numbers.
    const gap =
      last.blockNumber === null || next.blockNumber === null ? null : next.blockNumber - last.blockNumber;
    if (gap === 1) return true;
    if (this.#isInterrupted || (gap !== null && gap < 1)) return false;
    if (next.source.kind === 'replay') return true;
    const [from, to] = [last.blockTimestamp ?? last.updatedAt, next.blockTimestamp ?? next.updatedAt];
    if (from === null || to === null) return gap === null;
    const passedSec = (to - from) / 1_000;
    // With blocks at least this far apart every block can be seen.
    const seeableSec = Math.max(frequencySecOf(next), (2 * FASTEST_POLL_MS) / 1_000);
    return passedSec <= freshForSec(next) && (gap === null || passedSec / gap < seeableSec * OFTENER);
  }
}

const SLACK_SEC = 15;
const UNKNOWN_FREQUENCY_SEC = 30;
/** Every block is seen if the block time is at least this share of the polling interval. */
const OFTENER = 0.75;

const frequencySecOf = ({ updateFrequencySec }: SnapshotView) => updateFrequencySec ?? UNKNOWN_FREQUENCY_SEC;

const freshForSec = (snapshot: SnapshotView) => staleAfterMs(frequencySecOf(snapshot)) / 1_000;

const fingerprint = ({ blockNumber, baseFee, lanes }: SnapshotView) =>
  [blockNumber, baseFee, lanes.slow.price, lanes.average.price, lanes.fast.price].join(' ');

const blockOf = (snapshot: SnapshotView) =>
  snapshot.blockNumber ?? snapshot.blockTimestamp ?? snapshot.updatedAt ?? fingerprint(snapshot);

const DEFAULT_WITHIN_SEC = 3_600;
/** A longer horizon needs days of history, which are not loaded for a progress line. */
const FURTHEST_SEC = 6 * 3_600;
const ASK_AGAIN_MS = 30_000;
/** While the service still reads its history. */
const UNKNOWN_ASK_AGAIN_MS = 3_000;
const LEAST_SEC = 60;

/** How likely the price comes, for the progress line. A service that lacks it once is not asked again. */
function waitLikelihood({ side, target, timeoutSec }: WaitPlan) {
  let askAt = 0;
  const queryAfter = (elapsedSec: number) => {
    const leftSec = (timeoutSec ?? elapsedSec + DEFAULT_WITHIN_SEC) - elapsedSec;
    return {
      targetPrice: target,
      deadlineSec: Math.ceil(Math.min(Math.max(leftSec, LEAST_SEC), FURTHEST_SEC)),
    };
  };
  const likelihood = {
    text: '',
    pastSec: pastFor(queryAfter(0)),
    ask: async (client: GasClient, { source }: SnapshotView, elapsedSec: number, signal: AbortSignal) => {
      const now = performance.now();
      // The service forecasts only falls to a price, not rises.
      if (side !== 'below' || source.kind === 'replay' || now < askAt) return;
      const query = queryAfter(elapsedSec);
      likelihood.text = '';
      try {
        const { reach } = await client.gasRecommendation({ reach: query, signal });
        askAt = reach === null ? Number.POSITIVE_INFINITY : now + UNKNOWN_ASK_AGAIN_MS;
        if (reach === null || reach.probability === null) return;
        const within = durationText(Math.ceil(query.deadlineSec / LEAST_SEC) * LEAST_SEC);
        likelihood.text = `${formatLikelihood(reach.probability)} likely within ${within}`;
        askAt = now + ASK_AGAIN_MS;
      } catch (error) {
        if (!(error instanceof ClientError)) throw error;
        const mayCome = error.code === 'unreachable' || error.code === 'unavailable';
        askAt = mayCome ? now + ASK_AGAIN_MS : Number.POSITIVE_INFINITY;
      }
    },
  };
  return likelihood;
}

const NOTE_AFTER_MS = 5_000;
const NOTE_AFTER_START_MS = 30_000;

/** Tells of prices that are not current once they have been so for a while, and of their return. */
function waitTrouble(note: (line: string) => void) {
  let timer: NodeJS.Timeout | undefined;
  let since = 0;
  let isTold = false;
  let reason: string | null = null;
  const tell = () => {
    isTold = true;
    note(`no current prices: ${cleanLine(reason ?? '')}; still waiting`);
  };
  const forget = () => {
    clearTimeout(timer);
    isTold = false;
    reason = null;
  };
  return {
    reason: () => reason,
    begin: (why: string, isStarting = false) => {
      if (reason === null) {
        since = performance.now();
        timer = setTimeout(tell, isStarting ? NOTE_AFTER_START_MS : NOTE_AFTER_MS);
      }
      reason = why;
    },
    end: () => {
      if (isTold) note(`prices are back after ${formatDuration((performance.now() - since) / 1_000)}`);
      forget();
    },
    forget,
  };
}
