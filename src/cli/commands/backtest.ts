import { type BacktestReport, backtest as walk } from '../../core/backtest/backtest.ts';
import type { Block } from '../../core/block.ts';
import { chainProfile } from '../../core/chains.ts';
import { formatCount } from '../../core/units.ts';
import { TimeSlice } from '../../service/async.ts';
import { toAscii } from '../ascii.ts';
import { backtestJson } from '../backtest/backtest-json.ts';
import { type BacktestParts, backtestText } from '../backtest/backtest-text.ts';
import { PredictionFile } from '../backtest/prediction-file.ts';
import { type ReadStretch, readStretch } from '../backtest/read-stretch.ts';
import { isSameFile } from '../block-recorder.ts';
import { checked } from '../checked.ts';
import { CliError, usageError } from '../cli-error.ts';
import type { CommandContext } from '../command-context.ts';
import { EXIT, type ExitCode } from '../exit-code.ts';
import { parseBlockNumber } from '../explorer/explorer-arguments.ts';
import { ProgressBar } from '../progress-bar.ts';
import { parsePath } from '../setting-values.ts';
import { wantsColour } from '../wants-colour.ts';

export interface BacktestFlags {
  readonly from?: string;
  readonly to?: string;
  readonly lanes?: boolean;
  readonly horizons?: boolean;
  readonly json?: boolean;
  readonly predictions?: string;
  readonly force?: boolean;
}

interface Range {
  readonly from: number;
  readonly to: number;
}

/** `gastop backtest FILE` */
export async function backtest(
  { io, loadSettings }: CommandContext,
  file: string,
  flags: BacktestFlags,
): Promise<ExitCode> {
  const asked = rangeOf(flags);
  const parts = partsOf(flags);
  const out =
    flags.predictions === undefined
      ? null
      : checked('--predictions', () => parsePath(flags.predictions ?? ''));
  // Its lines among those of the report could be read by nobody.
  if (out === '-') throw usageError('--predictions: stdout takes the report; name a file');
  const path = checked('FILE', () => parsePath(file));
  const { settings } = await loadSettings();
  if (out !== null && (await isSameFile(path, out))) {
    throw usageError('--predictions is the very file that is read; choose another name');
  }
  const signal = io.interruption();
  const bar = new ProgressBar(io);
  const slice = new TimeSlice();
  const breathe = async (): Promise<void> => {
    if (!slice.isOver()) return;
    await slice.next();
    signal.throwIfAborted();
  };
  try {
    const stretch = await readStretch(path, {
      to: asked.to,
      signal,
      onBlock: (count) => {
        bar.show(0, () => `reading block ${formatCount(count)}`);
        return breathe();
      },
    });
    checkRange(asked, stretch.blocks);
    const predictions = out === null ? null : await PredictionFile.create(out, flags.force === true);
    let report: BacktestReport;
    try {
      report = await judge(stretch, asked, {
        bar,
        breathe,
        predictions,
        onInterrupted: (walked) => {
          bar.clear();
          const all = formatCount(stretch.blocks.length);
          io.stderr.write(`gastop: interrupted: ${formatCount(walked)} of ${all} blocks\n`);
        },
      });
    } finally {
      bar.clear();
      await predictions?.close();
      if (predictions !== null) {
        io.stderr.write(`gastop: wrote ${formatCount(predictions.count)} predictions to ${out}\n`);
      }
    }
    refuseEmpty(report, parts);
    const { chainId } = stretch;
    if (flags.json) {
      io.stdout.write(backtestJson(report, { file, chainId }, parts));
      return EXIT.ok;
    }
    const colour = wantsColour(io);
    const text = backtestText(report, { file, chainId, parts, colour });
    io.stdout.write(`${settings.ascii.value ? toAscii(text) : text}\n`);
    return EXIT.ok;
  } finally {
    bar.clear();
  }
}

interface Company {
  readonly bar: ProgressBar;
  readonly breathe: () => Promise<void>;
  readonly predictions: PredictionFile | null;
  /** Told how many blocks were walked when Ctrl-C ended it. */
  readonly onInterrupted: (walked: number) => void;
}

async function judge(
  { chainId, blocks }: ReadStretch,
  range: Range,
  { bar, breathe, predictions, onInterrupted }: Company,
): Promise<BacktestReport> {
  const work = walk({ blocks, feeRule: chainProfile(chainId).feeRule, ...range });
  for (let shown = 0; ; shown += 1) {
    const step = work.next();
    if (step.done) return step.value;
    const { done, prediction } = step.value;
    if (prediction !== null) await predictions?.add(prediction);
    bar.show(done, () =>
      shown < blocks.length ? `block ${formatCount(shown + 1)} of ${formatCount(blocks.length)}` : 'judging',
    );
    try {
      await breathe();
    } catch (error) {
      onInterrupted(Math.min(shown + 1, blocks.length));
      throw error;
    }
  }
}

function rangeOf({ from, to }: BacktestFlags): Range {
  const range = {
    from: from === undefined ? 0 : blockNumber('--from', from),
    to: to === undefined ? Number.POSITIVE_INFINITY : blockNumber('--to', to),
  };
  if (range.from > range.to) throw usageError(`--from ${from} lies behind --to ${to}; exchange them`);
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

/** Neither flag asks for both. */
function partsOf({ lanes = false, horizons = false }: BacktestFlags): BacktestParts {
  return lanes || horizons ? { lanes, horizons } : { lanes: true, horizons: true };
}

function refuseEmpty({ stretch, judged, lanes, horizons }: BacktestReport, parts: BacktestParts): void {
  const isAnything =
    (parts.lanes && lanes.some(({ rules }) => rules.length > 0)) || (parts.horizons && horizons.length > 0);
  if (isAnything) return;
  const part = judged.blocks < stretch.blocks ? ` of ${formatCount(stretch.blocks)}` : '';
  throw new CliError(
    EXIT.usage,
    `too few blocks to judge anything: ${formatCount(judged.blocks)}${part}; give some hundred for the lanes, a day for the horizons`,
  );
}
