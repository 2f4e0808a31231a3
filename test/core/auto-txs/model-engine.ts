import {
  type AutoTxEvent,
  type AutoTxState,
  NEW_DRAFT,
  type Note,
  stepAutoTx,
  type Transition,
  UNSURE_MS,
} from '../../../src/core/auto-txs/state-machine.ts';
import { type Filling, ModelChain, NONCE } from './model-chain.ts';

/** What may happen, in any order. */
export type Happening =
  | { readonly type: 'mine'; readonly filling: Filling }
  | { readonly type: 'drop' }
  | { readonly type: 'reorg'; readonly depth: number; readonly comesBack: boolean }
  | { readonly type: 'wallet-sends' }
  | { readonly type: 'time'; readonly ms: number }
  | { readonly type: 'observe'; readonly behind: number }
  /** The engine decides and sends: what reaches a node, and what is heard of it. */
  | {
      readonly type: 'send';
      readonly outcome: 'taken' | 'taken-unheard' | 'lost' | 'refused' | 'refused-for-good';
    }
  | { readonly type: 'nonce-check' }
  | { readonly type: 'hold'; readonly code: string }
  | { readonly type: 'user'; readonly wish: 'sign' | 'enable' | 'disable' | 'cancel' | 'expire' };

export interface Happened {
  readonly event: AutoTxEvent;
  readonly before: AutoTxState;
  /** `null`: it may not happen. */
  readonly after: AutoTxState | null;
  readonly notes: readonly Note[];
}

/** Has the rule live through what happens, as the engine would have it do, and remembers each step. */
export class ModelEngine {
  readonly chain = new ModelChain();
  readonly steps: Happened[] = [];
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
    this.steps.push({ event, before, after: next?.state ?? null, notes: next?.notes ?? [] });
    // A crash: what was written is read again.
    if (next !== null) this.state = structuredClone(next.state);
    return next;
  }

  /** What the same event would do now. */
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

  /** Blocks follow, and each is looked at, until whatever the chain has is final. */
  settle(): void {
    for (let block = 0; block < this.confirmations + 3; block += 1) {
      this.chain.mine(null);
      this.now += UNSURE_MS;
      this.step({ type: 'observe', observation: this.chain.observe() });
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
