import { type Column, type History, REWIND_DEPTH } from './history.ts';

/** A price that rose beyond this many times that of then counts as this much: one burst must not decide everything. */
const MOST_RISE = 2;

/**
 * What past blocks saw in the blocks after them, over what sending at once cost then: one row of `length` each, written
 * once its last block has come.
 */
export class PastPaths {
  readonly #history: History;
  readonly #length: number;
  readonly #room: number;
  readonly #tip: Column;
  /** What each next block asked for, infinite where it asked for a higher tip than was offered. */
  readonly #asked: Float64Array;
  /** Base fee and the whole tip that was offered: what is paid unless the cap is lower. */
  readonly #full: Float64Array;
  /** The lowest that was asked for, and what the last of the blocks asked for: the price of a miss. */
  readonly #lowest: Float64Array;
  readonly #last: Float64Array;

  /** @param keep how many blocks back rows are read. */
  constructor(history: History, length: number, keep: number) {
    this.#history = history;
    this.#length = length;
    this.#room = keep + REWIND_DEPTH;
    this.#tip = history.column(length);
    this.#asked = new Float64Array(this.#room * length);
    this.#full = new Float64Array(this.#room * length);
    this.#lowest = new Float64Array(this.#room);
    this.#last = new Float64Array(this.#room);
  }

  /** Remembers the tip that is offered at the head, and writes the row that the head completes. */
  push(tip: number): void {
    const { head, oldest, ask, baseFee, lowTip, sendNow } = this.#history;
    this.#tip.put(head, tip);
    const since = head - this.#length;
    if (since < oldest) return;
    const row = since % this.#room;
    const now = Math.max(sendNow.at(since), 1);
    const offered = this.#tip.at(since);
    let lowest = Number.POSITIVE_INFINITY;
    for (let block = since + 1, at = row * this.#length; block <= head; block += 1, at += 1) {
      const asked = lowTip.at(block) > offered ? Number.POSITIVE_INFINITY : Math.max(ask.at(block), 1) / now;
      this.#asked[at] = asked;
      this.#full[at] = (baseFee.at(block) + offered) / now;
      lowest = Math.min(lowest, asked);
    }
    this.#lowest[row] = lowest;
    this.#last[row] = Math.min(ask.at(head) / now, MOST_RISE);
  }

  /** The lowest that each of `blocks` was asked for, ascending. */
  lowest(blocks: Float64Array): Float64Array {
    return blocks.map((block) => this.#lowest[block % this.#room] ?? 0).sort();
  }

  /** What `cap` would have saved after each of `blocks` in all, where a miss pays what the last block asked for. */
  saved(blocks: Float64Array, cap: number): number {
    let saved = 0;
    for (let index = 0; index < blocks.length; index += 1) {
      const row = (blocks[index] ?? 0) % this.#room;
      const at = this.#inclusion(row, cap);
      saved += 1 - (at < 0 ? (this.#last[row] ?? 0) : Math.min(cap, this.#full[at] ?? 0));
    }
    return saved;
  }

  /** The share of `blocks` after which `cap` got in, and what it paid there on average. */
  under(blocks: Float64Array, cap: number): { readonly kept: number; readonly paid: number } {
    let kept = 0;
    let paid = 0;
    for (let index = 0; index < blocks.length; index += 1) {
      const at = this.#inclusion((blocks[index] ?? 0) % this.#room, cap);
      if (at < 0) continue;
      kept += 1;
      paid += Math.min(cap, this.#full[at] ?? 0);
    }
    return { kept: kept / blocks.length, paid: kept > 0 ? paid / kept : cap };
  }

  #inclusion(row: number, cap: number): number {
    if ((this.#lowest[row] ?? 0) > cap) return -1;
    let at = row * this.#length;
    while ((this.#asked[at] ?? 0) > cap) at += 1;
    return at;
  }
}
