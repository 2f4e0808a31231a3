/** The backup of docs/SCALE.md, with the tools of this machine's own PostgreSQL where it has one. */
import { execFile } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';
import { API_KEY_HEADER, BASE_PATH, PATHS } from '../../src/contract/routes.ts';
import { AutoTxStore } from '../../src/store/auto-txs.ts';
import { openDatabase } from '../../src/store/database.ts';
import { createKey, startServe } from '../cli/served-program.ts';
import { startAnvil } from '../helpers/anvil.ts';
import { fund, GWEI, keptOf, mineAt, sign } from '../helpers/auto-tx-rig.ts';
import { endServer, startServer } from '../helpers/postgres-server.ts';
import { startReceiver } from '../helpers/receiver.ts';
import { temporaryFolder } from '../helpers/service.ts';
import { waitFor } from '../helpers/wait-for.ts';

/** Where Debian and those like it have it, server and tools. */
const SYSTEM = '/usr/lib/postgresql';
const isWhole = (folder: string) =>
  ['initdb', 'pg_dump', 'pg_restore'].every((name) => existsSync(join(folder, 'bin', name)));
const native = existsSync(SYSTEM)
  ? readdirSync(SYSTEM)
      .map((version) => join(SYSTEM, version))
      .find(isWhole)
  : undefined;

test.skipIf(native === undefined)(
  'a dump that is restored beside it has keys, alerts and auto-txs as they were, and goes on with them',
  async () => {
    const server = await startServer(await temporaryFolder(), native);
    onTestFinished(() => endServer(server.pid));
    const { port } = new URL(server.url);
    const folder = await temporaryFolder();
    const tools = {
      cwd: folder,
      env: {
        PATH: `${join(native ?? '', 'bin')}:/usr/bin:/bin`,
        PGHOST: '127.0.0.1',
        PGPORT: port,
        PGUSER: 'postgres',
      },
    };
    const sh = (commands: string) => promisify(execFile)('sh', ['-ec', commands], tools);
    await sh('createdb gastop');
    const anvil = await startAnvil({ noMining: true, baseFee: 90n * GWEI });
    onTestFinished(() => anvil.stop());
    await mineAt(anvil, 90);
    const receiver = await startReceiver();
    const key = Buffer.alloc(32, 7);
    const home = await temporaryFolder();
    const serve = async (database: string) => {
      const env = {
        GASTOP_RPC: anvil.url,
        GASTOP_DATABASE_URL: `${server.url}/${database}`,
        GASTOP_ENCRYPTION_KEY: key.toString('base64'),
      };
      return { ...(await startServe(['--allow-private-targets'], { home, env })), env };
    };
    const first = await serve('gastop');
    const apiKey = await createKey({ home, env: first.env });
    const read = async (origin: string, path: string, body?: object) => {
      const headers = { [API_KEY_HEADER]: apiKey, 'Content-Type': 'application/json' };
      const init = body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) };
      return (await fetch(origin + BASE_PATH + path, { headers, ...init })).text();
    };
    const alert = {
      thresholdGwei: 20,
      gasSpeed: 'FAST',
      condition: 'LESS_THAN',
      channels: ['WEBHOOK'],
      to: receiver.url,
    };
    await read(first.origin, PATHS.alerts, alert);
    const database = await openDatabase(first.env.GASTOP_DATABASE_URL, key);
    const signed = await sign(await fund(anvil));
    const owner = apiKey.split('_')[1] ?? '';
    const autoTx = { ...keptOf(signed, { target: 20n * GWEI }), owner };
    await new AutoTxStore(database).create(autoTx, Buffer.from(signed.slice(2), 'hex'), 10);
    await database.close();
    /** What is there and how it stands, without what follows from the price of now. */
    const kept = async (origin: string) => {
      const lists = await Promise.all([PATHS.alerts, PATHS.autoTxs].map((path) => read(origin, path)));
      return lists.map((text) => text.match(/"(?:id|status|note|createdAt)":("[^"]*"|null)/g));
    };
    const before = await kept(first.origin);
    expect(JSON.stringify(before)).toContain(autoTx.id);

    const commands =
      /## Backup and restore\n+```sh\n([\s\S]+?)```/.exec(readFileSync('docs/SCALE.md', 'utf8'))?.[1] ?? '';
    await sh(commands);
    expect(readFileSync(join(folder, 'gastop.dump')).includes(signed.slice(2))).toBe(false);
    first.child.kill('SIGTERM');
    await first.ended;
    const restored = await serve('gastop-restored');
    await waitFor(async () => {
      await mineAt(anvil, 90);
      const response = await fetch(`${restored.origin}/readyz`);
      return response.ok || Promise.reject(new Error(await response.text()));
    });
    expect(await kept(restored.origin)).toEqual(before);
    await mineAt(anvil, 5);
    await waitFor(() => receiver.received.length === 1, { what: 'the webhook' });
    await waitFor(async () => (await anvil.rpc('eth_getTransactionByHash', [autoTx.signed?.hash])) !== null, {
      what: 'the transaction',
    });
  },
);
