import type * as z from 'zod';
import {
  AutoTxAccount as AutoTxAccountWire,
  type AutoTxCreationInput,
  AutoTxDetails as AutoTxDetailsWire,
  AutoTxList,
  type AutoTxUpdateInput,
  AutoTx as AutoTxWire,
} from '../../contract/auto-txs.ts';
import type { Hex } from '../../core/block.ts';
import { countedRows, lenient, ms, rows, said, type Wire, wei, weiFromGwei } from '../lenient.ts';
import type { ListView } from './alerts.ts';

/** An auto-tx as it is sent to a service, which may offer further words than the contract's. */
export interface NewAutoTx extends Omit<AutoTxCreationInput, 'gasSpeed'> {
  readonly gasSpeed?: string | undefined;
}

export interface AutoTxChange extends Omit<AutoTxUpdateInput, 'gasSpeed' | 'status'> {
  readonly gasSpeed?: string | undefined;
  readonly status?: string | undefined;
}

const { checks, savings, hold } = AutoTxWire.shape;

const Check = lenient(checks.element, 'name').transform(({ name, ok, message }) => ({
  name,
  /** `null`: it could not be told. */
  ok,
  message: said(message) ?? name,
}));
export type CheckView = z.infer<typeof Check>;

/** What it paid against another price; `savedWei` is negative for a loss. */
const Comparison = lenient(savings.unwrap().shape.atCreation.unwrap()).transform((wire) => ({
  ...wire,
  referencePrice: wei(wire.referencePrice),
  savedWei: wei(wire.savedWei),
}));
export type ComparisonView = z.infer<typeof Comparison>;

const WIRE = AutoTxWire.extend({
  checks: rows(Check),
  savings: lenient(savings.unwrap().extend({ atCreation: Comparison, dayMean: Comparison })),
});
const MOST_CHECKS = 50;

const autoTxOf = (wire: Wire<typeof WIRE.shape, 'id'>) => ({
  id: wire.id,
  /** One of the contract's, or a service's own word. */
  status: wire.status,
  /** Wei per gas. */
  target: weiFromGwei(wire.targetGasPriceGwei),
  gasSpeed: wire.gasSpeed,
  isStrict: wire.strictTargetPrice,
  note: wire.note,
  expiresAt: ms(wire.expiresAt),
  chainId: wire.chainId,
  type: wire.type,
  from: hex(wire.from),
  to: hex(wire.to),
  value: wei(wire.value),
  data: hex(wire.data),
  nonce: wire.nonce,
  gasLimit: wei(wire.gasLimit),
  maxFeePerGas: wei(wire.maxFeePerGas),
  maxPriorityFeePerGas: wei(wire.maxPriorityFeePerGas),
  gasPrice: wei(wire.gasPrice),
  hash: hex(wire.hash),
  checks: (wire.checks ?? []).slice(0, MOST_CHECKS),
  checkedAt: ms(wire.checkedAt),
  createdAt: ms(wire.createdAt),
  updatedAt: ms(wire.updatedAt),
  submittedAt: ms(wire.submittedAt),
  executedAt: ms(wire.executedAt),
  blockNumber: wire.blockNumber,
  gasUsed: wei(wire.gasUsed),
  effectiveGasPrice: wei(wire.effectiveGasPrice),
  costWei: wei(wire.costWei),
  costUsd: wire.costUsd,
  savedWei: wei(wire.savedWei),
  atCreation: wire.savings?.atCreation ?? null,
  dayMean: wire.savings?.dayMean ?? null,
  failure: problemOf(wire.failure),
  hold: holdOf(wire.hold),
  attempts: wire.attempts,
  /** Nodes may have its signed bytes, so that it may be mined although it waits or is cancelled. */
  mayBeMined: wire.mayBeMined,
  confirmations: wire.confirmations,
  confirmationsNeeded: wire.confirmationsNeeded,
  /** Chance that its target is reached within `reachWithinSec`. */
  reachProbability: wire.reachProbability,
  reachWithinSec: wire.reachWithinSec,
  /** The key that made it; `null`: one's own, or the service does not say. */
  keyId: wire.keyId,
});

/** An auto-tx. Required: its id. `null`: the service does not say. Times in ms. */
export const AutoTx = lenient(WIRE, 'id').transform(autoTxOf);
export type AutoTxView = z.infer<typeof AutoTx>;

/** What was signed of it. `null`: the service does not say, or it has none. */
export type SignedTransactionView = Pick<
  AutoTxView,
  | 'chainId'
  | 'type'
  | 'from'
  | 'to'
  | 'value'
  | 'data'
  | 'nonce'
  | 'gasLimit'
  | 'maxFeePerGas'
  | 'maxPriorityFeePerGas'
  | 'gasPrice'
  | 'hash'
>;

/** Pairs are counted by hand: a pattern of them runs out of stack on a long text. */
function hex(text: string | null): Hex | null {
  return text !== null && isHex(text) && text.length % 2 === 0 ? text : null;
}

const isHex = (text: string): text is Hex => /^0x[\da-f]*$/i.test(text);

type WireHold = Wire<ReturnType<typeof hold.unwrap>['shape'], never>;

function problemOf(wire: Pick<WireHold, 'code' | 'message'> | null) {
  const code = said(wire?.code);
  const message = said(wire?.message) ?? code;
  return message === null ? null : { code, message };
}

function holdOf(wire: WireHold | null) {
  const problem = problemOf(wire);
  return problem === null ? null : { ...problem, retryAt: ms(wire?.retryAt) };
}

const MOST_ENTRIES = 200;

const Entry = lenient(AutoTxDetailsWire.shape.timeline.element).transform((wire) => ({
  ...wire,
  at: ms(wire.at),
  message: said(wire.message) ?? wire.kind ?? '',
}));
export type TimelineEntryView = z.infer<typeof Entry>;

/** `GET /auto-txs/{id}`. The timeline is newest first; `null` where the service keeps none. */
export const AutoTxDetails = lenient(WIRE.extend({ timeline: rows(Entry) }), 'id').transform(
  ({ timeline, ...wire }) => ({
    ...autoTxOf(wire),
    timeline: timeline?.slice(0, MOST_ENTRIES) ?? null,
  }),
);
export type AutoTxDetailsView = z.infer<typeof AutoTxDetails>;

/** One page of `GET /auto-txs`, or all of them from a service that knows no pages. */
export const AutoTxPage = lenient(AutoTxList.extend({ items: countedRows(AutoTx) }), 'items').transform(
  ({ items, total }) => ({ ...items, total }),
);
export type AutoTxListView = ListView<AutoTxView>;

/** `GET /auto-txs/accounts/{address}`: a sender as the chain knows it. */
export const AutoTxAccount = lenient(
  AutoTxAccountWire.extend({
    waiting: rows(lenient(AutoTxAccountWire.shape.waiting.element, 'id', 'nonce')),
  }),
  'nonce',
).transform(({ chainId, nonce, pendingNonce, balanceWei, waiting }) => ({
  chainId,
  /** The next nonce that the chain takes. */
  nonce,
  /** The next one after those in the node's pool. */
  pendingNonce,
  balance: wei(balanceWei),
  /** Auto-txs of the sender that may still be sent, by nonce. */
  waiting: waiting ?? [],
}));
export type AutoTxAccountView = z.infer<typeof AutoTxAccount>;

/** Whether nodes may have it, whatever is decided of it now. Of a service that does not say: whether it was ever sent. */
export function mayBeMined({ mayBeMined: said, attempts, submittedAt }: AutoTxView): boolean {
  return said ?? (submittedAt !== null || (attempts ?? 0) > 0);
}
