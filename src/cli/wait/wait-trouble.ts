import { formatDuration } from '../../core/units.ts';
import { cleanLine } from '../clean-line.ts';

/** What lasts shorter is a hiccup that nobody has to hear of. */
const NOTE_AFTER_MS = 5_000;
/** A service that has just been started may still read its history. */
const NOTE_AFTER_START_MS = 30_000;

/** That there are no prices of now, since when, and whether anybody was told. */
export class WaitTrouble {
  readonly #note: (line: string) => void;
  readonly #elapsed: () => number;
  #current: { readonly reason: string; readonly since: number; isTold: boolean } | null = null;
  #patienceMs = NOTE_AFTER_MS;

  /** @param elapsed a steady clock, ms. */
  constructor(note: (line: string) => void, elapsed = () => performance.now()) {
    this.#note = note;
    this.#elapsed = elapsed;
  }

  /** `null`: there is none. */
  get reason(): string | null {
    return this.#current?.reason ?? null;
  }

  /** Of a service that is starting, trouble is told later. */
  bePatient(isStarting: boolean): void {
    this.#patienceMs = isStarting ? NOTE_AFTER_START_MS : NOTE_AFTER_MS;
  }

  begin(reason: string): void {
    const { since, isTold } = this.#current ?? { since: this.#elapsed(), isTold: false };
    const isLong = this.#elapsed() - since >= this.#patienceMs;
    if (isLong && !isTold) this.#note(`no prices of now: ${cleanLine(reason)}; still waiting`);
    this.#current = { reason, since, isTold: isTold || isLong };
  }

  /** Until it is to be told, ms; `null`: it has been, or there is none. */
  untilToldMs(): number | null {
    if (this.#current === null || this.#current.isTold) return null;
    return Math.max(this.#current.since + this.#patienceMs - this.#elapsed(), 0);
  }

  end(): void {
    if (this.#current?.isTold) {
      const sec = (this.#elapsed() - this.#current.since) / 1_000;
      this.#note(`prices are back after ${formatDuration(sec)}`);
    }
    this.#current = null;
  }
}
