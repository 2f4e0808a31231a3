import {
  chainNameOf,
  describeAdvice,
  keptWords,
  type RecommendationView,
  type SnapshotView,
} from '../../client/views/gas.ts';
import type { LaneName } from '../../core/advice.ts';
import { ownValue } from '../../core/own-value.ts';
import {
  formatAge,
  formatChange,
  formatCount,
  formatDuration,
  formatGwei,
  formatLikelihood,
  formatPercent,
  gweiString,
  UNKNOWN,
} from '../../core/units.ts';
import { usageError } from '../errors.ts';
import { wrapWords } from '../help.ts';
import { cleanLine, tableLines, utcTime } from '../output.ts';

const LANES = [
  ['slow', 'Slow'],
  ['average', 'Average'],
  ['fast', 'Fast'],
] as const satisfies readonly (readonly [LaneName, string])[];

const WIDTH = 80;

/**
 * What `gastop now` prints for people: at most 80 columns wide.
 *
 * @param now wall clock, ms
 * @param missing why there is no advice
 */
export function snapshotText(
  snapshot: SnapshotView,
  advice: RecommendationView | null,
  now: number,
  missing: string | null = null,
): string {
  const table = tableLines(
    [
      ['lane', 'left', ([, title]) => title],
      ['gwei', 'right', ([lane]) => gwei(snapshot.lanes[lane].price)],
      ['max fee', 'right', ([lane]) => gwei(snapshot.lanes[lane].maxFeePerGas)],
      ['tip', 'right', ([lane]) => gwei(snapshot.lanes[lane].maxPriorityFeePerGas)],
      ['within', 'right', ([lane]) => within(snapshot.lanes[lane].withinBlocks)],
      ['usually, at most', 'right', ([lane]) => wait(snapshot.lanes[lane].waitSec)],
      ['likely', 'right', ([lane]) => share(snapshot.stale ? null : snapshot.lanes[lane].probability)],
    ],
    LANES,
  );
  return [
    ...headLines(snapshot, now),
    '',
    ...table,
    '',
    feeLine(snapshot),
    ...(advice === null ? [] : snapshot.stale ? [staleLine(snapshot, now)] : adviceLines(advice)),
    ...(missing === null ? [] : wrapWords(`no advice: ${missing}`, WIDTH)),
  ].join('\n');
}

function headLines(snapshot: SnapshotView, now: number): string[] {
  const { blockNumber, source } = snapshot;
  const block = blockNumber === null ? 'block unknown' : `#${formatCount(blockNumber)}`;
  const badge = { replay: 'REPLAY', simulated: 'SIMULATED', rpc: null, service: null }[source.kind];
  const parts = [chainName(snapshot), block, ageText(snapshot, now), cleanLine(source.name)];
  const head = parts.filter((part) => part !== '').join('  ');
  const lines = [cutTo(badge === null ? head : `[${badge}]  ${head}`, WIDTH)];
  if (snapshot.stale && source.problem !== null) lines.push(`stale: ${cleanLine(source.problem.message)}`);
  else if (snapshot.stale) lines.push('stale: the source gives nothing new');
  return lines;
}

function cutTo(line: string, width: number): string {
  return line.length > width ? `${line.slice(0, width - 1)}…` : line;
}

/** The chain's name; empty where the service does not say which chain it is. */
function chainName(snapshot: SnapshotView): string {
  return cleanLine(chainNameOf(snapshot) ?? '');
}

/** Age of the block; a recording's blocks lie years back, so there the time itself is said. */
function ageText(snapshot: SnapshotView, now: number): string {
  const { blockTimestamp, source } = snapshot;
  if (blockTimestamp === null) return '';
  if (source.kind === 'replay') return `${utcTime(blockTimestamp, 'seconds')} UTC`;
  return formatAge(Math.max(now - blockTimestamp, 0) / 1_000);
}

function feeLine(snapshot: SnapshotView): string {
  const { baseFee, nextBaseFee, blobBaseFee, gasUsedRatio } = snapshot;
  const parts = [`base ${formatGwei(baseFee)}`];
  if (nextBaseFee !== null) {
    const change =
      baseFee === 0n ? '' : ` (${formatChange(Number(nextBaseFee - baseFee) / Number(baseFee))})`;
    parts.push(`next ${formatGwei(nextBaseFee)}${change}`);
  }
  if (blobBaseFee !== null) parts.push(`blob ${formatGwei(blobBaseFee)}`);
  if (gasUsedRatio !== null) parts.push(`block ${formatPercent(gasUsedRatio)} full`);
  return parts.join(' · ');
}

function staleLine(snapshot: SnapshotView, now: number): string {
  return `advice of ${ageText(snapshot, now)}, no longer valid`;
}

function adviceLines(advice: RecommendationView): readonly string[] {
  if (advice.action === null) return wrapWords(cleanLine(advice.reasons[0] ?? 'no advice yet'), WIDTH);
  const { action, target } = describeAdvice(advice);
  const parts = [cleanLine(`${action} ${target}`)];
  const saving = advice.expectedSavingRatio;
  if (saving !== null && saving > 0) parts.push(`saves ${formatPercent(saving)} on average`);
  if (advice.probability !== null) parts.push(`${formatLikelihood(advice.probability)} likely`);
  const kept = advice.track && keptWords(advice.track);
  if (kept !== null) parts.push(kept);
  return [parts.join(' · ')];
}

function gwei(wei: bigint | null): string {
  return wei === null ? UNKNOWN : formatGwei(wei);
}

function within(blocks: number | null): string {
  if (blocks === null) return UNKNOWN;
  return blocks === 1 ? '1 block' : `${blocks} blocks`;
}

function wait(waitSec: { readonly p50: number; readonly p95: number } | null): string {
  return waitSec === null ? UNKNOWN : `${formatDuration(waitSec.p50)}, ${formatDuration(waitSec.p95)}`;
}

function share(probability: number | null): string {
  return probability === null ? UNKNOWN : formatLikelihood(probability);
}

interface Facts {
  readonly snapshot: SnapshotView;
  readonly advice: RecommendationView | null;
  readonly now: number;
}

type Part = { readonly text: string } | { readonly fill: (facts: Facts) => string };

/** Prices: gwei for people, or exact with `:gwei` and `:wei`. */
const PRICES: Readonly<Record<string, (facts: Facts) => bigint | null>> = {
  slow: ({ snapshot }) => snapshot.lanes.slow.price,
  average: ({ snapshot }) => snapshot.lanes.average.price,
  fast: ({ snapshot }) => snapshot.lanes.fast.price,
  base: ({ snapshot }) => snapshot.baseFee,
  next: ({ snapshot }) => snapshot.nextBaseFee,
  tip: ({ snapshot }) => snapshot.priorityFee,
  blob: ({ snapshot }) => snapshot.blobBaseFee,
  target: ({ advice }) => advice?.targetPrice ?? null,
};

const WORDS: Readonly<Record<string, (facts: Facts) => string | null>> = {
  action: ({ advice }) => mapped(advice?.action, cleanLine),
  probability: ({ advice }) => mapped(advice?.probability, formatPercent),
  saving: ({ advice }) => mapped(advice?.expectedSavingRatio, formatPercent),
  wait: ({ advice }) => mapped(advice?.expectedWaitSec, formatDuration),
  full: ({ snapshot }) => mapped(snapshot.gasUsedRatio, formatPercent),
  block: ({ snapshot }) => mapped(snapshot.blockNumber, String),
  age: ({ snapshot, now }) => ageText(snapshot, now),
  chain: ({ snapshot }) => chainName(snapshot),
  source: ({ snapshot }) => cleanLine(snapshot.source.name),
};

export const PLACEHOLDERS: readonly string[] = [...Object.keys(PRICES), ...Object.keys(WORDS)];

/** Everything that can be filled in, one a line; prices with their exact forms beside them. */
export function placeholderList(): string {
  const prices = Object.keys(PRICES).map((name) => `{${name}} {${name}:gwei} {${name}:wei}`);
  return [...prices, ...Object.keys(WORDS).map((name) => `{${name}}`)].join('\n');
}

/** Whether a template needs the recommendation, which is a second question to the service. */
const ADVICE = new Set(['target', 'action', 'probability', 'saving', 'wait']);

interface Template {
  readonly needsAdvice: boolean;
  fill(facts: Facts): string;
}

/**
 * Reads a `--format` text: `{name}` is filled in, `{{` and `}}` are braces.
 * @throws CliError (usage) for a placeholder that does not exist.
 */
export function parseTemplate(text: string): Template {
  const parts: Part[] = [];
  let needsAdvice = false;
  for (const [piece] of text.matchAll(/\{\{|\}\}|\{[^{}]*\}|[{}]|[^{}]+/g)) {
    if (piece === '{{' || piece === '}}') parts.push({ text: piece.slice(1) });
    else if (piece === '{' || piece === '}') {
      throw usageError(`--format: a single ${piece} stands alone; write ${piece}${piece} for a brace`);
    } else if (piece.startsWith('{')) {
      const name = piece.slice(1, -1).trim();
      needsAdvice ||= ADVICE.has(name.split(':')[0] ?? '');
      parts.push({ fill: placeholder(name) });
    } else parts.push({ text: piece });
  }
  return {
    needsAdvice,
    fill: (facts) => parts.map((part) => ('text' in part ? part.text : part.fill(facts))).join(''),
  };
}

function placeholder(written: string): (facts: Facts) => string {
  const [name = '', unit, ...rest] = written.split(':');
  const price = ownValue(PRICES, name);
  if (price !== undefined && rest.length === 0) {
    if (unit === undefined) return (facts) => mapped(price(facts), formatGwei) ?? UNKNOWN;
    if (unit === 'gwei') return (facts) => mapped(price(facts), gweiString) ?? '';
    if (unit === 'wei') return (facts) => mapped(price(facts), String) ?? '';
  }
  const word = ownValue(WORDS, name);
  if (word !== undefined && unit === undefined) return (facts) => word(facts) || UNKNOWN;
  const known = PLACEHOLDERS.map((each) => `{${each}}`).join(' ');
  throw usageError(`--format: {${written}} is unknown; known are ${known} and prices with :gwei or :wei`);
}

function mapped<Value, Result>(
  value: Value | null | undefined,
  write: (value: Value) => Result,
): Result | null {
  return value === null || value === undefined ? null : write(value);
}
