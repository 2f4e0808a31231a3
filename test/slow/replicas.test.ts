/** Three replicas, each as if on a machine of its own: killed, suspended, and left without their database. */
import { setTimeout } from 'node:timers/promises';
import { sql } from 'kysely';
import { expect, onTestFailed, onTestFinished, test } from 'vitest';
import { ErrorBody } from '../../src/contract/api-error.ts';
import { GasCurrent } from '../../src/contract/gas.ts';
import { PATHS } from '../../src/contract/routes.ts';
import { median } from '../bench/row.ts';
import { waitFor } from '../helpers/wait-for.ts';
import { chanceOf } from '../service/auto-txs/chance.ts';
import { startLaggingNode } from './lagging-node.ts';
import {
  ask,
  BLOCK_MS,
  openTeam,
  type Replica,
  ROLE,
  SENDERS,
  SETTLED,
  type Team,
  up,
} from './replica-team.ts';
import { expectAlertsTold, expectNoSurprise, expectSameAnswers, expectSentOnce } from './replica-truth.ts';

const KILLS = 50;
const NEW_LEADER_MS = 10_000;
const SUSPENDED_MS = 60_000;
const SEED = Number(process.env.GASTOP_REPLICAS_SEED ?? Date.now() % 1_000_000);

async function strike(team: Team, replica: Replica, signal: 'SIGKILL' | 'SIGSTOP'): Promise<number | null> {
  const wasLeading = (await team.leader().catch(() => null)) === replica;
  replica.isUp = false;
  const struckAt = performance.now();
  replica.program.child.kill(signal);
  if (!wasLeading) return null;
  await waitFor(async () => (await team.leader()) !== replica, { ...SETTLED, what: 'another leader' });
  return performance.now() - struckAt;
}

const secondsOf = (times: readonly number[]) =>
  `${(median(times) / 1_000).toFixed(1)} s, at most ${(Math.max(...times) / 1_000).toFixed(1)} s`;

test(`${KILLS} SIGKILLs of any of three replicas lose no alert, send nothing twice and leave the others answering`, async () => {
  onTestFailed(() => console.error(`to see it again: GASTOP_REPLICAS_SEED=${SEED}`));
  const chance = chanceOf(SEED);
  const team = await openTeam();
  const takeovers: number[] = [];
  const logs: string[] = [];
  for (let kill = 0; kill < KILLS; kill += 1) {
    await setTimeout(chance.whole(2_500));
    const replica = chance.pick(team.replicas);
    const took = await strike(team, replica, 'SIGKILL');
    if (took !== null) takeovers.push(took);
    logs.push((await replica.program.ended).stderr);
    replica.program = await team.start(replica.place);
    await up(replica, team.key);
  }
  await team.rest();
  console.info(
    `${KILLS} kills, ${takeovers.length} of the leader: another led after ${secondsOf(takeovers)}; ` +
      `${team.reads.answered} reads answered, ${team.reads.failed.length} not`,
  );
  expect(team.reads.failed).toEqual([]);
  expect(team.reads.answered).toBeGreaterThan(KILLS);
  await expectSameAnswers(team);
  await expectAlertsTold(team);
  await expectSentOnce(team);
  // The longest says more of how busy the machine is.
  expect(median(takeovers)).toBeLessThan(NEW_LEADER_MS);
  expectNoSurprise([...logs, ...team.replicas.map(({ program }) => program.stderr())]);
});

const LAG_BLOCKS = 24;
const LAG_EVERY_MS = 30_000;
const LAG_MS = 12_000;
const [RIGHT, WRONG_KEY, LAGGING] = [0, 1, 2] as const;

test(`${KILLS} SIGKILLs of any of three replicas, one with a wrong key and one with a node that lags, lose, double and disable nothing`, async () => {
  onTestFailed(() => console.error(`to see it again: GASTOP_REPLICAS_SEED=${SEED}`));
  const chance = chanceOf(SEED);
  const startedAt = performance.now();
  const isLate = () => (performance.now() - startedAt) % LAG_EVERY_MS < LAG_MS;
  // Named before it is there: the team makes the node that all of them ask.
  let node = '';
  const lagging = await startLaggingNode(
    () => node,
    () => (isLate() ? LAG_BLOCKS : 0),
  );
  onTestFinished(() => lagging.stop());
  const settings: Readonly<Record<number, Record<string, string>>> = {
    [WRONG_KEY]: { GASTOP_ENCRYPTION_KEY: Buffer.alloc(32, 8).toString('base64') },
    [LAGGING]: { GASTOP_RPC: lagging.url },
  };
  const team = await openTeam({
    settingsOf: (place, common) => {
      node = common;
      return settings[place] ?? {};
    },
  });
  const led = [0, 0, 0];
  const look = async () => {
    const leader = await team.leader().catch(() => null);
    if (leader !== null) led[leader.place] = (led[leader.place] ?? 0) + 1;
  };
  const watching = setInterval(() => void look(), 200);
  onTestFinished(() => clearInterval(watching));
  const logs: string[] = [];
  let leadersKilled = 0;
  let lateStarts = 0;
  for (let kill = 0; kill < KILLS; kill += 1) {
    await setTimeout(chance.whole(2_500));
    const replica = chance.pick(team.replicas);
    if ((await team.leader().catch(() => null)) === replica) leadersKilled += 1;
    replica.isUp = false;
    replica.program.child.kill('SIGKILL');
    logs.push((await replica.program.ended).stderr);
    replica.program = await team.start(replica.place);
    if (replica.place === LAGGING && isLate()) lateStarts += 1;
    await up(replica, team.key);
  }
  const [right, wrong] = [team.replicas[RIGHT], team.replicas[WRONG_KEY]];
  if (right === undefined || wrong === undefined) throw new Error('no replicas');
  const readiness = await fetch(`${wrong.program.origin}/readyz`);
  expect([readiness.status, await readiness.text()]).toEqual([
    503,
    expect.stringContaining('encryption key'),
  ]);
  await team.rest();
  console.info(
    `${KILLS} kills, ${leadersKilled} of the leader; the lease was seen with the right one ${led[RIGHT]} times, ` +
      `with the wrong key ${led[WRONG_KEY]}, with the lagging node ${led[LAGGING]}; ${lateStarts} starts while its node lagged; ` +
      `${team.reads.answered} reads answered, ${team.reads.failed.length} not`,
  );
  expect(led[WRONG_KEY]).toBe(0);
  expect(team.reads.failed).toEqual([]);
  await expectAlertsTold(team);
  await expectSentOnce(team);
  clearInterval(watching);
  const stories = team.database.queries.selectFrom('auto_tx_events').select('kind').distinct();
  const kinds = (await stories.execute()).map(({ kind }) => kind);
  for (const kind of ['DISABLED', 'FAILED', 'EXPIRED']) expect(kinds).not.toContain(kind);
  expect(led[WRONG_KEY]).toBe(0);
  await ready(right);
  expectNoSurprise([...logs, ...team.replicas.map(({ program }) => program.stderr())]);
});

test('PostgreSQL that is stopped under load: each answer is a reason or is of now or marked stale, and all go on by themselves', async () => {
  const team = await openTeam({ isAsked: false });
  const said = new Map<string, number>();
  const outages = [
    { how: 'SIGINT', awayMs: 0 },
    { how: 'SIGQUIT', awayMs: 9_000 },
    { how: 'SIGINT', awayMs: 45_000 },
  ] as const;
  for (const { how, awayMs } of outages) {
    for (let placed = 0; placed < SENDERS; placed += 1) await team.place();
    await setTimeout(3 * BLOCK_MS);
    await team.stopServer(how);
    const over = new AbortController();
    const asking = team.replicas.flatMap((replica) =>
      Array.from({ length: 4 }, async () => {
        while (!over.signal.aborted) {
          const words = await saidMeanwhile(team, replica);
          said.set(words, (said.get(words) ?? 0) + 1);
          // All together below the 500 requests per second of the key's plan.
          await setTimeout(30);
        }
      }),
    );
    await setTimeout(awayMs);
    await team.startServer();
    await Promise.all(team.replicas.map((replica) => ready(replica)));
    over.abort();
    await Promise.all(asking);
    await waitFor(() => team.leader(), { ...SETTLED, what: 'a leader' });
  }
  await team.rest();
  console.info([...said].map(([words, times]) => `${times} × ${words}`).join('\n'));
  await expectAlertsTold(team);
  await expectSentOnce(team);
  expectNoSurprise(team.replicas.map(({ program }) => program.stderr()));
});

const ready = (replica: Replica) =>
  waitFor(async () => (await fetch(`${replica.program.origin}/readyz`)).ok, {
    ...SETTLED,
    what: `replica ${replica.place} ready`,
  });

/** Blocks that a price may be old without being marked. */
const FRESH_BLOCKS = 45;

/** What a replica answers while its database may be away, in short: nothing but a reason or prices that are as they say. */
async function saidMeanwhile({ anvil, key }: Team, replica: Replica): Promise<string> {
  const head = Number(await anvil.rpc('eth_blockNumber'));
  const response = await ask(replica, key, PATHS.gasCurrent);
  const body: unknown = await response.json();
  if (response.ok) {
    const { stale, blockNumber } = GasCurrent.parse(body);
    if (!stale) expect(blockNumber).toBeGreaterThan(head - FRESH_BLOCKS);
    return `200${stale ? ', stale' : ''}`;
  }
  const { errorCode, message } = ErrorBody.parse(body);
  expect([response.status, errorCode, message]).toEqual([
    503,
    'upstream_unavailable',
    expect.stringMatching(/./),
  ]);
  expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(0);
  return `503 ${message.replaceAll(/\d+/g, 'N')}`;
}

test('a leader that is suspended for a minute is followed, and writes nothing by its old right when it goes on', async () => {
  onTestFailed(() => console.error(`to see it again: GASTOP_REPLICAS_SEED=${SEED}`));
  const chance = chanceOf(SEED);
  const team = await openTeam();
  const takeovers: number[] = [];
  for (const awayMs of [8_000, SUSPENDED_MS]) {
    await setTimeout(2 * BLOCK_MS + chance.whole(2 * BLOCK_MS));
    const leader = await waitFor(() => team.leader(), SETTLED);
    takeovers.push((await strike(team, leader, 'SIGSTOP')) ?? Number.POSITIVE_INFINITY);
    await setTimeout(awayMs);
    leader.program.child.kill('SIGCONT');
    await up(leader, team.key);
    await waitFor(
      async () =>
        /^gastop_lease_held 0$/m.test(await (await fetch(`${leader.program.origin}/metrics`)).text()),
      { ...SETTLED, what: 'the suspended one to stand by' },
    );
    expect(await team.leader()).not.toBe(leader);
  }
  await team.rest();
  console.info(`suspended twice: another led after ${secondsOf(takeovers)}`);
  expect(team.reads.failed).toEqual([]);
  await expectSameAnswers(team);
  await expectAlertsTold(team);
  await expectSentOnce(team);
  expectNoSurprise(team.replicas.map(({ program }) => program.stderr()));
});

const HARMED_MS = 60_000;

test('connections to PostgreSQL that are cut all the time, and replicas that are suspended meanwhile, lose and double nothing', async () => {
  onTestFailed(() => console.error(`to see it again: GASTOP_REPLICAS_SEED=${SEED}`));
  const chance = chanceOf(SEED);
  const team = await openTeam();
  const { queries } = team.database;
  const until = performance.now() + HARMED_MS;
  let cut = 0;
  const cutting = async () => {
    while (performance.now() < until) {
      await setTimeout(chance.whole(400));
      const { rows } = await CUT_FOUR.execute(queries);
      cut += rows.length;
    }
  };
  let suspended = 0;
  const suspending = async () => {
    while (performance.now() < until) {
      await setTimeout(BLOCK_MS + chance.whole(2 * BLOCK_MS));
      const replica = chance.pick(team.replicas);
      replica.isUp = false;
      replica.program.child.kill('SIGSTOP');
      await setTimeout(500 + chance.whole(14_000));
      replica.program.child.kill('SIGCONT');
      await up(replica, team.key);
      suspended += 1;
    }
  };
  await Promise.all([cutting(), suspending()]);
  await team.rest();
  console.info(
    `${cut} connections cut, ${suspended} times suspended; ${team.reads.answered} reads answered, ${team.reads.failed.length} not`,
  );
  expect(cut).toBeGreaterThan(100);
  const reasons = team.reads.failed.map(
    (problem) => /503 .*"message":"([^"]+)"/.exec(problem)?.[1] ?? problem,
  );
  for (const reason of reasons) expect(reason).toMatch(/cannot be checked at the moment|does not answer/);
  await expectSameAnswers(team);
  await expectAlertsTold(team);
  await expectSentOnce(team);
  expectNoSurprise(team.replicas.map(({ program }) => program.stderr()));
});

const CUT_FOUR = sql`select pg_terminate_backend(pid) from (
  select pid from pg_stat_activity where usename = ${ROLE} order by random() limit 4) as chosen`;
