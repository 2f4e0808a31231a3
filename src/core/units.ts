/** Wei is exact; rounding happens here, last, and only for people: no scientific notation, no price rounded to 0. */

const GWEI_DECIMALS = 9;
const NATIVE_DECIMALS = 18;
const WEI_PER_GWEI = 1_000_000_000n;
const SIGNIFICANT = 3;
/** A smaller amount is all zeros as a coin. */
const COUNTED_WEI = 1_000_000n;
/** A growth by this factor or more is shown as a multiple. */
const LEAST_MULTIPLE = 10;
const MOST_MULTIPLE = 9_999;

export const UNKNOWN = '—';

/** U+2212, as wide as a digit, so that columns of signed numbers stay aligned. */
const MINUS = '−';

/** Half up to three significant digits, and every digit left of the point. Trailing zeros keep columns wide. */
function formatScaled(units: bigint, decimals: number): string {
  if (units === 0n) return '0';
  const digits = units.toString().length;
  // Number of digits to round away; none above the point.
  const dropped = Math.min(Math.max(digits - SIGNIFICANT, 0), decimals);
  const step = 10n ** BigInt(dropped);
  let rounded = (units + step / 2n) / step;
  let places = decimals - dropped;
  // 9.996 rounds up to 10.00: one digit too many.
  if (places > 0 && dropped > 0 && rounded.toString().length > SIGNIFICANT) {
    rounded /= 10n;
    places -= 1;
  }
  const text = rounded.toString().padStart(places + 1, '0');
  const whole = groupDigits(text.slice(0, text.length - places));
  return places === 0 ? whole : `${whole}.${text.slice(text.length - places)}`;
}

const groupDigits = (digits: string) => digits.replace(/\B(?=(\d{3})+$)/g, ',');

function grouped(decimal: string): string {
  const [whole = '', ...fraction] = decimal.split('.');
  return [groupDigits(whole), ...fraction].join('.');
}

/** A decimal, also with an exponent, times ten to the power of `places`, without an exponent. */
export function shifted(decimal: string, places: number): string {
  const [digits = '0', exponent = '0'] = decimal.toLowerCase().split('e');
  const [whole = '', fraction = ''] = digits.split('.');
  const point = whole.length + places + Number(exponent);
  const all = (whole + fraction).padStart(whole.length + fraction.length - Math.min(point, 0), '0');
  const at = Math.max(point, 0);
  const [left, right] = [all.padEnd(at, '0').slice(0, at), all.slice(at)];
  const [trimmed, rest] = [left.replace(/^0+(?=\d)/, '') || '0', right.replace(/0+$/, '')];
  return rest === '' ? trimmed : `${trimmed}.${rest}`;
}

/** The highest price per gas that JSON integers hold, wei: it stands for every higher one. */
const MOST_WEI = BigInt(Number.MAX_SAFE_INTEGER);

/** Gwei with three significant digits: `0.0412`, `12.3`, `1,352`, `over 9,007,199`. A number may be a mean or negative. */
export function formatGwei(wei: bigint | number): string {
  if (typeof wei === 'number' && !Number.isFinite(wei)) return UNKNOWN;
  const exact = typeof wei === 'number' ? BigInt(Math.round(wei)) : wei;
  if (exact >= MOST_WEI) return `over ${formatScaled(MOST_WEI, GWEI_DECIMALS)}`;
  return exact < 0n ? MINUS + formatScaled(-exact, GWEI_DECIMALS) : formatScaled(exact, GWEI_DECIMALS);
}

/** An amount of wei in whole native coins with three significant digits: `0.00000105`; a loss is negative. */
export const coinDigits = (wei: bigint): string =>
  wei < 0n ? MINUS + coinDigits(-wei) : formatScaled(wei, NATIVE_DECIMALS);

/** The same with its unit: `0.00000105 ETH`. */
export const formatNative = (wei: bigint, symbol: string): string => `${coinDigits(wei)} ${symbol}`;

/** The same for transferred or missing amounts, where every wei may count: `1 wei`, `0.00000105 ETH`. */
export const formatAmount = (wei: bigint, symbol: string): string =>
  wei > 0n && wei < COUNTED_WEI ? `${groupDigits(wei.toString())} wei` : formatNative(wei, symbol);

/** A saving: `+0.00000105 ETH`, and a loss `−0.00000105 ETH`. */
export const formatSavedNative = (wei: bigint, symbol: string): string =>
  `${wei > 0n ? '+' : ''}${formatNative(wei, symbol)}`;

/** `+$0.0031`, and a loss `−$0.0031`. */
export const formatSavedUsd = (usd: number): string => `${usd > 0 ? '+' : ''}${formatUsd(usd)}`;

/** Wei per gas as exact gwei for machines: no grouping, no rounding, no trailing zeros (`0.041234567`). */
export const gweiString = (wei: bigint): string => shifted(String(wei), -GWEI_DECIMALS);

/** The same for people: `1,352.5`. */
export const exactGwei = (wei: bigint): string => grouped(gweiString(wei));

const LONGEST_PRICE = 7;

/** A user-chosen price in gwei: exact if short, else three significant digits. */
export const shortGwei = (wei: bigint): string =>
  gweiString(wei).length <= LONGEST_PRICE ? exactGwei(wei) : formatGwei(wei);

/** An amount of wei in native coins, exact to the wei, for signed and paid amounts: `1.000000000000000001`. */
export const nativeString = (wei: bigint): string => shifted(String(wei), -NATIVE_DECIMALS);

/** The same for people, with its unit; less than a gwei in wei: `1 wei`, `0.000000001 ETH`. */
export const exactAmount = (wei: bigint, symbol: string): string =>
  wei > 0n && wei < WEI_PER_GWEI
    ? `${groupDigits(wei.toString())} wei`
    : `${grouped(nativeString(wei))} ${symbol}`;

/** Dollars: two decimals from one dollar on, below it two significant digits; tiny amounts as an upper bound. */
export function formatUsd(usd: number): string {
  if (!Number.isFinite(usd)) return UNKNOWN;
  if (usd < 0) return MINUS + formatUsd(-usd);
  if (usd === 0) return '$0';
  if (usd < 0.0001) return '<$0.0001';
  if (usd < 0.01) return `$${usd.toFixed(4).replace(/\.?0+$/, '')}`;
  if (usd < 0.0995) return `$${usd.toFixed(3)}`;
  const [whole = '0', cents = '00'] = usd.toFixed(2).split('.');
  return `$${groupDigits(whole)}.${cents}`;
}

/** The same with three digits below a dollar, however little it is, so that small costs can be compared: `$0.000391`. */
export function formatSmallUsd(usd: number): string {
  if (!(usd > 0 && usd < 1)) return formatUsd(usd);
  return usd < 1e-6 ? '<$0.000001' : `$${usd.toFixed(2 - Math.floor(Math.log10(usd)))}`;
}

export const usdOf = (wei: bigint, nativeUsd: number): number => (Number(wei) / 1e18) * nativeUsd;

const DURATION_UNITS = [
  [365 * 86_400, 'y'],
  [86_400, 'd'],
  [3_600, 'h'],
  [60, 'm'],
  [1, 's'],
] as const;

/** Two units at most: `12s`, `1m24s`, `1h05m`, `2d03h`, `10y322d`; a year has 365 days. */
export function formatDuration(seconds: number): string {
  if (!Number.isFinite(seconds)) return UNKNOWN;
  const total = Math.max(Math.round(seconds), 0);
  const at = DURATION_UNITS.findIndex(([size]) => total >= size);
  const [[big, bigName] = [1, 's'], [small, smallName] = [1, '']] = DURATION_UNITS.slice(at);
  const rest = Math.floor((total % big) / small);
  const head = `${Math.floor(total / big)}${bigName}`;
  return rest === 0 ? head : `${head}${String(rest).padStart(2, '0')}${smallName}`;
}

/** How far a history reaches, as its start is only known to a bucket: from a minute on in whole minutes. */
export const formatSpan = (seconds: number): string =>
  formatDuration(seconds < 60 ? seconds : Math.floor(seconds / 60) * 60);

/** `4s ago`; less than a second, or in the future by a clock error, is `now`. */
export function formatAge(seconds: number): string {
  if (!Number.isFinite(seconds)) return UNKNOWN;
  return seconds < 1 ? 'now' : `${formatDuration(Math.floor(seconds))} ago`;
}

/** A share as percent: `68 %`, with decimals `2.1 %`. */
export function formatPercent(ratio: number, decimals = 0): string {
  if (!Number.isFinite(ratio)) return UNKNOWN;
  const text = Math.abs(ratio * 100).toFixed(decimals);
  const negative = ratio < 0 && Number(text) !== 0;
  return `${negative ? MINUS : ''}${text} %`;
}

/** A probability as percent; near-certainty is never shown as 0 or 100: `over 99 %`. */
export function formatLikelihood(probability: number): string {
  if (probability > 0.99) return `over ${formatPercent(0.99)}`;
  return probability < 0.01 ? `under ${formatPercent(0.01)}` : formatPercent(probability);
}

/** A stated probability: `90 %`, or `≤ 84 %` where so few windows support no higher one. */
export const formatStated = (probability: number, isCeiling: boolean): string =>
  isCeiling && probability <= 0.99 ? `≤ ${formatPercent(probability)}` : formatLikelihood(probability);

/** What waiting brings on average against sending now: `saves 23 %`, below 0 `costs 5 %`. */
export const formatSaving = (ratio: number): string =>
  `${Math.round(ratio * 100) < 0 ? 'costs' : 'saves'} ${formatPercent(Math.abs(ratio))}`;

/** `+3.4 %`, `−2.1 %`; from ten times as much on a multiple, which is shorter: `×693`, at most `> ×9,999`. */
export function formatChange(ratio: number, decimals = 1): string {
  const multiple = Math.round(1 + ratio);
  if (multiple > MOST_MULTIPLE) return `> ×${formatCount(MOST_MULTIPLE)}`;
  if (1 + ratio >= LEAST_MULTIPLE) return `×${formatCount(multiple)}`;
  const text = formatPercent(ratio, decimals);
  return ratio > 0 && /[1-9]/.test(text) ? `+${text}` : text;
}

/** Whole numbers with grouping: `24,337,604`. */
export const formatCount = (count: number): string =>
  Number.isFinite(count) ? groupDigits(Math.round(count).toString()) : UNKNOWN;

/** Exact up to 10^6 gwei with 9 decimals: the error of a double is below half a wei. */
export const weiOfGwei = (gwei: number): bigint => BigInt(Math.round(gwei * 1e9));

/** Three significant digits, or all when rounding would put it at or beyond the threshold (`below 5 gwei: 5.00`). */
export function priceBeside(price: bigint, threshold: bigint): string {
  const rounded = formatGwei(price);
  const level = Number(gweiString(threshold));
  const sideOf = (gwei: string) => Math.sign(Number(gwei.replaceAll(',', '')) - level);
  return sideOf(rounded) === sideOf(gweiString(price)) ? rounded : gweiString(price);
}

/** `1 Dec 2026 22:00 UTC` of ms since epoch. */
export const utcMinute = (ms: number) =>
  `${new Date(ms)
    .toUTCString()
    .replace(/^\w+, 0?/, '')
    .slice(0, -7)} UTC`;
