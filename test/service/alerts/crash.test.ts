import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import { setTimeout } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { ARMED, type StoredAlert, stepAlert } from '../../../src/core/alerts/alert-rule.ts';
import { BlockStore } from '../../../src/store/blocks.ts';
import type { Database } from '../../../src/store/database.ts';
import { afterKills, emptyDatabase, expectWhole, killsOn } from '../../helpers/databases.ts';
import { listen } from '../../helpers/listen.ts';
import { openDatabase } from '../../helpers/open-database.ts';
import { isSlowRun } from '../../helpers/rounds.ts';
import { inTime, PATIENCE_MS } from '../../helpers/wait-for.ts';
import { insertAlerts, readAlerts } from '../../store/alerts/stored-alerts.ts';
import { buildProgram } from '../../tui/build-program.ts';
import { blockOf, pricesOf, storyAlerts, thresholdOf } from './crash-story.ts';

const PROGRAM = await buildProgram('service/alerts/follow-until-killed.ts');
const KILLS = isSlowRun ? 200 : 1;
/** Started ahead of their time, for that takes longest; each opens the file when it is told to. */
const AHEAD = isSlowRun ? 2 : 0;

/** It goes on until a kill came between an answer and its being taken down, but for so many times the kills at most. */
const MOST_TIMES = 10;

function prepareProcess(path: string) {
  const child = spawn(process.execPath, ['--no-warnings', PROGRAM, path], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const exit = once(child, 'exit');
  onTestFinished(() => {
    child.kill('SIGKILL');
  });
  const tell = (word: string) => child.stdin.write(`${word}\n`);
  return {
    async follow(blocks: number) {
      const { promise, resolve } = Promise.withResolvers<void>();
      let taken = 0;
      child.stdout.on('data', (dots: Buffer) => {
        taken += dots.length;
        if (taken >= blocks) resolve();
      });
      tell('start');
      const ended = exit.then(([code]) =>
        Promise.reject(new Error(`it ended with ${code} before it was killed`)),
      );
      await inTime(Promise.race([promise, ended]), `${blocks} blocks`, PATIENCE_MS, () => `: ${taken} did`);
    },
    async kill() {
      child.kill('SIGKILL');
      await inTime(exit, 'the end after SIGKILL');
    },
    async finish() {
      tell('finish');
      const [code] = await inTime(exit, 'the end once all is stored and delivered');
      return code;
    },
  };
}

/** A receiver that answers a little late, so that kills come in between. */
async function startReceiver() {
  const received = new Map<string, string[]>();
  const server = createServer(async (request, response) => {
    const body = await text(request).catch(() => null);
    if (body === null) return;
    const key = String(request.headers['idempotency-key']);
    received.set(key, [...(received.get(key) ?? []), body]);
    await setTimeout(received.size % 4);
    response.writeHead(204).end();
  });
  const { origin, stop } = await listen(server);
  onTestFinished(stop);
  return { received, url: `${origin}/` };
}

interface Fired {
  readonly id: string;
  readonly blockNumber: number;
}

const rollupsOf = ({ queries }: Database) =>
  queries.selectFrom('rollups').selectAll().orderBy('bucket_sec').orderBy('start').execute();

/** What the rule alone, by an evaluation of its own, has fire up to `head`, and where that leaves each alert. */
function expected(alerts: readonly StoredAlert[], head: number) {
  const events: Fired[] = [];
  const ends = alerts.map(({ id, rule }) => {
    let phase = ARMED;
    let triggerCount = 0;
    for (let number = 1; number <= head; number += 1) {
      const { timestamp } = blockOf(number);
      const threshold = thresholdOf(rule, number);
      if (threshold === null) {
        // What was confirmed so far is void; a cooldown goes on.
        if (phase.kind === 'armed') phase = ARMED;
        continue;
      }
      const price = rule.lane === 'blob' ? 0n : pricesOf(number)[rule.lane];
      const known = { ...rule, threshold, relative: null };
      const step = stepAlert(known, phase, { number, timestamp, price });
      phase = step.phase;
      if (step.fires) triggerCount += 1;
      if (step.fires) events.push({ id: `${id}.${triggerCount}`, blockNumber: number });
    }
    return { id, phase, triggerCount };
  });
  return { events, ends };
}

test.each(killsOn(KILLS))(
  'killed $kills times while blocks arrive and alerts fire, it loses none, and fires none twice, on $engine',
  async ({ engine, kills }) => {
    const path = await emptyDatabase(engine, 'shared');
    const { received, url } = await startReceiver();
    const alerts = storyAlerts(url);
    const made = await openDatabase(path);
    const store = new BlockStore(made);
    await store.claimChain({ id: 1 });
    await store.saveBlocks([blockOf(0)]);
    await insertAlerts(made, ...alerts);
    await made.close();

    const prepared = Array.from({ length: AHEAD }, () => prepareProcess(path));
    // Of hundreds of kills some come between an answer and its being taken down; which ones is the machine's choice.
    const isEnough = () => kills < 100 || [...received.values()].some((bodies) => bodies.length > 1);
    for (let round = 0; round < kills || !isEnough(); round += 1) {
      if (round > MOST_TIMES * kills) throw new Error(`after ${round} kills nothing has come twice`);
      prepared.push(prepareProcess(path));
      const running = prepared.shift();
      // Any moment is good; these are spread, and the same in each run as far as a machine can repeat itself.
      await running?.follow(1 + (((round + 1) * 37) % 13));
      await setTimeout(round % 7);
      await running?.kill();
      if (round % Math.ceil(kills / 10) === 0) {
        // No other process has the file open: opening it has to make it whole again.
        await afterKills(path);
        const inspected = await openDatabase(path);
        await expectWhole(inspected);
        await inspected.close();
      }
    }
    const last = prepareProcess(path);
    await last.follow(isSlowRun ? 1 : 80);
    expect(await last.finish()).toBe(0);

    const database = await openDatabase(path);
    const head = (await new BlockStore(database).head())?.number ?? 0;
    expect(await new BlockStore(database).missingRanges({ from: 0, to: head })).toEqual([]);
    const fresh = await openDatabase(':memory:');
    await new BlockStore(fresh).saveBlocks(Array.from({ length: head + 1 }, (_, number) => blockOf(number)));
    const [rollups, expectedRollups] = await Promise.all([database, fresh].map(rollupsOf));
    expect(rollups).toEqual(expectedRollups);
    await fresh.close();
    const { events, ends } = expected(alerts, head);
    const stored = await database.queries
      .selectFrom('alert_events')
      .select(['id', 'block_number as blockNumber'])
      .execute();
    const byId = (a: Fired, b: Fired) => (a.id < b.id ? -1 : 1);
    expect(stored.toSorted(byId)).toEqual(events.toSorted(byId));
    const kept = await readAlerts(database);
    expect(kept.map(({ id, phase, triggerCount }) => ({ id, phase, triggerCount }))).toEqual(ends);
    expect(kept.every(({ triggerCount }) => triggerCount > 0)).toBe(true);

    expect([...received.keys()].sort()).toEqual(events.map(({ id }) => `${id}.webhook`).sort());
    for (const [key, bodies] of received) {
      expect(new Set(bodies).size).toBe(1);
      const { id, blockNumber } = events.find((event) => `${event.id}.webhook` === key) ?? {};
      expect(JSON.parse(bodies[0] ?? '')).toMatchObject({ eventId: id, blockNumber });
    }
    const open = await database.queries
      .selectFrom('deliveries')
      .where('status', '<>', 'DELIVERED')
      .select('id')
      .execute();
    expect(open).toEqual([]);
    await database.close();
  },
);
