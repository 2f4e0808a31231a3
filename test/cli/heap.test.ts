import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

const HEAP = join(import.meta.dirname, '../../src/cli/heap.ts');

/** What a process of its own has in memory, MB: after so many short-lived objects, and once the heap is shrunk. */
function memoryAround(objects: number) {
  const script = `
    import { getHeapSpaceStatistics } from 'node:v8';
    import { boundHeap, shrinkHeap } from '${HEAP}';
    const memory = () => ({
      resident: process.memoryUsage.rss() / 1e6,
      young: getHeapSpaceStatistics().find(({ space_name }) => space_name === 'new_space').space_size / 1e6,
    });
    let made = Array.from({ length: ${objects} }, (_, place) => ({ place }));
    made = null;
    const before = memory();
    boundHeap();
    await shrinkHeap();
    const after = memory();
    for (let place = 0; place < 1e7; place += 1) made = { place };
    console.log(JSON.stringify({ before, after, later: memory() }));`;
  const printed = execFileSync(process.execPath, ['--input-type=module', '--eval', script], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  return JSON.parse(printed);
}

describe('shrinkHeap', () => {
  it.each([500_000, 1_000_000, 2_000_000])(
    'gives back what %d objects took, and leaves those to come room that stays',
    (objects) => {
      const { before, after, later } = memoryAround(objects);
      const took = objects * 24e-6;
      expect(before.resident - after.resident).toBeGreaterThan(took);
      expect(after.young).toBeGreaterThan(4);
      expect(after.young).toBeLessThan(32);
      expect(later.young).toBe(after.young);
    },
  );
});
