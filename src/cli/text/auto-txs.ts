import type { CheckedAutoTx } from '../../client/auto-tx-preflight.ts';
import { describeDistance, plainWord } from '../../client/views/alerts.ts';
import {
  type AutoTxDetailsView,
  type AutoTxView,
  type CheckView,
  chanceOf,
  coinSymbol,
  describeChecks,
  describeContent,
  describeOutcome,
  describeSigned,
  describeState,
  describeTarget,
  distanceToTarget,
  isOver,
  needsAttention,
  type SignedTransactionView,
  sentBeforeText,
} from '../../client/views/auto-txs.ts';
import type { SnapshotView } from '../../client/views/gas.ts';
import { describeTxType } from '../../client/views/metrics.ts';
import { describePending } from '../../client/views/pending.ts';
import { wrapWords } from '../../core/text.ts';
import { type DescribedCall, describeCall } from '../../core/transactions/describe-call.ts';
import { gasNeeded, RULES } from '../../core/transactions/gas-rules.ts';
import type { SignedTransaction } from '../../core/transactions/signed-transaction.ts';
import { formatChange, formatCount, formatGwei, formatLikelihood } from '../../core/units.ts';
import {
  cleanLine,
  fittedLines,
  hanging,
  jsonText,
  type Labelled,
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
): Labelled[] {
  const { hash, type, data } = transaction;
  const facts = describeSigned(transaction, snapshot ?? { nativeUsd: null, chainId: null });
  return [['hash', hash], ['type', mapped(type, describeTxType)], ...facts, ['call', callWords(data, call)]];
}

const moment = (ms: number) => `${utcTime(ms, 'seconds')} UTC`;

function callWords(data: string | null, call: CallWords | null): string | null {
  const isCall = data !== null && data !== '0x';
  if (!isCall && call?.name !== 'delegation') return null;
  if (call === null)
    return data === null ? null : `${data.slice(0, 10)}, ${formatCount((data.length - 2) / 2)} bytes`;
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
    ['does', 'left', (autoTx) => describeContent(autoTx, knownCall(autoTx))],
    ['note', 'left', ({ note }) => cleanLine(note ?? '')],
  ];
  return fittedLines(columns, rows, width, { spared: ['note', 'nonce', 'expires (UTC)', 'likely'] });
}

function knownCall({ data, to }: AutoTxView): DescribedCall | null {
  return data === null || data === '0x' ? null : describeCall(data, to);
}

/** The call of a stored transaction, if its selector is well known, after its delegation. */
function callOf(autoTx: AutoTxDetailsView): CallWords | null {
  const delegation = autoTx.checks.find(({ name }) => name === 'delegation')?.message;
  const call = knownCall(autoTx);
  if (delegation === undefined) return call;
  const words = call === null ? delegation : `${delegation}; it also ${call.words}`;
  const isCall = autoTx.data !== null && autoTx.data !== '0x';
  return { name: isCall ? (call?.name ?? null) : 'delegation', signature: call?.signature ?? null, words };
}

export function autoTxDetailsText(autoTx: AutoTxDetailsView, isAscii: boolean): string {
  const call = callOf(autoTx);
  const { checks } = autoTx;
  const timeline = autoTx.timeline ?? [];
  const outcome = describeOutcome(autoTx, moment);
  const of = mapped(autoTx.checkedAt, (at) => ` of ${moment(at)}`) ?? '';
  return [
    ...labelledLines([...orderRows(autoTx), ...transactionRows(autoTx, call), ...outcome]),
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
  const rows = facts.map(([name, text]): Labelled => [name, mapped(text, (words) => paragraph(words))]);
  return ['', 'in no block yet', ...labelledLines(rows)];
}

function orderRows(autoTx: AutoTxView): Labelled[] {
  const { note, hold, failure, expiresAt, reachWithinSec, status } = autoTx;
  const within = mapped(reachWithinSec, (sec) => ` within ${durationText(sec)}`) ?? '';
  return [
    ['id', cleanLine(autoTx.id)],
    ['state', `${cleanLine(describeState(autoTx))}${status === 'SUBMITTED' ? '' : sentBeforeText(autoTx)}`],
    ['failed', mapped(failure, ({ message }) => paragraph(message))],
    ['held', mapped(hold, ({ message }) => paragraph(message))],
    ['tried again', status === 'DISABLED' ? null : mapped(hold?.retryAt, moment)],
    ['target', cleanLine(describeTarget(autoTx))],
    ['price since', autoTx.maxCost && mapped(autoTx.effectiveSince, moment)],
    ['likely', mapped(chanceOf(autoTx), (chance) => `${formatLikelihood(chance)}${within}`)],
    ['expires', isOver(autoTx) ? null : mapped(expiresAt, moment)],
    ['note', mapped(note || null, (text) => paragraph(text, LONGEST_NOTE))],
    ['created', mapped(autoTx.createdAt, (at) => `${utcTime(at, 'minutes')} UTC`)],
    ['attempts', mapped(autoTx.attempts || null, String)],
    ['submitted', mapped(autoTx.submittedAt, moment)],
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
  checked: Pick<CheckedAutoTx, 'call' | 'checks' | 'distance' | 'reach' | 'snapshot'>,
  isAscii: boolean,
): string {
  const { probability = null, deadlineSec = null } = checked.reach ?? {};
  const outlook = [
    mapped(checked.distance, ({ isOfCap, price, ...rest }) => {
      return `now ${isOfCap ? 'base fee ' : ''}${formatGwei(price)} gwei, ${describeDistance(rest)}`;
    }),
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

const MARKS = {
  signs: { pass: '✓', warning: '!', wait: '◌', block: '✗', unknown: '?' },
  words: { pass: 'ok', warning: '!', wait: 'wait', block: 'no', unknown: '?' },
} as const;
const NAME_WIDTH = 15;

/** The pre-flight, one line per check: `✓ nonce  nonce 7 is the next one`; in ASCII `ok`, `wait` and `no`. */
function checkLines(checks: readonly CheckView[], isAscii: boolean): string[] {
  const marks = isAscii ? MARKS.words : MARKS.signs;
  const indent = isAscii ? 5 : 2;
  return checks.flatMap(({ name, result, ok, message }) => {
    const mark = marks[result === 'pass' && ok === false ? 'warning' : result].padEnd(indent);
    const head = `${mark}${cleanLine(name).padEnd(NAME_WIDTH)}`;
    return hanging(head, cleanLine(message));
  });
}
