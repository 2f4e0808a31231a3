/** What `npm run soak` does for 20 minutes, for some seconds or minutes: enough for what is leaked with every block or outage. */
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { rounds } from '../helpers/rounds.ts';
import { temporaryFolder } from '../helpers/service.ts';
import { databaseSize, sizeProblems } from '../soak/database-size.ts';
import { type Allowance, growthBetween } from '../soak/growth.ts';
import { soakMonitor } from '../soak/soak-monitor.ts';
import { soakServe } from '../soak/soak-serve.ts';

/** What is kept for minutes is still coming together: timers and memory have room for that, the rest has none. */
const YOUNG: Allowance = {
  liveBytes: 6_000_000,
  // V8 takes memory as it likes while a process is young; what it holds alive is bounded above.
  residentBytes: 120_000_000,
  // Cached queries hold a timer each until they go; one for each of hundreds of blocks would be many more.
  resources: 60,
  // Connections that are kept open come and go; a leak of each outage is many more in `npm run test:slow`.
  descriptors: 8,
};

it('the monitor holds no more listeners and files after hundreds of blocks, and its database is as computed', async () => {
  const folder = await temporaryFolder();
  const [early, late] = await soakMonitor(folder, { speed: 1_200, blocks: [rounds(2_000), rounds(6_000)] });
  expect(early && late && growthBetween(early.holding, late.holding, YOUNG)).toEqual([]);
  const size = databaseSize(join(folder, 'monitor.db'));
  expect(size.rows.blocks).toBeGreaterThanOrEqual(rounds(6_000));
  expect(sizeProblems(size)).toEqual([]);
});

it('the service holds no more sockets, timers and listeners after its nodes have been away again and again', async () => {
  const folder = await temporaryFolder();
  const [early, late] = await soakServe(folder, { outages: [rounds(30), rounds(90)], settleMs: 500 });
  expect(late?.delivered).toBeGreaterThan(early?.delivered ?? 0);
  expect(early && late && growthBetween(early.holding, late.holding, { ...YOUNG, resources: 4 })).toEqual([]);
});
