import { join } from 'node:path';
import { expect, test } from 'vitest';
import { GasCurrent } from '../../src/contract/gas.ts';
import { PATHS } from '../../src/contract/routes.ts';
import { ARMED, type KeptAlert } from '../../src/core/alerts/alert-rule.ts';
import type { ChainProfile } from '../../src/core/chains.ts';
import { FeeEngine } from '../../src/core/engine/fee-engine.ts';
import { AlertStore } from '../../src/store/alerts.ts';
import { BlockStore } from '../../src/store/blocks.ts';
import { type Database, openDatabase } from '../../src/store/database.ts';
import { LeaseStore } from '../../src/store/lease.ts';
import { blockHash, makeBlock, makeBlocks } from '../helpers/chain-blocks.ts';
import { ScriptedSource } from '../helpers/scripted-source.ts';
import { type RunningService, runService, temporaryFolder } from '../helpers/service.ts';
import { waitFor } from '../helpers/wait-for.ts';

const FIRST = 499;
const THRESHOLD = 1_000_000n;

/** Every other block is cheap, so that the alert fires at each of those: what is skipped or done twice shows. */
class AlternatingEngine extends FeeEngine {
  override lanePrices() {
    const number = this.head?.number ?? 0;
    const price = number > FIRST && number % 2 === 0 ? THRESHOLD / 2n : THRESHOLD * 2n;
    return { slow: price, average: price, fast: price };
  }
}
const createEngine = ({ feeRule }: ChainProfile) => new AlternatingEngine({ feeRule });

const alert: KeptAlert = {
  id: 'cheap',
  owner: '',
  rule: {
    lane: 'slow',
    condition: 'LESS_THAN',
    threshold: THRESHOLD,
    hysteresis: 0n,
    confirmBlocks: 1,
    cooldownMs: 0,
    disableOnce: false,
  },
  phase: ARMED,
  method: 'TERMINAL',
  channels: ['TERMINAL'],
  targets: {},
  note: '',
  createdAt: 0,
  updatedAt: 0,
  triggerCount: 0,
  lastTriggeredAt: null,
  missedCount: 0,
  lastMissedAt: null,
  disabledReason: null,
};

async function prepared(): Promise<{ path: string; database: Database }> {
  const path = join(await temporaryFolder(), 'chain-1.db');
  const database = await openDatabase(path);
  await new AlertStore(database).create(alert, 10);
  return { path, database };
}

const headOf = async (service: RunningService) =>
  GasCurrent.parse(await service.read(PATHS.gasCurrent)).blockNumber;
const storedHead = async (database: Database) => (await new BlockStore(database).head())?.number ?? -1;
const firedAt = async (database: Database) =>
  (await database.queries.selectFrom('alert_events').select('block_number').execute()).map(
    (row) => row.block_number,
  );

async function start(path: string, source: ScriptedSource, name: string): Promise<RunningService> {
  const service = await runService({ source, database: path, process: name, createEngine });
  await service.ready;
  // What is mined from now on is heard of as it is made.
  await waitFor(() => source.knownAsked.length > 0);
  return service;
}

test('of two services on one database one writes and fires; the other answers from memory', async () => {
  const { path, database } = await prepared();
  const sources = [0, 1].map(() => new ScriptedSource(makeBlocks(450, FIRST)));
  const [first, second] = sources;
  if (first === undefined || second === undefined) throw new Error('two sources');
  const holder = await start(path, first, 'holder');
  await waitFor(async () => (await new LeaseStore(database).read())?.process === 'holder');
  const standby = await start(path, second, 'standby');
  // The one that stands by hears of blocks first, and writes none of them.
  second.mine(...makeBlocks(500, 503));
  await waitFor(async () => (await headOf(standby)) === 503, { what: 'the standby’s head' });
  expect(await storedHead(database)).toBe(FIRST);
  first.mine(...makeBlocks(500, 503));
  await waitFor(async () => (await storedHead(database)) === 503, { what: 'the holder’s writing' });
  expect(await firedAt(database)).toEqual([500, 502]);

  // Given up, the lease is taken at once, and what nobody has written is written and fires.
  second.mine(...makeBlocks(504, 506));
  await waitFor(async () => (await headOf(standby)) === 506);
  await holder.stop();
  await waitFor(async () => (await storedHead(database)) === 506, { what: 'the taking over' });
  expect((await new LeaseStore(database).read())?.process).toBe('standby');
  second.mine(makeBlock(507), makeBlock(508));
  await waitFor(async () => (await storedHead(database)) === 508);
  // Of what nobody had written 504 was over, and 506 was now.
  expect(await firedAt(database)).toEqual([500, 502, 506, 508]);
  expect(await new AlertStore(database).find('', alert.id)).toMatchObject({ missedCount: 1 });
  expect(await new BlockStore(database).missingRanges({ from: 450, to: 508 })).toEqual([]);
  expect([...holder.errors, ...standby.errors]).toEqual([]);
  await standby.stop();
  await database.close();
});

test('one that takes over with fewer blocks than are stored goes on from those', async () => {
  const { path, database } = await prepared();
  const first = new ScriptedSource(makeBlocks(450, FIRST));
  const second = new ScriptedSource(makeBlocks(450, FIRST));
  const holder = await start(path, first, 'holder');
  await waitFor(async () => (await new LeaseStore(database).read())?.process === 'holder');
  const standby = await start(path, second, 'standby');
  first.mine(...makeBlocks(500, 503));
  await waitFor(async () => (await storedHead(database)) === 503);
  await holder.stop();
  await waitFor(async () => (await new LeaseStore(database).read())?.process === 'standby');
  second.mine(...makeBlocks(500, 506));
  await waitFor(async () => (await storedHead(database)) === 506);
  expect(await headOf(standby)).toBe(506);
  // 504 was caught up with, and 506 is now.
  expect(await firedAt(database)).toEqual([500, 502, 506]);
  await standby.stop();
  await database.close();
});

test('one that takes over on another branch takes back what is stored of the old one', async () => {
  const { path, database } = await prepared();
  const first = new ScriptedSource(makeBlocks(450, FIRST));
  const second = new ScriptedSource(makeBlocks(450, FIRST));
  const holder = await start(path, first, 'holder');
  await waitFor(async () => (await new LeaseStore(database).read())?.process === 'holder');
  const standby = await start(path, second, 'standby');
  for (const source of [first, second]) source.mine(...makeBlocks(500, 503));
  await waitFor(async () => (await storedHead(database)) === 503);
  await waitFor(async () => (await headOf(standby)) === 503);
  const branch = [502, 503, 504].map((number) =>
    makeBlock(number, {
      hash: blockHash(number, 1),
      parentHash: blockHash(number - 1, number === 502 ? 0 : 1),
    }),
  );
  second.reorg(501, branch);
  await waitFor(async () => (await headOf(standby)) === 504);
  await holder.stop();
  await waitFor(async () => (await storedHead(database)) === 504, { what: 'the new branch' });
  const stored = await new BlockStore(database).newest(4);
  expect(stored.map(({ hash }) => hash)).toEqual([blockHash(501), ...branch.map(({ hash }) => hash)]);
  // What has fired stays fired; of the blocks that both branches share none is evaluated again, of the others one is now.
  expect(await firedAt(database)).toEqual([500, 502, 504]);
  await standby.stop();
  await database.close();
});

test('a holder that loses the lease stops writing and goes on answering; it may have it again', async () => {
  const { path, database } = await prepared();
  const source = new ScriptedSource(makeBlocks(450, FIRST));
  const service = await start(path, source, 'asleep');
  const leases = new LeaseStore(database);
  await waitFor(async () => (await leases.read())?.process === 'asleep');
  const held = await leases.read();
  // Another process took over while this one slept, and wrote what it did not see.
  await leases.take({ holder: 'x', process: 'other', since: Date.now(), heartbeatAt: Date.now() }, held);
  source.mine(makeBlock(500), makeBlock(501));
  await waitFor(async () => (await headOf(service)) === 501);
  await new Promise((resolve) => setTimeout(resolve, 300));
  expect(await storedHead(database)).toBe(FIRST);
  await new BlockStore(database).saveBlocks(makeBlocks(500, 500));
  await leases.release('x');
  await waitFor(async () => (await storedHead(database)) === 501);
  source.mine(makeBlock(502));
  await waitFor(async () => (await storedHead(database)) === 502);
  expect(service.errors).toEqual([]);
  // 500 was written by another: alerts saw it there, or not at all, but not here.
  expect(await firedAt(database)).toEqual([502]);
  await service.stop();
  await database.close();
});

test('a visitor writes history while nobody else does, fires nothing, and makes room at once', async () => {
  const { path, database } = await prepared();
  const source = new ScriptedSource(makeBlocks(450, FIRST));
  const visitor = await runService({
    source,
    database: path,
    process: 'gastop now',
    role: 'visits',
    createEngine,
  });
  await visitor.ready;
  source.mine(...makeBlocks(500, 502));
  await waitFor(async () => (await storedHead(database)) === 502);
  expect(await new LeaseStore(database).read()).toBeNull();
  expect(await firedAt(database)).toEqual([]);
  const other = new ScriptedSource([...makeBlocks(450, FIRST), ...makeBlocks(500, 502)]);
  const service = await start(path, other, 'gastop serve');
  await waitFor(async () => (await new LeaseStore(database).read())?.process === 'gastop serve');
  source.mine(makeBlock(503), makeBlock(504));
  await waitFor(async () => (await headOf(visitor)) === 504);
  other.mine(makeBlock(503), makeBlock(504));
  await waitFor(async () => (await storedHead(database)) === 504);
  expect(await firedAt(database)).toEqual([504]);
  expect([...visitor.errors, ...service.errors]).toEqual([]);
  await Promise.all([visitor.stop(), service.stop()]);
  await database.close();
});
