import type { AutoTxStatus } from '../../contract/choices.ts';
import { maxCostText } from '../../core/auto-txs/cost-limit.ts';
import type { MaxCost } from '../../core/auto-txs/order.ts';
import { isFarAbove } from '../../core/auto-txs/stored-auto-tx.ts';
import { type Bid, cannotBroadcastReason, paysAt } from '../../core/auto-txs/target.ts';
import { chainProfile, coinSymbol, hasFeeBesideGas } from '../../core/chains.ts';
import { cleanText, shortHex, withShortHashes } from '../../core/text.ts';
import { type DescribedCall, describeCall } from '../../core/transactions/describe-call.ts';
import type { SignedTransaction } from '../../core/transactions/signed-transaction.ts';
import {
  exactAmount,
  exactGwei,
  formatAmount,
  formatCount,
  formatDuration,
  formatGwei,
  formatLikelihood,
  formatNative,
  formatSavedNative,
  formatSavedUsd,
  nativeString,
  shortGwei,
  UNKNOWN,
} from '../../core/units.ts';
import {
  type AutoTxTarget,
  type AutoTxView,
  autoTxState,
  type CheckView,
  type ComparisonView,
  chanceOf,
  distanceToTarget,
  isHeldByRules,
  isOver,
  isUnsent,
  mayBeMined,
  obstacleOf,
  type SignedTransactionView,
  statusOf,
  type TargetDistance,
} from './auto-txs.ts';
import { describeDistance } from './distance.ts';
import { counted, dollarsBehind, type Fact, mapped } from './fact.ts';
import type { SnapshotView } from './gas.ts';
import { describeCoins } from './metrics.ts';
import { plainWord, titleWord } from './words.ts';

/** Texts about auto-txs, shared by monitor and commands. A service's own values are shown unchanged. */

export function describeState(autoTx: AutoTxView): string {
  const state = autoTxState(autoTx);
  if (state !== 'other') return state;
  return autoTx.status === null ? 'not said' : plainWord(autoTx.status);
}

/** `Average ≤ 0.04 gwei`, `its own price ≤ 0.04 gwei`, `cost ≤ $3 (0.04 gwei now)`, `cost ≤ $3 (no dollar price of ETH)` */
export function describeTarget(autoTx: AutoTxTarget): string {
  const { target, gasSpeed, isStrict, maxCost = null } = autoTx;
  if (maxCost !== null) {
    const now = target === null ? autoTx.thresholdReason : `${shortGwei(target)} gwei now`;
    return `${maxCostLimit(maxCost)}${now ? ` (${cleanText(now, LONGEST_REASON)})` : ''}`;
  }
  const price = isStrict === true ? 'its own price' : gasSpeed === null ? 'price' : titleWord(gasSpeed);
  return `${price} ≤ ${target === null ? UNKNOWN : shortGwei(target)} gwei`;
}

/** `cost ≤ $3`, `cost ≤ 2% of its value` */
const maxCostLimit = (maxCost: MaxCost): string =>
  `cost ≤ ${maxCostText(maxCost)}${'maxCostUsd' in maxCost ? '' : ' of its value'}`;

type TimeText = (ms: number) => string;

type AutoTxContent = Pick<AutoTxView, 'chainId' | 'to' | 'value' | 'data' | 'type'>;

const CALLS = new WeakMap<object, DescribedCall | null>();

/** What its data calls, by the functions that are known; `null`: no data, or none that is known here. */
export function callOf(content: Pick<AutoTxContent, 'to' | 'data'>): DescribedCall | null {
  // Rows are drawn at every key, and stay the same objects while unchanged.
  const known = CALLS.get(content);
  if (known !== undefined) return known;
  const { data, to } = content;
  const call = data === null || data === '0x' ? null : describeCall(data, to);
  CALLS.set(content, call);
  return call;
}

/** The content of a transaction in a few words: `0.01 ETH to 0x7099…79C8`, `transfer on 0xA0b8…eB48`. */
export function describeContent(content: AutoTxContent): string {
  const { chainId, to, value, data, type } = content;
  const delegation = type === 4 ? ', with a delegation' : '';
  const worth = value === null || value === 0n ? null : shortAmount(value, coinSymbol(chainId));
  const more = worth === null ? '' : ` with ${worth}`;
  if (to === null) {
    const isPlain = data === null || data === '0x';
    return `${isPlain ? (worth ?? 'not said') : `make a contract${more}`}${delegation}`;
  }
  const where = shortHex(to, '…');
  if (data === '0x') return `${worth ?? shortAmount(0n, coinSymbol(chainId))} to ${where}${delegation}`;
  const method = callOf(content)?.name ?? (data === null ? 'call' : data.slice(0, 10));
  return `${method} on ${where}${more}${delegation}`;
}

/** Exact if short: `0.01 ETH`. */
function shortAmount(wei: bigint, symbol: string): string {
  const exact = nativeString(wei);
  return /^\d{1,3}(\.\d{1,6})?$/.test(exact) ? `${exact} ${symbol}` : formatAmount(wei, symbol);
}

/** `base fee 0.05 gwei, has to fall 12 %` */
export function describeTargetDistance(
  { isOfCap, price, ...distance }: TargetDistance,
  isStrict: boolean | null = null,
): string {
  const tip = isStrict === true && !isOfCap ? ' with its own tip' : '';
  return `${isOfCap ? 'base fee ' : ''}${formatGwei(price)} gwei${tip}, ${describeDistance(distance)}`;
}

/** When an auto-tx is sent; `when` words a time, `until` one ahead. */
export function describeOrder(
  autoTx: AutoTxView,
  snapshot: SnapshotView | null,
  when: TimeText,
  until: TimeText = when,
): readonly Fact[] {
  const { isStrict, maxCost, effectiveSince, reachWithinSec } = autoTx;
  const isEnded = isOver(autoTx);
  const distance = snapshot && isUnsent(autoTx) ? distanceToTarget(autoTx, snapshot) : null;
  const within = mapped(reachWithinSec, (sec) => ` within ${formatDuration(sec)}`) ?? '';
  const likely = (chance: number) => formatLikelihood(chance) + within;
  return [
    ['target', describeTarget(autoTx)],
    ['price since', maxCost && mapped(effectiveSince, when)],
    ['now', mapped(distance, (known) => describeTargetDistance(known, isStrict))],
    ['likely', mapped(isEnded ? null : chanceOf(autoTx), likely)],
    ['expires', mapped(isEnded ? null : autoTx.expiresAt, until)],
  ];
}

/** What was done for an auto-tx so far; `when` words a time. */
export const describeProgress = (autoTx: AutoTxView, when: TimeText): readonly Fact[] => [
  ['attempts', mapped(autoTx.attempts || null, formatCount)],
  ['created', mapped(autoTx.createdAt, when)],
  ['changed', mapped(autoTx.updatedAt, when)],
  ['submitted', mapped(autoTx.submittedAt, when)],
];

/** `0xa9059cbb, 68 bytes of data` */
export const describeData = (data: string): string =>
  `${data.slice(0, 10)}, ${sizeText((data.length - 2) / 2)} of data`;

export const sizeText = (bytes: number): string =>
  bytes < 10_000 ? `${formatCount(bytes)} bytes` : `${formatCount(bytes / 1_024)} KB`;

/** Effects and costs of a transaction, in the order in which one checks them. */
export function describeSigned(
  transaction: Omit<SignedTransactionView, 'hash'> &
    Partial<Pick<SignedTransaction, 'blobCount' | 'maxFeePerBlobGas'>>,
  { nativeUsd, chainId: here }: Pick<SnapshotView, 'nativeUsd' | 'chainId'>,
): readonly Fact[] {
  const { chainId, from, to, value, data, nonce, maxPriorityFeePerGas: tip } = transaction;
  const symbol = coinSymbol(chainId ?? here);
  const isContract = to === null && data !== null && data !== '0x';
  const dollars = (wei: bigint) => (wei === 0n ? '' : dollarsBehind(wei, nativeUsd));
  const limit = mapped(transaction.gasLimit, (gas) => `, gas limit ${formatCount(Number(gas))}`) ?? '';
  const tipText = mapped(tip, (wei) => `, tip ${exactGwei(wei)}`) ?? '';
  const most = exactGwei(transaction.maxFeePerBlobGas ?? 0n);
  const blobs =
    mapped(transaction.blobCount || null, (all) => `; ${counted(all, 'blob')} at most ${most}`) ?? '';
  const capped = (cap: bigint) => `at most ${exactGwei(cap)} gwei per gas${tipText}${blobs}`;
  const fixed = (price: bigint) => `${exactGwei(price)} gwei per gas, whatever the base fee is`;
  const named = (id: number) => {
    const { name } = chainProfile(id);
    return name.endsWith(String(id)) ? name : `${name} (${id})`;
  };
  return [
    ['from', from],
    ['to', to ?? (isContract ? 'none: it creates a contract' : null)],
    ['value', mapped(value, (wei) => `${exactAmount(wei, symbol)}${dollars(wei)}`)],
    ['nonce', mapped(nonce, (count) => `${count}${limit}`)],
    ['pays', mapped(transaction.maxFeePerGas, capped) ?? mapped(transaction.gasPrice, fixed)],
    ['chain', mapped(chainId, named)],
  ];
}

/** What became of it in a block; `when` words a time. Savings are negative where it paid more. */
export function describeOutcome(autoTx: AutoTxView, when: TimeText): readonly Fact[] {
  const { chainId, atCreation, dayMean, savedWei } = autoTx;
  const coin = { symbol: coinSymbol(chainId), nativeUsd: null };
  const savedAmount = (wei: bigint, usd: number | null) =>
    `${formatSavedNative(wei, coin.symbol)}${usd === null ? '' : `  ${formatSavedUsd(usd)}`}`;
  const saved = (compared: ComparisonView | null, than: string) =>
    mapped(compared, ({ savedWei: wei, savedUsd, referencePrice }) => {
      const price = mapped(referencePrice, (known) => ` of ${formatGwei(known)} gwei`) ?? '';
      return `${mapped(wei, (some) => savedAmount(some, savedUsd)) ?? UNKNOWN} against ${than}${price}`;
    });
  const alone = atCreation === null && dayMean === null ? savedWei : null;
  return [
    ['block', mapped(autoTx.blockNumber, (block) => `#${formatCount(block)}`)],
    ['confirmed', describeConfirmations(autoTx)],
    ['paid', mapped(autoTx.effectiveGasPrice, (wei) => `${formatGwei(wei)} gwei per gas`)],
    ['gas used', mapped(autoTx.gasUsed, (gas) => formatCount(Number(gas)))],
    ['cost', mapped(autoTx.costWei, (wei) => describeCoins(wei, coin, autoTx.costUsd))],
    ['saved', saved(atCreation, 'its price at creation') ?? mapped(alone, (wei) => savedAmount(wei, null))],
    [atCreation === null ? 'saved' : '', saved(dayMean, 'the 24h mean with its tip')],
    ['final', mapped(autoTx.executedAt, when)],
  ];
}

/** `by 3 of 12 blocks`, and once it is final `by 1,461 blocks; final after 12`; `null` when unknown. */
function describeConfirmations({
  confirmations: count,
  confirmationsNeeded: needed,
}: AutoTxView): string | null {
  if (count === null) return null;
  const blocks = counted(count, 'block');
  if (needed === null) return `by ${blocks}`;
  return count < needed
    ? `by ${count} of ${counted(needed, 'block')}`
    : `by ${blocks}; final after ${needed}`;
}

type Fees = Pick<AutoTxView, 'chainId' | 'type' | 'gasLimit'> & Bid;

/** What it takes beside its gas, of which no figure is known here. */
const besideGas = ({ chainId, type }: Fees): string =>
  type === 3 ? ', and its blobs' : hasFeeBesideGas(chainId) ? ', and what L1 takes' : '';

/** `0.0000105 ETH  $0.03`, `0.0000105 ETH  $0.03, and what L1 takes`; `null` when unknown. */
export function describeMostFee(autoTx: Fees, nativeUsd: number | null): string | null {
  const { chainId, gasLimit } = autoTx;
  const cap = autoTx.maxFeePerGas ?? autoTx.gasPrice;
  if (gasLimit === null || cap === null || gasLimit * cap === 0n) return null;
  const most = describeCoins(gasLimit * cap, { symbol: coinSymbol(chainId), nativeUsd });
  return `${most}${besideGas(autoTx)}`;
}

/** `It pays 0.0507 gwei itself: fees of about 0.00000106 ETH ($0.003), at most 0.0000105 ETH.`; `null` when unknown. */
export function describeOwnFee(
  autoTx: Fees,
  { nextBaseFee, nativeUsd }: Pick<SnapshotView, 'nextBaseFee' | 'nativeUsd'>,
): string | null {
  const { gasLimit } = autoTx;
  const cap = autoTx.maxFeePerGas ?? autoTx.gasPrice;
  if (gasLimit === null || nextBaseFee === null || cap === null) return null;
  const pays = paysAt(autoTx, nextBaseFee);
  const fees = gasLimit * pays;
  const native = (wei: bigint) => formatNative(wei, coinSymbol(autoTx.chainId));
  const about = `${native(fees)}${dollarsBehind(fees, nativeUsd)}`;
  return `It pays ${formatGwei(pays)} gwei itself: fees of about ${about}, at most ${native(gasLimit * cap)}${besideGas(autoTx)}.`;
}

/** The sign before a check. */
export function checkSign({ result, ok }: CheckView): '✓' | '!' | '◌' | '✗' | '?' {
  if (result === 'pass') return ok === false ? '!' : '✓';
  return result === 'block' ? '✗' : result === 'wait' ? '◌' : '?';
}

/** `2 wait`, `1 refuses, 1 to look at`, `all pass`: a summary of the checks. */
export function describeChecks(checks: readonly CheckView[]): string {
  const kinds = Map.groupBy(checks, ({ result, ok }) =>
    result === 'pass' && ok === false ? 'look' : result,
  );
  const parts = CHECK_WORDS.flatMap(([kind, one, several]) => {
    const count = kinds.get(kind)?.length ?? 0;
    return count === 0 ? [] : [`${count} ${count === 1 ? one : several}`];
  });
  return parts.length === 0 ? 'all pass' : parts.join(', ');
}

const CHECK_WORDS = [
  // A count of "blocks" would be read as one of the chain's.
  ['block', 'refuses', 'refuse'],
  ['wait', 'waits', 'wait'],
  ['look', 'to look at', 'to look at'],
  ['unknown', 'unknown', 'unknown'],
] as const;

interface Reason {
  readonly text: string;
  readonly severity: 'bad' | 'warn' | null;
}

const LONGEST_MESSAGE = 400;
const cleanMessage = (message: string) => cleanText(message, LONGEST_MESSAGE);

/** Why nothing is seen of a submitted one, and when it is sent again; `null` when a node shows it. Relays may hide their pool. */
function unseenText({ unseenSince, resends, resendAt }: AutoTxView, timeText: TimeText) {
  if (unseenSince === null) return null;
  const times =
    resends === null || resends === 0 ? '' : `; sent again ${resends === 1 ? 'once' : `${resends} times`}`;
  const next = resendAt === null ? '' : `; again from ${timeText(resendAt)} on while its target is reached`;
  return `sent; this node does not show it since ${timeText(unseenSince)}, as relays that hide their pool${times}${next}`;
}

export function describeReason(
  autoTx: AutoTxView,
  snapshot: SnapshotView,
  present: number,
  timeText: TimeText,
): Reason {
  const { failure, hold } = autoTx;
  const status = statusOf(autoTx);
  if (failure !== null) return { text: cleanMessage(failure.message), severity: 'bad' };
  if (status === 'PENDING') return pendingReason(autoTx, snapshot, present);
  if (status === 'DISABLED' && hold !== null) return { text: cleanMessage(hold.message), severity: 'warn' };
  const unsaid = autoTx.status === null ? 'the service does not say its status' : '';
  return { text: (status && REASONS[status]?.(autoTx, timeText)) ?? unsaid, severity: null };
}

const REASONS: Readonly<Partial<Record<AutoTxStatus, (autoTx: AutoTxView, timeText: TimeText) => string>>> = {
  DRAFT: () => 'not signed; e takes its signature',
  DISABLED: (autoTx) => `not broadcast while it is disabled; space enables it${sentBeforeText(autoTx)}`,
  SUBMITTED: (autoTx, timeText) =>
    autoTx.blockNumber === null
      ? (unseenText(autoTx, timeText) ?? 'broadcast; no block has it yet')
      : `in block ${formatCount(autoTx.blockNumber)}${confirmedText(autoTx)}`,
  EXECUTED: minedText,
  CANCELLED: cancelledText,
  EXPIRED: (autoTx) => `it expired before its target was reached${sentBeforeText(autoTx)}`,
};

function pendingReason(autoTx: AutoTxView, snapshot: SnapshotView, present: number): Reason {
  const { hold, checks } = autoTx;
  if (hold !== null) {
    const left = hold.retryAt === null ? 0 : Math.ceil((hold.retryAt - present) / 1_000);
    const again = left > 0 ? `; tried again in ${formatDuration(left)}` : '';
    return { text: `${cleanMessage(hold.message)}${again}`, severity: 'warn' };
  }
  const blocking = checks.find(({ result }) => result === 'block');
  if (blocking !== undefined) return { text: cleanMessage(blocking.message), severity: 'bad' };
  const distance = distanceToTarget(autoTx, snapshot);
  const isReached = distance?.isThere === true;
  const capText = distance?.isCapped === true ? waitsForCapText(autoTx, snapshot) : null;
  if (isReached && capText !== null)
    return { text: `target reached, but it waits ${capText}`, severity: 'warn' };
  const failed = checks.find(({ ok }) => ok === false);
  if (failed !== undefined) return { text: cleanMessage(failed.message), severity: 'warn' };
  const and = capText === null ? '' : `, and ${capText}`;
  if (!isReached) return { text: `waits until ${describeTarget(autoTx)}${and}`, severity: null };
  const obstacle = obstacleOf(checks)?.message ?? cannotBroadcastReason(snapshot.source.kind);
  const rest = obstacle === null ? ': it is broadcast at once' : `; ${cleanMessage(obstacle)}`;
  return { text: `target reached${rest}`, severity: null };
}

function waitsForCapText({ maxFeePerGas, gasPrice }: AutoTxView, { nextBaseFee }: SnapshotView): string {
  const gwei = (wei: bigint | null) => (wei === null ? UNKNOWN : `${formatGwei(wei)} gwei`);
  return `while the base fee of ${gwei(nextBaseFee)} is above its cap of ${gwei(maxFeePerGas ?? gasPrice)}`;
}

/** Added when the status does not show that it was sent before. */
export const sentBeforeText = (autoTx: Pick<AutoTxView, 'mayBeMined'>) =>
  autoTx.mayBeMined === true ? '; it was broadcast before and may be mined until its nonce is used' : '';

function cancelledText(autoTx: AutoTxView): string {
  const { submittedAt } = autoTx;
  if (mayBeMined(autoTx)) return `cancelled${sentBeforeText({ mayBeMined: true })}`;
  if (submittedAt !== null) return 'cancelled; its nonce is used, and no node has it';
  return autoTx.mayBeMined === null
    ? 'cancelled; the service does not say whether it was broadcast before'
    : 'cancelled before it was broadcast';
}

function confirmedText({ confirmations, confirmationsNeeded }: AutoTxView): string {
  if (confirmations === null) return '';
  return `, ${confirmations}${confirmationsNeeded === null ? '' : ` of ${confirmationsNeeded}`} confirmations`;
}

/** Unless strict, the target is for the lane, so the transaction's own tip may exceed it. */
function minedText(autoTx: AutoTxView): string {
  const { blockNumber, effectiveGasPrice: paid, atCreation, target, gasUsed } = autoTx;
  const block = blockNumber === null ? 'mined' : `mined in block ${formatCount(blockNumber)}`;
  const native = (wei: bigint) => formatNative(wei, coinSymbol(autoTx.chainId));
  const isAbove = paid !== null && target !== null && paid > target;
  const isFar = isAbove && isFarAbove(paid, target);
  const lost = isFar && gasUsed !== null ? `${native((paid - target) * gasUsed)} ` : '';
  const above = isAbove ? ` with its own tip, ${lost}above its target of ${formatGwei(target)} gwei` : '';
  const price = paid === null ? '' : ` at ${formatGwei(paid)} gwei${above}`;
  const saved = atCreation?.savedWei ?? autoTx.savedWei;
  if (saved === null || saved === 0n || isFar) return `${block}${price}`;
  return `${block}${price}, ${native(saved < 0n ? -saved : saved)} ${saved < 0n ? 'more' : 'less'} than at its creation`;
}

const LONGEST_REASON = 160;
const LONGEST_NOTE = 80;

/** A change of state in one line: `Auto-tx executed in block 24,337,605 at 0.0388 gwei: 0.01 ETH to …`. */
export function describeChange(autoTx: AutoTxView): string {
  const note = cleanText(autoTx.note ?? '', LONGEST_NOTE).trim();
  const named = note === '' ? describeContent(autoTx) : note;
  const { blockNumber, effectiveGasPrice: paid, failure } = autoTx;
  const status = statusOf(autoTx);
  const block = blockNumber === null ? '' : ` in block ${formatCount(blockNumber)}`;
  const price = paid === null ? '' : ` at ${formatGwei(paid)} gwei`;
  if (status === 'EXECUTED') return `Auto-tx executed${block}${price}: ${named}`;
  const message = cleanText(failure?.message ?? '', LONGEST_REASON);
  const reason = message === '' ? '' : `, ${withShortHashes(message, '…')}`;
  if (status === 'FAILED') return `Auto-tx failed: ${named}${reason}`;
  if (isHeldByRules(autoTx)) return `Auto-tx held: ${named}, ${cleanMessage(autoTx.hold?.message ?? '')}`;
  if (status !== 'EXPIRED') return `Auto-tx submitted: ${named}`;
  return `Auto-tx expired${(autoTx.attempts ?? 0) > 0 ? ', broadcast and not mined' : ''}: ${named}`;
}

/** Several changes at once: `5 auto-txs: 3 executed, 2 failed`. */
export function describeChanges(changed: readonly AutoTxView[]): string {
  const counts = new Map<string, number>();
  for (const autoTx of changed) {
    const word = isHeldByRules(autoTx) ? 'held' : (statusOf(autoTx) ?? 'other').toLowerCase();
    counts.set(word, (counts.get(word) ?? 0) + 1);
  }
  const parts = [...counts].map(([word, count]) => `${formatCount(count)} ${word}`);
  return `${formatCount(changed.length)} auto-txs: ${parts.join(', ')}`;
}
