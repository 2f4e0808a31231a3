import { setFlagsFromString } from 'node:v8';
import { boundYoungHeap } from './bound-young-heap.ts';

/** A block makes 7.5 MB of garbage; half of this is looked through at once, which no key notices. */
const YOUNG_BYTES = 4_000_000;

/**
 * For what lies in a pane for weeks. Left alone, V8 lets garbage gather to several times what is in use and keeps the
 * pages; here to a third more. `--optimize-for-size` makes the program smaller by another sixth, and takes a quarter more
 * processor time for it (docs/PERFORMANCE.md).
 */
export function keepHeapSmall(): void {
  setFlagsFromString('--heap-growing-percent=30');
  boundYoungHeap(YOUNG_BYTES);
}
