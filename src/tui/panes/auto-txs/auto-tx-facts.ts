import type { AutoTxView, ComparisonView } from '../../../client/views/auto-txs.ts';
import { describeDistance } from '../../../client/views/describe-alerts.ts';
import {
  chanceOf,
  describeTarget,
  distanceToTarget,
  isOver,
  statusOf,
  symbolOf,
} from '../../../client/views/describe-auto-txs.ts';
import { cleanText } from '../../../core/clean-text.ts';
import {
  exactAmount,
  formatCount,
  formatDuration,
  formatGwei,
  formatLikelihood,
  formatNative,
  formatUsd,
  gweiString,
  nativeString,
  UNKNOWN,
  usdOf,
} from '../../../core/units.ts';
import type { NamedValue } from '../../ui/fact-list.tsx';
import { type Line, wrapText } from '../../ui/text.tsx';
import { momentText } from '../explorer/place-frame.tsx';
import type { AutoTxContext } from './auto-tx-columns.ts';

const line = (text: string): Line => [{ text }];
/** Margin, the longest name and the gap after it. */
const NAME_ROOM = 16;

const MINUS = '−';
const TYPES = ['legacy', 'access list', 'dynamic fee', 'blob', 'set code'] as const;

/** When it goes out, and what it is; what the service does not say is left out. */
export function autoTxFacts(
  autoTx: AutoTxView,
  context: AutoTxContext,
  width = Number.MAX_SAFE_INTEGER,
): readonly NamedValue[] {
  const { present, offsetAt, snapshot, theme } = context;
  const moment = (at: number) => line(momentText(at, present, offsetAt));
  const given = <T>(value: T | null, name: string, text: (value: T) => Line, alone = false): NamedValue[] =>
    value === null ? [] : [{ name, value: text(value), alone }];
  const long = (text: string | null, name: string): NamedValue[] =>
    text === null || text === ''
      ? []
      : wrapText(
          theme.text(cleanText(text)),
          width - NAME_ROOM,
          Number.POSITIVE_INFINITY,
          theme.glyph.ellipsis,
        ).map((part, place) => ({ name: place === 0 ? name : '', value: line(part), alone: true }));
  const gwei = (wei: bigint) => line(`${gweiString(wei)} gwei`);
  const distance =
    isOver(autoTx) || statusOf(autoTx) === 'SUBMITTED' ? null : distanceToTarget(autoTx, snapshot);
  const symbol = symbolOf(autoTx.chainId);
  return [
    ...long(autoTx.note, 'note'),
    { name: 'sent when', value: line(describeTarget(autoTx)), alone: true },
    ...given(
      distance,
      'now',
      (away) => line(`${formatGwei(away.price)} gwei, ${describeDistance(away)}`),
      true,
    ),
    ...given(
      isOver(autoTx) ? null : chanceOf(autoTx),
      'chance',
      (share) => line(`${formatLikelihood(share)}${withinText(autoTx, present)}`),
      true,
    ),
    ...(isOver(autoTx) ? [] : expiryFacts(autoTx, context)),
    ...given(autoTx.from, 'from', line, true),
    ...given(autoTx.to, 'to', line, true),
    ...given(autoTx.value, 'value', (wei) => line(exactAmount(wei, symbol))),
    ...given(autoTx.nonce, 'nonce', (nonce) => line(String(nonce))),
    ...given(autoTx.gasLimit, 'gas limit', (gas) => line(formatCount(Number(gas)))),
    ...given(autoTx.type, 'type', (type) =>
      line(`${type}${TYPES[type] === undefined ? '' : `, ${TYPES[type]}`}`),
    ),
    ...given(autoTx.maxFeePerGas, 'max fee', gwei),
    ...given(autoTx.maxPriorityFeePerGas, 'max tip', gwei),
    ...given(autoTx.gasPrice, 'gas price', gwei),
    ...given(dearest(autoTx), 'fee at most', (wei) => line(worth(wei, symbol, snapshot.nativeUsd))),
    ...given(autoTx.attempts === 0 ? null : autoTx.attempts, 'tries', (count) => line(formatCount(count))),
    ...given(autoTx.createdAt, 'made', moment),
    ...given(autoTx.updatedAt, 'changed', moment),
    ...given(autoTx.submittedAt, 'submitted', moment),
    ...given(autoTx.hash, 'hash', line, true),
    ...long(autoTx.keyId, 'of key'),
    { name: 'id', value: line(autoTx.id), alone: true },
  ];
}

/** It is counted in whole minutes. */
const MINUTE_MS = 60_000;

/** ` before it expires`, or the time that the service has looked ahead, where that is shorter. */
function withinText({ expiresAt, reachWithinSec }: AutoTxView, present: number): string {
  if (reachWithinSec === null) return '';
  const isToTheEnd = expiresAt !== null && expiresAt - present <= reachWithinSec * 1_000 + MINUTE_MS;
  return isToTheEnd ? ' before it expires' : ` within ${formatDuration(reachWithinSec)}`;
}

function expiryFacts({ expiresAt }: AutoTxView, { present, offsetAt }: AutoTxContext): readonly NamedValue[] {
  if (expiresAt === null) return [];
  const left = expiresAt <= present ? 'now' : `in ${formatDuration((expiresAt - present) / 1_000)}`;
  return [
    { name: 'expires', value: line(`${momentText(expiresAt, present, offsetAt)}, ${left}`), alone: true },
  ];
}

/** The most that it can cost beside its value, wei; `null`: not known. */
function dearest({ gasLimit, maxFeePerGas, gasPrice }: AutoTxView): bigint | null {
  const cap = maxFeePerGas ?? gasPrice;
  return gasLimit === null || cap === null ? null : gasLimit * cap;
}

function worth(wei: bigint, symbol: string, nativeUsd: number | null): string {
  const amount = formatNative(wei, symbol);
  return nativeUsd === null ? amount : `${amount}  ${formatUsd(usdOf(wei, nativeUsd))}`;
}

/** What a mined one cost and saved; empty while no block has it. */
export function minedFacts(autoTx: AutoTxView, { present, offsetAt }: AutoTxContext): readonly NamedValue[] {
  const { blockNumber, gasUsed, effectiveGasPrice, costWei, costUsd, executedAt } = autoTx;
  const symbol = symbolOf(autoTx.chainId);
  const given = <T>(
    value: T | null,
    name: string,
    text: (value: T) => string,
    alone = false,
  ): NamedValue[] => (value === null ? [] : [{ name, value: line(text(value)), alone }]);
  if (blockNumber === null && costWei === null && effectiveGasPrice === null) return [];
  const { confirmations, confirmationsNeeded } = autoTx;
  return [
    ...given(blockNumber, 'block', formatCount),
    ...given(confirmations, 'confirmed', (count) =>
      confirmationsNeeded !== null && count <= confirmationsNeeded
        ? `${count} of ${confirmationsNeeded} blocks`
        : `by ${formatCount(count)} ${count === 1 ? 'block' : 'blocks'}`,
    ),
    ...given(effectiveGasPrice, 'paid', (wei) => `${gweiString(wei)} gwei`),
    ...given(gasUsed, 'gas used', (gas) => formatCount(Number(gas))),
    ...given(
      costWei,
      'cost',
      (wei) =>
        [`${nativeString(wei)} ${symbol}`, ...(costUsd === null ? [] : [formatUsd(costUsd)])].join('  '),
      true,
    ),
    ...given(autoTx.atCreation, 'saved', (compared) => savedText(compared, 'when made', symbol), true),
    ...given(
      autoTx.dayMean,
      autoTx.atCreation === null ? 'saved' : '',
      (compared) => savedText(compared, '24 h mean', symbol),
      true,
    ),
    ...(autoTx.atCreation === null && autoTx.dayMean === null
      ? given(autoTx.savedWei, 'saved', (wei) => formatNative(wei, symbol), true)
      : []),
    ...given(executedAt, 'final', (at) => momentText(at, present, offsetAt)),
  ];
}

/** `0.000012 ETH  $0.04, when made 0.0507 gwei`; less than nothing where it paid more. */
function savedText(
  { savedWei, savedUsd, referencePrice }: ComparisonView,
  when: string,
  symbol: string,
): string {
  const price = referencePrice === null ? '' : ` ${formatGwei(referencePrice)} gwei`;
  const sign = savedWei !== null && savedWei < 0n ? MINUS : '';
  const amount =
    savedWei === null ? UNKNOWN : `${sign}${formatNative(savedWei < 0n ? -savedWei : savedWei, symbol)}`;
  const usd = savedUsd === null ? '' : `  ${sign}${formatUsd(Math.abs(savedUsd))}`;
  return `${amount}${usd}, ${when}${price}`;
}
