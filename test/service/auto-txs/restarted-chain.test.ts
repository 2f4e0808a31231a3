import { mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { PATHS } from '../../../src/contract/routes.ts';
import { BlockStore } from '../../../src/store/blocks.ts';
import { type Anvil, startAnvil } from '../../helpers/anvil.ts';
import { type AutoTxRig, fund, GWEI, mineAt, setBalance, sign, startRig } from '../../helpers/auto-tx-rig.ts';
import { freePort } from '../../helpers/listen.ts';
import { openDatabase } from '../../helpers/open-database.ts';
import { QUICK_FOLDER } from '../../helpers/quick-folder.ts';
import { isSlowRun } from '../../helpers/rounds.ts';
import { waitFor } from '../../helpers/wait-for.ts';

const TEN_ETHER = 10n ** 19n;

function temporaryDatabase(): string {
  const folder = mkdtempSync(join(QUICK_FOLDER, 'gastop-restarted-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return join(folder, 'chain.db');
}

async function node(options: Parameters<typeof startAnvil>[0] = {}): Promise<Anvil> {
  const port = await freePort();
  const anvil = await startAnvil({ noMining: true, baseFee: 100n * GWEI, port, ...options });
  onTestFinished(() => anvil.stop());
  return anvil;
}

async function rigOn(url: string, database: string): Promise<AutoTxRig> {
  const rig = await startRig({ urls: [url], database });
  onTestFinished(() => rig.stop());
  return rig;
}

/** Another chain on the same port: cheap, and with what the accounts need. */
async function another(before: Anvil, accounts: readonly { readonly address: `0x${string}` }[]) {
  await before.stop();
  const anvil = await node({ port: before.port, baseFee: 10n * GWEI });
  for (const { address } of accounts) await setBalance(anvil, address, TEN_ETHER);
  await mineAt(anvil, 10);
  await mineAt(anvil, 10);
  return anvil;
}

async function someAutoTxs(anvil: Anvil, rig: AutoTxRig) {
  const accounts = [await fund(anvil), await fund(anvil), await fund(anvil)] as const;
  const executed = await rig.place(await sign(accounts[0]), { target: 200n * GWEI });
  await mineAt(anvil, 90);
  await rig.sent(executed);
  await mineAt(anvil, 90);
  await rig.until(executed, 'EXECUTED');
  const sent = await rig.place(await sign(accounts[1]), { target: 200n * GWEI });
  await mineAt(anvil, 90);
  await rig.sent(sent);
  const pending = await rig.place(await sign(accounts[2]));
  return { accounts, executed, sent, pending };
}

const sourceOf = async (rig: AutoTxRig) => {
  const response = await rig.service.get(PATHS.gasCurrent);
  const { source } = (await response.json()) as {
    source?: { restartedAt: string | null; chainName: string };
  };
  return source;
};

async function expectBegunAnew(
  anvil: Anvil,
  rig: AutoTxRig,
  { accounts, executed, sent, pending }: Awaited<ReturnType<typeof someAutoTxs>>,
): Promise<void> {
  for (const id of [sent, pending]) {
    const { state } = await rig.until(id, 'DISABLED');
    expect(state).toMatchObject({ mayBeOut: false, hold: { code: 'chain_restarted' } });
    expect((await rig.timeline(id)).at(-1)).toMatchObject({
      kind: 'DISABLED',
      message: expect.stringContaining('the chain began anew'),
    });
  }
  expect((await rig.kept(executed)).state).toMatchObject({ status: 'EXECUTED' });
  await waitFor(async () => (await sourceOf(rig))?.restartedAt != null);

  // Whatever would have been sent had its price and its time.
  for (let block = 0; block < 4; block++) await mineAt(anvil, 10);
  await rig.seen(Number(await anvil.rpc('eth_blockNumber')));
  expect(await anvil.rpc('txpool_status')).toMatchObject({ pending: '0x0', queued: '0x0' });
  for (const { address } of accounts) {
    expect(await anvil.rpc('eth_getTransactionCount', [address, 'pending'])).toBe('0x0');
  }

  const enabled = await rig.service.get(`/auto-txs/${pending}`, {
    method: 'PUT',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ status: 'PENDING' }),
  });
  expect(enabled.status).toBe(200);
  await mineAt(anvil, 10);
  await rig.sent(pending);
  await mineAt(anvil, 10);
  await rig.until(pending, 'EXECUTED');
}

async function expectHistoryOf(anvil: Anvil, path: string): Promise<void> {
  const database = await openDatabase(path);
  const blocks = await new BlockStore(database).page(0, 1_000);
  await database.close();
  expect(blocks.length).toBeGreaterThan(3);
  for (const { number, hash } of blocks) {
    if (hash === null) continue;
    expect(await anvil.rpc('eth_getBlockByNumber', [`0x${number.toString(16)}`, false])).toMatchObject({
      hash,
    });
  }
}

describe('anvil that is stopped and started again on the same port is a chain that began anew', () => {
  // Over HTTP it is noticed only by asking again, which takes a while.
  it.each(isSlowRun ? (['http', 'ws'] as const) : (['ws'] as const))(
    'over %s while the service runs: nothing is sent, history is not mixed, what is not final is disabled',
    async (kind) => {
      const path = temporaryDatabase();
      const first = await node();
      const rig = await rigOn(kind === 'ws' ? first.wsUrl : first.url, path);
      const placed = await someAutoTxs(first, rig);
      const second = await another(first, placed.accounts);
      await expectBegunAnew(second, rig, placed);
      await rig.stop();
      await expectHistoryOf(second, path);
    },
  );

  it('between two runs, though its head has the number of the stored one', async () => {
    const path = temporaryDatabase();
    const first = await node();
    const before = await rigOn(first.url, path);
    const placed = await someAutoTxs(first, before);
    const head = Number(await first.rpc('eth_blockNumber'));
    await before.seen(head);
    await before.stop();
    const second = await another(first, placed.accounts);
    while (Number(await second.rpc('eth_blockNumber')) < head) await mineAt(second, 10);
    const rig = await rigOn(second.url, path);
    await expectBegunAnew(second, rig, placed);
  });
});

async function withoutGenesis(path: string): Promise<void> {
  const database = await openDatabase(path);
  await database.queries.deleteFrom('meta').where('key', '=', 'genesis_hash').execute();
  await database.close();
}

it('a database from before the genesis was noted is of the chain whose node still has its head', async () => {
  const path = temporaryDatabase();
  const anvil = await node();
  const before = await rigOn(anvil.url, path);
  const pending = await before.place(await sign(await fund(anvil)));
  await mineAt(anvil, 90);
  await before.seen(Number(await anvil.rpc('eth_blockNumber')));
  await before.stop();
  await withoutGenesis(path);
  const rig = await rigOn(anvil.url, path);
  await mineAt(anvil, 90);
  await rig.seen(Number(await anvil.rpc('eth_blockNumber')));
  expect((await rig.kept(pending)).state.status).toBe('PENDING');
  await rig.stop();
  const database = await openDatabase(path);
  const { hash } = Object(await anvil.rpc('eth_getBlockByNumber', ['0x0', false]));
  expect(await new BlockStore(database).genesisHash()).toBe(hash);
  await database.close();
});
