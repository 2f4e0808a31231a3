import { basename } from 'node:path';
import stringWidth from 'string-width';
import { LANE_TITLES } from '../../core/advice.ts';
import type { BacktestReport, StretchFacts } from '../../core/backtest/backtest.ts';
import type { HorizonScore, LaneReport, RuleScore, WaitScore } from '../../core/backtest/judge.ts';
import { chainProfile } from '../../core/chains.ts';
import {
  formatChange,
  formatCount,
  formatDuration,
  formatGwei,
  formatPercent,
  UNKNOWN,
} from '../../core/units.ts';
import { labelledLines, type Paint, paints, tableLines, utcTime, VALUE_WIDTH } from '../output.ts';

export interface BacktestParts {
  readonly lanes: boolean;
  readonly horizons: boolean;
}

interface BacktestTextOptions {
  readonly file: string;
  readonly chainId: number;
  readonly parts: BacktestParts;
  readonly colour: boolean;
}

const COLUMNS = 80;
const TOLERANCE = 0.02;

export function backtestText(report: BacktestReport, options: BacktestTextOptions): string {
  const { parts } = options;
  const paint = paints(options.colour);
  const sections = [
    factLines(report, options),
    ...(parts.lanes ? [...report.lanes.map((lane) => laneLines(lane, paint)), LANE_NOTES] : []),
    ...(parts.horizons ? [horizonLines(report, paint), waitLines(report, paint)] : []),
    ['To score the advice elsewhere:', predictionsLine(options.file)],
  ];
  return sections
    .filter((lines) => lines.length > 0)
    .map((lines) => lines.join('\n'))
    .join('\n\n');
}

function factLines({ stretch, judged }: BacktestReport, { file, chainId }: BacktestTextOptions): string[] {
  const { firstBlock, lastBlock, blocks, gaps, firstTime, lastTime, baseFee } = stretch;
  const learned = Math.max(judged.from - firstBlock, 0);
  const range = judged.blocks === blocks ? 'every block' : `blocks ${span(judged.from, judged.to)}`;
  return labelledLines([
    ['file', fitting(basename(file))],
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
    ['tips', tipWords(stretch)],
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

function tipWords({ blocks, withTips }: StretchFacts): string {
  if (withTips === blocks) return 'recorded';
  if (withTips > 0) return `recorded for ${formatCount(withTips)} blocks; 0 for everybody in the others`;
  return 'unknown: 0 for everybody, so that prices are base fees';
}

function laneLines(lane: LaneReport, paint: Paint): string[] {
  const { withinBlocks, target, rules, stated, tightest, unstated } = lane;
  const name = LANE_TITLES[lane.lane];
  const title = paint.title(`${name}: in within ${withinBlocks} blocks, ${formatPercent(target)}`);
  const quiet = unstatedWords(lane);
  if (rules.length === 0) return [title, 'nothing could be judged: no probability was stated', ...quiet];
  const table = tableLines<RuleScore>(
    [
      ['rule', 'left', ({ rule }) => rule],
      ['kept', 'right', (score) => keptWords(score, target, paint)],
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
    ...(unstated.judged > 0 ? quiet : []),
  ];
}

function unstatedWords({ unstated }: LaneReport): string[] {
  if (unstated.judged === 0 || unstated.kept === null) return [];
  return [
    `${formatCount(unstated.judged)} times no probability was stated; ${share(unstated.kept)} of those were included in time`,
  ];
}

function keptWords({ kind, kept }: RuleScore, target: number, paint: Paint): string {
  if (kind !== 'own') return share(kept);
  return kept >= target - TOLERANCE ? paint.good(share(kept)) : paint.bad(share(kept));
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

const share = (ratio: number | null): string => (ratio === null ? UNKNOWN : formatPercent(ratio, 1));

const room = (overhang: number | null): string => (overhang === null ? UNKNOWN : formatChange(overhang, 1));

/** The command that writes the predictions; without the file's name if that does not fit. */
export function predictionsLine(file: string): string {
  const command = (name: string) => `  gastop backtest ${name} --predictions OUT.jsonl`;
  const line = command(quoted(file));
  return stringWidth(line) <= COLUMNS ? line : command('FILE');
}

function fitting(name: string): string {
  const letters = [...name];
  while (stringWidth(letters.join('')) >= VALUE_WIDTH) letters.shift();
  return letters.join('') === name ? name : `…${letters.join('')}`;
}

function quoted(path: string): string {
  return /^[\w./@%+:,-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`;
}
