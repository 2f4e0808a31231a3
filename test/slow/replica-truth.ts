/** What must be true once nobody harms the replicas any more. */
import { setTimeout } from 'node:timers/promises';
import { expect } from 'vitest';
import { ADDED_ROUTES, PATHS, V1_ROUTES } from '../../src/contract/routes.ts';
import { AutoTxStore } from '../../src/store/auto-txs.ts';
import { mineAt } from '../helpers/auto-tx-rig.ts';
import { waitFor } from '../helpers/wait-for.ts';
import { ALERTS, ask, BLOCK_MS, CHEAP, SETTLED, type Team, THRESHOLD } from './replica-team.ts';

/** Each fall below the threshold was told once, or counted as missed while no process led; all of it arrived. */
export async function expectAlertsTold({ database, receiver }: Team): Promise<void> {
  const { queries } = database;
  await waitFor(
    async () => {
      const open = await queries
        .selectFrom('deliveries')
        .select(['id', 'tries', 'next_attempt_at'])
        .where('status', '<>', 'DELIVERED')
        .execute();
      if (open.length === 0) return true;
      throw new Error(JSON.stringify(open.slice(0, 3)));
    },
    { ...SETTLED, what: 'every delivery' },
  );
  const blocks = await waitFor(
    async () => {
      const found = await queries
        .selectFrom('blocks')
        .select(['number', 'next_base_fee'])
        .orderBy('number')
        .execute();
      const from = found[0]?.number ?? 0;
      if (found.some(({ number }, at) => number !== from + at)) throw new Error(`${found.length} blocks`);
      return found;
    },
    { ...SETTLED, what: 'a history without a gap' },
  );
  // An alert goes by what the next block will cost, as the node said: it may mine one cheap block that it announced as dear.
  const isCheap = (at: number) => Number(blocks[at]?.next_base_fee ?? Number.NaN) < THRESHOLD * 1e9;
  const events = await queries.selectFrom('alert_events').selectAll().execute();
  const alerts = await queries.selectFrom('alerts').selectAll().execute();
  expect(alerts).toHaveLength(ALERTS);
  const first = blocks[0]?.number ?? 0;
  let falls = 0;
  for (const alert of alerts) {
    const own = events.filter(({ alert_id }) => alert_id === alert.id);
    let untold = 0;
    falls = 0;
    for (let at = 1; at < blocks.length; at += 1) {
      if (!isCheap(at) || isCheap(at - 1)) continue;
      falls += 1;
      let end = at;
      while (isCheap(end + 1)) end += 1;
      const told = own.filter(
        ({ block_number }) => block_number >= first + at && block_number <= first + end,
      );
      expect(told.length, `told of the fall at ${first + at}: ${JSON.stringify(told)}`).toBeLessThanOrEqual(
        1,
      );
      if (told.length === 0) untold += 1;
    }
    expect(alert.trigger_count).toBe(own.length);
    expect(alert.missed_count, `${untold} of ${falls} falls untold`).toBeGreaterThanOrEqual(untold);
    expect(own.length + untold).toBe(falls);
  }
  // What arrived: each firing, under one id, however often.
  const arrived = Map.groupBy(receiver.received, ({ body }) => {
    const { alertId, blockNumber } = JSON.parse(body) as { alertId: string; blockNumber: number };
    return `${alertId} at ${blockNumber}`;
  });
  for (const event of events) {
    const ids = arrived
      .get(`${event.alert_id} at ${event.block_number}`)
      ?.map(({ headers }) => headers['idempotency-key']);
    expect([...new Set(ids)]).toEqual([`${event.id}.webhook`]);
  }
  expect(arrived.size).toBe(events.length);
  const missed = alerts.reduce((sum, { missed_count }) => sum + missed_count, 0);
  console.info(
    `${falls} falls, ${events.length} firings of ${ALERTS} alerts, ${missed} missed, ${receiver.received.length} webhooks`,
  );
}

export async function expectSentOnce({ anvil, database, autoTxs, leavings, proxy }: Team): Promise<void> {
  const store = new AutoTxStore(database);
  await waitFor(
    async () => {
      await mineAt(anvil, CHEAP);
      await setTimeout(BLOCK_MS);
      const states = await Promise.all(autoTxs.map(async ({ id }) => (await store.find('', id))?.state));
      const open = states.filter((state) => state?.status !== 'EXECUTED');
      if (open.length === 0) return true;
      throw new Error(`${open.length} of ${autoTxs.length}: ${JSON.stringify(open[0]?.status)}`);
    },
    { ...SETTLED, what: 'every auto-tx' },
  );
  let again = 0;
  for (const { id, hash } of autoTxs) {
    const timeline = [...(await store.timeline(id))].reverse();
    const story = timeline.map(({ kind }) => kind).join(' ');
    const decisions = timeline.filter(({ kind }) => kind === 'SUBMITTED');
    const left = leavings.filter((leaving) => leaving.hash === hash);
    expect(story).not.toMatch(/SUBMITTED (?:SENT |SEEN )*SUBMITTED/);
    // The decision that each leaving rests on.
    const by = left.map(({ at }) => decisions.filter((decision) => decision.at <= at).length);
    expect(new Set(by).size, `${hash}: ${story}`).toBe(1);
    expect(by[0], 'decided before it left').toBeGreaterThan(0);
    again += left.length - 1;
    expect(await anvil.rpc('eth_getTransactionReceipt', [hash])).toMatchObject({ status: '0x1' });
  }
  console.info(
    `${autoTxs.length} auto-txs executed, ${proxy.left.length} broadcasts, ${again} of them again`,
  );
}

export function expectNoSurprise(logs: readonly string[]): void {
  const surprises = logs.join('').split('\n');
  expect(
    surprises.filter((line) => /"level":"fatal"|TypeError|RangeError|ReferenceError/.test(line)),
  ).toEqual([]);
}

async function pathsOf({ anvil, database, replicas: [replica], key, autoTxs }: Team): Promise<string[]> {
  const head = Number(await anvil.rpc('eth_blockNumber'));
  const rows = await database.queries
    .selectFrom('blocks')
    .select('timestamp')
    .where('number', 'in', [head - 20, head - 2])
    .orderBy('number')
    .execute();
  const [from = '', to = ''] = rows.map(({ timestamp }) => new Date(timestamp * 1_000).toISOString());
  const window = `?${new URLSearchParams({ from, to })}`;
  const alerts = (await (replica && ask(replica, key, PATHS.alerts)))?.json() as Promise<{
    alerts?: { id: string }[];
  }>;
  const text = JSON.stringify(await alerts);
  const id = /"id":"([^"]+)"/.exec(text)?.[1] ?? '';
  const known: Readonly<Record<string, string>> = {
    [PATHS.alert]: `/alerts/${id}`,
    [PATHS.alertSavings]: `/alerts/${id}/savings`,
    [PATHS.autoTx]: `/auto-txs/${autoTxs[0]?.id}`,
    [PATHS.autoTxAccount]: `/auto-txs/accounts/0x${'a'.repeat(40)}`,
    [PATHS.block]: `/metrics/block/${head - 3}`,
    [PATHS.tx]: `/metrics/tx/${autoTxs[0]?.hash}`,
    [PATHS.txs]: PATHS.txs + window,
    [PATHS.baseFee]: PATHS.baseFee + window,
    [PATHS.priorityFee]: PATHS.priorityFee + window,
    [PATHS.gasUsedRatio]: PATHS.gasUsedRatio + window,
  };
  // What the key has left changes with each request, and a stream does not end.
  return [...V1_ROUTES, ...ADDED_ROUTES]
    .filter(({ method, path }) => method === 'get' && path !== PATHS.rateLimits && path !== PATHS.gasStream)
    .map(({ path }) => known[path] ?? path);
}

/** All replicas say the same of the same block, byte for byte and with the same tag. */
export async function expectSameAnswers(team: Team): Promise<void> {
  const paths = await pathsOf(team);
  for (const path of paths) {
    await waitFor(
      async () => {
        const answers = await Promise.all(
          team.replicas.map(async (replica) => {
            const response = await ask(replica, team.key, path);
            const text = await response.text();
            // How a process and its nodes are is its own.
            if (path === PATHS.summary) return JSON.stringify({ ...JSON.parse(text), health: null });
            return `${response.status} ${response.headers.get('etag')} ${text}`;
          }),
        );
        if (new Set(answers).size > 1) throw new Error(`${path}: ${answers.join('\n')}`);
        return true;
      },
      { what: `the same answers to ${path}` },
    );
  }
  console.info(`${paths.length} routes answered alike`);
}
