interface Pending {
  readonly until: number;
  readonly giveUp: () => void;
}

/** How exactly the deadline is kept, as a share of it: one clock for all costs less than a timer for each. */
const EXACTNESS = 0.1;

/** Answers that are being worked out, each with the same time for it. */
export class PendingAnswers {
  readonly #withinMs: number;
  /** In the order of their deadlines. */
  readonly #pending = new Set<Pending>();
  readonly #clock: NodeJS.Timeout;

  constructor(withinMs: number) {
    this.#withinMs = withinMs;
    this.#clock = setInterval(() => this.#giveUpLate(), withinMs * EXACTNESS).unref();
  }

  /** `answer`, or what `late` makes when that does not come in time. */
  inTime<Answer>(answer: Promise<Answer>, late: () => Answer): Promise<Answer> {
    return new Promise((resolve, reject) => {
      const pending = {
        until: performance.now() + this.#withinMs,
        giveUp: () => resolve(late()),
      };
      this.#pending.add(pending);
      answer.then(
        (value) => {
          this.#pending.delete(pending);
          resolve(value);
        },
        (error: unknown) => {
          this.#pending.delete(pending);
          reject(error);
        },
      );
    });
  }

  stop(): void {
    clearInterval(this.#clock);
  }

  #giveUpLate(): void {
    const now = performance.now();
    for (const pending of this.#pending) {
      if (pending.until > now) return;
      this.#pending.delete(pending);
      pending.giveUp();
    }
  }
}
