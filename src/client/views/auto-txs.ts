import type { AutoTxCreationInput, AutoTxUpdateInput } from '../../contract/auto-txs.ts';
import { AUTO_TX_STATUSES, CALLDATA_LONGEST, GAS_SPEEDS, MOST_GWEI } from '../../contract/choices.ts';
import type { Hex } from '../../core/block.ts';
import { ownValue } from '../../core/own-value.ts';
import { type Answer, type ListPage, readListPage } from '../answer.ts';
import { Fields } from '../fields.ts';

/** An auto-tx as it is sent to a service, which may offer further words than the contract's. */
export interface NewAutoTx extends Omit<AutoTxCreationInput, 'gasSpeed'> {
  readonly gasSpeed?: string | undefined;
}

export interface AutoTxChange extends Omit<AutoTxUpdateInput, 'gasSpeed' | 'status'> {
  readonly gasSpeed?: string | undefined;
  readonly status?: string | undefined;
}

export interface CheckView {
  readonly name: string;
  /** `null`: it could not be told. */
  readonly ok: boolean | null;
  readonly message: string;
}

/** What it paid against another price. */
export interface ComparisonView {
  /** Wei per gas. */
  readonly referencePrice: bigint | null;
  /** Negative for a loss. */
  readonly savedWei: bigint | null;
  readonly savedUsd: number | null;
}

/** What was signed. `null`: the service does not say, or it has none. */
export interface SignedTransactionView {
  readonly chainId: number | null;
  readonly type: number | null;
  readonly from: Hex | null;
  readonly to: Hex | null;
  /** Wei. */
  readonly value: bigint | null;
  readonly data: Hex | null;
  readonly nonce: number | null;
  readonly gasLimit: bigint | null;
  readonly maxFeePerGas: bigint | null;
  readonly maxPriorityFeePerGas: bigint | null;
  readonly gasPrice: bigint | null;
  readonly hash: Hex | null;
}

/** An auto-tx. `null`: the service does not say. Words a service uses that are none of the contract's stay as they are. Times in ms. */
export interface AutoTxView extends SignedTransactionView {
  readonly id: string;
  /** One of the contract's, or a service's own word. */
  readonly status: string | null;
  /** Wei per gas. */
  readonly target: bigint | null;
  readonly gasSpeed: string | null;
  readonly isStrict: boolean | null;
  readonly note: string | null;
  readonly expiresAt: number | null;
  readonly checks: readonly CheckView[];
  readonly checkedAt: number | null;
  readonly createdAt: number | null;
  readonly updatedAt: number | null;
  readonly submittedAt: number | null;
  readonly executedAt: number | null;
  readonly blockNumber: number | null;
  readonly gasUsed: bigint | null;
  readonly effectiveGasPrice: bigint | null;
  readonly costWei: bigint | null;
  readonly costUsd: number | null;
  readonly savedWei: bigint | null;
  readonly atCreation: ComparisonView | null;
  readonly dayMean: ComparisonView | null;
  readonly failure: { readonly code: string | null; readonly message: string } | null;
  readonly hold: {
    readonly code: string | null;
    readonly message: string;
    readonly retryAt: number | null;
  } | null;
  readonly attempts: number | null;
  /** Nodes may have its signed bytes, so that it may be mined although it waits or is cancelled. */
  readonly mayBeMined: boolean | null;
  readonly confirmations: number | null;
  readonly confirmationsNeeded: number | null;
  /** Chance that its target is reached within `reachWithinSec`. */
  readonly reachProbability: number | null;
  readonly reachWithinSec: number | null;
  /** The key that made it; `null`: one's own, or the service does not say. */
  readonly keyId: string | null;
}

export interface TimelineEntryView {
  readonly at: number | null;
  readonly kind: string | null;
  readonly blockNumber: number | null;
  readonly message: string;
}

export interface AutoTxDetailsView extends AutoTxView {
  /** Newest first; `null` where the service keeps none. */
  readonly timeline: readonly TimelineEntryView[] | null;
}

export interface AutoTxListView {
  readonly items: readonly AutoTxView[];
  /** How many there are in all; `null` where the service does not say. */
  readonly total: number | null;
  /** Rows of the answer that could not be read; `items` are the others. */
  readonly unreadable: number;
}

/** A sender as the chain knows it. */
export interface AutoTxAccountView {
  readonly chainId: number | null;
  /** The next nonce that the chain takes. */
  readonly nonce: number | null;
  /** The next one after those in the node's pool. */
  readonly pendingNonce: number | null;
  /** Wei. */
  readonly balance: bigint | null;
  /** Auto-txs of the sender that may still be sent, by nonce. */
  readonly waiting: readonly {
    readonly id: string;
    readonly nonce: number;
    readonly status: string | null;
  }[];
}

/** Whether nodes may have it, whatever is decided of it now. Of a service that does not say: whether it was ever sent. */
export function mayBeMined({ mayBeMined: said, attempts, submittedAt }: AutoTxView): boolean {
  return said ?? (submittedAt !== null || (attempts ?? 0) > 0);
}

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

type TransactionView = SignedTransactionView &
  Pick<AutoTxView, 'blockNumber' | 'gasUsed' | 'effectiveGasPrice' | 'costWei'>;

const ADDRESS = /^0x[\da-f]{40}$/i;
const HASH = /^0x[\da-f]{64}$/i;
/** Pairs are counted by hand: a pattern of them runs out of stack on a long text. */
const DIGITS = /^0x[\da-f]*$/i;

/** How libraries call the types of EIP-2718. */
const TYPE_WORDS: Readonly<Record<string, number>> = {
  LEGACY: 0,
  EIP2930: 1,
  EIP1559: 2,
  EIP4844: 3,
  EIP7702: 4,
};

/** What is to be done and what came of it; services put that beside the rest, or into a record or a receipt. */
export function transactionFields(fields: Fields): TransactionView {
  const tx = fields.child('transaction', 'tx', 'decoded');
  const receipt = fields.child('receipt');
  const first = <Value>(
    read: (of: Fields) => Value | null,
    ...more: readonly (Fields | null)[]
  ): Value | null => {
    for (const of of [fields, ...more]) {
      const value = of === null ? null : read(of);
      if (value !== null) return value;
    }
    return null;
  };
  return {
    chainId: first((of) => of.count('chainId', 'chain'), tx),
    type: first(typeOf, tx),
    from: first((of) => hexOf(of, ADDRESS, 'from', 'sender', 'fromAddress'), tx),
    to: first((of) => hexOf(of, ADDRESS, 'to', 'recipient', 'toAddress'), tx),
    value: first((of) => of.wei('value', 'valueWei'), tx),
    data: first((of) => bytesOf(of, 'data', 'input', 'calldata'), tx),
    nonce: first((of) => of.count('nonce'), tx),
    gasLimit: first((of) => of.wei('gasLimit', 'gas'), tx),
    maxFeePerGas: first((of) => of.fee('maxFeePerGas', 'maxFee'), tx),
    maxPriorityFeePerGas: first((of) => of.fee('maxPriorityFeePerGas', 'priorityFee'), tx),
    gasPrice: first((of) => of.fee('gasPrice'), tx),
    hash: first((of) => hexOf(of, HASH, 'hash', 'txHash', 'transactionHash'), tx, receipt),
    blockNumber: first((of) => of.count('blockNumber', 'block'), receipt),
    gasUsed: first((of) => of.wei('gasUsed'), receipt),
    effectiveGasPrice: first((of) => of.fee('effectiveGasPrice', 'paidGasPrice'), receipt),
    costWei: first((of) => of.wei('costWei', 'cost', 'fee'), receipt),
  };
}

function hexOf(fields: Fields, shape: RegExp, ...names: readonly string[]): Hex | null {
  const text = fields.writtenText(CALLDATA_LONGEST, ...names);
  return text !== null && shape.test(text) && isHex(text) ? text : null;
}

function bytesOf(fields: Fields, ...names: readonly string[]): Hex | null {
  const hex = hexOf(fields, DIGITS, ...names);
  return hex === null || hex.length % 2 !== 0 ? null : hex;
}

const isHex = (text: string): text is Hex => text.startsWith('0x');

function typeOf(fields: Fields): number | null {
  const number = fields.count('type', 'txType', 'transactionType');
  if (number !== null) return number <= 0x7f ? number : null;
  const word = fields.text('type', 'txType', 'transactionType')?.toUpperCase().replaceAll(/[-_ ]/g, '');
  return word === undefined ? null : (ownValue(TYPE_WORDS, word) ?? null);
}
