import { gweiString, shifted } from '../units.ts';
import { USUAL_ACTIONS } from '../usual-work.ts';

/** What is paid for: a row of Usual work by its short name (`swap`), or so much gas. */
export type PaidWork = { readonly action: string } | { readonly gas: number };

/** What a price is compared with, wherever one is. */
export type Threshold =
  /** `5`, `5gwei`: wei per gas. */
  | { readonly kind: 'gwei'; readonly price: bigint }
  /** `$0.40/swap`, `$2/200000`: what that costs in all, what a rollup takes for L1 included. */
  | { readonly kind: 'usd'; readonly usd: number; readonly work: PaidWork }
  /** `p20/7d`: the percentile (1 to 99) of the lane's price over the window. */
  | { readonly kind: 'percentile'; readonly percentile: number; readonly windowSec: number }
  /** `-25%/7d`: so much (0 to 1) below the median of the lane's price over the window. */
  | { readonly kind: 'belowMedian'; readonly ratio: number; readonly windowSec: number }
  /** `2% of $35/swap`: that costs this share (0 to 1) of the dollars. */
  | { readonly kind: 'share'; readonly ratio: number; readonly ofUsd: number; readonly work: PaidWork };

/** A rule: the price that it stands for moves. */
export type RelativeThreshold = Exclude<Threshold, { kind: 'gwei' }>;

const DRIFT_DIVISOR = 200n;

/** The share by which a price may differ from the stored one before that follows, in dollars or by a limit of cost: 0.5 %. */
export const DRIFT_RATIO = 1 / Number(DRIFT_DIVISOR);

/** How far a price may move from the stored one, wei, rounded down. */
export const driftOf = (stored: bigint): bigint => stored / DRIFT_DIVISOR;

/** Whether a price has moved further: the stored one follows. */
export const hasDrifted = (stored: bigint, price: bigint): boolean =>
  (price > stored ? price - stored : stored - price) > driftOf(stored);

/** One clear line that says what to write. */
export class ThresholdError extends RangeError {
  override readonly name = 'ThresholdError';
}

/** The short names of Usual work, by which a threshold names an action. */
const WORK_WORDS: readonly string[] = USUAL_ACTIONS.map(({ word }) => word);

// The contract has the same bounds.
const MOST_GWEI = 1_000_000;
const USD = { least: 1e-9, most: 1_000_000 };
const RATIO_LEAST = 1e-6;
const PERCENTILE = { least: 1, most: 99 };
const WORK_GAS = { least: 21_000, most: 1_000_000_000 };
const WINDOW_SEC = { least: 3_600, most: 30 * 86_400 };

/** `#` of a {@link pattern}. */
const NUMBER = String.raw`(\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d{1,15}(?:\.\d{0,30})?|\.\d{1,30})`;
const WORK = String.raw`([a-z\d,.-]+)`;
/** The text between is a pattern; `#` is a number. */
export const pattern = (text: string) => new RegExp(`^${text.replaceAll('#', NUMBER)}$`);

const GWEI_FORM = pattern('#(?:gwei)?');
const USD_FORM = pattern(String.raw`\$#/${WORK}`);
const PERCENTILE_FORM = pattern(String.raw`p(\d{1,3})/(\w+)`);
const BELOW_MEDIAN_FORM = pattern(String.raw`-#%/(\w+)`);
const SHARE_FORM = pattern(String.raw`#%of\$#/${WORK}`);

/** Spaces and case are free. @throws {ThresholdError} */
export function parseThreshold(text: string): Threshold {
  const written = text.trim().toLowerCase().replaceAll(/\s+/g, '').replaceAll('−', '-');
  const [, gwei] = GWEI_FORM.exec(written) ?? [];
  if (gwei !== undefined) return { kind: 'gwei', price: weiOf(gwei) };
  const [, usd, paidFor = ''] = USD_FORM.exec(written) ?? [];
  if (usd !== undefined) return { kind: 'usd', usd: writtenUsd(usd), work: workOf(paidFor) };
  const [, percentile, window = ''] = PERCENTILE_FORM.exec(written) ?? [];
  if (percentile !== undefined)
    return { kind: 'percentile', percentile: percentileOf(percentile), windowSec: windowOf(window) };
  const [, below, span = ''] = BELOW_MEDIAN_FORM.exec(written) ?? [];
  if (below !== undefined) {
    const ratio = writtenRatio(below);
    if (ratio < 1) return { kind: 'belowMedian', ratio, windowSec: windowOf(span) };
    throw new ThresholdError('no price is 100 % below a median: write -25%/7d');
  }
  const [, share, ofUsd = '', work = ''] = SHARE_FORM.exec(written) ?? [];
  if (share !== undefined) {
    const ratio = writtenRatio(share);
    if (ratio <= 1) return { kind: 'share', ratio, ofUsd: writtenUsd(ofUsd), work: workOf(work) };
    throw new ThresholdError('a share is at most 100 %: write 2% of $35/swap');
  }
  throw new ThresholdError(adviceFor(written, text.trim()));
}

const plainNumber = (digits: string) => digits.replaceAll(',', '').replace(/\.$/, '');

function weiOf(gwei: string): bigint {
  const wei = shifted(plainNumber(gwei), 9);
  if (wei.includes('.')) throw new ThresholdError('must have at most 9 decimals');
  const price = BigInt(wei);
  if (price === 0n) throw new ThresholdError('must be more than 0');
  if (price <= BigInt(MOST_GWEI) * 10n ** 9n) return price;
  throw new ThresholdError('must be at most 1,000,000 gwei');
}

export function writtenUsd(dollars: string): number {
  const usd = Number(plainNumber(dollars));
  if (usd >= USD.least && usd <= USD.most) return usd;
  throw new ThresholdError(usd > 1 ? 'an amount is at most $1,000,000' : 'an amount is above $0');
}

export function writtenRatio(percent: string): number {
  const ratio = Number(shifted(plainNumber(percent), -2));
  if (ratio >= RATIO_LEAST) return ratio;
  throw new ThresholdError('a percentage is at least 0.0001 %');
}

function percentileOf(text: string): number {
  const percentile = Number(text);
  if (percentile >= PERCENTILE.least && percentile <= PERCENTILE.most) return percentile;
  throw new ThresholdError('a percentile is a whole number from 1 to 99: write p20/7d');
}

const WINDOW_UNITS: Readonly<Record<string, number>> = { m: 60, min: 60, h: 3_600, d: 86_400, w: 604_800 };

function windowOf(text: string): number {
  const [, count, unit = ''] = /^(\d{1,5})(m|min|h|d|w)$/.exec(text) ?? [];
  if (count === undefined) throw new ThresholdError(`"${text}" is no window: write 6h, 7d or 90m`);
  const sec = Number(count) * (WINDOW_UNITS[unit] ?? 0);
  if (sec >= WINDOW_SEC.least && sec <= WINDOW_SEC.most) return sec;
  throw new ThresholdError('a window is from 1h to 30d: write 6h or 7d');
}

const squeezed = (name: string) => name.toLowerCase().replaceAll(/[^a-z\d]/g, '');

function workOf(text: string): PaidWork {
  const digits = text.replaceAll(',', '').replace(/gas$/, '');
  if (/^\d+$/.test(digits)) {
    const gas = Number(digits);
    if (gas >= WORK_GAS.least && gas <= WORK_GAS.most) return { gas };
    throw new ThresholdError('an amount of gas is from 21,000 to 1,000,000,000');
  }
  const name = squeezed(text);
  const action = USUAL_ACTIONS.find((each) => each.word === name || squeezed(each.name) === name);
  if (action !== undefined) return { action: action.word };
  const near = WORK_WORDS.find((word) => word.startsWith(name.slice(0, 2)));
  const meant = near === undefined ? '' : `did you mean ${near}? `;
  throw new ThresholdError(
    `"${text}" is no usual work: ${meant}write ${WORK_WORDS.join(', ')}, or so much gas: 200000`,
  );
}

/** Near misses, and what to write instead: `$1` is the first number that was typed. */
const NEAR_MISSES: readonly (readonly [miss: RegExp, advice: string])[] = [
  [pattern(String.raw`\$#/?`), '$$$1 for what? write $$$1/swap, or $$$1/200000 for so much gas'],
  [pattern(String.raw`#(?:\$|usd)/?`), '$$$1 for what? write $$$1/swap, or $$$1/200000 for so much gas'],
  [pattern(String.raw`#(?:\$|usd)/${WORK}`), 'write $$$1/$2'],
  [pattern(String.raw`\$#(?:per|for|a)?([a-z]+)`), 'write $$$1/$2'],
  [pattern('#%(?:of)?'), '$1% of what? write $1% of $$35/swap, or -$1%/7d (below the median)'],
  [pattern(String.raw`#%of\$?#(?:\$|usd)?/?`), '$1% of $$$2 for what? write $1% of $$$2/swap'],
  [pattern(String.raw`#%of#(?:\$|usd)?/${WORK}`), 'write $1% of $$$2/$3'],
  [pattern('#%of(?:a|my|the)?([a-z]+)'), '$1% of how much? write $1% of $$35/swap'],
  [/^p(\d{1,3})\/?$/, 'p$1 over how long? write p$1/7d'],
  [pattern('-#%/?'), '-$1% over how long? write -$1%/7d'],
  [pattern(String.raw`\+?#%/(\w+)`), 'write -$1%/$2 for so much below the median'],
  [pattern('-#.*'), 'must be more than 0; for so much below the median write -$1%/7d'],
];

function adviceFor(written: string, text: string): string {
  const [miss, advice] = NEAR_MISSES.find(([each]) => each.test(written)) ?? [];
  if (miss !== undefined && advice !== undefined) return written.replace(miss, advice);
  const shown = text.length > 40 ? `${text.slice(0, 40)}…` : text;
  return `"${shown}" is no threshold: write ${THRESHOLD_FORMS}`;
}

/** An example of each form, for a refusal or a help text. */
export const THRESHOLD_FORMS = '5 (gwei), $0.40/swap, p20/7d, -25%/7d or 2% of $35/swap';

/** `0.04`, `$0.40/swap`, `p20/7d`, `-25%/7d`, `2% of $35/swap`: {@link parseThreshold} reads it back. */
export function thresholdText(threshold: Threshold): string {
  switch (threshold.kind) {
    case 'gwei':
      return gweiString(threshold.price);
    case 'usd':
      return `${usdText(threshold.usd)}/${workText(threshold.work)}`;
    case 'percentile':
      return `p${threshold.percentile}/${windowText(threshold.windowSec)}`;
    case 'belowMedian':
      return `-${percentText(threshold.ratio)}/${windowText(threshold.windowSec)}`;
    case 'share':
      return `${percentText(threshold.ratio)} of ${usdText(threshold.ofUsd)}/${workText(threshold.work)}`;
  }
}

const workText = (work: PaidWork): string => ('action' in work ? work.action : String(work.gas));
export const percentText = (ratio: number): string => `${shifted(String(ratio), 2)}%`;

export function usdText(usd: number): string {
  const [whole, cents] = shifted(String(usd), 0).split('.');
  return cents === undefined ? `$${whole}` : `$${whole}.${cents.padEnd(2, '0')}`;
}

/** `90m`, `6h`, `7d` */
function windowText(windowSec: number): string {
  if (windowSec % 86_400 === 0) return `${windowSec / 86_400}d`;
  return windowSec % 3_600 === 0 ? `${windowSec / 3_600}h` : `${windowSec / 60}m`;
}

/** A price per gas in wei, or a short sentence that says why there is none. */
export type PriceOrReason = { readonly price: bigint } | { readonly reason: string };

export const NO_BLOB_HISTORY = { reason: 'no history of blobs is stored' };

/** What a rule is priced by, at one block. */
export interface ThresholdBasis {
  /** US dollars for one native coin; `null`: unknown, or outdated. */
  readonly nativeUsd: number | null;
  /** Why it is `null`, such as `the dollar price is 26 h old`. Default: `no dollar price of the coin`. */
  readonly nativeUsdReason?: string | undefined;
  /** Gas of that work by the rules of the head; `null`: unknown. */
  readonly gasOf: (work: PaidWork) => number | null;
  /** What L1 and the chain's operator take for that work, wei; 0 where the chain takes none, `null`: unknown. */
  readonly dataFeeOf: (work: PaidWork) => bigint | null;
  /** The percentile (0 to 100) of the lane's price over the window, wei per gas. */
  readonly pastPrice: (percentile: number, windowSec: number) => PriceOrReason;
}

/** So often what rules against history stand for is worked out anew, in seconds of block time. */
export const HISTORY_EVERY_SEC = 300;

/** Whether it moves with the lane's own past, and not with the coin's price. */
export const isPricedByHistory = ({ kind }: Threshold): boolean =>
  kind === 'percentile' || kind === 'belowMedian';

/**
 * The price per gas, wei, that a threshold stands for, on the safe side to the wei: of `LESS_THAN` never above what the rule
 * allows, of `GREATER_THAN` never below. What is missing is the reason, and no other figure takes its place.
 */
export function effectivePrice(
  threshold: Threshold,
  condition: 'LESS_THAN' | 'GREATER_THAN',
  basis: ThresholdBasis,
): PriceOrReason {
  const divided = condition === 'LESS_THAN' ? dividedDown : dividedUp;
  switch (threshold.kind) {
    case 'gwei':
      return { price: threshold.price };
    case 'percentile':
      return basis.pastPrice(threshold.percentile, threshold.windowSec);
    case 'belowMedian': {
      const median = basis.pastPrice(50, threshold.windowSec);
      if ('reason' in median) return median;
      const { units, per } = fractionOf(threshold.ratio);
      return storable(divided(median.price * (per - units), per), condition);
    }
    case 'usd':
      return priceWithin(fractionOf(threshold.usd), threshold.work, condition, basis);
    case 'share': {
      const [share, of] = [fractionOf(threshold.ratio), fractionOf(threshold.ofUsd)];
      const usd = { units: share.units * of.units, per: share.per * of.per };
      return priceWithin(usd, threshold.work, condition, basis);
    }
  }
}

/** Why a threshold is none for the blob base fee, and what to write; `null`: it is one. */
export function blobMisfit(threshold: Threshold): string | null {
  if (threshold.kind === 'gwei') return null;
  if (!('work' in threshold)) return 'no history of blob prices is stored: write gwei, or $0.01/131072';
  return 'gas' in threshold.work ? null : `${threshold.work.action} takes no blob gas: write $0.01/131072`;
}

const dividedDown = (units: bigint, per: bigint): bigint => units / per;
const dividedUp = (units: bigint, per: bigint): bigint => (units + per - 1n) / per;
const WEI_PER_COIN = 10n ** 18n;

/** Wei for so many dollars, at so many dollars for one coin. */
export function weiForUsd(usd: Fraction, nativeUsd: number, divided = dividedDown): bigint {
  const coin = fractionOf(nativeUsd);
  return divided(usd.units * coin.per * WEI_PER_COIN, usd.per * coin.units);
}

/** The price per gas at which that work costs so many dollars in all. */
function priceWithin(
  usd: Fraction,
  work: PaidWork,
  condition: 'LESS_THAN' | 'GREATER_THAN',
  { nativeUsd, nativeUsdReason, gasOf, dataFeeOf }: ThresholdBasis,
): PriceOrReason {
  if (nativeUsd === null || !(nativeUsd > 0))
    return { reason: nativeUsdReason ?? 'no dollar price of the coin' };
  const gas = gasOf(work);
  if (gas === null) return { reason: `the gas of ${workText(work)} is unknown` };
  const dataFee = dataFeeOf(work);
  if (dataFee === null) return { reason: unknownDataFee(work) };
  const isLess = condition === 'LESS_THAN';
  const divided = isLess ? dividedDown : dividedUp;
  const most = weiForUsd(usd, nativeUsd, divided);
  if (most > dataFee) return storable(divided(most - dataFee, BigInt(gas)), condition);
  return isLess ? { reason: 'the L1 data fee alone costs as much' } : { price: 0n };
}

const unknownDataFee = (work: PaidWork): string =>
  'gas' in work
    ? 'the L1 data fee depends on more than gas: name an action, such as swap'
    : 'the L1 data fee is unknown';

/** A price of 0 is one that no block has. */
function storable(price: bigint, condition: 'LESS_THAN' | 'GREATER_THAN'): PriceOrReason {
  const isLess = condition === 'LESS_THAN';
  if (price === 0n && isLess) return { reason: 'it stands for less than 1 wei' };
  if (price <= MOST_PRICE) return { price };
  return isLess ? { price: MOST_PRICE } : { reason: 'it stands for over 9,007,199 gwei' };
}

/** The highest that the database holds. */
export const MOST_PRICE = BigInt(Number.MAX_SAFE_INTEGER);

type Fraction = Readonly<Record<'units' | 'per', bigint>>;

/** The decimal number that a double prints as, exactly. */
export function fractionOf(value: number): Fraction {
  const [whole = '0', fraction = ''] = shifted(String(value), 0).split('.');
  return { units: BigInt(whole + fraction), per: 10n ** BigInt(fraction.length) };
}
