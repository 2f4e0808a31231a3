import type { ChainEvent, ChainSource, KnownBlock } from '../../../src/chain/chain-source.ts';

export interface Followed {
  readonly events: readonly ChainEvent[];
  /** One word per event: `block 7`, `reorg 5`, `gap 6-9`, `down`, `up`. */
  words(): string[];
  until(holds: (words: readonly string[]) => boolean): Promise<void>;
  stop(): Promise<void>;
}

export function follow(source: ChainSource, known: readonly KnownBlock[] = []): Followed {
  const controller = new AbortController();
  const events: ChainEvent[] = [];
  let wake: () => void = () => {};
  let over = false;
  const done = (async () => {
    try {
      for await (const event of source.subscribe({ known, signal: controller.signal })) {
        events.push(event);
        wake();
      }
    } finally {
      over = true;
      wake();
    }
  })();
  done.catch(() => {});
  const words = () => events.map(wordOf);
  return {
    events,
    words,
    until: async (holds) => {
      while (!holds(words())) {
        if (over) {
          await done;
          throw new Error(`the subscription ended after ${words().join(', ')}`);
        }
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
    },
    stop: async () => {
      controller.abort();
      await done;
    },
  };
}

export function wordOf(event: ChainEvent): string {
  switch (event.type) {
    case 'block':
      return `block ${event.block.number}`;
    case 'reorg':
      return `reorg ${event.commonAncestor}`;
    case 'gap':
      return `gap ${event.from}-${event.to}`;
    default:
      return event.type;
  }
}
