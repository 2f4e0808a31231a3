import { spawn } from 'node:child_process';
import { accessSync, constants, statSync } from 'node:fs';
import { constants as osConstants } from 'node:os';
import { delimiter, join } from 'node:path';
import { ClientError } from '../../client/errors.ts';
import { untilItWorks } from '../../client/follow-prices.ts';
import { followThreshold, type PricedThreshold } from '../../client/follow-threshold.ts';
import type { GasClient } from '../../client/gas-client.ts';
import { chainStatus, headAtOf, updateSecOf } from '../../client/views/chain-status.ts';
import type { SnapshotView } from '../../client/views/gas.ts';
import { watchedPrice } from '../../client/views/gas-texts.ts';
import { PRICED_LANES, type PricedLane } from '../../core/advice.ts';
import { describeOutdated } from '../../core/chain-status.ts';
import { holdsKey } from '../../core/key-text.ts';
import { systemCode } from '../../core/system-code.ts';
import { blobMisfit, type Threshold, thresholdText } from '../../core/threshold/threshold.ts';
import { formatCount, formatDuration, formatGwei, formatLikelihood, gweiString } from '../../core/units.ts';
import type { CliCommand, CommandContext, Flags } from '../command.ts';
import { CliError, EXIT, usageError } from '../errors.ts';
import { FASTEST_POLL_MS, followSnapshots, retryRule } from '../follow-snapshots.ts';
import type { Io } from '../io.ts';
import { pastForLikelihood, pastForRule } from '../needed-history.ts';
import { openClient, warnOfPlainKey, warnOfUnsaved } from '../open-source.ts';
import { badgeOf, cleanLine, jsonText, mapped, note, statusLine } from '../output.ts';
import { durationText, parseCount, parseDuration, parseWritten, thresholdWords } from '../parse.ts';
import type { Settings } from '../settings.ts';
import { isSecretVariable } from '../settings-table.ts';

export function addWait(program: CliCommand): void {
  program
    .command('wait')
    .summary('wait for a price, then exit 0 or run a command')
    .description(
      'Waits until the price is at or below the target, then exits 0, or runs the command and exits with its code. Stale prices do not count; while the source is down, or what a rule stands for is unknown, it keeps waiting.',
    )
    .argument('[command...]', 'the command to run, after --')
    .usage('--below PRICE [options] [-- command...]')
    .parsed('--below <PRICE>', 'wait until the price is at or below this: gwei, or a rule', parseWritten)
    .parsed('--above <PRICE>', 'wait until the price is at or above this', parseWritten)
    .oneOf('--lane <LANE>', 'the lane whose price counts, or that of blobs', PRICED_LANES, 'average')
    .parsed('--timeout <TIME>', 'give up after this: 30m, 12h, at most 24d (exit 124)', (text) =>
      parseDuration(text, { min: '1s', max: '24d' }),
    )
    .parsed('--confirm <N>', 'for N blocks in a row (default 1)', (text) => parseCount(text, 1_000))
    .option('--quiet', 'print nothing but errors')
    .option('--json', 'print what was reached as one object, in place of a command')
    .examples(
      'gastop wait --below 5 && ./deploy.sh',
      'gastop wait --below 0.05 --timeout 6h -- ./deploy.sh --network mainnet',
      "gastop wait --below '$0.40/swap' -- ./rebalance.sh",
      'gastop wait --below -25%/7d -- ./payroll.sh',
    )
    .addHelpText(
      'after',
      `
Prices
  5            gwei, also for blobs
  $0.40/swap   what an action costs in all: eth, transfer, approve, swap, mint
  $2/200000    what so much gas costs
  p20/7d       the 20 % point of the lane's price over 7 days
  -25%/7d      so much below the median of 7 days
  2% of $35/swap   the action costs at most that share

The command gets
  GASTOP_PRICE_GWEI  GASTOP_BLOCK  GASTOP_LANE  GASTOP_CHAIN_ID  GASTOP_SOURCE
  GASTOP_RULE, as written, and of a rule in dollars GASTOP_COST_USD
  and the lane's caps: GASTOP_MAX_FEE_GWEI  GASTOP_TIP_GWEI

Exit codes
  the command's own, 128 + n if signal n ended it   124 timed out
  126 the command cannot be run   127 it is not found`,
    )
    .does(wait);
}

type Priced = { below: Threshold; above: Threshold; lane: PricedLane };
type WaitFlags = Flags<never, 'quiet' | 'json', Priced & { timeout: number; confirm: number }>;
type WaitPlan = ReturnType<typeof waitPlan>;

export function waitPlan({ below, above, lane = 'average', timeout, confirm = 1 }: WaitFlags) {
  if (below !== undefined && above !== undefined) {
    throw usageError('--below and --above cannot be combined; name one price to wait for');
  }
  const threshold = below ?? above;
  if (threshold === undefined) {
    throw usageError('wait needs a price to wait for: --below PRICE, or --above PRICE');
  }
  const misfit = lane === 'blob' ? blobMisfit(threshold) : null;
  if (misfit !== null) throw usageError(misfit);
  const side = above === undefined ? 'below' : 'above';
  return { lane, side, threshold, timeoutSec: timeout ?? null, confirm } as const;
}

async function wait(
  { io, loadSettings }: CommandContext,
  [command, ...args]: readonly string[],
  flags: WaitFlags,
): Promise<number> {
  const plan = waitPlan(flags);
  if (flags.json && command !== undefined) {
    throw usageError('--json takes the place of a command, which gets the same in its environment');
  }
  const { settings } = await loadSettings();
  if (command !== undefined) refuseUnrunnable(command, io);
  warnOfPlainKey(io, settings.source.value);
  const isQuiet = flags.quiet === true || flags.json === true;
  const reached = await followPrice(io, settings, plan, isQuiet);
  // An interruption in the last moment prevents the command.
  io.interruption().throwIfAborted();
  const { price, snapshot } = reached;
  const block = snapshot.blockNumber === null ? '' : ` at block ${formatCount(snapshot.blockNumber)}`;
  if (!isQuiet) note(io, `${badgeOf(snapshot)}${plan.lane} is ${formatGwei(price)} gwei${block}`);
  if (flags.json) io.stdout.write(jsonOf(plan, reached));
  return command === undefined ? EXIT.ok : runCommand(io, command, args, withPrice(io.env, plan, reached));
}

const capsOf = ({ lane }: WaitPlan, { snapshot }: Reached) =>
  lane === 'blob' ? { maxFeePerGas: null, maxPriorityFeePerGas: null } : snapshot.lanes[lane];

/** Prices in wei, as v1 has them. */
function jsonOf(plan: WaitPlan, reached: Reached) {
  const { price, costUsd, snapshot } = reached;
  const { maxFeePerGas, maxPriorityFeePerGas } = capsOf(plan, reached);
  return jsonText({
    ...{ chainId: snapshot.chainId, blockNumber: snapshot.blockNumber, source: snapshot.source.kind },
    ...{ lane: plan.lane, rule: thresholdText(plan.threshold), price, costUsd },
    ...{ maxFeePerGas, maxPriorityFeePerGas },
  });
}

/** Keys and passwords are only for gastop: the command may be anything, and passes its environment on. */
const isSecret = ([name, value = '']: readonly [string, string | undefined]) =>
  isSecretVariable(name) || (name === 'GASTOP_RPC' && holdsKey(value));

function withPrice(env: Io['env'], plan: WaitPlan, reached: Reached): Io['env'] {
  const { lane, threshold } = plan;
  const { price, costUsd, snapshot } = reached;
  const { maxFeePerGas, maxPriorityFeePerGas } = capsOf(plan, reached);
  return {
    ...Object.fromEntries(Object.entries(env).filter((variable) => !isSecret(variable))),
    GASTOP_PRICE_GWEI: gweiString(price),
    GASTOP_BLOCK: snapshot.blockNumber?.toString(),
    GASTOP_CHAIN_ID: snapshot.chainId?.toString(),
    GASTOP_LANE: lane,
    GASTOP_RULE: thresholdText(threshold),
    GASTOP_COST_USD: mapped(costUsd, (usd) => usd.toPrecision(6)) ?? undefined,
    GASTOP_MAX_FEE_GWEI: mapped(maxFeePerGas, gweiString) ?? undefined,
    GASTOP_TIP_GWEI: mapped(maxPriorityFeePerGas, gweiString) ?? undefined,
    GASTOP_SOURCE: snapshot.source.kind,
  };
}

const DEFAULT_PATH = '/usr/local/bin:/usr/bin:/bin';

/** Looks for the command as the shell would, because hours later is too late to report it. @throws CliError (127, 126) */
function refuseUnrunnable(command: string, { env, platform }: Io): void {
  if (platform === 'win32') return;
  const folders = command === '' ? [] : (env.PATH ?? DEFAULT_PATH).split(delimiter);
  const files = command.includes('/') ? [command] : folders.map((folder) => join(folder, command));
  let problem = 'ENOENT';
  for (const file of files) {
    try {
      accessSync(file, constants.X_OK);
      if (statSync(file).isFile()) return;
      problem = 'EACCES';
    } catch (error) {
      if (systemCode(error) === 'EACCES') problem = 'EACCES';
    }
  }
  throw cannotRun(command, problem);
}

function cannotRun(command: string, code: string): CliError {
  const named = command === '' ? '""' : cleanLine(command);
  return code === 'ENOENT'
    ? new CliError(EXIT.notFound, `${named}: there is no such command`)
    : new CliError(EXIT.notExecutable, `${named} cannot be run; is it a program, and may you run it?`);
}

/** Runs a command with this process's streams and signals; 128 + n for signal n. @throws CliError (127, 126) */
function runCommand(io: Io, command: string, args: readonly string[], env: Io['env']): Promise<number> {
  return new Promise((resolve, reject) => {
    // In this process group: otherwise it could not read from the terminal.
    const child = spawn(command, args, { stdio: 'inherit', env });
    // Those of the keyboard reach it by themselves at a terminal, and it must not get them twice.
    const isAtTerminal = [io.stdin, io.stdout, io.stderr].some((stream) => stream.isTTY === true);
    io.takeSignals((name) => {
      if (!isAtTerminal || (name !== 'SIGINT' && name !== 'SIGQUIT')) child.kill(name);
    });
    child.once('error', (error) => {
      if (child.pid === undefined) reject(cannotRun(command, systemCode(error)));
    });
    child.once('exit', (code, signal) =>
      resolve(code ?? 128 + (signal === null ? 0 : osConstants.signals[signal])),
    );
  });
}

type Reached = Awaited<ReturnType<typeof followPrice>>;

/** @throws CliError (124: the time is up; 3: the recording is over), Interruption, errors that no waiting fixes */
async function followPrice(io: Io, settings: Settings, plan: WaitPlan, quiet: boolean) {
  const { lane, side, timeoutSec, confirm } = plan;
  const isReplay = settings.source.value.kind === 'replay';
  let priced: PricedThreshold['effective'] | null = null;
  const wanted = () => `at or ${side} ${thresholdWords(plan.threshold, priced)}`;
  const began = performance.now();
  const watch = watchPrice(plan);
  const isRule = plan.threshold.kind !== 'gwei';
  let snapshot: SnapshotView | null = null;
  let firstBlockAt: number | null = null;
  let price: bigint | null = null;
  let inARow = 0;
  /** Why there are no current prices, and since when. */
  let trouble: { readonly since: number; reason: string; isNoted: boolean } | null = null;
  let noteTimer: NodeJS.Timeout | undefined;

  const elapsedSec = () =>
    isReplay
      ? ((snapshot?.blockTimestamp ?? 0) - (firstBlockAt ?? 0)) / 1_000
      : (performance.now() - began) / 1_000;
  const likelihood = waitLikelihood(plan, elapsedSec);
  const blockWords = (where: string, number: number | null | undefined) =>
    mapped(number, (block) => ` at ${where}${formatCount(block)}`) ?? '';
  const lineText = () => {
    const at = blockWords('#', snapshot?.blockNumber);
    const known = price === null ? `${lane} price not known yet` : `${lane} ${formatGwei(price)} gwei${at}`;
    const parts = [
      `${badgeOf(snapshot).trimEnd()} ${known}`.trimStart(),
      `waiting: ${wanted()}`,
      inARow === 0 ? '' : `${inARow} of ${confirm} blocks`,
      trouble === null ? likelihood.text : '',
      formatDuration(elapsedSec()),
      trouble === null ? '' : `(${cleanLine(trouble.reason)})`,
    ];
    return parts.filter((part) => part !== '').join('  ');
  };
  // The terminal itself adds ^C.
  const line = statusLine(io, lineText, { isWanted: !quiet, spare: 3 });
  const say = (text: string) => {
    if (!quiet) line.note(text);
  };
  /** Noted once, when it has lasted a while, and once when it is over. */
  const onTrouble = (reason: string) => {
    // A stream says it once, so that a timer tells of it.
    if (trouble === null) {
      noteTimer = setTimeout(() => {
        if (trouble === null) return;
        trouble.isNoted = true;
        say(`${cleanLine(trouble.reason)}; still waiting`);
      }, 5_000);
    }
    trouble = { since: performance.now(), isNoted: false, ...trouble, reason };
    line.draw();
  };
  const onPrices = () => {
    clearTimeout(noteTimer);
    if (trouble?.isNoted)
      say(`prices are back after ${formatDuration((performance.now() - trouble.since) / 1_000)}`);
    trouble = null;
  };
  const timedOut = () => {
    const last = price === null ? 'no price came' : `it is ${formatGwei(price)} gwei`;
    const state = trouble === null ? last : trouble.reason;
    const waited = durationText(timeoutSec ?? 0);
    const message = `gave up after ${waited} of waiting until ${lane} is ${wanted()}; ${state}`;
    return new CliError(EXIT.timedOut, message);
  };

  const interruption = io.interruption();
  const timeLimit = timeoutSec === null || isReplay ? null : AbortSignal.timeout(timeoutSec * 1_000);
  const signal = AbortSignal.any([interruption, ...(timeLimit === null ? [] : [timeLimit])]);
  const noPrices = (reason: string) => onTrouble(`no current prices: ${reason}`);
  const persistence = { signal, onTrouble: noPrices, hasWorked: false };
  try {
    line.start(0, 1_000);
    // A node that does not state its chain yet will do so once it responds.
    const historySec = Math.max(likelihood.pastSec, pastForRule(plan.threshold));
    const open = () => openClient(io, settings, { historySec, signal });
    await using opened = await untilItWorks(open, retryRule(persistence), signal);
    warnOfUnsaved(io, opened);
    const priceAt = followThreshold(plan.threshold, {
      ...plan,
      client: opened.client,
      isOwn: opened.embedded !== null,
    });
    for await (const { snapshot: current } of followSnapshots(opened, persistence)) {
      snapshot = current;
      firstBlockAt ??= current.blockTimestamp;
      if (current.source.ended) {
        const last = price === null ? '' : `; ${lane} was last ${formatGwei(price)} gwei`;
        const at = blockWords('block ', current.blockNumber);
        throw new CliError(
          EXIT.unreachable,
          `the recording ended${at} before the price was ${wanted()}${last}`,
        );
      }
      const { effective, costUsd } = await priceAt(current, signal);
      priced = effective;
      const sight = watch(current, io.now(), effective);
      inARow = sight.inARow;
      if (inARow >= confirm && sight.price !== null)
        return { snapshot: current, price: sight.price, costUsd: costUsd(sight.price) };
      if (sight.reason !== null) noPrices(sight.reason);
      else {
        price = sight.price;
        if ('reason' in effective)
          onTrouble(
            isRule
              ? `no price is known for ${thresholdText(plan.threshold)}: ${effective.reason}`
              : effective.reason,
          );
        else onPrices();
      }
      if (isReplay && timeoutSec !== null && elapsedSec() >= timeoutSec) throw timedOut();
      if (line.isDrawn && 'price' in effective)
        await likelihood.ask(opened.client, effective.price, current, signal);
      line.draw();
    }
    throw signal.reason;
  } catch (error) {
    interruption.throwIfAborted();
    throw timeLimit?.aborted ? timedOut() : error;
  } finally {
    clearTimeout(noteTimer);
    line.end();
  }
}

/** Judges snapshots in sequence. Stale prices do not count; a missed block that could have been seen breaks the row. */
export function watchPrice({ lane, side }: Pick<WaitPlan, 'lane' | 'side'>) {
  let last: SnapshotView | null = null;
  let inARow = 0;
  /** How many blocks in a row meet the price, or why this one's does not count. */
  return (snapshot: SnapshotView, now: number, effective: PricedThreshold['effective']) => {
    const price = watchedPrice(snapshot, lane);
    const reason = whyOld(snapshot, now);
    const isThere =
      price !== null &&
      'price' in effective &&
      (side === 'below' ? price <= effective.price : price >= effective.price);
    if (reason !== null || !isThere) {
      inARow = 0;
      last = null;
    } else if (last === null || blockOf(last) !== blockOf(snapshot)) {
      inARow = last !== null && follows(last, snapshot) ? inARow + 1 : 1;
      last = snapshot;
    }
    return { reason, price, inARow };
  };
}

/** Why prices do not count; `null`: they do. A command is not run by prices of an unknown age. */
function whyOld(snapshot: SnapshotView, now: number): string | null {
  const { kind } = snapshot.source;
  const isRecorded = kind === 'replay' || kind === 'simulated';
  const isUndated = !isRecorded && headAtOf(snapshot) === null;
  const undated = isUndated ? 'the service does not say how old its prices are' : null;
  return describeOutdated(chainStatus(snapshot, now)) ?? undated;
}

/** Every block is seen if no more time passes than this share of the polling interval. */
const SEEN_WITHIN = 1.75;

/** Whether no block between the two could have been seen. */
function follows(last: SnapshotView, next: SnapshotView): boolean {
  const gap = (next.blockNumber ?? 0) - (last.blockNumber ?? 0);
  if (gap === 1) return true;
  if (gap < 0) return false;
  const timeOf = ({ blockTimestamp, updatedAt }: SnapshotView) => blockTimestamp ?? updatedAt ?? 0;
  const passedSec = (timeOf(next) - timeOf(last)) / 1_000;
  const seeableSec = Math.max(updateSecOf(next), (2 * FASTEST_POLL_MS) / 1_000);
  return next.source.kind === 'replay' || passedSec <= seeableSec * SEEN_WITHIN;
}

const blockOf = ({ blockNumber, blockTimestamp, updatedAt }: SnapshotView) =>
  blockNumber ?? blockTimestamp ?? updatedAt;

const DEFAULT_WITHIN_SEC = 3_600;
/** A longer horizon needs days of history, which are not loaded for a progress line. */
const FURTHEST_SEC = 6 * 3_600;
const ASK_AGAIN_MS = 10_000;
const LEAST_SEC = 60;

/** How likely the price comes, for the progress line. A service that lacks it once is not asked again. */
function waitLikelihood({ lane, side, timeoutSec }: WaitPlan, elapsedSec: () => number) {
  let askAt = 0;
  const deadline = () => {
    const leftSec = timeoutSec === null ? DEFAULT_WITHIN_SEC : timeoutSec - elapsedSec();
    return Math.ceil(Math.min(Math.max(leftSec, LEAST_SEC), FURTHEST_SEC));
  };
  const likelihood = {
    text: '',
    pastSec: pastForLikelihood(deadline()),
    ask: async (client: GasClient, targetPrice: bigint, snapshot: SnapshotView, signal: AbortSignal) => {
      const now = performance.now();
      // The service forecasts only falls to a price, not rises, and none of blobs.
      const isForecast = side === 'below' && lane !== 'blob' && snapshot.source.kind !== 'replay';
      if (!isForecast || now < askAt) return;
      const query = { targetPrice, deadlineSec: deadline() };
      const { reach } = await client.gasRecommendation({ reach: query, signal }).catch((error: unknown) => {
        if (error instanceof ClientError) return { reach: null };
        throw error;
      });
      const probability = reach?.probability ?? null;
      const within = durationText(Math.ceil(query.deadlineSec / LEAST_SEC) * LEAST_SEC);
      likelihood.text =
        probability === null ? '' : `${formatLikelihood(probability)} likely within ${within}`;
      askAt = reach === null ? Number.POSITIVE_INFINITY : now + ASK_AGAIN_MS;
    },
  };
  return likelihood;
}
