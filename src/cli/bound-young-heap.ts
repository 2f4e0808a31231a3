import { PerformanceObserver } from 'node:perf_hooks';
import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8';

/** Enough for the garbage of a second of filling; V8 would go on to 134 MB and keep that for days. */
const ENOUGH_BYTES = 16_000_000;

/**
 * V8 doubles the room for new objects whenever many of them survive, as they do while code is loaded and a history is
 * read in, and a busy program gives it back to nobody. From `enoughBytes` on it is told to multiply that room by one.
 */
export function boundYoungHeap(enoughBytes = ENOUGH_BYTES): void {
  if (endsGrowing(enoughBytes)) return;
  const observer = new PerformanceObserver(() => {
    if (endsGrowing(enoughBytes)) observer.disconnect();
  });
  observer.observe({ entryTypes: ['gc'] });
}

function endsGrowing(enoughBytes: number): boolean {
  const young = getHeapSpaceStatistics().find(({ space_name }) => space_name === 'new_space');
  const isEnough = (young?.space_size ?? 0) >= enoughBytes;
  if (isEnough) setFlagsFromString('--semi-space-growth-factor=1');
  return isEnough;
}
