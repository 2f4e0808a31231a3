import {
  type ChainBlock,
  ChainError,
  type ChainEvent,
  type ChainReceipt,
  type ChainSource,
  type ChainTransaction,
  type IncludedTransaction,
  type KnownBlock,
  type NodeHealth,
} from '../../src/chain/chain-source.ts';
import type { Block, Hex } from '../../src/core/block.ts';
import { type ChainProfile, chainProfile } from '../../src/core/chains.ts';
import { makeBlocks } from './chain-blocks.ts';

const refuse = () => Promise.reject(new ChainError('unsupported', 'this source cannot do that'));

/** A chain that does what the test says, with the source's promises kept: blocks in order, events as specified. */
export class ScriptedSource implements ChainSource {
  readonly kind: ChainSource['kind'];
  readonly name = 'scripted';
  profile: ChainProfile;
  blocksAsked: { from: number; to: number }[] = [];
  knownAsked: (readonly KnownBlock[])[] = [];
  clock: number | null = null;
  /** Blocks below are not to be had, as on a pruned node. */
  pastBegins = 0;
  isReachable = true;
  isSilent = false;
  readonly transactions = new Map<number, readonly IncludedTransaction[]>();
  readonly pool: ChainTransaction[] = [];
  /** What a block's header says beside what follows from the block itself, such as blob gas. */
  readonly headers = new Map<number, Partial<ChainBlock>>();
  readonly asked = { block: 0, transactionsOf: 0, transaction: 0, receipt: 0 };
  #chain = new Map<number, Block>();
  #head = -1;
  #queue: ChainEvent[] = [];
  #wake = Promise.withResolvers<void>();

  constructor(
    blocks: readonly Block[] = makeBlocks(0, 999),
    { kind = 'rpc', chainId = 1 }: { kind?: ChainSource['kind']; chainId?: number } = {},
  ) {
    this.kind = kind;
    this.profile = chainProfile(chainId);
    for (const block of blocks) this.#put(block);
  }

  #put(block: Block): void {
    this.#chain.set(block.number, block);
    this.#head = block.number;
  }

  mine(...blocks: Block[]): void {
    for (const block of blocks) {
      this.#put(block);
      this.emit({ type: 'block', block });
    }
  }

  reorg(commonAncestor: number, blocks: readonly Block[]): void {
    for (let number = commonAncestor + 1; number <= this.#head; number += 1) this.#forget(number);
    this.emit({ type: 'reorg', commonAncestor });
    this.mine(...blocks);
  }

  #forget(number: number): void {
    this.#chain.delete(number);
    this.transactions.delete(number);
    this.headers.delete(number);
  }

  /** Blocks that happen without the subscriber being told of each: a gap event, as after a long outage. */
  jump(...blocks: Block[]): void {
    const from = this.#head + 1;
    for (const block of blocks) this.#put(block);
    this.emit({ type: 'gap', from, to: this.#head });
  }

  emit(event: ChainEvent): void {
    this.#queue.push(event);
    this.#wake.resolve();
  }

  now(): number {
    return this.clock ?? ((this.#chain.get(this.#head)?.timestamp ?? 0) + 1) * 1_000;
  }

  async chain(): Promise<ChainProfile> {
    this.#check();
    return this.profile;
  }

  async head(): Promise<Block> {
    this.#check();
    const head = this.#chain.get(this.#head);
    if (head === undefined) throw new ChainError('bad-response', 'no block yet');
    return head;
  }

  async blocks(from: number, to: number): Promise<Block[]> {
    this.#check();
    this.blocksAsked.push({ from, to });
    const found: Block[] = [];
    for (let number = Math.max(from, this.pastBegins); number <= to; number += 1) {
      const block = this.#chain.get(number);
      if (block !== undefined) found.push(block);
    }
    return found;
  }

  async block(number: number): Promise<ChainBlock | null> {
    this.#check();
    this.#refuseWithoutNode();
    this.asked.block += 1;
    return number < this.pastBegins ? null : this.#chainBlock(number);
  }

  async transactionsOf({
    number,
    hash,
  }: Pick<ChainBlock, 'number' | 'hash'>): Promise<readonly IncludedTransaction[] | null> {
    this.#check();
    this.#refuseWithoutNode();
    this.asked.transactionsOf += 1;
    if (number < this.pastBegins || this.#chain.get(number)?.hash !== hash) return null;
    return this.transactions.get(number) ?? [];
  }

  async transaction(hash: Hex): Promise<ChainTransaction | null> {
    this.#check();
    this.#refuseWithoutNode();
    this.asked.transaction += 1;
    const waiting = this.pool.find((transaction) => transaction.hash === hash);
    return this.#included(hash)?.transaction ?? waiting ?? null;
  }

  async receipt(hash: Hex): Promise<ChainReceipt | null> {
    this.#check();
    this.#refuseWithoutNode();
    this.asked.receipt += 1;
    return this.#included(hash)?.receipt ?? null;
  }

  #included(hash: Hex): IncludedTransaction | undefined {
    for (const included of this.transactions.values()) {
      const found = included.find(({ transaction }) => transaction.hash === hash);
      if (found !== undefined) return found;
    }
    return undefined;
  }

  #chainBlock(number: number): ChainBlock | null {
    const block = this.#chain.get(number);
    if (block === undefined || block.hash === null || block.parentHash === null) return null;
    return {
      number,
      hash: block.hash,
      parentHash: block.parentHash,
      timestamp: block.timestamp,
      baseFeePerGas: block.baseFeePerGas,
      gasUsed: block.gasUsed ?? 0n,
      gasLimit: block.gasLimit ?? 0n,
      feeRecipient: '0x00000000000000000000000000000000000000fe',
      blobGasUsed: 0n,
      excessBlobGas: 0n,
      blockAccessListHash: block.blockAccessListHash ?? null,
      slotNumber: block.slotNumber ?? null,
      transactionHashes: (this.transactions.get(number) ?? []).map(({ transaction }) => transaction.hash),
      ...this.headers.get(number),
    };
  }

  async *subscribe({
    known,
    signal,
  }: {
    readonly known: readonly KnownBlock[];
    readonly signal: AbortSignal;
  }): AsyncIterable<ChainEvent> {
    this.knownAsked.push(known);
    // What happened before is told by comparison with what is known, not event by event.
    this.#queue = this.#queue.filter(({ type }) => type !== 'block' && type !== 'reorg' && type !== 'gap');
    if (!this.isSilent) yield* this.#catchUp(known);
    const aborted = new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
    while (!signal.aborted) {
      const event = this.#queue.shift();
      if (event !== undefined) {
        yield event;
        continue;
      }
      this.#wake = Promise.withResolvers();
      await Promise.race([this.#wake.promise, aborted]);
    }
  }

  *#catchUp(known: readonly KnownBlock[]): Iterable<ChainEvent> {
    const shared = known.findLast((block) => this.#chain.get(block.number)?.hash === block.hash);
    const ancestor = shared?.number ?? -1;
    if (ancestor !== (known.at(-1)?.number ?? -1)) yield { type: 'reorg', commonAncestor: ancestor };
    for (let number = ancestor + 1; number <= this.#head; number += 1) {
      const block = this.#chain.get(number);
      if (block !== undefined) yield { type: 'block', block };
    }
  }

  health(): readonly NodeHealth[] {
    const head = this.isReachable ? this.#head : null;
    const state = this.isReachable ? 'ok' : 'down';
    const message = this.isReachable ? 'ok' : 'does not answer';
    return [{ name: '127.0.0.1:8545', state, head, latencyMs: null, message }];
  }

  #check(): void {
    if (!this.isReachable) throw new ChainError('unreachable', '127.0.0.1:8545 does not answer');
  }

  /** A recording and the simulation hold no transactions. */
  #refuseWithoutNode(): void {
    if (this.kind !== 'rpc') throw new ChainError('unsupported', 'this source cannot do that');
  }

  call = refuse;
  sendRawTransaction: ChainSource['sendRawTransaction'] = refuse;
  nonce: ChainSource['nonce'] = refuse;
  balance: ChainSource['balance'] = refuse;
}
