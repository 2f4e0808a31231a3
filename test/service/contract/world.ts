/** Alerts and auto-txs in a running service, for the walk over its document. */
import { sql } from 'kysely';
import { privateKeyToAccount } from 'viem/accounts';
import { expect } from 'vitest';
import { AlertDetails } from '../../../src/contract/alerts.ts';
import { type StoredAutoTx, stepStored } from '../../../src/core/auto-txs/stored-auto-tx.ts';
import { ALERTS_PER_KEY } from '../../../src/service/alerts/alert-service.ts';
import { AUTO_TXS_PER_KEY } from '../../../src/service/auto-txs/auto-tx-service.ts';
import { AutoTxStore } from '../../../src/store/auto-txs.ts';
import type { Database } from '../../../src/store/database.ts';
import { waitFor } from '../../helpers/wait-for.ts';

/** Of the key that owns what is made, and of one that owns as many as may be. */
interface Keys {
  readonly key: string;
  readonly fullKey: string;
}

async function create(root: string, path: string, key: string, body: object): Promise<string> {
  const headers = { 'x-api-key': key, 'Content-Type': 'application/json' };
  const response = await fetch(root + path, { method: 'POST', headers, body: JSON.stringify(body) });
  const made = (await response.json()) as { id: string };
  expect(response.status, JSON.stringify(made)).toBe(201);
  return made.id;
}

/** Copies the row of `id` until there are `count` like it: as many requests would take seconds. */
async function repeatRow(
  { queries }: Database,
  table: 'alerts' | 'auto_txs',
  { id, count }: { readonly id: string; readonly count: number },
): Promise<void> {
  const { rows } = await sql<{ name: string }>`select name from pragma_table_info(${table})`.execute(queries);
  const columns = rows.map(({ name }) => sql.ref(name));
  const copied = rows.map(({ name }) => (name === 'id' ? sql`id || '_' || copy` : sql.ref(name)));
  await sql`
    with recursive copies (copy) as (select 2 union all select copy + 1 from copies where copy < ${count})
    insert into ${sql.table(table)} (${sql.join(columns)})
    select ${sql.join(copied)} from ${sql.table(table)}, copies where id = ${id}
  `.execute(queries);
}

export const NEW_ALERT = {
  thresholdGwei: 1_000_000,
  gasSpeed: 'AVERAGE',
  condition: 'LESS_THAN',
  channels: ['WEBHOOK', 'TERMINAL'],
  to: 'https://receiver.invalid/hook',
  cooldownMs: 86_400_000,
  note: 'deploy now',
};

export type AlertWorld = Awaited<ReturnType<typeof prepareAlerts>>;

export async function prepareAlerts(root: string, keys: Keys, mine: () => Promise<void>, database: Database) {
  const createAlert = (by = keys.key) => create(root, '/alerts', by, NEW_ALERT);
  const fired = await createAlert();
  await mine();
  await waitFor(async () => {
    const response = await fetch(`${root}/alerts/${fired}`, { headers: { 'x-api-key': keys.key } });
    return AlertDetails.parse(await response.json()).triggerCount === 1;
  });
  await repeatRow(database, 'alerts', { id: await createAlert(keys.fullKey), count: ALERTS_PER_KEY });
  const until = Date.now() + 3_600_000;
  const owner = keys.fullKey.split('_')[1] ?? '';
  const earlier = Array.from({ length: 20 }, (_, place) => ({
    owner,
    secret: `${place}`,
    signs_until: until,
  }));
  await database.queries.insertInto('previous_secrets').values(earlier).execute();
  return { ...keys, fired, create: () => createAlert() };
}

const ACCOUNT = privateKeyToAccount('0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80');
/** Nonces that no transfer of the test comes to. */
const FIRST_NONCE = 1_000;

/** No price comes down to it, and it is above the tip that is signed. */
export const NEW_DRAFT = {
  to: '0x7E5F4552091A69125d5DfCb7b8C2659029395Bdf',
  value: '1',
  targetGasPriceGwei: 1.000000001,
};

export type AutoTxWorld = Awaited<ReturnType<typeof prepareAutoTxs>>;

export async function prepareAutoTxs(root: string, keys: Keys, database: Database) {
  const createAutoTx = (body: object = NEW_DRAFT, by = keys.key) => create(root, '/auto-txs', by, body);
  const [taken = '', bad, ...signed] = await Promise.all([0, 1, 2, 3, 4].map(sign));
  const { targetGasPriceGwei } = NEW_DRAFT;
  const waiting = await createAutoTx({ targetGasPriceGwei, signedTransaction: taken });
  const failed = await createAutoTx({ targetGasPriceGwei, signedTransaction: bad });
  await fail(new AutoTxStore(database), failed);
  const draft = await createAutoTx();
  const id = await createAutoTx(NEW_DRAFT, keys.fullKey);
  await repeatRow(database, 'auto_txs', { id, count: AUTO_TXS_PER_KEY });
  return {
    ...keys,
    waiting,
    draft,
    failed,
    taken,
    signed,
    address: ACCOUNT.address,
    create: () => createAutoTx(),
  };
}

function sign(nonce: number): Promise<string> {
  return ACCOUNT.signTransaction({
    type: 'eip1559',
    chainId: 31_337,
    nonce: FIRST_NONCE + nonce,
    to: NEW_DRAFT.to as `0x${string}`,
    value: 1n,
    gas: 21_000n,
    maxFeePerGas: 10n ** 12n,
    maxPriorityFeePerGas: 10n ** 9n,
  });
}

async function fail(store: AutoTxStore, id: string): Promise<void> {
  const obstacle = { code: 'refused', message: 'every node refuses it' };
  const decide = (kept: StoredAutoTx) =>
    stepStored(kept, { type: 'refuse', obstacle }, { confirmations: 1, now: Date.now() });
  expect(await store.change({ owner: '', id }, decide, 'owner')).not.toBeNull();
}
