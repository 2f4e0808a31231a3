import { flushCompileCache } from 'node:module';
import { setTimeout as sleep } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/**
 * Keeps the heap of a monitor that runs for weeks near its live size. Not before the code is loaded: such a flag has V8
 * refuse what is compiled already, Node's own code (20 ms for `fetch` alone) and ours, and what it then writes for the next start.
 */
export function boundHeap(): void {
  flushCompileCache();
  setFlagsFromString('--heap-growing-percent=30');
  // Room for short-lived objects as large as the start has made it: V8 would give them alone 134 MB.
  setFlagsFromString('--semi-space-growth-factor=1');
}

const FIRST_MINUTE_MS = 60_000;

/**
 * Once `read` has resolved, and not in the first minute: keys are pressed most then, and most of the code is compiled, so
 * that what this leaves can go, too. For each chain that is opened: what is read of a second one leaves 18 to 49 MB.
 */
export async function shrinkHeapAfter(read: Promise<unknown>): Promise<void> {
  await read;
  await sleep(Math.max(FIRST_MINUTE_MS - performance.now(), 0), undefined, { ref: false });
  await shrinkHeap();
}

/**
 * Gives back the pages of what is read at the start, which V8 frees but keeps. It takes as long as two collections of the whole
 * heap: a tenth of a second, in which nothing else runs.
 */
export async function shrinkHeap(): Promise<void> {
  setFlagsFromString('--expose-gc');
  const collect: NodeJS.GCFunction = runInNewContext('gc');
  await collect({ type: 'major', execution: 'async', flavor: 'last-resort' });
  // It leaves 1 MB of room for short-lived objects, less than a frame makes: an idle monitor would take 1.7 times the processor
  // time. V8 multiplies the room where that much survives.
  setFlagsFromString('--semi-space-growth-factor=8');
  const survivors = Array.from({ length: 60_000 }, () => ({}));
  collect({ type: 'minor', execution: 'sync' });
  survivors.length = 0;
  setFlagsFromString('--semi-space-growth-factor=1');
  // It would take that room back where it finds the monitor idle between two blocks.
  setFlagsFromString('--memory-reducer-gc-count=0');
}
