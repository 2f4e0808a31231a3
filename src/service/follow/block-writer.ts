import { setImmediate } from 'node:timers/promises';
import type { ChainSource } from '../../chain/chain-source.ts';
import { type GivenAdvice, givenAdvice, type LanePrices } from '../../core/advice.ts';
import type { DollarBasis } from '../../core/alerts/alert-rule.ts';
import type { Block, Hex } from '../../core/block.ts';
import { blobPriceOf } from '../../core/chains.ts';
import type { AlertRun } from '../../store/alert-evaluation.ts';
import type { BlockStore } from '../../store/blocks.ts';
import { StoreError } from '../../store/errors.ts';
import type { RuleBasis } from '../alerts/rule-basis.ts';
import type { Lease } from '../lease.ts';
import type { CoinPrice } from '../published-chain.ts';
import type { AdviceJudge } from './advice-judge.ts';
import type { IngestedChain } from './ingested-chain.ts';
import type { SourceState } from './source-state.ts';

/** How long blocks may wait to be written in one batch; a burst costs one transaction per this time. */
const GATHER_MS = 50;
/** Blocks per transaction: a few milliseconds of the event loop. */
const BATCH = 512;
/** Above this the follower waits for the disk. */
const FULL = 4_096;

/** An ingested block, and the lane prices after it; `null` when the engine has none. */
interface IngestedBlock {
  readonly block: Block;
  readonly prices: LanePrices | null;
  /** What rules in dollars are priced by at it; `null`: that is not known yet. */
  readonly basis: DollarBasis | null;
}

export interface BlockWriterOptions {
  readonly source: Pick<ChainSource, 'kind'>;
  readonly store: BlockStore;
  readonly track: Pick<AdviceJudge, 'settle'>;
  readonly lease: Lease;
  readonly coinPrice: () => CoinPrice;
  readonly ruleBasis: Pick<RuleBasis, 'at' | 'ready'>;
  /** Whether prices alone are read, without advice to record. */
  readonly isForPrices: boolean;
  readonly wakeOutboxWorker: () => void;
  readonly wakeAutoTxSchedule: () => void;
  readonly wallNow: () => number;
}

/** In the leader, writes ingested blocks in order, many per transaction. A failed write is retried with the next one. */
export class BlockWriter {
  readonly #options: BlockWriterOptions;
  readonly #chain: IngestedChain;
  readonly #state: SourceState;
  readonly #onRecovered: () => void;
  /** Stopped once another process leads, which follows the unwritten blocks itself. */
  isWriting = false;
  #waiting: IngestedBlock[] = [];
  #unwritten: readonly IngestedBlock[] = [];
  #timer: NodeJS.Timeout | null = null;
  #lastFlush = Number.NEGATIVE_INFINITY;
  #writes: Promise<void> = Promise.resolve();
  #failure: string | null = null;

  constructor(
    options: BlockWriterOptions,
    chain: IngestedChain,
    state: SourceState,
    onRecovered: () => void,
  ) {
    this.#options = options;
    this.#chain = chain;
    this.#state = state;
    this.#onRecovered = onRecovered;
    options.lease.onChange(() => this.stop());
  }

  get isFull(): boolean {
    return this.#waiting.length >= FULL;
  }

  /** Why nothing is written, for people; `null`: all is well. */
  get problem(): string | null {
    const { state, problem } = this.#options.lease;
    return this.#failure ?? (state === 'idle' && problem !== null ? unsavedWords(problem) : null);
  }

  start(): void {
    this.isWriting = this.#options.lease.mayWrite;
  }

  stop(): void {
    this.isWriting = false;
    this.#waiting = [];
    this.#unwritten = [];
    this.#failure = null;
  }

  /** Writes `block`, which was ingested just now, within moments; not while another process leads. */
  add(block: Block): void {
    if (!this.isWriting) return;
    const { engine } = this.#chain;
    const prices = engine?.head === block ? engine.lanePrices() : null;
    this.#waiting.push({ block, prices, basis: prices && this.#basisAt(prices) });
    this.#timer ??= setTimeout(
      () => void this.flush(),
      Math.max(0, this.#lastFlush + GATHER_MS - performance.now()),
    );
  }

  #basisAt({ average }: LanePrices): DollarBasis | null {
    return this.#options.ruleBasis.at(this.#chain.rules.rules, average);
  }

  rewindTo(number: number): void {
    const stays = ({ block }: IngestedBlock) => block.number <= number;
    this.#waiting = this.#waiting.filter(stays);
    this.#enqueue(() => {
      this.#unwritten = this.#unwritten.filter(stays);
      return this.#options.store.rewindTo(number);
    });
  }

  beginAnew(genesis: Hex | undefined): void {
    this.#waiting = [];
    this.#enqueue(() => {
      this.#unwritten = [];
      return this.#options.store.beginAnew(genesis);
    });
  }

  /** Resolves once everything ingested so far is written, or has failed: to `false`. Never rejects. */
  flush(): Promise<boolean> {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    this.#lastFlush = performance.now();
    const blocks = this.#waiting;
    this.#waiting = [];
    const head = blocks.at(-1)?.block;
    if (head === undefined) return this.#settled();
    // Blocks passed during a catch-up had no advice.
    const given = this.#adviceAfterHead(head);
    for (let at = 0; at < blocks.length; at += BATCH) {
      const isLast = at + BATCH >= blocks.length;
      this.#enqueue(async () => {
        await this.#save(blocks.slice(at, at + BATCH), isLast ? given : null);
        if (isLast) this.#options.wakeAutoTxSchedule();
        if (isLast) await this.#options.track.settle();
        if (blocks.length > BATCH) await setImmediate();
      });
    }
    return this.#settled();
  }

  async #settled(): Promise<boolean> {
    await this.#writes;
    return this.#failure === null;
  }

  async #save(batch: readonly IngestedBlock[], given: GivenAdvice | null): Promise<void> {
    const ingested = [...this.#unwritten, ...batch];
    this.#unwritten = ingested.slice(-FULL);
    const blocks = ingested.map(({ block }) => block);
    await this.#options.ruleBasis.ready();
    const fired = await this.#options.store.saveBlocks(blocks, given, this.#alertRun(ingested));
    this.#unwritten = [];
    if (fired > 0) this.#options.wakeOutboxWorker();
  }

  #enqueue(write: () => Promise<void>): void {
    const written = this.#writes.then(() => (this.isWriting ? write() : undefined));
    this.#writes = written.then(
      () => {
        if (this.#failure === null) return;
        this.#failure = null;
        this.#onRecovered();
      },
      (error: unknown) => {
        if (error instanceof StoreError && error.code === 'not-holder') {
          this.stop();
          void this.#options.lease.look();
        } else this.#failure = unsavedWords(error instanceof Error ? error.message : String(error));
      },
    );
  }

  /**
   * Judges at writing time whether a block came too late, as writing may have been delayed. A one-shot command sends nothing, and the
   * next leader may be too late.
   */
  #alertRun(ingested: readonly IngestedBlock[]): AlertRun | null {
    const { source, lease, wallNow, coinPrice } = this.#options;
    const { profile } = this.#chain;
    if (profile === null) return null;
    const { id: chainId, name: chainName } = profile;
    const inTime = ingested.findLast(({ block }) => !this.#state.isTooLate(block));
    return {
      blocks: ingested.flatMap(({ block, prices, basis }) => {
        if (prices === null) return [];
        const isMissed = lease.isOneShot || this.#state.isTooLate(block);
        const blobPrice = blobPriceOf(block, profile);
        return [{ block, prices, blobPrice, isMissed, basis: basis ?? this.#basisAt(prices) }];
      }),
      chain: { chainId, chainName, sourceKind: source.kind },
      nativeUsd: coinPrice().nativeUsd,
      nativeUsdAt: inTime === undefined ? null : Math.floor(inTime.block.timestamp),
      now: wallNow(),
    };
  }

  /** The advice after `block` while it is the head and new; a catch-up gives no advice. */
  #adviceAfterHead(block: Block): GivenAdvice | null {
    const isSaid =
      !this.#options.isForPrices && this.#chain.engine?.head === block && !this.#state.isLate(block);
    const advice = isSaid ? this.#chain.advice() : null;
    return advice === null ? null : givenAdvice(block, advice);
  }
}

export const unsavedWords = (why: string): string => `history is not being saved: ${why}`;
