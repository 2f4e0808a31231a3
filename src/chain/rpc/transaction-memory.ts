import type { IncludedTransaction } from '../chain-source.ts';

/** About what a transaction and its receipt take beside the call data. */
const BYTES_EACH = 1_500;

/** The transactions of the blocks last asked for, by block, while they fit into `maxBytes`. */
export class TransactionMemory {
  readonly #maxBytes: number;
  readonly #kept = new Map<
    string,
    { readonly included: readonly IncludedTransaction[]; readonly bytes: number }
  >();
  #bytes = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  get(key: string): readonly IncludedTransaction[] | null {
    const found = this.#kept.get(key);
    if (!found) return null;
    // A map keeps the order of insertion: what was asked for last is forgotten last.
    this.#kept.delete(key);
    this.#kept.set(key, found);
    return found.included;
  }

  put(key: string, included: readonly IncludedTransaction[]): void {
    this.#forget(key);
    const bytes = included.reduce((sum, { transaction }) => sum + BYTES_EACH + transaction.data.length, 0);
    this.#kept.set(key, { included, bytes });
    this.#bytes += bytes;
    for (const oldest of this.#kept.keys()) {
      if (this.#bytes <= this.#maxBytes) return;
      this.#forget(oldest);
    }
  }

  #forget(key: string): void {
    this.#bytes -= this.#kept.get(key)?.bytes ?? 0;
    this.#kept.delete(key);
  }
}
