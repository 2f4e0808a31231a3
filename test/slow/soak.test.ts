/** Programs that run for long hold no more of anything: looked at twice at rest, once they are no longer young. */
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { connect, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it, onTestFinished } from 'vitest';
import { BASE_PATH, PATHS } from '../../src/contract/routes.ts';
import { shownBlock, writeRecording } from '../bench/programs.ts';
import { createKey, startServe } from '../cli/served-program.ts';
import { startAnvil } from '../helpers/anvil.ts';
import { GWEI, mineAt } from '../helpers/auto-tx-rig.ts';
import { GASTOP } from '../helpers/gastop.ts';
import { listen } from '../helpers/listen.ts';
import { startReceiver } from '../helpers/receiver.ts';
import { temporaryFolder } from '../helpers/service.ts';
import { openTerminal, type Terminal } from '../helpers/terminal.ts';
import { waitFor } from '../helpers/wait-for.ts';

/** What a program holds at one moment, told by itself. */
interface Holding {
  /** Bytes as the system counts them, and what is still in use after a collection, JavaScript and what it holds outside. */
  readonly resident: number;
  readonly live: number;
  /** What keeps its event loop alive: timers, sockets, streams; and listeners, as `process SIGINT`. */
  readonly counts: Readonly<Record<string, number>>;
  readonly listeners: Readonly<Record<string, number>>;
}

const watcher = (report: string) => `
import { renameSync, writeFileSync } from 'node:fs';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc');
let count = 0;
process.on('SIGUSR2', () => {
  const counts = {};
  for (const kind of process.getActiveResourcesInfo()) counts[kind] = (counts[kind] ?? 0) + 1;
  const listeners = {};
  for (const [name, emitter] of Object.entries({ process, stdin: process.stdin, stdout: process.stdout, stderr: process.stderr })) {
    for (const event of emitter.eventNames()) listeners[name + ' ' + String(event)] = emitter.listenerCount(event);
  }
  // All that can go: one collection alone leaves code and caches that a quiet machine has let go of before.
  collect({ type: 'major', execution: 'sync', flavor: 'last-resort' });
  // Pages go back to the system beside the program.
  setTimeout(() => {
    const { rss: resident, heapUsed, external } = process.memoryUsage();
    const text = JSON.stringify({ count: ++count, resident, live: heapUsed + external, counts, listeners });
    writeFileSync(${JSON.stringify(report)} + '.new', text);
    renameSync(${JSON.stringify(report)} + '.new', ${JSON.stringify(report)});
  }, 1_000);
});
`;

async function holdingOf(pid: number, report: string, count: number): Promise<Holding> {
  const descriptors = readdirSync(`/proc/${pid}/fd`).length;
  process.kill(pid, 'SIGUSR2');
  const told = await waitFor(
    () => {
      const read = JSON.parse(readFileSync(report, 'utf8')) as Holding & { readonly count: number };
      return read.count === count ? read : Promise.reject(new Error(`report ${read.count} of ${count}`));
    },
    { what: 'what the program holds' },
  );
  return { ...told, listeners: { ...told.listeners, descriptors } };
}

/** Nothing has grown by more than what is under way at the moment of looking, or was just thrown away. */
function expectFlat(early: Holding, late: Holding, resources: number): void {
  expect(late.live - early.live, 'bytes in use').toBeLessThan(10_000_000);
  expect(late.resident - early.resident, 'bytes resident').toBeLessThan(25_000_000);
  for (const [kind, count] of Object.entries(late.counts)) {
    expect(count, kind).toBeLessThanOrEqual((early.counts[kind] ?? 0) + resources);
  }
  for (const [whose, count] of Object.entries(late.listeners)) {
    const spare = whose === 'descriptors' ? 2 : 0;
    expect(count, whose).toBeLessThanOrEqual((early.listeners[whose] ?? 0) + spare);
  }
}

/** Tabs and what is done in each. A key that opens something is pressed until that is there, and `Esc` until it is gone. */
const ROUND = [
  { tab: '2', shows: '[2 Chart]', keys: ['t', 'p', 'v', 'h', 'h'] },
  { tab: '3', shows: '[3 Alerts', keys: [], opens: 'n', leaves: 'Ctrl-S' },
  { tab: '4', shows: '[4 Auto-tx', keys: ['n'] },
  { tab: '5', shows: '[5 Explorer]', keys: ['j'], opens: 'enter', leaves: 'confirmation' },
  { tab: '6', shows: '[6 Service]', keys: ['j', 'g'] },
  { tab: '1', shows: '[1 Live]', keys: ['?', '?', 'i', 'i'] },
] as const;

async function lookAtEverything(terminal: Terminal): Promise<void> {
  for (const { tab, shows, keys, ...step } of ROUND) {
    await terminal.press(tab);
    await terminal.waitFor(shows);
    for (const key of keys) {
      await terminal.press(key);
      await sleep(100);
    }
    if (!('opens' in step)) continue;
    await terminal.pressUntil(step.opens, step.leaves);
    await terminal.pressUntil('esc', (rows) => !rows.join('\n').includes(step.leaves));
  }
}

it('the monitor holds no more after 45 replayed hours than after 25, and its database is as docs/PERFORMANCE.md says', async () => {
  const folder = await temporaryFolder();
  const [report, db] = [join(folder, 'report.json'), join(folder, 'monitor.db')];
  // The engine's columns grow fourfold as blocks come, after 4,096 and after 16,384 of them: all looks lie between.
  const recording = await writeRecording(folder, 16_000);
  const before = ['--import', `data:text/javascript,${encodeURIComponent(watcher(report))}`];
  await using terminal = await openTerminal({
    args: [...before, GASTOP, '--replay', recording, '--speed', '480', '--db', db],
    cols: 120,
    rows: 40,
  });
  let asked = 0;
  /** What was opened is kept for two minutes, with a timer each; a monitor at rest has some twenty timers. */
  const lookAfter = async (block: number): Promise<Holding> => {
    do await lookAtEverything(terminal);
    while (shownBlock(terminal.screen()) < block);
    for (let left = 30; ; left -= 1) {
      await sleep(5_000);
      asked += 1;
      const holding = await holdingOf(terminal.pid, report, asked);
      if ((holding.counts.Timeout ?? 0) <= 40 || left === 0) return holding;
    }
  };
  const early = await lookAfter(7_500);
  const late = await lookAfter(13_500);
  expectFlat(early, late, 100);
  await terminal.press('q');
  expect((await terminal.waitForExit()).exitCode).toBe(0);

  const database = new DatabaseSync(db, { readOnly: true });
  onTestFinished(() => database.close());
  const count = (of: string) => Number(database.prepare(`select count(*) as n from ${of}`).get()?.n);
  expect(count('blocks')).toBeGreaterThanOrEqual(13_500);
  const rows = 130 * count('blocks') + 175 * count('rollups') + 100 * count('advice');
  const hashes = 2 * count('blocks where hash is not null') + count('advice where block_hash is not null');
  const share = statSync(db).size / (250_000 + rows + 67 * hashes);
  expect(share, 'of what the rows come to').toBeGreaterThan(0.75);
  expect(share).toBeLessThan(1.25);
});

/** A port that leads to another one, and goes away and comes back as a node does whose machine restarts. */
async function openRelay(target: number) {
  const open = new Set<Socket>();
  let port = 0;
  let stop = async () => {};
  const comeBack = async () => {
    const server = createServer((near) => {
      const far = connect(target, '127.0.0.1');
      for (const [one, other] of [[near, far] as const, [far, near] as const]) {
        open.add(one);
        one.on('error', () => {});
        one.once('close', () => {
          open.delete(one);
          other.destroy();
        });
        one.pipe(other);
      }
    });
    ({ port, stop } = await listen(server, port));
  };
  const goAway = async () => {
    const stopped = stop();
    for (const socket of open) socket.destroy();
    await stopped;
  };
  await comeBack();
  return { port, comeBack, goAway };
}

it('the service holds no more after its nodes were away 200 times than after 100, while an alert fires and people ask', async () => {
  const folder = await temporaryFolder();
  const node = await startAnvil({ noMining: true, baseFee: 2n * GWEI });
  onTestFinished(() => node.stop());
  const [socket, plain] = [await openRelay(node.port), await openRelay(node.port)];
  onTestFinished(() => Promise.all([socket.goAway(), plain.goAway()]).then(() => {}));
  const receiver = await startReceiver();
  const [report, config] = [join(folder, 'report.json'), join(folder, 'config.json')];
  await writeFile(config, JSON.stringify({ plans: { free: { dailyLimit: null, perSecond: null } } }));
  const nodes = [`ws://127.0.0.1:${socket.port}`, `http://127.0.0.1:${plain.port}`];
  const env = { GASTOP_RPC: nodes.join(' '), GASTOP_CONFIG: config };
  const options = { home: folder, env, before: watcher(report) };
  const { child, origin } = await startServe(['--allow-private-targets'], options);
  const headers = { 'x-api-key': await createKey({ home: folder, env }), 'content-type': 'application/json' };
  const ask = (path: string, init: RequestInit = { headers }) => fetch(`${origin}${BASE_PATH}${path}`, init);
  const shows = (head: number) =>
    waitFor(
      async () => {
        const response = await ask(PATHS.gasCurrent);
        return response.ok && ((await response.json()) as { blockNumber: number }).blockNumber >= head;
      },
      { what: `block ${head}` },
    );
  await node.mine(3);
  await shows(3);
  const alert = {
    thresholdGwei: 8,
    gasSpeed: 'AVERAGE',
    condition: 'GREATER_THAN',
    cooldownMs: 0,
    channels: ['WEBHOOK'],
    to: receiver.url,
  };
  const made = await ask(PATHS.alerts, { method: 'POST', headers, body: JSON.stringify(alert) });
  expect(made.status, await made.text()).toBe(201);

  let gone = 0;
  const lookAfter = async (outages: number): Promise<Holding> => {
    for (; gone < outages; gone += 1) {
      // The socket every time, with the other node every third: sometimes nobody is there at all.
      const away = gone % 3 === 0 ? [socket, plain] : [socket];
      await Promise.all(away.map((each) => each.goAway()));
      await sleep(150);
      await Promise.all(away.map((each) => each.comeBack()));
      await mineAt(node, gone % 2 === 0 ? 20 : 2);
      await shows(Number(await node.rpc('eth_blockNumber')));
      // People ask with a key, with a wrong one and without, for what is not there; some hang up at once.
      for (const path of [PATHS.gasCurrent, PATHS.alerts, '/nowhere']) {
        for (const each of [headers, { ...headers, connection: 'close' }, { 'x-api-key': 'gk_nobody' }, {}]) {
          await (await ask(path, { headers: each })).arrayBuffer();
        }
      }
      const hangUp = new AbortController();
      const left = ask(PATHS.gasCurrent, { headers, signal: hangUp.signal }).catch(() => {});
      hangUp.abort();
      await left;
    }
    // Sockets of requests that are over are kept open for some seconds.
    await sleep(8_000);
    return holdingOf(child.pid ?? 0, report, outages / 100);
  };
  const early = await lookAfter(100);
  const delivered = receiver.received.length;
  const late = await lookAfter(200);
  expect(receiver.received.length).toBeGreaterThan(delivered);
  expectFlat(early, late, 4);
});
