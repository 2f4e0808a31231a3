/** What `npm run soak` does for 20 minutes, for some minutes: enough for what is leaked with every block or outage. */
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { temporaryFolder } from '../helpers/service.ts';
import { databaseSize, sizeProblems } from '../soak/database-size.ts';
import { type Allowance, growthBetween } from '../soak/growth.ts';
import { soakMonitor } from '../soak/soak-monitor.ts';
import { soakServe } from '../soak/soak-serve.ts';

/** Between two looks at a process at rest that is no longer young, thousands of blocks and dozens of opened views apart. */
const ALLOWED: Allowance = {
  // What the engine has just thrown away is some megabytes either way.
  liveBytes: 10_000_000,
  residentBytes: 25_000_000,
  resources: 100,
  descriptors: 2,
};

it('the monitor holds no more listeners and files after thousands of blocks, and its database is as computed', async () => {
  const folder = await temporaryFolder();
  const [early, late] = await soakMonitor(folder, { speed: 480, blocks: [7_500, 13_500] });
  expect(early && late && growthBetween(early.holding, late.holding, ALLOWED)).toEqual([]);
  const size = databaseSize(join(folder, 'monitor.db'));
  expect(size.rows.blocks).toBeGreaterThanOrEqual(13_500);
  expect(sizeProblems(size)).toEqual([]);
});

it('the service holds no more sockets, timers and listeners after its nodes have been away again and again', async () => {
  const folder = await temporaryFolder();
  const [early, late] = await soakServe(folder, { outages: [100, 200], settleMs: 8_000 });
  expect(late?.delivered).toBeGreaterThan(early?.delivered ?? 0);
  expect(early && late && growthBetween(early.holding, late.holding, { ...ALLOWED, resources: 4 })).toEqual(
    [],
  );
});
