import type { Io } from './io.ts';

const APPEARS_AFTER_MS = 1_000;
const REDRAW_MS = 100;
const CELLS = 30;
const CLEAR_LINE = '\r\u001b[K';

/** A bar on stderr that fills as work is done, from one second on and only on a terminal. */
export class ProgressBar {
  readonly #io: Pick<Io, 'stderr' | 'env' | 'now'>;
  readonly #drawsAtAll: boolean;
  #drawsFrom: number;
  #isShown = false;

  constructor(io: Pick<Io, 'stderr' | 'env' | 'now'>) {
    this.#io = io;
    this.#drawsAtAll = io.stderr.isTTY === true && io.env.TERM !== 'dumb';
    this.#drawsFrom = io.now() + APPEARS_AFTER_MS;
  }

  /** @param done share of the work, 0 to 1. @param text what is being done, for the space beside the bar. */
  show(done: number, text: () => string): void {
    if (!this.#drawsAtAll || this.#io.now() < this.#drawsFrom) return;
    this.#drawsFrom = this.#io.now() + REDRAW_MS;
    this.#isShown = true;
    const full = Math.round(Math.min(Math.max(done, 0), 1) * CELLS);
    const bar = '#'.repeat(full) + '.'.repeat(CELLS - full);
    const percent = `${Math.floor(done * 100)}`.padStart(3);
    const line = `[${bar}] ${percent} %  ${text()}`;
    // A line that wraps could not be cleared.
    this.#io.stderr.write(`${CLEAR_LINE}${line.slice(0, (this.#io.stderr.columns ?? 80) - 1)}`);
  }

  clear(): void {
    if (this.#isShown) this.#io.stderr.write(CLEAR_LINE);
    this.#isShown = false;
  }
}
