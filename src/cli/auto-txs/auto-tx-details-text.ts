import type { AutoTxDetailsView, AutoTxView, ComparisonView } from '../../client/views/auto-txs.ts';
import { chanceOf, isOver } from '../../client/views/describe-auto-txs.ts';
import { chainProfile } from '../../core/chains.ts';
import {
  formatCount,
  formatLikelihood,
  formatNative,
  formatUsd,
  gweiString,
  nativeString,
} from '../../core/units.ts';
import { timeWords } from '../alerts/alert-words.ts';
import { cleanLine } from '../clean-line.ts';
import { durationText } from '../duration.ts';
import { type Labelled, labelledLines, VALUE_WIDTH } from '../labelled-lines.ts';
import { wrapWords } from '../wrap-words.ts';
import { autoTxStateWords, targetWords } from './auto-tx-words.ts';
import { checkLines } from './check-lines.ts';
import { type CallWords, transactionRows } from './transaction-rows.ts';

const LONGEST_NOTE = 2_048;

/** What `gastop auto-txs show` prints. */
export function autoTxDetailsText(
  autoTx: AutoTxDetailsView,
  call: CallWords | null,
  isAscii: boolean,
): string {
  const { checks, timeline } = autoTx;
  return [
    ...labelledLines([...orderRows(autoTx), ...transactionRows(autoTx, call), ...outcomeRows(autoTx)]),
    ...(checks.length === 0 ? [] : ['', checkHeading(autoTx), ...checkLines(checks, isAscii)]),
    ...(timeline === null || timeline.length === 0
      ? []
      : ['', 'what happened, newest first (UTC)', ...timeline.flatMap(entryLines)]),
  ].join('\n');
}

function orderRows(autoTx: AutoTxView): Labelled[] {
  const { note, hold, failure, expiresAt, reachWithinSec } = autoTx;
  const chance = chanceOf(autoTx);
  const within = reachWithinSec === null ? '' : ` within ${durationText(reachWithinSec)}`;
  return [
    ['id', cleanLine(autoTx.id)],
    ['state', `${autoTxStateWords(autoTx)}${outWords(autoTx)}`],
    ['failed as', failure === null ? null : paragraph(failure.message)],
    ['held as', hold === null ? null : paragraph(hold.message)],
    [
      'tried again',
      hold === null || hold.retryAt === null ? null : `${timeWords(hold.retryAt, 'seconds')} UTC`,
    ],
    ['sent when', targetWords(autoTx)],
    ['likely', chance === null ? null : `${formatLikelihood(chance)}${within}`],
    ['until', expiresAt === null || isOver(autoTx) ? null : `${timeWords(expiresAt, 'seconds')} UTC`],
    ['note', note === null || note === '' ? null : paragraph(note, LONGEST_NOTE)],
    ['made', autoTx.createdAt === null ? null : `${timeWords(autoTx.createdAt)} UTC`],
  ];
}

/** Of one that does not say by its state that it was sent. */
function outWords({ status, mayBeMined }: AutoTxView): string {
  if (mayBeMined !== true || status === 'SUBMITTED') return '';
  return '; it was sent before and may be mined until its nonce is used';
}

function outcomeRows(autoTx: AutoTxView): Labelled[] {
  const { attempts, confirmations, confirmationsNeeded, blockNumber, gasUsed, costWei, costUsd } = autoTx;
  const needed = confirmationsNeeded === null ? '' : ` of ${confirmationsNeeded}`;
  const dollars = costUsd === null ? '' : `  ${formatUsd(costUsd)}`;
  return [
    ['attempts', attempts === null || attempts === 0 ? null : String(attempts)],
    ['submitted', autoTx.submittedAt === null ? null : `${timeWords(autoTx.submittedAt, 'seconds')} UTC`],
    ['block', blockNumber === null ? null : `#${formatCount(blockNumber)}`],
    ['confirmations', confirmations === null ? null : `${confirmations}${needed}`],
    ['final', autoTx.executedAt === null ? null : `${timeWords(autoTx.executedAt, 'seconds')} UTC`],
    ['gas used', gasUsed === null ? null : formatCount(Number(gasUsed))],
    [
      'paid',
      autoTx.effectiveGasPrice === null ? null : `${gweiString(autoTx.effectiveGasPrice)} gwei per gas`,
    ],
    ['cost', costWei === null ? null : `${nativeString(costWei)} ${symbolOf(autoTx)}${dollars}`],
    ['saved', savedWords(autoTx, autoTx.atCreation, 'the price when it was made')],
    ['', savedWords(autoTx, autoTx.dayMean, 'the mean of the day before')],
  ];
}

function savedWords(autoTx: AutoTxView, saving: ComparisonView | null, reference: string): string | null {
  if (saving === null || saving.savedWei === null) return null;
  const { savedWei, savedUsd } = saving;
  const isLoss = savedWei < 0n;
  const amount = formatNative(isLoss ? -savedWei : savedWei, symbolOf(autoTx));
  const dollars = savedUsd === null ? '' : `  ${formatUsd(Math.abs(savedUsd))}`;
  return `${amount}${dollars} ${isLoss ? 'more than at' : 'against'} ${reference}`;
}

const symbolOf = ({ chainId }: AutoTxView) =>
  chainId === null ? 'coins' : chainProfile(chainId).nativeSymbol;

const checkHeading = ({ checkedAt }: AutoTxView) =>
  checkedAt === null ? 'checks' : `checks of ${timeWords(checkedAt, 'seconds')} UTC`;

const paragraph = (text: string, longest?: number) =>
  wrapWords(cleanLine(text, [], longest), VALUE_WIDTH).join('\n');

function entryLines({ at, kind, message, blockNumber }: NonNullable<AutoTxDetailsView['timeline']>[number]) {
  const block = blockNumber === null ? '' : `  #${formatCount(blockNumber)}`;
  const words = cleanLine(kind ?? '')
    .toLowerCase()
    .replaceAll('_', ' ');
  return [
    `  ${timeWords(at, 'seconds')}  ${words}${block}`,
    ...wrapWords(cleanLine(message), 74).map((line) => `    ${line}`),
  ];
}
