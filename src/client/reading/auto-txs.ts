import { AUTO_TX_STATUSES, GAS_SPEEDS, MOST_GWEI } from '../../contract/choices.ts';
import { ownValue } from '../../core/own-value.ts';
import type {
  AutoTxAccountView,
  AutoTxDetailsView,
  AutoTxListView,
  AutoTxView,
  CheckView,
  ComparisonView,
  TimelineEntryView,
} from '../views/auto-txs.ts';
import type { Answer } from './answer.ts';
import { transactionFields } from './auto-tx-transaction.ts';
import { Fields } from './fields.ts';
import { type ListPage, readListPage } from './list-page.ts';

const ID_NAMES = ['id', '_id', 'autoTxId', 'uuid'] as const;
/** Where services put a whole auto-tx in an answer that says more. */
const WRAPPED_IN = ['autoTx', 'autoTransaction'] as const;
const LONGEST_TEXT = 2_048;
const MOST_CHECKS = 50;
const MOST_ENTRIES = 200;
const WEI_PER_GWEI = 1_000_000_000n;
const HIGHEST_WEI = BigInt(MOST_GWEI) * WEI_PER_GWEI;
/** Other spellings of the contract's words. */
const SAME_STATUS: Readonly<Record<string, string>> = { CANCELED: 'CANCELLED' };

/** One auto-tx, by itself or a row of a list. Required: its id. */
function readAutoTx(fields: Fields): AutoTxView {
  const id = fields.exactId(...ID_NAMES);
  if (id === null) throw fields.missing('id');
  const savings = fields.child('savings');
  return {
    id,
    status: statusOf(fields),
    target: targetOf(fields),
    gasSpeed: fields.word(GAS_SPEEDS, 'gasSpeed', 'speed', 'lane'),
    isStrict: fields.flag('strictTargetPrice', 'strictTarget', 'isStrict', 'strict'),
    note: fields.note(LONGEST_TEXT, 'note', 'description', 'label'),
    expiresAt: fields.time('expiresAt', 'expires', 'expiry', 'validUntil'),
    ...transactionFields(fields),
    checks: (fields.childrenIfAny('checks', 'preflight') ?? []).slice(0, MOST_CHECKS).flatMap(readCheck),
    checkedAt: fields.time('checkedAt'),
    createdAt: fields.time('createdAt', 'created'),
    updatedAt: fields.time('updatedAt', 'updated'),
    submittedAt: fields.time('submittedAt', 'broadcastAt', 'sentAt'),
    executedAt: fields.time('executedAt', 'minedAt', 'confirmedAt'),
    costUsd: fields.amount('costUsd'),
    savedWei: fields.wei('savedWei', 'saved'),
    atCreation: readComparison(savings?.child('atCreation')),
    dayMean: readComparison(savings?.child('dayMean')),
    failure: readProblem(fields, 'failure', 'failureReason', 'failReason', 'error', 'errorMessage'),
    hold: readHold(fields),
    attempts: fields.count('attempts', 'tries'),
    mayBeMined: fields.flag('mayBeMined'),
    confirmations: fields.count('confirmations'),
    confirmationsNeeded: fields.count('confirmationsNeeded', 'requiredConfirmations'),
    reachProbability: fields.ratio('reachProbability', 'probability'),
    reachWithinSec: fields.amount('reachWithinSec'),
    keyId: fields.text('keyId'),
  };
}

/** One page of `GET /auto-txs`. */
export function readAutoTxPage(answer: Answer): ListPage<AutoTxListView['items'][number]> {
  return readListPage(answer, 'autoTxs', readAutoTx);
}

/** `GET /auto-txs/{id}`. */
export function readAutoTxDetails(answer: Answer): AutoTxDetailsView {
  const { autoTx, beside } = autoTxOf(answer);
  const names = ['timeline', 'history', 'events', 'log'] as const;
  const entries = autoTx.childrenIfAny(...names) ?? beside?.childrenIfAny(...names) ?? null;
  return {
    ...readAutoTx(autoTx),
    timeline: entries === null ? null : entries.slice(0, MOST_ENTRIES).map(readEntry),
  };
}

/** `POST /auto-txs`, which some services answer with little more than the id. */
export function readCreatedAutoTx(answer: Answer): AutoTxView {
  return readAutoTx(autoTxOf(answer).autoTx);
}

/** What a change answers; `null` where that is no whole auto-tx. */
export function readChangedAutoTx(answer: Answer): AutoTxView | null {
  answer.throwIfRefused();
  try {
    const autoTx = readAutoTx(autoTxOf(answer).autoTx);
    return autoTx.status === null ? null : autoTx;
  } catch {
    return null;
  }
}

/** `GET /auto-txs/accounts/{address}`; what it does not say is `null`. */
export function readAutoTxAccount(answer: Answer): AutoTxAccountView {
  const fields = new Fields(answer, answer.record(['nonce', 'balanceWei', 'balance'], 'nonce'));
  return {
    chainId: fields.count('chainId'),
    nonce: fields.count('nonce'),
    pendingNonce: fields.count('pendingNonce'),
    balance: fields.wei('balanceWei', 'balance'),
    waiting: fields.children('waiting').flatMap((row) => {
      const id = row.exactId(...ID_NAMES);
      const nonce = row.count('nonce');
      return id === null || nonce === null ? [] : [{ id, nonce, status: statusOf(row) }];
    }),
  };
}

/** The auto-tx may stand in a record of its own. */
function autoTxOf(answer: Answer): { readonly autoTx: Fields; readonly beside: Fields | null } {
  const found = new Fields(answer, answer.record([...ID_NAMES, ...WRAPPED_IN], 'id'));
  const inside = WRAPPED_IN.map((name) => found.inside(name)).find((one) => one !== null) ?? null;
  return inside === null ? { autoTx: found, beside: null } : { autoTx: inside, beside: found };
}

function statusOf(fields: Fields): string | null {
  const known = [...AUTO_TX_STATUSES, ...Object.keys(SAME_STATUS)];
  const word = fields.word(known, 'status', 'state');
  return word === null ? null : (ownValue(SAME_STATUS, word) ?? word);
}

/** Targets are entered in gwei and may be kept in wei, sometimes under the name they were entered with. */
function targetOf(fields: Fields): bigint | null {
  const target = fields.fee(
    'targetGasPriceGwei',
    'targetGasPriceWei',
    'targetGasPrice',
    'targetPrice',
    'target',
  );
  return target !== null && target > HIGHEST_WEI ? target / WEI_PER_GWEI : target;
}

function readCheck(fields: Fields): CheckView[] {
  const name = fields.text('name', 'check', 'code');
  const message = fields.text('message', 'detail', 'reason') ?? name;
  if (message === null) return [];
  return [{ name: name ?? message, ok: fields.flag('ok', 'passed', 'success', 'valid'), message }];
}

function readComparison(fields: Fields | null | undefined): ComparisonView | null {
  if (fields === null || fields === undefined) return null;
  const saved = fields.text('savedWei') ?? '';
  return {
    referencePrice: fields.fee('referencePrice'),
    savedWei: /^-?\d{1,60}$/.test(saved) ? BigInt(saved) : null,
    savedUsd: fields.number('savedUsd'),
  };
}

/** A record with words in it, or the words alone. */
function readProblem(fields: Fields, ...names: readonly string[]): AutoTxView['failure'] {
  const inside = fields.child(...names);
  const message = inside === null ? fields.text(...names) : inside.text('message', 'reason', 'detail');
  const code = inside?.text('code', 'errorCode') ?? null;
  const words = message ?? code;
  return words === null ? null : { code, message: words };
}

function readHold(fields: Fields): AutoTxView['hold'] {
  const problem = readProblem(fields, 'hold');
  if (problem === null) return null;
  return { ...problem, retryAt: fields.child('hold')?.time('retryAt', 'nextAttemptAt') ?? null };
}

function readEntry(fields: Fields): TimelineEntryView {
  const kind = fields.text('kind', 'type', 'event', 'status', 'action');
  return {
    at: fields.time('at', 'timestamp', 'time', 'createdAt', 'date'),
    kind,
    blockNumber: fields.count('blockNumber', 'block'),
    message: fields.text('message', 'description', 'detail', 'note') ?? kind ?? '',
  };
}
