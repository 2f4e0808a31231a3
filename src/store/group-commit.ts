import { setImmediate } from 'node:timers/promises';
import type { Queries } from './schema.ts';
import { StoreError } from './store-error.ts';

/** In one transaction: blocks are to be written in between. */
const MOST_AT_ONCE = 32;

interface Piece {
  readonly work: (trx: Queries) => Promise<void>;
  readonly done: () => void;
  readonly failed: (error: unknown) => void;
}

/**
 * Pieces of work that come while the disk is waited for share the next transaction, in the order in which they came: many
 * at once wait for the disk as long as one does. A piece that fails takes back what it wrote, and nothing of the others'.
 */
export class GroupCommit {
  readonly #commit: (work: (trx: Queries) => Promise<void>) => Promise<void>;
  #waiting: Piece[] = [];
  #isBusy = false;

  /** @param commit one transaction, whole or not at all; it may run what it is given again */
  constructor(commit: (work: (trx: Queries) => Promise<void>) => Promise<void>) {
    this.#commit = commit;
  }

  /** Resolves once what `work` wrote is kept. `work` may be asked again, and leaves nothing behind elsewhere. */
  run<Result>(work: (trx: Queries) => Promise<Result>): Promise<Result> {
    return new Promise((resolve, failed) => {
      let result: { readonly value: Result } | null = null;
      this.#waiting.push({
        work: async (trx) => {
          result = { value: await work(trx) };
        },
        done: () => (result === null ? failed(new Error('it was not run')) : resolve(result.value)),
        failed,
      });
      if (!this.#isBusy) void this.#empty();
    });
  }

  async #empty(): Promise<void> {
    this.#isBusy = true;
    while (this.#waiting.length > 0) {
      // SQLite lets nothing else happen while it waits for the disk: what nodes answered meanwhile is heard first.
      await setImmediate();
      await this.#commitAll(this.#waiting.splice(0, MOST_AT_ONCE));
    }
    this.#isBusy = false;
  }

  async #commitAll(pieces: readonly Piece[]): Promise<void> {
    try {
      await this.#commit(async (trx) => {
        for (const { work } of pieces) await work(trx);
      });
    } catch (error) {
      const isOfAll = error instanceof StoreError && error.code === 'busy';
      if (pieces.length > 1 && !isOfAll) {
        // Whichever it was: alone, each ends as it would have.
        for (const each of pieces) await this.#commitAll([each]);
      } else {
        for (const { failed } of pieces) failed(error);
      }
      return;
    }
    for (const { done } of pieces) done();
  }
}
