import type { RecommendationView, SnapshotView } from '../client/views/gas.ts';
import { ownValue } from '../core/own-value.ts';
import { formatDuration, formatGwei, formatPercent, gweiString, UNKNOWN } from '../core/units.ts';
import { cleanLine } from './clean-line.ts';
import { usageError } from './cli-error.ts';
import { ageText, chainName } from './snapshot-text.ts';

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
  action: ({ advice }) => advice && cleanLine(advice.action),
  probability: ({ advice }) => mapped(advice?.probability, formatPercent),
  saving: ({ advice }) => mapped(advice?.expectedSavingRatio, formatPercent),
  wait: ({ advice }) => mapped(advice?.expectedWaitSec, formatDuration),
  full: ({ snapshot }) => mapped(snapshot.gasUsedRatio, formatPercent),
  block: ({ snapshot }) => mapped(snapshot.blockNumber, String),
  age: ({ snapshot, now }) => ageText(snapshot, now),
  chain: ({ snapshot }) => chainName(snapshot.chainId),
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

export interface Template {
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
