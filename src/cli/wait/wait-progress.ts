import type { Io } from '../io.ts';

const REDRAW_MS = 1_000;
const CLEAR_LINE = '\r\u001b[K';

/** One line on stderr that is drawn again every second, on a terminal; lines of lasting interest stay above it. */
export class WaitProgress {
  readonly #io: Pick<Io, 'stderr'>;
  readonly #text: () => string;
  #timer: NodeJS.Timeout | null = null;
  #isShown = false;
  readonly isDrawn: boolean;

  constructor(io: Pick<Io, 'stderr' | 'env'>, wanted: boolean, text: () => string) {
    this.#io = io;
    this.#text = text;
    this.isDrawn = wanted && io.stderr.isTTY === true && io.env.TERM !== 'dumb';
  }

  draw(): void {
    if (!this.isDrawn) return;
    this.#isShown = true;
    // A line that wraps could not be cleared; the terminal itself adds ^C.
    const width = (this.#io.stderr.columns ?? 80) - 3;
    this.#io.stderr.write(CLEAR_LINE + this.#text().slice(0, width));
    this.#timer ??= setInterval(() => this.draw(), REDRAW_MS);
  }

  /** Writes a whole line that stays. */
  note(line: string): void {
    if (this.#isShown) this.#io.stderr.write(CLEAR_LINE);
    this.#io.stderr.write(`${line}\n`);
    if (this.#isShown) this.draw();
  }

  end(): void {
    if (this.#timer !== null) clearInterval(this.#timer);
    this.#timer = null;
    if (this.#isShown) this.#io.stderr.write(CLEAR_LINE);
    this.#isShown = false;
  }
}
