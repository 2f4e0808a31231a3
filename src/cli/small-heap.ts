import { setFlagsFromString } from 'node:v8';
import { boundYoungHeap } from './bound-young-heap.ts';

/** Half of it costs more processor time than the memory is worth, twice of it costs none (docs/PERFORMANCE.md). */
const YOUNG_BYTES = 8_000_000;

/**
 * For what lies in a pane for weeks: to be called before most of it is loaded. What is loaded survives, for which V8
 * would give new objects four times as much room, and a busy monitor never gives that back.
 */
export function keepYoungHeapSmall(): void {
  boundYoungHeap(YOUNG_BYTES);
}

/**
 * To be called once it has started. Left alone, V8 lets garbage gather to several times what is in use and keeps the
 * pages; here to a third more. `--optimize-for-size` makes the program smaller still, for a quarter more processor time.
 */
export function keepHeapSmall(): void {
  setFlagsFromString('--heap-growing-percent=30');
}
