import { basename } from 'node:path';
import { TimeSlice } from '../../chain/async.ts';
import { readBlockFile, recordedChainId } from '../../chain/block-file.ts';
import { HORIZONS_SEC, LANE_TITLES, LANES } from '../../core/advice.ts';
import {
  type BacktestReport,
  type Prediction,
  type StretchFacts,
  backtest as walkThrough,
} from '../../core/backtest/backtest.ts';
import type { HorizonScore, LaneReport, RuleScore, WaitScore } from '../../core/backtest/judge.ts';
import type { PatienceRule } from '../../core/backtest/patience.ts';
import type { Block } from '../../core/block.ts';
import { chainProfile } from '../../core/chains.ts';
import { parseLookup } from '../../core/parse-lookup.ts';
import { displayWidth } from '../../core/text.ts';
import {
  formatChange,
  formatCount,
  formatDuration,
  formatGwei,
  formatPercent,
  UNKNOWN,
} from '../../core/units.ts';
import type { CliCommand, CommandContext, Flags } from '../command.ts';
import { usageError } from '../errors.ts';
import {
  cleanLine,
  cutToWidth,
  jsonText,
  labelledLines,
  note,
  type Paint,
  paints,
  print,
  tableLines,
  utcTime,
  VALUE_WIDTH,
  wantsColour,
  withSpinner,
} from '../output.ts';
import { checked, parsePath } from '../parse.ts';
import { DEFAULT } from '../settings.ts';
import { createLineFile, isSameFile } from './record.ts';

export function addBacktest(program: CliCommand): void {
  program
    .command('backtest')
    .summary('score the advice, and others, on recorded blocks')
    .description(
      'Goes through recorded blocks one by one, gives advice at each from the past alone, and scores it: gastop, what other tools would have signed, and perfect foresight.',
    )
    .argument('<FILE>', 'JSON Lines of gastop record or CSV, plain or gzip')
    .parsed('--from <N>', 'score from block N on; the blocks before are only learned from', blockNumber)
    .parsed('--to <N>', 'score up to block N; the blocks after only show the outcome', blockNumber)
    .option('--lanes', 'only the lanes')
    .option('--horizons', 'only the horizons')
    .option('--json', 'all figures for programs; docs/COMMANDS.md lists the fields')
    .parsed('--predictions <OUT>', 'write the prediction at each block as JSON Lines', parsePath)
    .option('--force', 'replace OUT if it exists')
    .examples('gastop backtest blocks.jsonl', 'gastop backtest blocks.csv.gz --json | jq .lanes')
    .does(backtest);
}

type Switches = 'lanes' | 'horizons' | 'json' | 'force';
type BacktestFlags = Flags<'predictions', Switches, { from: number; to: number }>;

function blockNumber(text: string): number {
  const sought = parseLookup(text);
  if (sought.kind === 'block') return sought.number;
  throw new RangeError(`"${cleanLine(text)}" is not a block number; write 24337604 or 0x1735cc4`);
}

async function backtest(
  { io, loadSettings }: CommandContext,
  file: string,
  { from = 0, to = Number.POSITIVE_INFINITY, predictions: out, ...flags }: BacktestFlags,
): Promise<void> {
  if (from > to) throw usageError(`--from ${from} is after --to ${to}; swap them`);
  const { lanes = false, horizons = false } = flags;
  const parts = { lanes: lanes || !horizons, horizons: horizons || !lanes };
  // Mixed with the report its lines would be unreadable.
  if (out === '-') throw usageError('--predictions: stdout takes the report; name a file');
  const path = checked('FILE', () => parsePath(file));
  const { settings } = await loadSettings();
  if (out !== undefined && (await isSameFile(path, out))) {
    throw usageError('--predictions is the file that is read; choose another name');
  }
  const signal = io.interruption();
  const slice = new TimeSlice();
  let doing = 'reading';
  let written: string | null = null;
  const step = async (now: string): Promise<void> => {
    doing = now;
    if (!slice.isOver()) return;
    await slice.next();
    signal.throwIfAborted();
  };
  const work = async () => {
    const reading = (count: number) => step(`reading block ${formatCount(count)}`);
    const { chainId, blocks } = await readStretch(path, to, reading);
    const [first, last] = [blocks[0]?.number ?? 0, blocks.at(-1)?.number ?? 0];
    if (from > last || to < first) {
      const flag = from > last ? '--from' : '--to';
      throw usageError(`the file holds blocks ${first} to ${last}; choose ${flag} among them`);
    }
    const predictions =
      out === undefined ? null : await createLineFile<null>('--predictions', out, 'predictions', flags.force);
    try {
      const { value: patienceSec, from: origin } = settings.patienceSec;
      const patiencesSec = origin === DEFAULT ? undefined : [patienceSec];
      const walk = walkThrough({ blocks, feeRule: chainProfile(chainId).feeRule, from, to, patiencesSec });
      for (let walked = 1; ; walked += 1) {
        const next = walk.next();
        if (next.done) return { chainId, report: next.value };
        const { done, prediction } = next.value;
        if (prediction !== null) await predictions?.add(predictionLine(prediction), null);
        const place = `block ${formatCount(Math.min(walked, blocks.length))} of ${formatCount(blocks.length)}`;
        await step(`${Math.floor(done * 100)} %  ${place}`);
      }
    } finally {
      await predictions?.close();
      if (predictions !== null)
        written = `wrote ${formatCount(predictions.written.count)} predictions to ${out}`;
    }
  };
  const { report, chainId } = await withSpinner(io, () => doing, work).finally(() => {
    if (written !== null) note(io, written);
  });
  refuseEmpty(report, parts);
  if (flags.json) io.stdout.write(backtestJson(report, { file, chainId }, parts));
  else print(io, settings, backtestText(report, { file, chainId }, parts, paints(wantsColour(io))));
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

function backtestJson(
  { stretch, judged, lanes, horizons, unjudgedHorizons, waits, patience }: BacktestReport,
  about: About,
  parts: BacktestParts,
): string {
  const { withTips, firstTime, lastTime, ...rest } = stretch;
  const iso = (sec: number) => new Date(sec * 1_000).toISOString();
  const written = {
    ...about,
    stretch: { ...rest, firstTime: iso(firstTime), lastTime: iso(lastTime), blocksWithTips: withTips },
    judged,
    lanes: parts.lanes ? lanes : undefined,
    ...(parts.horizons ? { horizons, unjudgedHorizons, waits, patience } : {}),
  };
  return jsonText(written, (value) => Number(value.toFixed(6)), 2);
}

/** All blocks are in memory at once: four months of mainnet. */
const MOST_BLOCKS = 1_000_000;
/** Blocks further behind the last judged one are not needed. */
const OUTLOOK_SEC = Math.max(...HORIZONS_SEC);

async function readStretch(path: string, to: number, onBlock: (count: number) => Promise<void>) {
  const chainId = await recordedChainId(path);
  const blocks: Block[] = [];
  let enough = Number.POSITIVE_INFINITY;
  for await (const block of readBlockFile(path)) {
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
  return { chainId, blocks };
}

/** `{"block":…,"lanes":{"slow":{…},…},"targets":[…]}` */
function predictionLine({ block, advice, waits }: Prediction): string {
  const lanes = Object.fromEntries(
    LANES.map((lane) => {
      const { maxFeePerGas, maxPriorityFeePerGas, withinBlocks, probability } = advice.lanes[lane];
      return [lane, { maxFeePerGas, maxPriorityFeePerGas, withinBlocks, probability }];
    }),
  );
  const targets = advice.recommendation.alternatives.map(({ horizonSec, price, probability }) => {
    return { horizonSec, price, probability };
  });
  const patience = waits.map(({ patienceSec, wait }) => ({
    patienceSec,
    wait: wait && { horizonSec: wait.horizonSec, price: wait.price, probability: wait.probability },
  }));
  return jsonText({ block, lanes, targets, patience });
}

type BacktestParts = Readonly<Record<'lanes' | 'horizons', boolean>>;
type About = { readonly file: string; readonly chainId: number };

function backtestText(report: BacktestReport, about: About, parts: BacktestParts, paint: Paint): string {
  const { file } = about;
  const quoted = /^[\w./@%+:,-]+$/.test(file) ? file : `'${file.replaceAll("'", "'\\''")}'`;
  const command = (name: string) => `  gastop backtest ${name} --predictions OUT.jsonl`;
  const sections = [
    factLines(report, about),
    ...(parts.lanes ? [...report.lanes.map((lane) => laneLines(lane, paint)), LANE_NOTES] : []),
    ...(parts.horizons
      ? [horizonLines(report, paint), waitLines(report, paint), ...patienceLines(report, paint)]
      : []),
    ['To score the advice elsewhere:', command(displayWidth(command(quoted)) > 80 ? 'FILE' : quoted)],
  ];
  return sections
    .filter((lines) => lines.length > 0)
    .map((lines) => lines.join('\n'))
    .join('\n\n');
}

function factLines({ stretch, judged }: BacktestReport, { file, chainId }: About): string[] {
  const { firstBlock, lastBlock, blocks, gaps, firstTime, lastTime, baseFee, withTips } = stretch;
  const learned = Math.max(judged.from - firstBlock, 0);
  const some = withTips > 0 ? `recorded for ${formatCount(withTips)} blocks; ` : 'unknown: ';
  const range = judged.blocks === blocks ? 'every block' : `blocks ${span(judged.from, judged.to)}`;
  return labelledLines([
    ['file', cutToWidth(basename(file), VALUE_WIDTH)],
    ['blocks', `${formatCount(blocks)} of ${chainProfile(chainId).name}: ${span(firstBlock, lastBlock)}`],
    ['gaps', gaps === 0 ? null : `${formatCount(gaps)}; after each the advice begins anew`],
    [
      'time',
      `${utcTime(firstTime * 1_000, 'minutes')} to ${utcTime(lastTime * 1_000, 'minutes')} UTC (${formatDuration(lastTime - firstTime)})`,
    ],
    [
      'base fee',
      `${formatGwei(baseFee.lowest)} to ${formatGwei(baseFee.highest)} gwei, median ${formatGwei(baseFee.median)}`,
    ],
    ['tips', withTips === blocks ? 'recorded' : `${some}0 for everybody, so that prices are base fees`],
    ['gas used', GAS_WORDS[stretch.gasUsed]],
    ['judged', `the advice at ${range}, from the past alone`],
    ['', learned === 0 ? null : `after learning from the ${formatCount(learned)} blocks before`],
  ]);
}

const span = (from: number, to: number): string => `${formatCount(from)} to ${formatCount(to)}`;

const GAS_WORDS: Readonly<Record<StretchFacts['gasUsed'], string>> = {
  counted: 'recorded',
  ratio: 'recorded as a share of the limit',
  derived: 'derived from the base fees, by inverting EIP-1559',
};

function laneLines(lane: LaneReport, paint: Paint): string[] {
  const { withinBlocks, target, rules, stated, tightest, unstated } = lane;
  const name = LANE_TITLES[lane.lane];
  const title = paint.title(`${name}: in within ${withinBlocks} blocks, ${formatPercent(target)}`);
  const quiet =
    unstated.judged === 0
      ? []
      : [
          `${formatCount(unstated.judged)} times no probability was stated; ${share(unstated.kept)} of those were included in time`,
        ];
  const kept = (score: RuleScore) => {
    if (score.kind !== 'own') return share(score.kept);
    return paint[score.kept >= target - 0.02 ? 'good' : 'bad'](share(score.kept));
  };
  if (rules.length === 0) return [title, 'nothing could be judged: no probability was stated', ...quiet];
  const table = tableLines<RuleScore>(
    [
      ['rule', 'left', ({ rule }) => rule],
      ['kept', 'right', kept],
      ['stated', 'right', ({ kind }) => (kind === 'own' ? share(stated) : '')],
      ['saving', 'right', ({ saving }) => share(saving)],
      ['cap above paid', 'right', ({ overhang }) => room(overhang)],
      ['if late', 'right', ({ keptLate }) => share(keptLate)],
      ['pinball', 'right', ({ pinball }) => formatPercent(pinball, 2)],
    ],
    rules,
  );
  const roomOf = (rule: string) => room(rules.find((each) => each.rule === rule)?.overhang ?? null);
  const named = (rule: string | null) => (rule === null ? 'none' : `${rule}, ${roomOf(rule)}`);
  return [
    `${title}; ${formatCount(rules[0]?.judged ?? 0)} times`,
    ...table,
    `lowest cap of another method that keeps this: ${named(tightest.keeping)}`,
    `  also if it is sent a block late:            ${named(tightest.late)}`,
    ...quiet,
  ];
}

const LANE_NOTES = [
  'saving: against the least that got into the next block; a miss pays what the',
  '  last block of the window asked for. cap above paid: where it got in.',
  'if late: kept had the first block not seen it. pinball: the cap as a quantile',
  '  of the cheapest block, over the next price; less is better.',
];

function horizonLines({ horizons, unjudgedHorizons }: BacktestReport, paint: Paint): string[] {
  const title = paint.title('Horizons: a price that is reached in time');
  const left = unjudgedHorizons.map(formatDuration).join(', ');
  const rest =
    left === '' ? [] : [`not judged: ${left}; no probability was stated, or its time was not over`];
  if (horizons.length === 0) return [title, ...rest];
  const table = tableLines<HorizonScore>(
    [
      ['within', 'left', ({ horizonSec }) => formatDuration(horizonSec)],
      ['times', 'right', ({ judged }) => formatCount(judged)],
      ['stated', 'right', ({ stated }) => share(stated)],
      ['kept', 'right', ({ kept }) => share(kept)],
      ['saving', 'right', ({ saving }) => share(saving)],
      ['best possible', 'right', ({ foresight }) => share(foresight)],
      ['calibration error', 'right', (score) => share(score.calibrationError)],
    ],
    horizons,
  );
  return [title, ...table, ...rest];
}

function waitLines({ waits }: BacktestReport, paint: Paint): string[] {
  const title = paint.title('Advice to wait: what the recommendation said, and what came of it');
  if (waits.length === 0) return [title, 'waiting was never advised, or its time was not over'];
  return [
    title,
    ...tableLines<WaitScore>(
      [
        ['advice', 'left', ({ action }) => action],
        ['times', 'right', ({ judged }) => formatCount(judged)],
        ['of blocks', 'right', (score) => share(score.share)],
        ['stated', 'right', ({ stated }) => share(stated)],
        ['kept', 'right', ({ kept }) => share(kept)],
        ['expected', 'right', ({ expectedSaving }) => share(expectedSaving)],
        ['saved', 'right', ({ saving }) => share(saving)],
      ],
      waits,
    ),
    'expected and saved: against the next block; a miss pays what the last block',
    '  before the deadline asked for.',
  ];
}

/** What a user saves who comes at any block, can wait so long and follows a rule. */
function patienceLines({ patience }: BacktestReport, paint: Paint): string[][] {
  const tables = patience.map(({ patienceSec, judged, rules }) => [
    paint.title(`With ${formatDuration(patienceSec)} of patience, over ${formatCount(judged)} arrivals`),
    ...tableLines<PatienceRule>(
      [
        ['rule', 'left', ({ rule }) => rule],
        ['saved', 'right', ({ saving }) => share(saving)],
        ['waits', 'right', ({ waits }) => share(waits)],
        ['stated', 'right', ({ kind, stated }) => (kind === 'own' ? share(stated) : '')],
        ['kept', 'right', ({ kept }) => share(kept)],
        ['a miss costs', 'right', ({ missRatio }) => (missRatio === null ? UNKNOWN : room(missRatio))],
      ],
      rules,
    ),
  ]);
  return tables.length === 0 ? [] : [...tables, PATIENCE_NOTES];
}

const PATIENCE_NOTES = [
  'saved: over all arrivals, waits and sends together, against the next block; a',
  '  miss pays what the last block of the time asked for.',
  'low-quantile rule: waits for the 8 % quantile of the prices of the last time as',
  '  long. The next line: the quantile that waits as often as gastop.',
];

const share = (ratio: number | null): string => (ratio === null ? UNKNOWN : formatPercent(ratio, 1));
const room = (overhang: number | null): string => (overhang === null ? UNKNOWN : formatChange(overhang, 1));
