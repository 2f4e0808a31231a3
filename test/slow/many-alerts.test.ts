/** A million armed alerts on PostgreSQL: blocks that wake none of them, and one that wakes ten thousand. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type RawBuilder, sql } from 'kysely';
import { expect, onTestFinished, test } from 'vitest';
import { evaluateAlerts } from '../../src/store/alert-evaluation.ts';
import { toAlertRow } from '../../src/store/alert-rows.ts';
import { type Database, openDatabase } from '../../src/store/database.ts';
import { median } from '../bench/row.ts';
import { startServe } from '../cli/served-program.ts';
import { startAnvil } from '../helpers/anvil.ts';
import { GWEI, mineAt } from '../helpers/auto-tx-rig.ts';
import { startReceiver } from '../helpers/receiver.ts';
import { temporaryFolder } from '../helpers/service.ts';
import { waitFor } from '../helpers/wait-for.ts';
import { priced, runOf } from '../store/alerts/priced-blocks.ts';
import { storedAlert } from '../store/alerts/stored-alerts.ts';
import {
  CHEAP,
  DEAR,
  ENCRYPTION_KEY,
  onMachine,
  openServer,
  REPLICAS,
  SETTLED,
  THRESHOLD,
} from './replica-team.ts';

const MANY = 1_000_000;
const FEW = 1_000;
const WOKEN = 10_000;
const RECEIVERS = 8;
const AT_ONCE = 50_000;
const QUIET_ROUNDS = 100;
const QUIET = 50n * GWEI;

test(`of ${MANY} armed alerts a block that wakes none costs what it does with ${FEW}; ${WOKEN} that it wakes are sent by all three`, async () => {
  // Too much for a folder in memory.
  const folder = await mkdtemp(join(tmpdir(), 'gastop-many-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const { server, target } = await openServer(folder);
  const receivers = await Promise.all(Array.from({ length: RECEIVERS }, () => startReceiver()));
  const many = await openDatabase(target, ENCRYPTION_KEY);
  await sql`create database few`.execute(many.queries);
  const few = await openDatabase(`${server.url}/few`, ENCRYPTION_KEY);
  onTestFinished(() => Promise.all([many.close(), few.close()]).then(() => {}));
  const urls = receivers.map(({ url }) => url);
  await insertArmed(few, { count: FEW, woken: 0, urls });
  await insertArmed(many, { count: MANY, woken: WOKEN, urls });
  const took = { few: [] as number[], many: [] as number[] };
  for (let round = 0; round < QUIET_ROUNDS; round += 1) {
    took.few.push(await quietBlockMs(few));
    took.many.push(await quietBlockMs(many));
  }
  const ratio = median(took.many) / median(took.few);
  console.info(
    `a block that wakes none: ${median(took.many).toFixed(2)} ms with ${MANY}, ${median(took.few).toFixed(2)} with ${FEW}: ${ratio.toFixed(2)}`,
  );
  expect(ratio).toBeLessThan(2);

  const anvil = await startAnvil({ noMining: true, baseFee: BigInt(DEAR) * GWEI });
  onTestFinished(() => anvil.stop());
  await mineAt(anvil, DEAR);
  const home = await temporaryFolder();
  const env = {
    GASTOP_RPC: anvil.url,
    GASTOP_DATABASE_URL: target,
    GASTOP_ENCRYPTION_KEY: ENCRYPTION_KEY.toString('base64'),
  };
  const programs = await Promise.all(
    Array.from({ length: REPLICAS }, (_, place) =>
      startServe(['--allow-private-targets'], {
        home: join(home, String(place)),
        env,
        before: onMachine(`${place}`),
      }),
    ),
  );
  await mineAt(anvil, DEAR);
  for (const program of programs) {
    await waitFor(async () => (await fetch(`${program.origin}/readyz`)).ok, {
      ...SETTLED,
      what: 'three replicas',
    });
  }
  const minedAt = performance.now();
  await mineAt(anvil, CHEAP);
  await waitFor(() => receivers.some(({ received }) => received.length > 0), {
    ...SETTLED,
    what: 'the first',
  });
  const firstAt = performance.now();
  const arrived = () =>
    new Set(receivers.flatMap(({ received }) => received.map(({ headers }) => headers['idempotency-key'])));
  await waitFor(
    () =>
      receivers.reduce((sum, { received }) => sum + received.length, 0) >= WOKEN && arrived().size === WOKEN,
    {
      ...SETTLED,
      timeoutMs: 1_500_000,
      what: 'all of them',
    },
  );
  const allAt = performance.now();
  const sent = () => programs.map((program) => program.stderr().split(': delivered in ').length - 1);
  await waitFor(() => sent().reduce((sum, count) => sum + count, 0) >= WOKEN, SETTLED);
  const webhooks = receivers.reduce((sum, { received }) => sum + received.length, 0);
  console.info(
    `${WOKEN} woken: the first after ${((firstAt - minedAt) / 1_000).toFixed(1)} s, all after ${((allAt - minedAt) / 1_000).toFixed(1)} s, ` +
      `sent by each: ${sent().join(', ')}; ${webhooks - WOKEN} again`,
  );
  for (const count of sent()) expect(count).toBeGreaterThan(0);
  const fired = await many.queries
    .selectFrom('alert_events')
    .select((e) => e.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow();
  expect(fired.count).toBe(WOKEN);
});

async function insertArmed(
  { queries }: Database,
  { count, woken, urls }: { count: number; woken: number; urls: readonly string[] },
): Promise<void> {
  const rule = { lane: 'fast', condition: 'LESS_THAN', threshold: BigInt(THRESHOLD) * GWEI } as const;
  const [url = ''] = urls;
  const row = toAlertRow(
    storedAlert('copied', rule, {
      method: 'WEBHOOK',
      channels: ['WEBHOOK'],
      targets: { WEBHOOK: url },
      note: 'of many',
    }),
  );
  await queries.insertInto('alerts').values(row).execute();
  const price = sql`case when copy <= ${sql.lit(woken)} then ${sql.lit(Number(rule.threshold))} else 1000000 + copy end`;
  const others: Readonly<Record<string, RawBuilder<unknown>>> = {
    id: sql`'armed-' || copy`,
    threshold: price,
    wake_at_most: price,
    targets: sql`json_build_object('WEBHOOK', (${sql.lit(`{${urls.join(',')}}`)}::text[])[1 + copy % ${sql.lit(urls.length)}])::text`,
  };
  const columns = Object.keys(row);
  for (let from = 1; from <= count; from += AT_ONCE) {
    const copies = sql`generate_series(${sql.lit(from)}, ${sql.lit(Math.min(from + AT_ONCE - 1, count))}) copy`;
    await sql`insert into alerts (${sql.join(columns.map((column) => sql.ref(column)))})
      select ${sql.join(columns.map((column) => others[column] ?? sql.ref(column)))}
      from alerts, ${copies} where id = 'copied'`.execute(queries);
  }
  await queries.deleteFrom('alerts').where('id', '=', 'copied').execute();
  await sql`analyze alerts`.execute(queries);
}

/** Ms that the alerts take of the transaction of a block that wakes none; nothing of it is kept. */
async function quietBlockMs({ queries }: Database): Promise<number> {
  const rollback = new Error('rolled back');
  let took = 0;
  await queries
    .transaction()
    .execute(async (trx) => {
      await evaluateAlerts(trx, runOf([priced(1, QUIET)]));
      const from = performance.now();
      await evaluateAlerts(trx, runOf([priced(2, QUIET)]));
      took = performance.now() - from;
      throw rollback;
    })
    .catch((error: unknown) => expect(error).toBe(rollback));
  return took;
}
