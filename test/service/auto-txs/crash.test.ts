import { setTimeout } from 'node:timers/promises';
import { expect, onTestFailed, onTestFinished, test } from 'vitest';
import { startAnvil } from '../../helpers/anvil.ts';
import { GWEI } from '../../helpers/auto-tx-rig.ts';
import { afterKills, emptyDatabase, killsOn } from '../../helpers/databases.ts';
import { openDatabase } from '../../helpers/open-database.ts';
import { isSlowRun } from '../../helpers/rounds.ts';
import { waitFor } from '../../helpers/wait-for.ts';
import { buildProgram } from '../../tui/build-program.ts';
import { type Chance, chanceOf } from './chance.ts';
import { expectDecidedFirst, readRecords } from './crash-records.ts';
import { startStory } from './crash-story.ts';
import { expectTrue, hasEveryEnd, settle } from './crash-truth.ts';
import { prepareService } from './killed-service.ts';
import { type Passage, startRecordingProxy } from './recording-proxy.ts';

const PROGRAM = await buildProgram('service/auto-txs/serve-until-killed.ts');
const KILLS = isSlowRun ? 200 : 1;
/** Started ahead of their time, for that takes longest; each opens the file when it is told to. */
const AHEAD = isSlowRun ? 2 : 0;
/** Signed bytes are kept so long after the end. */
const DAY_SEC = 86_400;
/** Between two lives, of the clocks alone: what is thought to be lost after a while is so after a few of them. */
const PAUSE_SEC = 5;
/** Answers, transactions that leave, and what a node says to them: one of so many is the last one of a life. */
const MOST_HAPPENINGS = 10;
/** It is killed so long after that at most, or after all this time: a busy machine takes several starts' time. */
const MOST_AFTER_MS = 10;
const LONGEST_LIFE_MS = 400;
const LONGEST_LIFE_STARTS = 3;
/** Some are killed while they start. */
const STARTING_MS = 200;
const SEED = Number(process.env.GASTOP_CRASH_SEED ?? Date.now() % 1_000_000);

test.each(killsOn(KILLS))(
  'killed $kills times between decision, broadcast and receipt, each auto-tx ends once, as the chain says, on $engine',
  async ({ engine, kills }) => {
    onTestFailed(() => console.error(`to see it again: GASTOP_CRASH_SEED=${SEED}`));
    const chance = chanceOf(SEED);
    const anvil = await startAnvil({ noMining: true, baseFee: 100n * GWEI });
    onTestFinished(() => anvil.stop());
    const path = await emptyDatabase(engine, 'shared');
    await (await openDatabase(path)).close();
    let isFair = false;
    let onHappening = () => {};
    const proxy = await startRecordingProxy(anvil, {
      passageOf: () => {
        onHappening();
        return isFair ? { thereMs: 0, backMs: 0 } : passageBy(chance);
      },
      onAnswered: () => onHappening(),
    });
    onTestFinished(() => proxy.stop());
    const story = await startStory(anvil, chance, () => proxy.left.length);
    const errors: string[] = [];
    const prepare = () =>
      prepareService(PROGRAM, [path, proxy.wsUrl], {
        onAnswer: () => onHappening(),
        // The proxy breaks connections off, and a server that is busy with what the killed had asked for says so: neither
        // is an error of the service.
        onError: (text) => {
          if (!/^ChainError|^StoreError: .*(busy; try again|does not answer)$/.test(text)) errors.push(text);
        },
      });

    const prepared = Array.from({ length: AHEAD }, prepare);
    // When a kill comes is the machine's choice: where all is to be seen, it goes on until each end was.
    let hasSeenAll = kills < 100;
    for (let round = 0; round < kills || !hasSeenAll; round += 1) {
      prepared.push(prepare());
      const running = prepared.shift();
      if (running === undefined) throw new Error('none was prepared');
      const now = await story.pass(PAUSE_SEC);
      const told = performance.now();
      const started = running.start(now);
      let isOver = false;
      let going: Promise<void> | null = null;
      if (chance.once(8)) await setTimeout(chance.whole(STARTING_MS));
      else {
        await started;
        const longestMs = Math.max(LONGEST_LIFE_MS, LONGEST_LIFE_STARTS * (performance.now() - told));
        going = story.goOn(running, () => isOver);
        await momentOf(chance, longestMs, (tell) => {
          onHappening = tell;
        });
      }
      onHappening = () => {};
      await running.kill();
      isOver = true;
      await going;
      await afterKills(path);
      const records = await readRecords(path);
      expectDecidedFirst(records, proxy.left);
      hasSeenAll ||= hasEveryEnd(records);
    }

    isFair = true;
    const last = prepared.shift() ?? prepare();
    await last.start(await story.pass(PAUSE_SEC));
    await settle({ path, anvil, story, service: last });
    expect(await last.end()).toBe(0);
    await expectTrue(path, { anvil, story, left: proxy.left });
    expect(errors).toEqual([]);

    const tidying = prepared.shift() ?? prepare();
    await tidying.start(await story.pass(DAY_SEC));
    await waitFor(async () => (await readRecords(path)).bytes.length === 0, {
      what: 'no bytes of what is final for good',
    });
    expect(await tidying.end()).toBe(0);
  },
);

/** Resolves shortly after one of the first things that happen in a life. */
async function momentOf(chance: Chance, longestMs: number, hear: (tell: () => void) => void): Promise<void> {
  const heard = Promise.withResolvers<void>();
  let passed = chance.whole(MOST_HAPPENINGS);
  hear(() => {
    passed -= 1;
    if (passed < 0) heard.resolve();
  });
  const limit = new AbortController();
  await Promise.race([heard.promise, setTimeout(longestMs, null, { signal: limit.signal })]);
  limit.abort();
  await setTimeout(chance.whole(MOST_AFTER_MS));
}

function passageBy({ whole }: Chance): Passage {
  const [lot, ms] = [whole(100), whole(25)];
  if (lot < 45) return { thereMs: 0, backMs: 0 };
  if (lot < 60) return { thereMs: ms, backMs: 0 };
  if (lot < 75) return { thereMs: 0, backMs: ms };
  if (lot < 83) return { thereMs: 0, backMs: null };
  if (lot < 90) return { thereMs: null, backMs: null };
  if (lot < 95) return { thereMs: 0, backMs: 0, breaks: true };
  // So late that the next process has looked by then.
  return { thereMs: 40 * ms, backMs: 0 };
}
