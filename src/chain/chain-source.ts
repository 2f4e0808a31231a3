import { type Bid, paysAt } from '../core/auto-txs/target.ts';
import type { Block, Hex } from '../core/block.ts';
import type { EthConfig } from '../core/chain-rules.ts';
import type { ChainProfile } from '../core/chains.ts';
import type { DataFees } from '../core/data-fee.ts';
import type { ChainBlock, ChainReceipt, ChainTransaction } from './rpc/decode.ts';

/** One node's state as last seen; replay and simulation have a single entry. */
export interface NodeHealth {
  /** Host and port only: a URL's path, query and user often hold a key. */
  readonly name: string;
  readonly state: 'ok' | 'lagging' | 'disagrees' | 'down' | 'wrong-chain';
  readonly head: number | null;
  readonly latencyMs: number | null;
  /** One line for people, e.g. `3 blocks behind`. */
  readonly message: string;
  /** Whether its head is old because it still reads the chain. */
  readonly isSyncing?: true;
  /** What is odd about its responses, a line each. */
  readonly notes?: readonly string[];
}

/** Each `block` is the child of the one before, except after a `reorg` or a `gap`, whose blocks `blocks` fetches. */
export type ChainEvent =
  | { readonly type: 'block'; readonly block: Block }
  /** Blocks above `commonAncestor` are no longer part of the chain. */
  | { readonly type: 'reorg'; readonly commonAncestor: number }
  | { readonly type: 'gap'; readonly from: number; readonly to: number }
  /** The source stopped responding; it retries by itself, next at `retryAt` (ms since epoch, wall clock). */
  | { readonly type: 'down'; readonly reason: string; readonly retryAt: number }
  | { readonly type: 'up' }
  | { readonly type: 'ended' };

/** The last blocks of a subscriber, so that a restart neither repeats nor misses any. */
export type KnownBlock = Pick<Block, 'number' | 'hash'>;

export interface RecentBlocks {
  readonly blocks: readonly Block[];
  /** Whether they follow the known block; there may be none then. */
  readonly follows: boolean;
}

export type { ChainBlock, ChainReceipt, ChainTransaction };

export interface IncludedTransaction {
  readonly transaction: ChainTransaction;
  readonly receipt: ChainReceipt;
}

/** Price paid per gas in a block with this base fee, wei; `null`: it was paid in another coin, or nothing is known of it. */
export function paidPrice(
  transaction: Bid & Pick<ChainTransaction, 'feeCurrency'>,
  { effectiveGasPrice }: Pick<ChainReceipt, 'effectiveGasPrice'>,
  baseFee: bigint,
): bigint | null {
  if (transaction.feeCurrency !== null) return null;
  const isSigned = transaction.gasPrice !== null || transaction.maxFeePerGas !== null;
  return effectiveGasPrice ?? (isSigned ? paysAt(transaction, baseFee) : null);
}

export type BlockId = Pick<ChainBlock, 'number' | 'hash'>;

interface Abortable {
  readonly signal?: AbortSignal;
}

interface Since<Known> {
  readonly known: Known;
  readonly signal: AbortSignal;
}

export interface SendOptions {
  /** Called right before the bytes are written to each node; `false` keeps them back. */
  readonly isStillWanted?: () => boolean;
  /** Called with the node's name for each of several nodes that accepts it. */
  readonly onTaken?: (node: string) => void;
}

/** What the pools of all nodes that answer say of a transaction and its sender. `null`: no node says it. */
export interface PoolView {
  /** How many nodes were asked for it, and how many have it in their pool and in a block. */
  readonly asked: number;
  readonly pending: number;
  readonly mined: number;
  readonly nextNonce: number | null;
  /** The first nonce after those of the chain and the pools. */
  readonly pendingNonce: number | null;
  /** The sender's other transactions in the pools; `null`: no node shows its pool. */
  readonly others: readonly ChainTransaction[] | null;
}

/** A call as `eth_estimateGas` takes it. */
interface EstimatedCall {
  readonly from?: Hex;
  /** `null`: it creates a contract. */
  readonly to: Hex | null;
  readonly data: Hex;
  readonly value: bigint;
}

/** Nodes, a recording or the simulation. Every method rejects with a `ChainError`: `unsupported` if the source cannot do it. */
export interface ChainSource {
  readonly kind: 'rpc' | 'replay' | 'simulated';
  /** For people: `127.0.0.1:8545`, `blocks.csv`. Never a whole URL. */
  readonly name: string;
  /** The chain's present, ms since epoch: wall clock, or the virtual time of a replay. */
  now(): number;
  /** @throws {ChainError} `restarted` when it restarted and that was not accepted. */
  chain(): Promise<ChainProfile>;
  /** Continues with a restarted chain; until then everything, the subscription too, rejects with `restarted`. */
  acceptRestart?(): void;
  /** Rejects when one of several reachable nodes serves another chain than `chain` returns. */
  confirmChain?(): Promise<void>;
  head(): Promise<Block>;
  /** Blocks `from`–`to` inclusive, ascending; shorter if the source's history is. */
  blocks(from: number, to: number, options?: Abortable): Promise<Block[]>;
  /**
   * For prices alone, in one to three requests: the blocks after `known`; the newest `most` without it, or if it was
   * orphaned or lies further back. Only the last has its hash; earlier times may be estimates.
   */
  newest?(most: number, options: Since<Block | null>): Promise<RecentBlocks>;
  /** Follows the chain until `signal` aborts (then the iteration ends, it does not throw). */
  subscribe(options: Since<readonly KnownBlock[]>): AsyncIterable<ChainEvent>;
  call(request: { readonly to: Hex; readonly data: Hex }): Promise<Hex>;
  /** Resolves to the transaction hash. The bytes never appear in an error. */
  sendRawTransaction(signed: Hex, options?: SendOptions): Promise<Hex>;
  transaction(hash: Hex): Promise<ChainTransaction | null>;
  receipt(hash: Hex): Promise<ChainReceipt | null>;
  /** One block's header and transaction hashes; `null` when the chain has no such block. */
  block(number: number, options?: Abortable): Promise<ChainBlock | null>;
  /** The transactions of this very block with their receipts, in order; `null` if it is gone. */
  transactionsOf(block: BlockId, options?: Abortable): Promise<readonly IncludedTransaction[] | null>;
  nonce(address: Hex, at: 'latest' | 'pending'): Promise<number>;
  balance(address: Hex): Promise<bigint>;
  /** `0x` for an account without code. Absent: unsupported. */
  code?(address: Hex): Promise<Hex>;
  /** The chain's present fees beside gas, cached for seconds; `isFresh`: of the head; never rejects. Absent: unsupported. */
  dataFees?(options?: { readonly isFresh?: boolean }): Promise<DataFees>;
  /** The forks that a node is configured for (EIP-7910), asked for each time; `null`: it does not say. Absent: unsupported. */
  ethConfig?(): Promise<EthConfig | null>;
  /** Absent: it has one pool, of which `transaction` and `nonce` tell. */
  pools?(request: { readonly hash: Hex; readonly from: Hex }): Promise<PoolView>;
  /** Gas that the call takes in the head's state. Rejects with the node's `rejected` where it would revert. Absent: unsupported. */
  estimateGas?(call: EstimatedCall): Promise<bigint>;
  health(): readonly NodeHealth[];
}

export type ChainErrorCode =
  | 'unreachable'
  | 'timeout'
  | 'wrong-chain'
  /** Every node serves another chain with the same id than before. */
  | 'restarted'
  | 'bad-response'
  | 'rejected'
  /** A refusal too: the node is healthy but no longer has the data (EIP-4444). */
  | 'pruned'
  | 'rate-limited'
  | 'unsupported'
  | 'bad-file';

/** `message` is one line of advice for people, without URLs beyond host and port and without signed bytes. */
export class ChainError extends Error {
  override readonly name = 'ChainError';
  readonly code: ChainErrorCode;
  /** Whether the node certainly did not receive the request: no connection, or refused unread. */
  readonly isUnsent: boolean;
  /** `Retry-After` of a rate-limiting node; `null` without one. */
  readonly retryAfterMs: number | null;

  constructor(
    code: ChainErrorCode,
    message: string,
    options?: ErrorOptions & { readonly isUnsent?: boolean; readonly retryAfterMs?: number | null },
  ) {
    super(message, options);
    this.code = code;
    this.isUnsent = options?.isUnsent ?? false;
    this.retryAfterMs = options?.retryAfterMs ?? null;
  }
}

/** Whether a node refused the request: the node is healthy, and another may accept it. */
export function isRefusal(error: unknown): boolean {
  return error instanceof ChainError && (error.code === 'rejected' || error.code === 'pruned');
}

/** A response exceeds the maximum size, and was not read to its end. */
export class OversizedResponse extends ChainError {
  constructor(message: string) {
    super('bad-response', message);
  }
}

/** State of a transaction that no node confirmed. */
export type SendOutcome =
  /** A node may have it: its response is missing or unclear. */
  | 'unknown'
  /** A node reports its nonce as used: the chain must be checked. */
  | 'nonce-used'
  /** No node has it; the same bytes may be accepted later. */
  | 'later'
  /** No node has it, and all refuse it for good. */
  | 'never';

/** No node accepted a transaction. `reason`: machine-readable, `insufficient_funds`. */
export class SendFailure extends ChainError {
  readonly outcome: SendOutcome;
  readonly reason: string;

  constructor(outcome: SendOutcome, reason: string, because: ChainError) {
    super(because.code, because.message);
    this.outcome = outcome;
    this.reason = reason;
  }
}
