import type { Command } from 'commander';
import { readBlockFile, readBlockFileHeader } from '../../chain/block-file.ts';
import { type Horizon, LANES, type Lane, type LaneName } from '../../core/advice.ts';
import { type BacktestReport, backtest as walk } from '../../core/backtest/backtest.ts';
import type { Block } from '../../core/block.ts';
import { chainProfile } from '../../core/chains.ts';
import { formatCount } from '../../core/units.ts';
import { TimeSlice } from '../../service/async.ts';
import type { CommandContext, Flags, Run } from '../context.ts';
import { nameAsGiven, usageError } from '../errors.ts';
import { examples } from '../help.ts';
import { mapped, note, print, wantsColour, withSpinner } from '../output.ts';
import { checked, given } from '../parse.ts';
import { parsePath } from '../settings.ts';
import { type BacktestParts, backtestText } from '../text/backtest.ts';
import { parseBlockNumber } from './explorer.ts';
import { isSameFile, LineFile } from './record.ts';

export function addBacktest(program: Command, run: Run): void {
  program
    .command('backtest')
    .summary('score the advice, and others, on recorded blocks')
    .description(
      'Goes through recorded blocks one by one, gives advice at each from the past alone, and scores it: gastop, what other tools would have signed, and perfect foresight.',
    )
    .argument('<FILE>', 'JSON Lines of gastop record or CSV, plain or gzip')
    .option('--from <N>', 'score from block N on; the blocks before are only learned from')
    .option('--to <N>', 'score up to block N; the blocks after only show the outcome')
    .option('--lanes', 'only the lanes')
    .option('--horizons', 'only the horizons')
    .option('--json', 'all figures for programs; docs/COMMANDS.md lists the fields')
    .option('--predictions <OUT>', 'write the prediction at each block as JSON Lines')
    .option('--force', 'replace OUT if it exists')
    .addHelpText(
      'after',
      examples(['gastop backtest blocks.jsonl', 'gastop backtest blocks.csv.gz --json | jq .lanes']),
    )
    .action(run(backtest));
}

type BacktestFlags = Flags<'from' | 'to' | 'predictions', 'lanes' | 'horizons' | 'json' | 'force'>;

interface Range {
  readonly from: number;
  readonly to: number;
}

async function backtest(
  { io, loadSettings }: CommandContext,
  file: string,
  flags: BacktestFlags,
): Promise<void> {
  const range = rangeOf(flags);
  const parts = partsOf(flags);
  const out = given('--predictions', flags.predictions, parsePath);
  // Mixed with the report its lines would be unreadable.
  if (out === '-') throw usageError('--predictions: stdout takes the report; name a file');
  const path = checked('FILE', () => parsePath(file));
  const { settings } = await loadSettings();
  if (out !== null && (await isSameFile(path, out))) {
    throw usageError('--predictions is the file that is read; choose another name');
  }
  const signal = io.interruption();
  const slice = new TimeSlice();
  const breathe = async (): Promise<void> => {
    if (!slice.isOver()) return;
    await slice.next();
    signal.throwIfAborted();
  };
  let doing = 'reading';
  const notes: string[] = [];
  const work = async () => {
    const stretch = await readStretch(path, range.to, signal, (count) => {
      doing = `reading block ${formatCount(count)}`;
      return breathe();
    });
    checkRange(range, stretch.blocks);
    const file = out === null ? null : await LineFile.create('--predictions', out, flags.force === true);
    const predictions = file && new PredictionFile(file);
    const total = stretch.blocks.length;
    let walked = 0;
    const onStep = (done: number) => {
      walked = Math.min(walked + 1, total);
      doing = `${Math.floor(done * 100)} %  block ${formatCount(walked)} of ${formatCount(total)}`;
      return breathe();
    };
    try {
      return { chainId: stretch.chainId, report: await judge(stretch, range, predictions, onStep) };
    } catch (error) {
      if (signal.aborted) notes.push(`interrupted: ${formatCount(walked)} of ${formatCount(total)} blocks`);
      throw error;
    } finally {
      await predictions?.close();
      if (predictions !== null) notes.push(`wrote ${formatCount(predictions.count)} predictions to ${out}`);
    }
  };
  const { report, chainId } = await withSpinner(io, () => doing, work).finally(() => {
    for (const line of notes) note(io, line);
  });
  refuseEmpty(report, parts);
  if (flags.json) io.stdout.write(backtestJson(report, { file, chainId }, parts));
  else print(io, settings, backtestText(report, { file, chainId, parts, colour: wantsColour(io) }));
}

async function judge(
  { chainId, blocks }: ReadStretch,
  range: Range,
  predictions: PredictionFile | null,
  onStep: (done: number) => Promise<void>,
): Promise<BacktestReport> {
  const work = walk({ blocks, feeRule: chainProfile(chainId).feeRule, ...range });
  for (;;) {
    const step = work.next();
    if (step.done) return step.value;
    const { done, prediction } = step.value;
    if (prediction !== null) await predictions?.add(prediction);
    await onStep(done);
  }
}

function rangeOf({ from, to }: BacktestFlags): Range {
  const range = {
    from: mapped(from, (text) => blockNumber('--from', text)) ?? 0,
    to: mapped(to, (text) => blockNumber('--to', text)) ?? Number.POSITIVE_INFINITY,
  };
  if (range.from > range.to) throw usageError(`--from ${from} is after --to ${to}; swap them`);
  return range;
}

function blockNumber(flag: string, text: string): number {
  const number = parseBlockNumber(text);
  if (number === 'latest') throw usageError(`${flag}: a recording has no latest block; write its number`);
  return number;
}

function checkRange({ from, to }: Range, blocks: readonly Block[]): void {
  const [first, last] = [blocks[0]?.number ?? 0, blocks.at(-1)?.number ?? 0];
  if (from <= last && to >= first) return;
  const flag = from > last ? '--from' : '--to';
  throw usageError(`the file holds blocks ${first} to ${last}; choose ${flag} among them`);
}

function partsOf({ lanes = false, horizons = false }: BacktestFlags): BacktestParts {
  return lanes || horizons ? { lanes, horizons } : { lanes: true, horizons: true };
}

function refuseEmpty({ stretch, judged, lanes, horizons }: BacktestReport, parts: BacktestParts): void {
  const isAnything =
    (parts.lanes && lanes.some(({ rules }) => rules.length > 0)) || (parts.horizons && horizons.length > 0);
  if (isAnything) return;
  const part = judged.blocks < stretch.blocks ? ` of ${formatCount(stretch.blocks)}` : '';
  throw usageError(
    `too few blocks to judge anything: ${formatCount(judged.blocks)}${part}; give some hundred for the lanes, a day for the horizons`,
  );
}

const DECIMALS = 6;

function backtestJson(
  { stretch, judged, lanes, horizons, unjudgedHorizons, waits }: BacktestReport,
  about: { readonly file: string; readonly chainId: number },
  parts: BacktestParts,
): string {
  const { withTips, firstTime, lastTime, ...rest } = stretch;
  const report = {
    ...about,
    stretch: { ...rest, firstTime: iso(firstTime), lastTime: iso(lastTime), blocksWithTips: withTips },
    judged,
    ...(parts.lanes ? { lanes } : {}),
    ...(parts.horizons ? { horizons, unjudgedHorizons, waits } : {}),
  };
  return `${JSON.stringify(report, (_, value) => plain(value), 2)}\n`;
}

const iso = (sec: number): string => new Date(sec * 1_000).toISOString();

function plain(value: unknown): unknown {
  if (typeof value === 'bigint') return Number(value);
  return typeof value === 'number' ? Number(value.toFixed(DECIMALS)) : value;
}

/** All blocks are in memory at once: four months of mainnet. */
const MOST_BLOCKS = 1_000_000;
/** The longest horizon; blocks further behind the last judged one are not needed. */
const OUTLOOK_SEC = 86_400;

interface ReadStretch {
  readonly chainId: number;
  readonly blocks: readonly Block[];
}

async function readStretch(
  path: string,
  to: number,
  signal: AbortSignal,
  onBlock: (count: number) => Promise<void>,
): Promise<ReadStretch> {
  const { chainId } = await readBlockFileHeader(path, { signal }).catch((error) => {
    throw nameAsGiven(error, path);
  });
  const blocks: Block[] = [];
  let enough = Number.POSITIVE_INFINITY;
  for await (const block of readBlockFile(path, { signal })) {
    blocks.push(block);
    if (block.number >= to) enough = Math.min(enough, block.timestamp + OUTLOOK_SEC);
    if (block.timestamp > enough) break;
    if (blocks.length > MOST_BLOCKS) {
      throw usageError(
        `the file holds more than ${formatCount(MOST_BLOCKS)} blocks; judge a part of it with --to N`,
      );
    }
    await onBlock(blocks.length);
  }
  signal.throwIfAborted();
  return { chainId, blocks };
}

interface WrittenPrediction {
  readonly block: number;
  readonly advice: {
    readonly lanes: Readonly<
      Record<LaneName, Pick<Lane, 'maxFeePerGas' | 'maxPriorityFeePerGas' | 'withinBlocks' | 'probability'>>
    >;
    readonly recommendation: {
      readonly alternatives: readonly Pick<Horizon, 'horizonSec' | 'price' | 'probability'>[];
    };
  };
}

const CHUNK = 65_536;

class PredictionFile {
  readonly #file: LineFile;
  #lines: string[] = [];
  #size = 0;
  count = 0;

  constructor(file: LineFile) {
    this.#file = file;
  }

  async add(prediction: WrittenPrediction): Promise<void> {
    const line = encodePrediction(prediction);
    this.#lines.push(line);
    this.#size += line.length;
    this.count += 1;
    if (this.#size >= CHUNK) await this.#flush();
  }

  async close(): Promise<void> {
    try {
      await this.#flush();
    } finally {
      await this.#file.close(this.count === 0);
    }
  }

  async #flush(): Promise<void> {
    const lines = this.#lines;
    this.#lines = [];
    this.#size = 0;
    await this.#file.append(lines.join(''), () => {
      this.count -= lines.length;
      return `${this.count} predictions`;
    });
  }
}

export function encodePrediction({ block, advice }: WrittenPrediction): string {
  const lanes = LANES.map((lane) => {
    const { maxFeePerGas, maxPriorityFeePerGas, withinBlocks, probability } = advice.lanes[lane];
    return `"${lane}":{"maxFeePerGas":${maxFeePerGas},"maxPriorityFeePerGas":${maxPriorityFeePerGas},"withinBlocks":${withinBlocks},"probability":${probability}}`;
  });
  const targets = advice.recommendation.alternatives.map(
    ({ horizonSec, price, probability }) =>
      `{"horizonSec":${horizonSec},"price":${price},"probability":${probability}}`,
  );
  return `{"block":${block},"lanes":{${lanes.join(',')}},"targets":[${targets.join(',')}]}\n`;
}
