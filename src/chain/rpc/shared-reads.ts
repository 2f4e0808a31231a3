interface SharedRead<T> {
  readonly answer: Promise<T>;
  readonly controller: AbortController;
  waiting: number;
}

/**
 * Lets callers who ask for the same thing at the same time share one answer, and not more than `parallel` things be
 * read at once. A read goes on while somebody waits for it and is aborted when the last one has left.
 */
export class SharedReads<T> {
  readonly #reads = new Map<string, SharedRead<T>>();
  readonly #queue: (() => void)[] = [];
  #free: number;

  constructor(parallel: number) {
    this.#free = parallel;
  }

  /** Rejects with `signal`'s reason when it aborts, else as `work` does. */
  async share(
    key: string,
    work: (signal: AbortSignal) => Promise<T>,
    signal: AbortSignal | undefined,
  ): Promise<T> {
    signal?.throwIfAborted();
    const read = this.#reads.get(key) ?? this.#start(key, work);
    read.waiting++;
    const left = Promise.withResolvers<never>();
    const leave = () => left.reject(signal?.reason);
    signal?.addEventListener('abort', leave, { once: true });
    try {
      return await Promise.race([read.answer, left.promise]);
    } finally {
      signal?.removeEventListener('abort', leave);
      if (--read.waiting === 0) this.#end(key, read);
    }
  }

  #start(key: string, work: (signal: AbortSignal) => Promise<T>): SharedRead<T> {
    const controller = new AbortController();
    const answer = this.#inTurn(async () => {
      controller.signal.throwIfAborted();
      return work(controller.signal);
    });
    // Whoever waits hears of a failure; when all have left nobody needs to.
    answer.catch(() => {});
    const read = { answer, controller, waiting: 0 };
    this.#reads.set(key, read);
    return read;
  }

  #end(key: string, read: SharedRead<T>): void {
    if (this.#reads.get(key) === read) this.#reads.delete(key);
    read.controller.abort();
  }

  async #inTurn(work: () => Promise<T>): Promise<T> {
    if (this.#free > 0) this.#free--;
    else await new Promise<void>((resolve) => this.#queue.push(resolve));
    try {
      return await work();
    } finally {
      const next = this.#queue.shift();
      if (next) next();
      else this.#free++;
    }
  }
}
