import type { Block } from '../core/block.ts';
import type { BlockStore } from '../store/block-store.ts';

const PAGE = 512;

/** The stored blocks `from`–`top`, ascending, a page at a time. */
export async function* storedPages(store: BlockStore, from: number, top: number): AsyncGenerator<Block[]> {
  for (let at = from; at <= top; ) {
    const page = (await store.page(at, PAGE)).filter((block) => block.number <= top);
    const last = page.at(-1);
    if (last === undefined) return;
    yield page;
    at = last.number + 1;
  }
}
