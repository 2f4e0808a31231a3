import type { CheckedAutoTx } from '../../client/auto-tx-preflight.ts';
import {
  callOf,
  checkSign,
  describeChecks,
  describeContent,
  describeData,
  describeOrder,
  describeOutcome,
  describeProgress,
  describeSigned,
  describeState,
  describeTarget,
  describeTargetDistance,
  sentBeforeText,
} from '../../client/views/auto-tx-texts.ts';
import {
  type AutoTxDetailsView,
  type AutoTxView,
  type CheckView,
  chanceOf,
  distanceToTarget,
  isOver,
  needsAttention,
  type SignedTransactionView,
} from '../../client/views/auto-txs.ts';
import type { Fact } from '../../client/views/fact.ts';
import type { SnapshotView } from '../../client/views/gas.ts';
import { describeTxType } from '../../client/views/metrics.ts';
import { describePending } from '../../client/views/pending.ts';
import { plainWord } from '../../client/views/words.ts';
import { coinSymbol } from '../../core/chains.ts';
import { wrapWords } from '../../core/text.ts';
import type { DescribedCall } from '../../core/transactions/describe-call.ts';
import { gasNeeded, RULES } from '../../core/transactions/gas-rules.ts';
import type { SignedTransaction } from '../../core/transactions/signed-transaction.ts';
import { formatChange, formatCount, formatLikelihood } from '../../core/units.ts';
import {
  cleanLine,
  factRows,
  fittedLines,
  hanging,
  jsonText,
  LONGEST_NOTE,
  labelledLines,
  mapped,
  paragraph,
  type TextColumn,
  timeWords,
  utcTime,
  VALUE_WIDTH,
} from '../output.ts';
import { durationText } from '../parse.ts';

function distanceWords(autoTx: AutoTxView, snapshot: SnapshotView | null): string {
  if (autoTx.status !== 'PENDING' || snapshot === null) return '-';
  const distance = distanceToTarget(autoTx, snapshot);
  if (distance === null) return '-';
  return distance.isThere ? (distance.isCapped ? 'cap too low' : 'reached') : formatChange(distance.ratio, 0);
}

type CallWords = Pick<DescribedCall, 'name' | 'signature' | 'words'>;

function transactionRows(
  transaction: SignedTransactionView & Partial<Pick<SignedTransaction, 'blobCount' | 'maxFeePerBlobGas'>>,
  call: CallWords | null,
  snapshot: SnapshotView | null = null,
): Fact[] {
  const { hash, type, data } = transaction;
  const facts = describeSigned(transaction, snapshot ?? { nativeUsd: null, chainId: null });
  return [
    ...factRows([['hash', hash], ['type', mapped(type, describeTxType)], ...facts]),
    ['call', callWords(data, call)],
  ];
}

const moment = (ms: number) => `${utcTime(ms, 'seconds')} UTC`;

function callWords(data: string | null, call: CallWords | null): string | null {
  const isCall = data !== null && data !== '0x';
  if (!isCall && call?.name !== 'delegation') return null;
  if (call === null) return mapped(data, describeData);
  const lines = wrapWords(cleanLine(call.words), VALUE_WIDTH);
  return [...lines, ...(call.signature === null ? [] : wrapWords(call.signature, VALUE_WIDTH))].join('\n');
}

/** Open ones first; within a status the newest. Unknown statuses come between. */
const ORDER = 'SUBMITTED PENDING DISABLED DRAFT other FAILED EXPIRED EXECUTED CANCELLED'.split(' ');
const placeOf = ({ status }: AutoTxView) => ORDER.indexOf(ORDER.find((each) => each === status) ?? 'other');

export function autoTxListLines(
  autoTxs: readonly AutoTxView[],
  snapshot: SnapshotView | null,
  width: number | null,
): string[] {
  const rows = autoTxs.toSorted((one, other) => placeOf(one) - placeOf(other));
  const columns: TextColumn<AutoTxView>[] = [
    ['id', 'left', ({ id }) => cleanLine(id)],
    ['state', 'left', (autoTx) => `${cleanLine(describeState(autoTx))}${needsAttention(autoTx) ? ' !' : ''}`],
    ['target', 'left', (autoTx) => cleanLine(describeTarget(autoTx))],
    ['distance', 'right', (autoTx) => distanceWords(autoTx, snapshot)],
    ['likely', 'right', (autoTx) => mapped(chanceOf(autoTx), formatLikelihood) ?? '-'],
    ['expires (UTC)', 'left', (autoTx) => timeWords(isOver(autoTx) ? null : autoTx.expiresAt)],
    ['nonce', 'right', ({ nonce }) => mapped(nonce, String) ?? '-'],
    ['does', 'left', (autoTx) => describeContent(autoTx)],
    ['note', 'left', ({ note }) => cleanLine(note ?? '')],
  ];
  return fittedLines(columns, rows, width, { spared: ['note', 'nonce', 'expires (UTC)', 'likely'] });
}

/** Its call after its delegation. */
function callWithDelegation(autoTx: AutoTxDetailsView): CallWords | null {
  const delegation = autoTx.checks.find(({ name }) => name === 'delegation')?.message;
  const call = callOf(autoTx);
  if (delegation === undefined) return call;
  const words = call === null ? delegation : `${delegation}; it also ${call.words}`;
  const isCall = autoTx.data !== null && autoTx.data !== '0x';
  return { name: isCall ? (call?.name ?? null) : 'delegation', signature: call?.signature ?? null, words };
}

export function autoTxDetailsText(autoTx: AutoTxDetailsView, isAscii: boolean): string {
  const call = callWithDelegation(autoTx);
  const { checks } = autoTx;
  const timeline = autoTx.timeline ?? [];
  const outcome = describeOutcome(autoTx, moment);
  const of = mapped(autoTx.checkedAt, (at) => ` of ${moment(at)}`) ?? '';
  return [
    ...labelledLines([...orderRows(autoTx), ...transactionRows(autoTx, call), ...factRows(outcome)]),
    ...pendingRows(autoTx),
    ...(checks.length === 0 ? [] : ['', `checks${of}: ${describeChecks(checks)}`]),
    ...checkLines(checks, isAscii),
    ...(timeline.length === 0 ? [] : ['', 'history, newest first (UTC)']),
    ...timeline.flatMap(entryLines),
  ].join('\n');
}

function pendingRows({ pending, chainId }: AutoTxDetailsView): string[] {
  if (pending === null) return [];
  const facts = describePending(pending, { symbol: coinSymbol(chainId), nativeUsd: null });
  return ['', 'in no block yet', ...labelledLines(factRows(facts))];
}

function orderRows(autoTx: AutoTxView): Fact[] {
  const { note, hold, failure, status } = autoTx;
  return [
    ['id', cleanLine(autoTx.id)],
    ['state', `${cleanLine(describeState(autoTx))}${status === 'SUBMITTED' ? '' : sentBeforeText(autoTx)}`],
    ...factRows([
      ['failed', mapped(failure, ({ message }) => message)],
      ['held', mapped(hold, ({ message }) => message)],
      ['tried again', status === 'DISABLED' ? null : mapped(hold?.retryAt, moment)],
      ...describeOrder(autoTx, null, moment),
    ]),
    ['note', mapped(note || null, (text) => paragraph(text, LONGEST_NOTE))],
    ...factRows(describeProgress(autoTx, moment)),
  ];
}

function entryLines({ at, kind, message, blockNumber }: NonNullable<AutoTxDetailsView['timeline']>[number]) {
  const block = blockNumber === null ? '' : `  #${formatCount(blockNumber)}`;
  return [
    `  ${timeWords(at, 'seconds')}  ${plainWord(cleanLine(kind ?? ''))}${block}`,
    ...wrapWords(cleanLine(message), 74).map((line) => `    ${line}`),
  ];
}

export function autoTxCheckText(
  transaction: SignedTransaction,
  checked: Pick<CheckedAutoTx, 'call' | 'order' | 'checks' | 'distance' | 'reach' | 'snapshot'>,
  isAscii: boolean,
): string {
  const { probability = null, deadlineSec = null } = checked.reach ?? {};
  const outlook = [
    mapped(checked.distance, (far) => `now ${describeTargetDistance(far, checked.order.isStrict)}`),
    mapped(probability, (chance) => {
      return `${formatLikelihood(chance)} likely within ${durationText(deadlineSec ?? 0)}`;
    }),
  ].filter((words) => words !== null);
  return [
    ...labelledLines(transactionRows(transaction, checked.call, checked.snapshot)),
    '',
    ...checkLines(checked.checks, isAscii),
    ...(outlook.length === 0 ? [] : ['', outlook.join('; ')]),
  ].join('\n');
}

/** For programs, with the names and units of v1's `AutoTx`. */
export function autoTxCheckJson(
  transaction: SignedTransaction,
  { call, checks, reach }: Pick<CheckedAutoTx, 'call' | 'checks' | 'reach'>,
): string {
  const { hash, type, chainId, from, to, value, data, nonce, blobCount, authorizations } = transaction;
  const { gasLimit, parts, maxFeePerGas, maxPriorityFeePerGas, gasPrice, maxFeePerBlobGas } = transaction;
  const needed = parts && {
    osaka: gasNeeded(parts, RULES.osaka),
    amsterdam: gasNeeded(parts, RULES.amsterdam),
  };
  return jsonText({
    ...{ hash, type, chainId, from, to, value: String(value), data, nonce, gasLimit, gasNeeded: needed },
    ...{ maxFeePerGas, maxPriorityFeePerGas, gasPrice, maxFeePerBlobGas },
    ...{ blobCount, authorizations, call, checks },
    reachProbability: reach?.probability ?? null,
    reachWithinSec: reach?.deadlineSec ?? null,
  });
}

const WORDS = { '✓': 'ok', '!': '!', '◌': 'wait', '✗': 'no', '?': '?' } as const;
const NAME_WIDTH = 15;

/** The pre-flight, one line per check: `✓ nonce  nonce 7 is the next one`; in ASCII `ok`, `wait` and `no`. */
function checkLines(checks: readonly CheckView[], isAscii: boolean): string[] {
  return checks.flatMap((check) => {
    const sign = checkSign(check);
    const mark = isAscii ? WORDS[sign].padEnd(5) : `${sign} `;
    return hanging(`${mark}${cleanLine(check.name).padEnd(NAME_WIDTH)}`, cleanLine(check.message));
  });
}
