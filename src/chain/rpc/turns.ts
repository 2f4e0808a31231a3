/** Lets at most `count` pieces of work go on at once; the others wait in the order in which they came. */
export class Turns {
  #free: number;
  readonly #waiting = new Set<() => void>();

  constructor(count: number) {
    this.#free = count;
  }

  /** Rejects with the signal's reason if it aborts before `work` has its turn, else as `work` does. */
  async take<T>(work: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    signal?.throwIfAborted();
    if (this.#free > 0) this.#free--;
    else await this.#wait(signal);
    try {
      return await work();
    } finally {
      const [next] = this.#waiting;
      if (next) next();
      else this.#free++;
    }
  }

  #wait(signal: AbortSignal | undefined): Promise<void> {
    return new Promise((resolve, reject) => {
      const leave = () => {
        this.#waiting.delete(start);
        reject(signal?.reason);
      };
      const start = () => {
        this.#waiting.delete(start);
        signal?.removeEventListener('abort', leave);
        resolve();
      };
      this.#waiting.add(start);
      signal?.addEventListener('abort', leave, { once: true });
    });
  }
}
