import { waitFor } from '../helpers/wait-for.ts';
import { startStoredService } from './stored-service.ts';

const MEASURED = 300;
/** Apart far enough that each block is a transaction of its own, as on a chain. */
const APART_MS = 70;
const URL = 'http://bench.internal/be/api/v1/gas/current';

/**
 * Milliseconds of CPU that one block costs with `days` of history stored: taken from the source, digested, written
 * with its rollups, and told by `gas/current`.
 */
export async function measureWholePath(folder: string, days: number): Promise<number> {
  await using stored = await startStoredService(folder, days, MEASURED + 50);
  const { service, feed } = stored;
  const oneBlock = async () => {
    const number = feed.next();
    await new Promise((resolve) => setTimeout(resolve, APART_MS));
    await waitFor(async () => {
      const answer: unknown = await (await service.fetch(new Request(URL))).json();
      return JSON.stringify(answer).includes(`"blockNumber":${number}`);
    });
  };
  // Until code is warm.
  for (let count = 0; count < 50; count++) await oneBlock();
  const from = process.cpuUsage();
  for (let count = 0; count < MEASURED; count++) await oneBlock();
  const { user, system } = process.cpuUsage(from);
  return (user + system) / 1_000 / MEASURED;
}
