/** Three replicas of the built program on one PostgreSQL, with one node and one receiver of webhooks. */
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { sql } from 'kysely';
import { expect, onTestFinished } from 'vitest';
import { GasCurrent } from '../../src/contract/gas.ts';
import { API_KEY_HEADER, BASE_PATH, PATHS } from '../../src/contract/routes.ts';
import type { Hex } from '../../src/core/block.ts';
import { AutoTxStore } from '../../src/store/auto-txs.ts';
import { type Database, openDatabase } from '../../src/store/database.ts';
import { EncryptionKey } from '../../src/store/encryption-key.ts';
import { LeaseStore } from '../../src/store/lease.ts';
import { runMain } from '../cli/captured-io.ts';
import { type ServeProgram, startServe } from '../cli/served-program.ts';
import { type Anvil, startAnvil } from '../helpers/anvil.ts';
import { fund, GWEI, keptOf, mineAt, sign } from '../helpers/auto-tx-rig.ts';
import { endServer, startServer } from '../helpers/postgres-server.ts';
import { type Receiver, startReceiver } from '../helpers/receiver.ts';
import { temporaryFolder } from '../helpers/service.ts';
import { waitFor } from '../helpers/wait-for.ts';
import { startRecordingProxy } from '../service/auto-txs/recording-proxy.ts';

export const REPLICAS = 3;
/** Base fees in gwei: below the threshold for two blocks, then above it for two. */
export const CHEAP = 5;
export const DEAR = 90;
export const THRESHOLD = 20;
export const BLOCK_MS = 1_000;
export const ALERTS = 12;
export const SENDERS = 6;
const READ_EVERY_MS = 150;
/** What a killed process had taken is sent by another after a minute; some of it may be taken by a killed one again. */
export const SETTLED = { timeoutMs: 600_000 };
/** The replicas' own in PostgreSQL: so their connections are told from those of the test. */
export const ROLE = 'replica';
export const ENCRYPTION_KEY = Buffer.alloc(32, 7);

/** Each has a lease of another machine: that its process has ended is not seen, and the lease has to lapse. */
export const onMachine = (name: string) =>
  `import os from 'node:os'; import { syncBuiltinESMExports } from 'node:module';
   os.hostname = () => '${name}'; syncBuiltinESMExports();`;

export interface Replica {
  readonly place: number;
  program: ServeProgram;
  isUp: boolean;
}

export type Team = Awaited<ReturnType<typeof openTeam>>;
type AutoTx = { readonly id: string; readonly hash: Hex };
type Reads = { answered: number; readonly failed: string[] };

export async function openServer(folder?: string) {
  const server = { ...(await startServer(folder ?? (await temporaryFolder()))) };
  onTestFinished(() => endServer(server.pid));
  return { server, target: `${server.url}/postgres` };
}

interface TeamOptions {
  /** Whether all are asked and given auto-txs without a pause. */
  readonly isAsked?: boolean;
  /** Settings that one replica has otherwise than the others, by its place. `node`: the URL of their node. */
  readonly settingsOf?: (place: number, node: string) => Readonly<Record<string, string>>;
}

export async function openTeam({ isAsked = true, settingsOf = () => ({}) }: TeamOptions = {}) {
  const home = await temporaryFolder();
  const { server, target } = await openServer();
  const anvil = await startAnvil({ noMining: true, baseFee: BigInt(DEAR) * GWEI });
  onTestFinished(() => anvil.stop());
  await mineAt(anvil, DEAR);
  /** When each transaction left a replica. */
  const leavings: { readonly hash: Hex; readonly at: number }[] = [];
  const proxy = await startRecordingProxy(anvil, {
    passageOf: (hash) => {
      leavings.push({ hash, at: Date.now() });
      return { thereMs: 0, backMs: 20 };
    },
    onAnswered: () => {},
  });
  onTestFinished(() => proxy.stop());
  // Some attempts are under way whenever a replica is killed.
  const receiver = await startReceiver((response) => void setTimeout(150).then(() => response.end('ok')));
  const env = {
    GASTOP_RPC: proxy.url,
    GASTOP_DATABASE_URL: target.replace('//postgres@', `//${ROLE}@`),
    GASTOP_ENCRYPTION_KEY: ENCRYPTION_KEY.toString('base64'),
  };
  const start = (place: number) =>
    startServe(['--allow-private-targets', '--confirmations', '2'], {
      home: join(home, String(place)),
      env: { ...env, ...settingsOf(place, proxy.url) },
      before: onMachine(`replica-${place}`),
    });
  const database = await openDatabase(target, ENCRYPTION_KEY);
  onTestFinished(() => database.close());
  await sql`create role ${sql.ref(ROLE)} superuser login`.execute(database.queries);
  // The first key that comes is that of the database.
  expect(await new EncryptionKey(database).problem()).toBeNull();
  const programs = await Promise.all(Array.from({ length: REPLICAS }, (_, place) => start(place)));
  const replicas = programs.map((program, place): Replica => ({ place, program, isUp: false }));
  const key = await createProKey(home, env);
  await Promise.all(replicas.map((replica) => up(replica, key)));
  for (let made = 0; made < ALERTS; made += 1) await createAlert(replicas, key, receiver, made);

  const stop = new AbortController();
  onTestFinished(() => stop.abort());
  const reads: Reads = { answered: 0, failed: [] };
  const autoTxs: AutoTx[] = [];
  const place = await autoTxPlacer(anvil, database, autoTxs);
  const { signal } = stop;
  const running = [everyBlock(signal, (block) => mineAt(anvil, block % 4 < 2 ? CHEAP : DEAR))];
  if (isAsked) {
    running.push(everyBlock(signal, (block) => (block % 2 === 0 ? place() : undefined)));
    running.push(...replicas.map((replica) => readOn(replica, key, reads, signal)));
  }
  const leases = new LeaseStore(database);
  return {
    anvil,
    proxy,
    receiver,
    database,
    replicas,
    key,
    autoTxs,
    leavings,
    reads,
    start,
    place,
    leader: async () => {
      const held = await leases.read();
      // One whose heartbeats have ended leads no more, though nobody has followed it yet.
      const leads = (replica: Replica) =>
        held?.process === `gastop serve, process ${replica.program.child.pid}`;
      const leader = replicas.find(leads);
      if (leader === undefined) throw new Error(`led by ${held?.process}`);
      return leader;
    },
    stopServer: (how: 'SIGINT' | 'SIGQUIT') => endServer(server.pid, how),
    startServer: async () => {
      server.pid = await server.startAgain();
    },
    /** Mines no more, ends what the test does, and resolves when every replica has the last block. */
    rest: async () => {
      stop.abort();
      await Promise.all(running);
      // What fell stays up: no alert is in the middle of anything.
      for (let block = 0; block < 4; block += 1) await mineAt(anvil, DEAR);
      const head = Number(await anvil.rpc('eth_blockNumber'));
      for (const replica of replicas) {
        await waitFor(async () => (await current(replica, key)).blockNumber === head, {
          ...SETTLED,
          what: `block ${head} at replica ${replica.place}`,
        });
      }
    },
  };
}

async function createProKey(home: string, env: Readonly<Record<string, string>>): Promise<string> {
  const { stdout, exitCode, stderr } = await runMain(['keys', 'create', '--plan', 'pro'], { home, env });
  expect(exitCode, stderr).toBe(0);
  return stdout.trim();
}

export const ask = ({ program }: Replica, key: string, path: string, init: RequestInit = {}) =>
  fetch(`${program.origin}${BASE_PATH}${path}`, {
    ...init,
    headers: { [API_KEY_HEADER]: key, 'Content-Type': 'application/json' },
  });

export async function current(replica: Replica, key: string): Promise<GasCurrent> {
  const response = await ask(replica, key, PATHS.gasCurrent);
  if (!response.ok) throw new Error(`${response.status} ${await response.text()}`);
  return GasCurrent.parse(await response.json());
}

export async function up(replica: Replica, key: string): Promise<void> {
  await waitFor(() => current(replica, key), { ...SETTLED, what: `replica ${replica.place}` });
  replica.isUp = true;
}

async function createAlert(replicas: readonly Replica[], key: string, receiver: Receiver, place: number) {
  const replica = replicas[place % replicas.length];
  if (replica === undefined) throw new Error('no replica');
  const body = {
    thresholdGwei: THRESHOLD + place,
    gasSpeed: 'FAST',
    condition: 'LESS_THAN',
    channels: ['WEBHOOK'],
    to: receiver.url,
    cooldownMs: 0,
  };
  const response = await ask(replica, key, PATHS.alerts, { method: 'POST', body: JSON.stringify(body) });
  expect(response.status, await response.text()).toBe(201);
}

async function everyBlock(
  signal: AbortSignal,
  work: (round: number) => Promise<void> | undefined,
): Promise<void> {
  for (let round = 0; !signal.aborted; round += 1) {
    await work(round);
    await setTimeout(BLOCK_MS, undefined, { signal }).catch(() => {});
  }
}

/** Asks a replica for prices as long as it is up, and notes each time that it does not answer. */
async function readOn(replica: Replica, key: string, reads: Reads, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    const { program } = replica;
    if (replica.isUp) {
      const problem = await current(replica, key).then(
        () => null,
        (error: unknown) => String(error),
      );
      if (problem === null) reads.answered += 1;
      else if (replica.isUp && replica.program === program) reads.failed.push(problem);
    }
    await setTimeout(READ_EVERY_MS, undefined, { signal }).catch(() => {});
  }
}

async function autoTxPlacer(
  anvil: Anvil,
  database: Database,
  autoTxs: AutoTx[],
): Promise<() => Promise<void>> {
  const store = new AutoTxStore(database);
  const senders = await Promise.all(Array.from({ length: SENDERS }, () => fund(anvil, 1_000n)));
  return async () => {
    const account = senders[autoTxs.length % SENDERS];
    if (account === undefined) throw new Error('no sender');
    const signed = await sign(account, { nonce: Math.floor(autoTxs.length / SENDERS) });
    const autoTx = keptOf(signed, { target: BigInt(THRESHOLD) * GWEI });
    const created = await store.create(autoTx, Buffer.from(signed.slice(2), 'hex'), 100_000);
    expect(created.kind).toBe('created');
    autoTxs.push({ id: autoTx.id, hash: autoTx.signed?.hash ?? '0x' });
  };
}
