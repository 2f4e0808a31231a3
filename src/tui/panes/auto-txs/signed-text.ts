import { SIGNED_LONGEST } from '../../../contract/choices.ts';

/**
 * A signed transaction as it is pasted. Whoever has its text can send it, so nothing that prints, compares or keeps
 * what stands in an object finds it in here, and {@link drop} leaves nothing of it behind.
 */
export class SignedText {
  #pieces: string[] = [];
  #length = 0;

  /** Characters that were pasted, but for blanks at either end of a piece. */
  get length(): number {
    return this.#length;
  }

  get isTooLong(): boolean {
    return this.#length > SIGNED_LONGEST;
  }

  /** A paste may come piece by piece; of what is longer than any transaction nothing more is kept. */
  add(text: string): void {
    if (this.isTooLong || (this.#length === 0 && text.trim() === '')) return;
    this.#pieces.push(text);
    this.#length += text.trim().length;
  }

  read(): string {
    if (this.#pieces.length > 1) this.#pieces = [this.#pieces.join('')];
    return this.#pieces[0] ?? '';
  }

  drop(): void {
    this.#pieces = [];
    this.#length = 0;
  }
}
