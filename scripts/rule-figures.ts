/**
 * Counts how often an alert with a rule against history would have fired on recorded prices, beside a fixed price in gwei, and
 * writes docs/rules-score.json and the table of docs/RULES.md. Without a FILE it walks the recording that comes with the
 * project and leaves the figures of others as they are. A FILE of hourly means has the columns
 * `hour_start_unix,mean_base_fee_wei`:
 *
 *     npm run figures:rules -- [FILE…]
 */
import { readFile, writeFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';
import { readBlockFile } from '../src/chain/block-file.ts';
import { type LanePricesView, pastPriceAt } from '../src/client/lane-prices.ts';
import { COOLDOWN_DEFAULT_MS } from '../src/contract/choices.ts';
import {
  type AlertPhase,
  type AlertRule,
  ARMED,
  type PriceAtBlock,
  stepAlert,
} from '../src/core/alerts/alert-rule.ts';
import { effectivePrice, parseThreshold, type ThresholdBasis } from '../src/core/threshold/threshold.ts';
import { formatDuration, formatGwei } from '../src/core/units.ts';
import { FIXTURE } from './advice/score.ts';
import { withPart } from './docs/markdown.ts';

const ROOT = new URL('../', import.meta.url);
const SCORE_FILE = new URL('docs/rules-score.json', ROOT);
const PAGE = new URL('docs/RULES.md', ROOT);

const HOUR = 3_600;
/** Rules against history are worked out so often, by means of so long. */
const BUCKET = 300;
const HOURLY_HEADER = 'hour_start_unix,mean_base_fee_wei';

/** What an alert with the usual cooldown did from the time on at which its rule was known. */
interface Firings {
  readonly firings: number;
  /** The longest time without one. */
  readonly longestSec: number;
}

export interface RuleScore {
  readonly file: string;
  readonly isHourly: boolean;
  /** Unix seconds of the first price, and how long both alerts were armed. */
  readonly firstTime: number;
  readonly scoredSec: number;
  readonly rule: string;
  readonly byRule: Firings;
  /** What the rule stood for by the first hour, or the first window of hourly means, gwei. */
  readonly fixedGwei: number;
  readonly byFixed: Firings;
}

interface Recording {
  readonly file: string;
  readonly isHourly: boolean;
  /** Ascending, wei per gas. */
  readonly prices: readonly PriceAtBlock[];
}

async function readRecording(path: string): Promise<Recording> {
  const file = basename(path);
  const prices: PriceAtBlock[] = [];
  const text = await readFile(path, 'utf8');
  const isHourly = text.startsWith(HOURLY_HEADER);
  if (!isHourly) {
    for await (const { number, timestamp, baseFeePerGas } of readBlockFile(path))
      prices.push({ number, timestamp, price: baseFeePerGas });
    return { file, isHourly, prices };
  }
  for (const line of text.trim().split('\n').slice(1)) {
    const [start = '', mean = ''] = line.split(',');
    prices.push({ number: prices.length, timestamp: Number(start), price: BigInt(Math.round(Number(mean))) });
  }
  return { file, isHourly, prices };
}

/** Means over buckets, as a service rolls them up. */
function meansOf(prices: readonly PriceAtBlock[], everySec: number): LanePricesView {
  const buckets = Map.groupBy(prices, ({ timestamp }) => Math.floor(timestamp / everySec) * everySec);
  return {
    everySec,
    prices: [...buckets].map(([timestamp, within]) => ({
      number: timestamp,
      timestamp,
      price: within.reduce((sum, { price }) => sum + price, 0n) / BigInt(within.length),
    })),
  };
}

function priceBy(text: string, pastPrice: ThresholdBasis['pastPrice']): bigint | null {
  const nothing = { nativeUsd: null, gasOf: () => null, dataFeeOf: () => null };
  const price = effectivePrice(parseThreshold(text), 'LESS_THAN', { ...nothing, pastPrice });
  return 'price' in price ? price.price : null;
}

function firingsOf(prices: readonly PriceAtBlock[], thresholdAt: (timestamp: number) => bigint): Firings {
  const [first, last] = [prices[0], prices.at(-1)];
  let phase: AlertPhase = ARMED;
  const fired: number[] = [];
  for (const at of prices) {
    const rule: AlertRule = {
      ...{ lane: 'average', condition: 'LESS_THAN', threshold: thresholdAt(at.timestamp), hysteresis: 0n },
      ...{ confirmBlocks: 1, cooldownMs: COOLDOWN_DEFAULT_MS, disableOnce: false },
    };
    const step = stepAlert(rule, phase, at);
    phase = step.phase;
    if (step.fires) fired.push(at.timestamp);
  }
  const times = [first?.timestamp ?? 0, ...fired, last?.timestamp ?? 0];
  return {
    firings: fired.length,
    longestSec: Math.max(...times.slice(1).map((time, place) => time - (times[place] ?? time))),
  };
}

function scoreOf({ file, isHourly, prices }: Recording, rule: string, windowSec: number): RuleScore {
  const everySec = isHourly ? HOUR : BUCKET;
  const past = meansOf(prices, everySec);
  const known = new Map<number, bigint | null>();
  const byRule = (timestamp: number) => {
    const at = Math.floor(timestamp / everySec) * everySec;
    if (!known.has(at)) known.set(at, priceBy(rule, pastPriceAt(past, at)));
    return known.get(at) ?? null;
  };
  const firstTime = prices[0]?.timestamp ?? 0;
  const scored = prices.filter(({ timestamp }) => byRule(timestamp) !== null);
  const spanSec = isHourly ? windowSec : HOUR;
  const early = prices.filter(({ timestamp }) => timestamp < firstTime + spanSec);
  const sorted = meansOf(early, everySec).prices.map(({ price }) => price);
  const ascending = sorted.toSorted((a, b) => (a < b ? -1 : 1));
  const fixed =
    priceBy(rule, (percentile) => ({
      price: ascending[Math.round(((ascending.length - 1) * percentile) / 100)] ?? 0n,
    })) ?? 0n;
  return {
    ...{ file, isHourly, firstTime, rule },
    scoredSec: (scored.at(-1)?.timestamp ?? 0) - (scored[0]?.timestamp ?? 0),
    byRule: firingsOf(scored, (timestamp) => byRule(timestamp) ?? 0n),
    fixedGwei: Number(fixed) / 1e9,
    byFixed: firingsOf(scored, () => fixed),
  };
}

export async function scoresOf(path: string): Promise<RuleScore[]> {
  const recording = await readRecording(path);
  const [window, windowSec] = recording.isHourly ? ['7d', 7 * 86_400] : ['6h', 6 * HOUR];
  return [`p20/${window}`, `-25%/${window}`].map((rule) => scoreOf(recording, rule, windowSec));
}

export const readScores = async (): Promise<RuleScore[]> =>
  JSON.parse(await readFile(SCORE_FILE, 'utf8').catch(() => '[]')) as RuleScore[];

export function table(scores: readonly RuleScore[]): string {
  const rows = scores.toSorted((a, b) => a.firstTime - b.firstTime).map(row);
  return [
    '| prices | scored | rule | fires a day | longest without | fixed price | fires a day | longest without |',
    '|---|--:|---|--:|--:|--:|--:|--:|',
    ...rows,
  ].join('\n');
}

function row({ isHourly, firstTime, scoredSec, rule, byRule, fixedGwei, byFixed }: RuleScore): string {
  const month = new Date(firstTime * 1_000).toISOString().slice(0, 7);
  const cells = (of: Firings) => [aDay(of, scoredSec), formatDuration(of.longestSec)];
  return `| ${[
    ...[`${month}${isHourly ? ', hourly means' : ''}`, formatDuration(scoredSec), `\`${rule}\``],
    ...cells(byRule),
    `${formatGwei(BigInt(Math.round(fixedGwei * 1e9)))} gwei`,
    ...cells(byFixed),
  ].join(' | ')} |`;
}

/** Of less than a day the count alone. */
const aDay = ({ firings }: Firings, scoredSec: number): string =>
  scoredSec < 86_400 ? `${firings} in all` : ((firings * 86_400) / scoredSec).toFixed(1);

export const withTable = (page: string, scores: readonly RuleScore[]): string =>
  withPart(page, 'rules', table(scores), 'scripts/rule-figures.ts');

async function main(paths: readonly string[]): Promise<void> {
  const walked = paths.length > 0 ? paths : [fileURLToPath(FIXTURE)];
  const fresh: RuleScore[] = [];
  for (const path of walked) fresh.push(...(await scoresOf(path)));
  const others = (await readScores()).filter(({ file }) => !fresh.some((each) => each.file === file));
  const scores = [...others, ...fresh].sort((a, b) => a.firstTime - b.firstTime);
  await writeFile(SCORE_FILE, `${JSON.stringify(scores, null, 2)}\n`);
  await writeFile(PAGE, withTable(await readFile(PAGE, 'utf8'), scores));
}

if (import.meta.main) await main(process.argv.slice(2));
