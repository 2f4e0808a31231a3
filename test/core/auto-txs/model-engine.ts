import {
  type AutoTxEvent,
  type AutoTxState,
  type Inclusion,
  isResendDue,
  NEW_DRAFT,
  type Observation,
  stepAutoTx,
  type TimelineNote,
  type Transition,
  UNSURE_MS,
} from '../../../src/core/auto-txs/state-machine.ts';
import type { Hex } from '../../../src/core/block.ts';

const NONCE = 7;

export type Filling = 'ours' | 'ours-reverted' | 'another' | null;

interface ModelBlock {
  readonly hash: Hex;
  readonly filling: Filling;
}

class ModelChain {
  readonly #blocks: ModelBlock[] = [{ hash: '0xb0', filling: null }];
  #made = 0;
  hasOursInPool = false;
  /** The node takes it and shows it only once it is mined. */
  isHidden = false;

  get head(): number {
    return this.#blocks.length - 1;
  }

  get mined(): { readonly filling: Exclude<Filling, null>; readonly confirmations: number } | null {
    const number = this.#numberOf(this.head);
    const filling = number === null ? null : this.#blocks[number]?.filling;
    return number === null || !filling ? null : { filling, confirmations: this.head - number + 1 };
  }

  /** A block takes what is asked of it as far as it can: the nonce once, and its own bytes out of the pool. */
  mine(wanted: Filling): void {
    const isFree = this.mined === null;
    const canTake = wanted === 'another' ? isFree : isFree && this.hasOursInPool;
    const filling = canTake ? wanted : null;
    this.#made += 1;
    this.#blocks.push({ hash: `0xb${this.#made}`, filling });
    if (filling !== null) this.hasOursInPool = false;
  }

  /** The last blocks are gone; a node may take what was in them into its pool again. Answers the block that is left. */
  reorg(depth: number, comesBack: boolean): number {
    const gone = this.#blocks.splice(Math.max(this.#blocks.length - depth, 1));
    const hadOurs = gone.some(({ filling }) => filling === 'ours' || filling === 'ours-reverted');
    if (hadOurs && comesBack) this.hasOursInPool = true;
    return this.head;
  }

  observe(behind = 0): Observation {
    const head = Math.max(this.head - behind, 0);
    const number = this.#numberOf(head);
    const filling = number === null ? null : (this.#blocks[number]?.filling ?? null);
    const isOurs = filling === 'ours' || filling === 'ours-reverted';
    return {
      head,
      inclusion: isOurs && number !== null ? this.#inclusion(number, filling) : null,
      isKnown: isOurs || (this.hasOursInPool && !this.isHidden),
      nextNonce: number === null ? NONCE : NONCE + 1,
    };
  }

  #numberOf(head: number): number | null {
    const number = this.#blocks.findIndex(({ filling }) => filling !== null);
    return number === -1 || number > head ? null : number;
  }

  #inclusion(blockNumber: number, filling: 'ours' | 'ours-reverted'): Inclusion {
    return {
      blockNumber,
      blockHash: this.#blocks[blockNumber]?.hash ?? '0x',
      outcome: filling === 'ours' ? 'success' : 'reverted',
      gasUsed: 21_000n,
      effectiveGasPrice: 5n,
      otherFees: 0n,
      minedAt: blockNumber * 12_000,
    };
  }
}

export type Happening =
  | { readonly type: 'mine'; readonly filling: Filling }
  | { readonly type: 'drop' | 'hide' | 'show' }
  | { readonly type: 'reorg'; readonly depth: number; readonly comesBack: boolean }
  | { readonly type: 'wallet-sends' }
  | { readonly type: 'time'; readonly ms: number }
  | { readonly type: 'observe'; readonly behind: number }
  /** The engine decides and sends: what reaches a node, and what is heard of it. */
  | {
      readonly type: 'send';
      readonly outcome: 'taken' | 'taken-unheard' | 'lost' | 'refused' | 'refused-for-good';
    }
  /** The same of what no node shows, once that is due. */
  | { readonly type: 'resend'; readonly outcome: 'taken' | 'taken-unheard' | 'lost' | 'refused' }
  | { readonly type: 'nonce-check' }
  | { readonly type: 'hold'; readonly code: string }
  | { readonly type: 'user'; readonly wish: 'sign' | 'enable' | 'disable' | 'cancel' | 'expire' };

interface Happened {
  readonly at: number;
  readonly event: AutoTxEvent;
  readonly before: AutoTxState;
  readonly after: AutoTxState | null;
  readonly notes: readonly TimelineNote[];
}

/** Has the rule live through what happens, as the engine would have it do, and remembers each step. */
export class ModelEngine {
  readonly chain = new ModelChain();
  readonly steps: Happened[] = [];
  readonly resentAt: number[] = [];
  readonly confirmations: number;
  state: AutoTxState = NEW_DRAFT;
  now = 1_000_000;

  constructor(confirmations: number) {
    this.confirmations = confirmations;
  }

  live(...happenings: readonly Happening[]): void {
    for (const happening of happenings) this.#live(happening);
  }

  #live(happening: Happening): void {
    const { chain } = this;
    switch (happening.type) {
      case 'mine':
        chain.mine(happening.filling);
        return;
      case 'drop':
        chain.hasOursInPool = false;
        return;
      case 'hide':
      case 'show':
        chain.isHidden = happening.type === 'hide';
        return;
      case 'resend':
        this.#resend(happening.outcome);
        return;
      case 'reorg':
        this.#reorg(happening.depth, happening.comesBack);
        return;
      case 'wallet-sends':
        if (chain.mined === null) chain.hasOursInPool = true;
        return;
      case 'time':
        this.now += happening.ms;
        return;
      case 'observe':
        this.step({ type: 'observe', observation: chain.observe(happening.behind) });
        return;
      case 'send':
        this.#send(happening.outcome);
        return;
      case 'nonce-check':
        this.#checkNonce();
        return;
      case 'hold':
        this.step({
          type: 'hold',
          obstacle: { code: happening.code, message: 'not now' },
          retryAt: this.now,
        });
        return;
      case 'user':
        this.step({ type: happening.wish });
        return;
    }
  }

  step(event: AutoTxEvent): Transition | null {
    const before = this.state;
    const next = stepAutoTx(before, event, this.#facts);
    this.steps.push({ at: this.now, event, before, after: next?.state ?? null, notes: next?.notes ?? [] });
    if (next !== null) this.state = structuredClone(next.state);
    return next;
  }

  again(event: AutoTxEvent): Transition | null {
    return stepAutoTx(this.state, event, this.#facts);
  }

  /** What enough blocks confirm stays: that is what makes it final. */
  #reorg(depth: number, comesBack: boolean): void {
    const { status, inclusion } = this.state;
    const isFinal = inclusion !== null && status !== 'SUBMITTED';
    const deepest = isFinal ? this.chain.head - inclusion.blockNumber : depth;
    this.step({ type: 'rewind', to: this.chain.reorg(Math.min(depth, deepest), comesBack) });
  }

  settle(): void {
    for (let block = 0; block < this.confirmations + 3; block += 1) {
      this.chain.mine(null);
      this.now += Math.max(UNSURE_MS, 3_600_000);
      this.step({ type: 'observe', observation: this.chain.observe() });
      this.#resend('taken');
    }
  }

  /** Of one whose nonce is used: a wallet may have sent its very bytes, which a look tells. */
  #checkNonce(): void {
    if (this.chain.mined === null) return;
    if (!this.state.mayBeOut) this.step({ type: 'observe', observation: this.chain.observe() });
    this.step({ type: 'refuse', obstacle: { code: 'nonce_used', message: 'its nonce is used' } });
  }

  #send(outcome: (Happening & { type: 'send' })['outcome']): void {
    // The pre-flight lets out nothing whose nonce is used.
    if (this.chain.mined !== null || this.step({ type: 'submit' }) === null) return;
    this.#hear(outcome);
  }

  #resend(outcome: (Happening & { type: 'resend' })['outcome']): void {
    // As the engine does: never without a look that it is still unseen, nor before it is due.
    if (this.chain.mined !== null || !isResendDue(this.state, this.now)) return;
    this.step({ type: 'observe', observation: this.chain.observe() });
    if (!isResendDue(this.state, this.now) || this.step({ type: 'resend' }) === null) return;
    this.resentAt.push(this.now);
    this.#hear(outcome);
  }

  #hear(outcome: (Happening & { type: 'send' })['outcome']): void {
    if (outcome === 'taken' || outcome === 'taken-unheard') this.chain.hasOursInPool = true;
    if (outcome === 'taken') this.step({ type: 'sent' });
    const obstacle = { code: 'pool_full', message: 'the pool is full' };
    // Who has it already does not refuse it.
    if (this.chain.hasOursInPool) return;
    if (outcome === 'refused') this.step({ type: 'decline', obstacle, retryAt: this.now });
    if (outcome === 'refused-for-good') this.step({ type: 'refuse', obstacle });
  }

  get #facts() {
    return { nonce: NONCE, confirmations: this.confirmations, now: this.now };
  }
}
