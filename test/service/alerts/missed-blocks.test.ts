import { expect, onTestFinished, test } from 'vitest';
import type { Block } from '../../../src/core/block.ts';
import { makeBlock } from '../../helpers/chain-blocks.ts';
import { openDatabase } from '../../helpers/open-database.ts';
import { ScriptedSource } from '../../helpers/scripted-source.ts';
import { readyService, runService, temporaryFile } from '../../helpers/service.ts';
import { waitFor } from '../../helpers/wait-for.ts';
import { insertAlerts, readAlert, readEvents, storedAlert } from '../../store/alerts/stored-alerts.ts';

const GWEI = 10n ** 9n;

function blocksAt(gwei: bigint, from: number, to: number): Block[] {
  const fees = { baseFeePerGas: gwei * GWEI, nextBaseFee: gwei * GWEI };
  return Array.from({ length: to - from + 1 }, (_, place) => makeBlock(from + place, fees));
}

async function alertedDatabase(confirmBlocks = 1) {
  const path = await temporaryFile('chain-1.db');
  const database = await openDatabase(path);
  onTestFinished(() => database.close());
  await insertAlerts(database, storedAlert('a', { threshold: 20n * GWEI, confirmBlocks }));
  return { path, database };
}

async function visit(source: ScriptedSource, path: string, head: number): Promise<void> {
  const service = await runService({ source, database: path });
  await waitFor(async () => {
    const response = await service.get('/gas/current');
    const body = (await response.json()) as { blockNumber?: number };
    return body.blockNumber === head;
  });
  await service.stop();
}

const timeOf = (number: number) => makeBlock(number).timestamp * 1_000;

test('a price that fell while the service was down, and stays there, has the alert fire once, for now', async () => {
  const { path, database } = await alertedDatabase(3);
  const source = new ScriptedSource(blocksAt(50n, 290, 299));
  await visit(source, path, 299);
  source.mine(...blocksAt(10n, 300, 349));
  await visit(source, path, 349);
  expect(await readEvents(database)).toEqual(['a.1']);
  const alert = await readAlert(database, 'a');
  expect(alert).toMatchObject({ triggerCount: 1, missedCount: 1, lastMissedAt: timeOf(302) });
  expect(alert?.lastTriggeredAt).toBe(timeOf(349));
});

test.each<[string, readonly (readonly [gwei: bigint, from: number, to: number])[], object, number?]>([
  [
    'a price that fell twice and recovered',
    [
      [10n, 300, 309],
      [50n, 310, 319],
      [10n, 320, 329],
      [50n, 330, 349],
    ],
    { phase: { kind: 'armed', trueSince: null }, missedCount: 2, lastMissedAt: timeOf(320) },
  ],
  [
    'a dip of half a minute ago: only the newest block is now',
    [
      [50n, 300, 346],
      [10n, 347, 347],
      [50n, 348, 349],
    ],
    { missedCount: 1, lastMissedAt: timeOf(347) },
  ],
  ['a stale head, however newly it was read', [[10n, 300, 309]], { missedCount: 1 }, timeOf(309) + 3_600_000],
])('while the service was down %s is counted as missed and not sent', async (_, runs, expected, clock) => {
  const { path, database } = await alertedDatabase();
  const source = new ScriptedSource(blocksAt(50n, 290, 299));
  await visit(source, path, 299);
  const blocks = runs.flatMap((run) => blocksAt(...run));
  source.mine(...blocks);
  source.clock = clock ?? null;
  await visit(source, path, blocks.at(-1)?.number ?? 0);
  expect(await readEvents(database)).toEqual([]);
  expect(await readAlert(database, 'a')).toMatchObject({ triggerCount: 0, ...expected });
});

test('on a fresh database, too, the block that is now is the newest', async () => {
  const { path, database } = await alertedDatabase();
  const source = new ScriptedSource([
    ...blocksAt(50n, 270, 297),
    ...blocksAt(10n, 298, 298),
    ...blocksAt(50n, 299, 299),
  ]);
  await visit(source, path, 299);
  expect(await readAlert(database, 'a')).toMatchObject({ triggerCount: 0, missedCount: 1 });
});

test.each(['replay', 'simulated'] as const)('a %s chain is never late: each block is now', async (kind) => {
  const { path, database } = await alertedDatabase();
  const source = new ScriptedSource(blocksAt(50n, 290, 299), { kind });
  await visit(source, path, 299);
  source.mine(...blocksAt(10n, 300, 309), ...blocksAt(50n, 310, 349));
  source.clock = timeOf(349) + 86_400_000;
  await visit(source, path, 349);
  expect(await readAlert(database, 'a')).toMatchObject({
    triggerCount: 1,
    lastTriggeredAt: timeOf(300),
    missedCount: 0,
  });
});

test('blocks that could not be written for a while are evaluated once they can be', async () => {
  const { path, database } = await alertedDatabase();
  const source = new ScriptedSource(blocksAt(50n, 290, 299));
  const service = await readyService({ source, database: path });
  await waitFor(
    async () => (await database.queries.selectFrom('blocks').select('number').execute()).length === 10,
  );
  await database.queries.schema.alterTable('meta').renameTo('away').execute();
  source.mine(...blocksAt(10n, 300, 300), ...blocksAt(50n, 301, 301));
  await waitFor(async () => {
    const response = await service.get('/gas/current');
    return JSON.stringify(await response.json()).includes('history is not being saved');
  });
  await database.queries.schema
    .alterTable('away' as 'meta')
    .renameTo('meta')
    .execute();
  source.mine(...blocksAt(50n, 302, 302));
  await waitFor(async () => (await readEvents(database)).length > 0);
  await service.stop();
  expect(await readAlert(database, 'a')).toMatchObject({ triggerCount: 1, lastTriggeredAt: timeOf(300) });
});
