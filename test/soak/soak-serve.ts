import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { BASE_PATH, PATHS } from '../../src/contract/routes.ts';
import { type Anvil, startAnvil } from '../helpers/anvil.ts';
import { GASTOP } from '../helpers/gastop.ts';
import { openReceiver } from '../helpers/receiver.ts';
import { waitFor } from '../helpers/wait-for.ts';
import { type DatabaseSize, databaseSize } from './database-size.ts';
import { openRelay } from './passing-relay.ts';
import { type Holding, openWatch } from './watched-program.ts';

const GWEI = 1_000_000_000n;
/** On both sides of what the alert waits for. */
const PRICES = [2n * GWEI, 20n * GWEI] as const;
const ALERT = {
  thresholdGwei: 8,
  gasSpeed: 'AVERAGE',
  condition: 'GREATER_THAN',
  cooldownMs: 0,
  channels: ['WEBHOOK'],
  note: 'soak',
};
const AWAY_MS = 150;
const LOOK_AGAIN_MS = 100;

export interface ServeCheckpoint {
  /** How often the nodes have been away. */
  readonly outages: number;
  /** How many webhooks have come. */
  readonly delivered: number;
  readonly holding: Holding;
  readonly size: DatabaseSize;
}

/**
 * Has the built service follow a real node through a WebSocket and over HTTP, both of which go away and come back again
 * and again, while an alert fires and people ask with a key, without one and with a wrong one, and looks at what it holds
 * after so many outages.
 * @param settleMs before each look: sockets of requests that are over are kept open for some seconds.
 */
export async function soakServe(
  folder: string,
  { outages, settleMs }: { readonly outages: readonly number[]; readonly settleMs: number },
  tell: (checkpoint: ServeCheckpoint) => void = () => {},
): Promise<ServeCheckpoint[]> {
  const node = await startAnvil({ noMining: true, baseFee: PRICES[0] });
  const [socket, plain] = [await openRelay(node.port), await openRelay(node.port)];
  const receiver = await openReceiver();
  const db = join(folder, 'serve.db');
  const config = join(folder, 'config.json');
  await writeFile(config, JSON.stringify({ plans: { soak: { dailyLimit: null, perSecond: null } } }));
  const common = ['--keys', join(folder, 'keys.db'), '--config', config];
  const watch = await openWatch(folder, 'serve');
  const env = { PATH: process.env.PATH ?? '', HOME: folder, XDG_DATA_HOME: folder };
  const key = await printed([GASTOP, 'keys', 'create', ...common, '--plan', 'soak'], env);
  const nodes = ['--rpc', `ws://127.0.0.1:${socket.port}`, '--rpc', `http://127.0.0.1:${plain.port}`];
  const program = spawn(
    process.execPath,
    [
      ...watch.nodeArgs,
      GASTOP,
      'serve',
      '--port',
      '0',
      '--db',
      db,
      ...common,
      ...nodes,
      '--allow-private-targets',
    ],
    { env, stdio: ['ignore', 'pipe', 'pipe'] },
  );
  try {
    const origin = await listening(program);
    const ask = (path: string, init: RequestInit = {}) => fetch(`${origin}${BASE_PATH}${path}`, init);
    const withKey = { 'x-api-key': key, 'content-type': 'application/json' };
    const shown = async () => {
      await sleep(LOOK_AGAIN_MS);
      const response = await ask(PATHS.gasCurrent, { headers: withKey });
      return response.ok ? ((await response.json()) as { blockNumber: number }).blockNumber : -1;
    };
    await node.mine(3);
    await waitFor(async () => (await shown()) >= 3, { what: 'the first prices' });
    const body = JSON.stringify({ ...ALERT, to: receiver.url });
    const made = await ask(PATHS.alerts, { method: 'POST', headers: withKey, body });
    if (made.status !== 201) throw new Error(`the alert was not made: ${await made.text()}`);

    const checkpoints: ServeCheckpoint[] = [];
    let gone = 0;
    for (const until of outages) {
      for (; gone < until; gone += 1) {
        // The socket every time, with the other node every third: sometimes nobody is there at all.
        const away = gone % 3 === 0 ? [socket, plain] : [socket];
        await Promise.all(away.map((each) => each.goAway()));
        await sleep(AWAY_MS);
        await Promise.all(away.map((each) => each.comeBack()));
        await mineAt(node, PRICES[gone % 2 === 0 ? 1 : 0] ?? 0n);
        const head = Number(await node.rpc('eth_blockNumber'));
        await waitFor(async () => (await shown()) >= head, { what: `block ${head}` });
        await trickle(ask, withKey);
      }
      await sleep(settleMs);
      const pid = program.pid ?? 0;
      const delivered = receiver.received.length;
      const checkpoint = { outages: gone, delivered, holding: await watch.ask(pid), size: databaseSize(db) };
      checkpoints.push(checkpoint);
      tell(checkpoint);
    }
    return checkpoints;
  } finally {
    const ended = once(program, 'exit');
    program.kill('SIGTERM');
    await ended;
    await Promise.all([socket.goAway(), plain.goAway(), receiver.stop(), node.stop()]);
  }
}

async function mineAt(node: Anvil, baseFee: bigint): Promise<void> {
  await node.setNextBaseFee(baseFee);
  await node.mine(1);
}

/** What people ask in a while: with a key, without, with a wrong one, for what is not there; some hang up at once. */
async function trickle(
  ask: (path: string, init?: RequestInit) => Promise<Response>,
  headers: Readonly<Record<string, string>>,
): Promise<void> {
  const wrong = { 'x-api-key': 'gk_nobody' };
  const close = { ...headers, connection: 'close' };
  for (const path of [PATHS.gasCurrent, PATHS.alerts, '/nowhere']) {
    for (const each of [headers, close, wrong, {}]) await (await ask(path, { headers: each })).arrayBuffer();
  }
  const hangUp = new AbortController();
  const left = ask(PATHS.gasCurrent, { headers, signal: hangUp.signal }).catch(() => {});
  hangUp.abort();
  await left;
}

async function listening(program: ChildProcess): Promise<string> {
  let text = '';
  let trouble = '';
  program.stdout?.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk;
  });
  program.stderr?.setEncoding('utf8').on('data', (chunk: string) => {
    trouble = (trouble + chunk).slice(-10_000);
  });
  const port = await waitFor(
    () => {
      if (program.exitCode !== null) throw new Error(trouble);
      return Number(/^gastop serves .*:(\d+)\/be\/api\/v1$/m.exec(text)?.[1] ?? 0);
    },
    { what: 'the line that says where it listens' },
  );
  return `http://127.0.0.1:${port}`;
}

async function printed(args: readonly string[], env: Readonly<Record<string, string>>): Promise<string> {
  const program = spawn(process.execPath, args, { env, stdio: ['ignore', 'pipe', 'ignore'] });
  const parts: Buffer[] = [];
  program.stdout.on('data', (part: Buffer) => parts.push(part));
  await once(program, 'close');
  return Buffer.concat(parts).toString('utf8').trim();
}
