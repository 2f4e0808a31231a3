import type { ChainEvent, ChainSource } from '../../src/chain/chain-source.ts';
import type { Block } from '../../src/core/block.ts';
import { chainProfile } from '../../src/core/chains.ts';

/** A recording whose next block comes when it is asked for. */
export function blockFeed(blocks: readonly Block[], known: number) {
  let given = known;
  let wake = () => {};
  let heard = false;
  const head = () => {
    const block = blocks[given - 1];
    if (block === undefined) throw new Error('no block is left');
    return block;
  };
  const none = () => Promise.reject(new Error('a bench has none'));
  const source: ChainSource = {
    kind: 'replay',
    name: 'bench',
    now: () => head().timestamp * 1_000,
    chain: async () => chainProfile(1),
    head: async () => head(),
    blocks: async (from, to) => blocks.slice(0, given).filter(({ number }) => number >= from && number <= to),
    async *subscribe({ signal }): AsyncGenerator<ChainEvent> {
      heard = true;
      for (let told = given; !signal.aborted; ) {
        const block = told < given ? blocks[told] : undefined;
        if (block !== undefined) {
          told += 1;
          yield { type: 'block', block };
          continue;
        }
        await new Promise<void>((resolve) => {
          wake = resolve;
          signal.addEventListener('abort', () => resolve(), { once: true });
        });
      }
    },
    call: none,
    sendRawTransaction: none,
    transaction: none,
    receipt: none,
    block: none,
    transactionsOf: none,
    nonce: none,
    balance: none,
    health: () => [],
  };
  return {
    source,
    isHeard: () => heard,
    /** Gives out one more block and answers its number. */
    next: () => {
      given += 1;
      wake();
      return head().number;
    },
  };
}
