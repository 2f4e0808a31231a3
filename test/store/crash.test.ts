import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { expect, test } from 'vitest';
import { TrackStore } from '../../src/store/advice-track.ts';
import { BlockStore } from '../../src/store/blocks.ts';
import { makeBlocks } from '../helpers/chain-blocks.ts';
import { afterKills, emptyDatabase, expectWhole, SLOW_ENGINES } from '../helpers/databases.ts';
import { openDatabase } from '../helpers/open-database.ts';
import { isSlowRun } from '../helpers/rounds.ts';
import { buildProgram } from '../tui/build-program.ts';

const KILLS = isSlowRun ? 40 : 1;
const WRITER = await buildProgram('store/write-until-killed.ts');

/** Lets a process write until it has said `lines` batches, kills it in full flight, answers its last word. */
async function writeAndKill(path: string, lines: number): Promise<number> {
  const child = spawn(process.execPath, [WRITER, path], { stdio: ['ignore', 'pipe', 'inherit'] });
  const exit = once(child, 'exit');
  let last = -1;
  let heard = 0;
  for await (const line of createInterface({ input: child.stdout })) {
    last = Number(line);
    heard += 1;
    if (heard === lines) child.kill('SIGKILL');
  }
  await exit;
  return last;
}

test.each(SLOW_ENGINES)(
  'killed again and again while writing, it has every block that was said to be there, on %s',
  async (engine) => {
    const path = await emptyDatabase(engine, 'shared');
    for (let round = 0; round < KILLS; round += 1) {
      const said = await writeAndKill(path, 1 + (((round + 2) * 7) % 23));
      await afterKills(path);
      const database = await openDatabase(path);
      const store = new BlockStore(database);
      const head = (await store.head())?.number ?? -1;
      expect(head).toBeGreaterThanOrEqual(said);
      await expectWhole(database);
      expect(await store.missingRanges({ from: 0, to: head })).toEqual([]);
      // Its advice comes and goes with a block, and what has ended can be judged.
      const advised = database.queries.selectFrom('advice');
      const last = await advised
        .select((e) => e.fn.max('block_number').as('number'))
        .executeTakeFirstOrThrow();
      expect(last.number).toBe(head);
      const track = new TrackStore(database);
      await track.settle(await track.due(100_000, 1_000));
      const open = await advised.select('block_number').where('verdict', 'is', null).execute();
      expect(open.filter((row) => row.block_number + 3 <= head)).toEqual([]);
      await database.close();
    }

    const database = await openDatabase(path);
    const head = (await new BlockStore(database).head())?.number ?? -1;
    const stored = await database.queries
      .selectFrom('rollups')
      .selectAll()
      .orderBy('bucket_sec')
      .orderBy('start')
      .execute();
    const fresh = await openDatabase(':memory:');
    await new BlockStore(fresh).saveBlocks(makeBlocks(0, head));
    expect(stored).toEqual(
      await fresh.queries.selectFrom('rollups').selectAll().orderBy('bucket_sec').orderBy('start').execute(),
    );
    await Promise.all([database.close(), fresh.close()]);
  },
);
