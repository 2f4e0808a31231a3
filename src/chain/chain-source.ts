import type { Block, Hex } from '../core/block.ts';
import type { ChainProfile } from '../core/chains.ts';
import type { DataFees } from '../core/data-fee.ts';

/** One node's state as last seen; replay and simulation have a single entry. */
export interface NodeHealth {
  /** Host and port only: a URL's path, query and user often hold a key. */
  readonly name: string;
  readonly state: 'ok' | 'lagging' | 'disagrees' | 'down' | 'wrong-chain';
  readonly head: number | null;
  readonly latencyMs: number | null;
  /** One line for people, e.g. `3 blocks behind`. */
  readonly message: string;
}

/**
 * What `subscribe` yields. Blocks come in order without gaps or repeats: each `block` is the child of the
 * one before it, unless a `reorg` said how far to go back or a `gap` said that blocks were jumped over
 * because the gap was too wide to fill here (`blocks` fetches them).
 */
export type ChainEvent =
  | { readonly type: 'block'; readonly block: Block }
  /** Blocks above `commonAncestor` are no longer part of the chain. */
  | { readonly type: 'reorg'; readonly commonAncestor: number }
  | { readonly type: 'gap'; readonly from: number; readonly to: number }
  /** The source stopped responding; it retries by itself, next at `retryAt` (ms since epoch, wall clock). */
  | { readonly type: 'down'; readonly reason: string; readonly retryAt: number }
  | { readonly type: 'up' }
  /** A recording has been played to its end. */
  | { readonly type: 'ended' };

/** The last blocks a subscriber already has, so that a restart neither repeats nor misses any. */
export interface KnownBlock {
  readonly number: number;
  readonly hash: Hex | null;
}

/** The newest blocks, ascending. */
export interface RecentBlocks {
  readonly blocks: readonly Block[];
  /** Whether they follow the block that was known; there may be none then. */
  readonly follows: boolean;
}

interface CallRequest {
  readonly to: Hex;
  readonly data: Hex;
}

export interface ChainTransaction {
  readonly hash: Hex;
  readonly type: number;
  readonly from: Hex;
  readonly to: Hex | null;
  readonly value: bigint;
  readonly nonce: number;
  readonly gasLimit: bigint;
  readonly maxFeePerGas: bigint | null;
  readonly maxPriorityFeePerGas: bigint | null;
  readonly gasPrice: bigint | null;
  readonly data: Hex;
  readonly maxFeePerBlobGas: bigint | null;
  /** `null` for what is no blob transaction (EIP-4844). */
  readonly blobCount: number | null;
  /** `null` while the transaction waits in the pool. */
  readonly blockNumber: number | null;
  readonly blockHash: Hex | null;
}

export interface ChainReceipt {
  readonly hash: Hex;
  readonly status: 'success' | 'reverted';
  readonly blockNumber: number;
  readonly blockHash: Hex;
  readonly gasUsed: bigint;
  /** Wei per gas really paid. */
  readonly effectiveGasPrice: bigint;
  readonly transactionIndex: number;
  /** Wei: blob gas used × its price; 0 without blobs. */
  readonly blobFee: bigint;
  /** Wei a rollup took beside gas: for posting the data, and for its operator; 0 elsewhere. */
  readonly dataFee: bigint;
  /** The same, or what of the gas was for posting (Arbitrum); left out where the receipt does not say. */
  readonly l1Part?: bigint;
}

/** A block as the chain holds it, with what only the node knows. */
export interface ChainBlock {
  readonly number: number;
  readonly hash: Hex;
  readonly parentHash: Hex;
  /** Unix seconds. */
  readonly timestamp: number;
  /** Wei per gas; 0 before EIP-1559. */
  readonly baseFeePerGas: bigint;
  readonly gasUsed: bigint;
  readonly gasLimit: bigint;
  readonly feeRecipient: Hex;
  /** `null` before EIP-4844. */
  readonly blobGasUsed: bigint | null;
  readonly excessBlobGas: bigint | null;
  /** In the block's order. */
  readonly transactionHashes: readonly Hex[];
}

export interface IncludedTransaction {
  readonly transaction: ChainTransaction;
  readonly receipt: ChainReceipt;
}

export interface SendOptions {
  /** Called right before the bytes are written to each node. */
  readonly isStillWanted?: () => boolean;
  /** Called with the name of each of several nodes that takes it. */
  readonly onTaken?: (node: string) => void;
}

/**
 * A chain to follow. One interface for nodes, recordings and the simulation, so that nothing behind it
 * knows which it is.
 *
 * Every method rejects with a `ChainError` ; one that a source cannot have at all (a recording
 * cannot send a transaction) rejects with `code: 'unsupported'`.
 */
export interface ChainSource {
  readonly kind: 'rpc' | 'replay' | 'simulated';
  /** Short, for people: `127.0.0.1:8545`, `blocks.csv`, `seed 1`. Never a whole URL. */
  readonly name: string;
  /** The chain's present, ms since epoch: wall clock, or the virtual time of a replay. */
  now(): number;
  /** Which chain it is. @throws {ChainError} `restarted` when it began anew and that was not accepted. */
  chain(): Promise<ChainProfile>;
  /** Goes on with a chain that began anew; until then everything, the subscription too, rejects with `restarted`. */
  acceptRestart?(): void;
  /** Rejects where one of several reachable nodes serves another chain than `chain` says. */
  confirmChain?(): Promise<void>;
  head(): Promise<Block>;
  /** Blocks `from`–`to` inclusive, ascending; shorter where the source's past begins later. */
  blocks(from: number, to: number, options?: { readonly signal?: AbortSignal }): Promise<Block[]>;
  /**
   * The head and up to `count` − 1 blocks before it for prices alone, ascending, where that is quicker than `blocks`: of
   * those before the head times may be guesses and hashes unknown.
   */
  newest?(count: number, options?: { readonly signal?: AbortSignal }): Promise<Block[]>;
  /**
   * For prices every few seconds in one or two requests: the blocks after `known`, or the newest `most` where the chain has
   * another block there or it lies further back. Only the last has its hash; times before it may be guesses.
   */
  recent?(
    most: number,
    options: { readonly known: Block | null; readonly signal: AbortSignal },
  ): Promise<RecentBlocks>;
  /** Follows the chain until `signal` aborts (then the iteration ends, it does not throw). */
  subscribe(options: {
    readonly known: readonly KnownBlock[];
    readonly signal: AbortSignal;
  }): AsyncIterable<ChainEvent>;
  call(request: CallRequest): Promise<Hex>;
  /**
   * Resolves to the transaction hash. The bytes never appear in an error. `isStillWanted` is called right before they are
   * written to a node; `false` keeps them back.
   */
  sendRawTransaction(signed: Hex, options?: SendOptions): Promise<Hex>;
  transaction(hash: Hex): Promise<ChainTransaction | null>;
  receipt(hash: Hex): Promise<ChainReceipt | null>;
  /** One block's header and the hashes of its transactions; `null` where the chain has no such block. */
  block(number: number, options?: { readonly signal?: AbortSignal }): Promise<ChainBlock | null>;
  /** The transactions of a block with their receipts, in its order. Both are of the very block `hash`; `null` if it is gone. */
  transactionsOf(
    block: Pick<ChainBlock, 'number' | 'hash'>,
    options?: { readonly signal?: AbortSignal },
  ): Promise<readonly IncludedTransaction[] | null>;
  nonce(address: Hex, at: 'latest' | 'pending'): Promise<number>;
  balance(address: Hex): Promise<bigint>;
  /** What the chain takes beside gas now, cached for seconds; never rejects. Left out: the source cannot tell. */
  dataFees?(): Promise<DataFees>;
  health(): readonly NodeHealth[];
}

export type ChainErrorCode =
  | 'unreachable'
  | 'timeout'
  | 'wrong-chain'
  /** Every node serves another chain under the same id than before. */
  | 'restarted'
  | 'bad-answer'
  | 'rejected'
  /** A refusal too: the node is well and no longer stores what was requested (EIP-4444). */
  | 'pruned'
  | 'rate-limited'
  | 'unsupported'
  | 'bad-file';

/**
 * A chain source could not do what was asked. `message` is one line for people and says what to do;
 * it holds no URL beyond host and port, and no signed bytes.
 */
export class ChainError extends Error {
  override readonly name = 'ChainError';
  readonly code: ChainErrorCode;
  /** Whether the node certainly never read the request: there was no connection, or it was refused unread. */
  readonly isUnsent: boolean;
  /** How long a node that is asked too often wants to be left alone (`Retry-After`); `null`: it does not say. */
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

/** Whether a node refused the request: the node is well, and another may know more. */
export function isRefusal(error: unknown): boolean {
  return error instanceof ChainError && (error.code === 'rejected' || error.code === 'pruned');
}

/** A response is larger than any that is expected, and was not read to its end. */
export class OversizedResponse extends ChainError {
  constructor(message: string) {
    super('bad-answer', message);
  }
}

/** What is known of a transaction that no node confirmed to have taken. */
export type SendOutcome =
  /** A node may have it: its response is missing or unclear. */
  | 'unknown'
  /** Its nonce is used, some node says: the chain has to be looked at. */
  | 'nonce-used'
  /** No node has it; the same bytes may be taken another time. */
  | 'later'
  /** No node has it, and every one says that it can never be taken. */
  | 'never';

/** A transaction was not taken. `reason`: a word for programs, `insufficient_funds`. */
export class SendFailure extends ChainError {
  readonly outcome: SendOutcome;
  readonly reason: string;

  constructor(outcome: SendOutcome, reason: string, because: ChainError) {
    super(because.code, because.message);
    this.outcome = outcome;
    this.reason = reason;
  }
}
