import { expect, test } from 'vitest';
import { openKeyDatabase } from '../../../src/store/database.ts';
import { afterKills, emptyDatabase, expectWhole, SLOW_ENGINES } from '../../helpers/databases.ts';
import { isSlowRun } from '../../helpers/rounds.ts';
import { ask, buildServer, prepareServerProcess } from './clients.ts';
import { openTestGate } from './key-service.ts';

const SERVER = await buildServer();
const PLANS = { open: { dailyLimit: null, perSecond: null } };
const KILLS = isSlowRun ? 100 : 2;
const CLIENTS = 8;

test.each(SLOW_ENGINES)(
  `killed ${KILLS} times while it counts, no answered request is lost and the database stays whole, on %s`,
  async (engine) => {
    const file = await emptyDatabase(engine, 'shared');
    const { key, gate } = await openTestGate(file, PLANS);
    const text = await key('open');
    await gate.close();
    let sent = 0;
    let answered = 0;
    let next = prepareServerProcess(SERVER, file, PLANS);
    for (let round = 0; round < KILLS; round += 1) {
      const server = next;
      const port = await server.start();
      // Started ahead of its time, for that takes longest; it opens the file when it is told to.
      if (round + 1 < KILLS) next = prepareServerProcess(SERVER, file, PLANS);
      const before = { sent, answered };
      const last = 20 + ((round * 7) % 60);
      let killed: Promise<void> | null = null;
      const askUntilKilled = async () => {
        for (;;) {
          sent += 1;
          const answer = await ask(port, text);
          if (answer === null) return;
          expect(answer.status).toBe(200);
          answered += 1;
          if (answered - before.answered >= last) killed ??= server.end('SIGKILL');
        }
      };
      await Promise.all(Array.from({ length: CLIENTS }, askUntilKilled));
      await killed;
      await afterKills(file);
      // No other process has the file open: opening it has to make it whole again.
      const database = await openKeyDatabase(file);
      const rows = await database.queries.selectFrom('usage').select('used').execute();
      const used = rows.reduce((sum, row) => sum + row.used, 0);
      expect(used).toBeGreaterThanOrEqual(answered);
      expect(used).toBeLessThanOrEqual(sent);
      // What was under way at the kills is all that can differ.
      expect(sent - answered).toBeLessThanOrEqual((round + 1) * CLIENTS);
      await expectWhole(database);
      await database.close();
    }
    expect(answered).toBeGreaterThan(KILLS * 20);
  },
);
