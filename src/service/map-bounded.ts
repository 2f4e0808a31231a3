/** `work` on every item, a few at a time, results in the items' order. Begins nothing new after a failure or the abort. */
export async function mapBounded<Item, Result>(
  items: readonly Item[],
  parallel: number,
  signal: AbortSignal,
  work: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = [];
  const queue = items.entries();
  let failed = false;
  const run = async () => {
    for (const [index, item] of queue) {
      signal.throwIfAborted();
      if (failed) return;
      try {
        results[index] = await work(item);
      } catch (error) {
        failed = true;
        throw error;
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(parallel, items.length) }, run));
  return results;
}
