import { waitFor } from '../helpers/wait-for.ts';
import type { Row } from './row.ts';
import { startStoredService } from './stored-service.ts';

const MEASURED = 300;
/** Apart far enough that each block is a transaction of its own, as on a chain. */
const APART_MS = 70;
const URL = 'http://bench.internal/be/api/v1/gas/current';

/** What a block costs on its whole way, with 30 days stored against one day. */
export async function measureWholePath({ folder }: { readonly folder: string }): Promise<Row[]> {
  const day = await cpuPerBlock(folder, 1);
  const month = await cpuPerBlock(folder, 30);
  return [
    {
      measure: 'one block from source to answer, 30 days stored, CPU',
      gastop: `${month.toFixed(2)} ms`,
      yardstick: `itself with 1 day stored, ${day.toFixed(2)} ms`,
      ratio: month / day,
      spread: `means of ${MEASURED} blocks`,
      budget: [{ atMost: 1.2 }],
    },
  ];
}

/**
 * Milliseconds of CPU that one block costs with `days` of history stored: taken from the source, digested, written
 * with its rollups, and told by `gas/current`.
 */
async function cpuPerBlock(folder: string, days: number): Promise<number> {
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
