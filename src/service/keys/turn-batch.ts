/**
 * Collects what is asked within one turn of the event loop, and while the batch before is under way, and has it done
 * together: a hundred requests that arrive at once cost one transaction.
 */
export class TurnBatch<Item> {
  readonly #work: (items: readonly Item[]) => Promise<void>;
  #waiting: Item[] = [];
  #running: Promise<void> | null = null;

  /** `work` settles each item itself and never rejects. */
  constructor(work: (items: readonly Item[]) => Promise<void>) {
    this.#work = work;
  }

  add(item: Item): void {
    this.#waiting.push(item);
    this.#running ??= this.#run();
  }

  /** Resolves when everything that was added is done. */
  async settled(): Promise<void> {
    while (this.#running !== null) await this.#running;
  }

  async #run(): Promise<void> {
    while (this.#waiting.length > 0) {
      // Requests are parsed before this: all that came in with this turn are there.
      await new Promise((resolve) => setImmediate(resolve));
      const items = this.#waiting;
      this.#waiting = [];
      await this.#work(items);
    }
    this.#running = null;
  }
}
