/**
 * The smallest of a stretch of blocks that moves forward at both ends: a queue of those that nothing later undercuts
 * (Lemire 2006, streaming maximum-minimum filter). Each block goes in once and out once.
 */
export class WindowMinimum {
  #blocks = new Float64Array(64);
  #values = new Float64Array(64);
  #start = 0;
  #size = 0;

  /** `null` while the stretch is empty. */
  get minimum(): number | null {
    return this.#size > 0 ? (this.#values[this.#slot(0)] ?? null) : null;
  }

  push(block: number, value: number): void {
    while (this.#size > 0 && (this.#values[this.#slot(this.#size - 1)] ?? 0) >= value) this.#size -= 1;
    if (this.#size === this.#blocks.length) this.#widen();
    const slot = this.#slot(this.#size);
    this.#blocks[slot] = block;
    this.#values[slot] = value;
    this.#size += 1;
  }

  dropBefore(block: number): void {
    while (this.#size > 0 && (this.#blocks[this.#slot(0)] ?? 0) < block) {
      this.#start = this.#slot(1);
      this.#size -= 1;
    }
  }

  clear(): void {
    this.#start = 0;
    this.#size = 0;
  }

  #slot(index: number): number {
    return (this.#start + index) % this.#blocks.length;
  }

  #widen(): void {
    const blocks = new Float64Array(this.#size * 2);
    const values = new Float64Array(this.#size * 2);
    for (let index = 0; index < this.#size; index += 1) {
      blocks[index] = this.#blocks[this.#slot(index)] ?? 0;
      values[index] = this.#values[this.#slot(index)] ?? 0;
    }
    this.#blocks = blocks;
    this.#values = values;
    this.#start = 0;
  }
}
