import { setImmediate } from 'node:timers/promises';

/** Long enough to get work done, short enough that keys and requests never wait for it. */
const SLICE_MS = 8;

/** Cuts long work on the event loop into slices: `if (slice.isOver()) await slice.next();` */
export class TimeSlice {
  #started = performance.now();

  isOver(): boolean {
    return performance.now() - this.#started >= SLICE_MS;
  }

  async next(): Promise<void> {
    await setImmediate();
    this.#started = performance.now();
  }
}
