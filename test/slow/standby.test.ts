import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Summary } from '../../src/contract/dashboard.ts';
import { BASE_PATH, PATHS } from '../../src/contract/routes.ts';
import { openDatabase } from '../../src/store/database.ts';
import { LeaseStore } from '../../src/store/lease.ts';
import { createKey, type ServeProgram, startServe } from '../cli/served-program.ts';
import { type Anvil, startAnvil } from '../helpers/anvil.ts';
import { GWEI, mineAt } from '../helpers/auto-tx-rig.ts';
import { temporaryFolder } from '../helpers/service.ts';
import { waitFor } from '../helpers/wait-for.ts';

/** Gwei. */
const CHEAP = 2;
const DEAR = 40;
const BLOCKS = 4;

let anvil: Anvil;
beforeAll(async () => {
  anvil = await startAnvil({ noMining: true, baseFee: BigInt(DEAR) * GWEI });
});
afterAll(() => anvil.stop());

const mine = (baseFee: number) => mineAt(anvil, baseFee);

async function ask(program: ServeProgram, key: string, path: string, init: RequestInit = {}) {
  const headers = { 'x-api-key': key, 'content-type': 'application/json' };
  const response = await fetch(program.origin + BASE_PATH + path, { ...init, headers });
  if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
  return response.json();
}

test('two programs on one database: one fires; killed or asked to end, it is followed at once', async () => {
  const home = await temporaryFolder();
  const db = join(home, 'shared.db');
  const options = { home, env: { GASTOP_RPC: anvil.url, GASTOP_DB: db } };
  await mine(DEAR);
  const one = await startServe([], options);
  const key = await createKey(options);
  const database = await openDatabase(db);
  const leases = new LeaseStore(database);
  const holder = async () => (await leases.read())?.process ?? 'nobody';
  const heldBy = (program: ServeProgram) =>
    waitFor(async () => (await holder()) === `gastop serve, process ${program.child.pid}`, {
      what: `the lease of ${program.child.pid}`,
    });
  await heldBy(one);
  const two = await startServe([], options);
  await ask(two, key, PATHS.alerts, {
    method: 'POST',
    body: JSON.stringify({
      thresholdGwei: 10,
      gasSpeed: 'FAST',
      condition: 'LESS_THAN',
      channels: ['TERMINAL'],
      cooldownMs: 0,
    }),
  });
  const firedAt = async () => {
    const rows = await database.queries
      .selectFrom('alert_events')
      .select('block_number')
      .orderBy('block_number')
      .execute();
    return rows.map((row) => row.block_number);
  };
  const head = async () => Number(await anvil.rpc('eth_blockNumber'));
  /** The price falls and rises again, and the alert has fired `times` in all. */
  async function cross(times: number): Promise<void> {
    for (let block = 0; block < BLOCKS; block += 1) await mine(CHEAP);
    await waitFor(async () => (await firedAt()).length === times, {
      what: `firing ${times}`,
    });
    for (let block = 0; block < BLOCKS; block += 1) await mine(DEAR);
    const top = await head();
    await waitFor(
      async () =>
        (await database.queries.selectFrom('blocks').select('number').where('number', '=', top).execute())
          .length === 1,
      { what: `block ${top}` },
    );
  }
  await cross(1);
  expect(Summary.parse(await ask(two, key, PATHS.summary)).health.engine).toMatchObject({
    process: `gastop serve, process ${one.child.pid}`,
    isHere: false,
  });
  expect(await (await fetch(`${one.origin}/metrics`)).text()).toMatch(/^gastop_lease_held 1$/m);
  expect(await (await fetch(`${two.origin}/metrics`)).text()).toMatch(/^gastop_lease_held 0$/m);

  one.child.kill('SIGKILL');
  await one.ended;
  // Until the next one holds it nobody does: what comes meanwhile is fired once.
  for (let block = 0; block < BLOCKS; block += 1) await mine(CHEAP);
  await heldBy(two);
  await waitFor(async () => (await firedAt()).length === 2, {
    what: 'the firing after its end',
  });
  for (let block = 0; block < BLOCKS; block += 1) await mine(DEAR);

  const three = await startServe([], options);
  await waitFor(async () => (await (await fetch(`${three.origin}/readyz`)).text()).includes('"elsewhere"'), {
    what: 'the third to stand by',
  });
  // Suspended, it is followed, and writes nothing by the right it had.
  two.child.kill('SIGSTOP');
  await heldBy(three);
  await mine(DEAR);
  two.child.kill('SIGCONT');
  const saysLed = async (led: 0 | 1) =>
    (await (await fetch(`${two.origin}/metrics`)).text()).includes(`\ngastop_lease_held ${led}\n`);
  await waitFor(() => saysLed(0), { what: 'the suspended one to stand by' });
  three.child.kill('SIGTERM');
  expect((await three.ended).code).toBe(0);
  await heldBy(two);
  await waitFor(() => saysLed(1));
  await cross(3);
  const fired = await firedAt();
  expect(new Set(fired).size).toBe(fired.length);
  const top = await head();
  const stored = await database.queries
    .selectFrom('blocks')
    .select((e) => [e.fn.countAll<number>().as('count'), e.fn.max('number').as('top')])
    .executeTakeFirstOrThrow();
  expect(stored).toMatchObject({ count: top + 1, top });
  const kept = await database.queries.selectFrom('alerts').selectAll().executeTakeFirstOrThrow();
  // What came while nobody held it counts as missed besides: only the newest of those blocks was of now.
  expect(kept.trigger_count).toBe(3);
  two.child.kill('SIGTERM');
  await two.ended;
  expect(await leases.read()).toBeNull();
  await database.close();
});
