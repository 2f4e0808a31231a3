import { PerformanceObserver } from 'node:perf_hooks';
import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8';

/** Enough for the garbage of a second of filling; V8 would go on to 134 MB and keep that for days. */
const ENOUGH_BYTES = 16_000_000;

/**
 * V8 doubles the room for new objects whenever many of them survive, as they do while a history is read in, and
 * gives it back to nobody. From `enoughBytes` on it is told to multiply that room by one.
 */
export function boundYoungHeap(enoughBytes = ENOUGH_BYTES): void {
  const observer = new PerformanceObserver(() => {
    const young = getHeapSpaceStatistics().find(({ space_name }) => space_name === 'new_space');
    if ((young?.space_size ?? 0) < enoughBytes) return;
    setFlagsFromString('--semi-space-growth-factor=1');
    observer.disconnect();
  });
  observer.observe({ entryTypes: ['gc'] });
}
