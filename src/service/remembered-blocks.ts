import type { Block } from '../core/block.ts';
import type { BlockStore } from '../store/block-store.ts';
import { storedPages } from './stored-pages.ts';

const DAY_SEC = 86_400;

/** The number of the block from which on an engine remembers: a day is enough to advise and takes a moment to read. */
export async function dayBefore(store: BlockStore, { timestamp }: Block): Promise<number> {
  return (await store.latestAt(timestamp - DAY_SEC))?.number ?? 0;
}

export interface Remembered {
  readonly store: BlockStore;
  /** The number of the first. */
  readonly from: number;
  /** The last ones, which need not be stored. */
  readonly newest: readonly Block[];
  /** Resolves when what lies before those is stored; asked for only once somebody reads. */
  readonly stored: () => Promise<void>;
}

/** What an engine is to remember, ascending, a page at a time. */
export async function* rememberedPages(of: Remembered): AsyncGenerator<readonly Block[]> {
  const { store, from, newest, stored } = of;
  await stored();
  yield* storedPages(store, from, (newest[0]?.number ?? 0) - 1);
  yield newest.filter(({ number }) => number >= from);
}
