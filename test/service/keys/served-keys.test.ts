import { expect, test } from 'vitest';
import { emptyDatabase, SLOW_ENGINES } from '../../helpers/databases.ts';
import { rounds } from '../../helpers/rounds.ts';
import { temporaryFile } from '../../helpers/service.ts';
import { type Answer, ask, buildServer, prepareServerProcess } from './clients.ts';
import { openTestGate, tally } from './key-service.ts';

const SERVER = await buildServer();

/** Fewer than are asked for, and more than one batch of counted requests. */
const QUOTA = rounds(5_000);

const PLANS = {
  quota: { dailyLimit: QUOTA, perSecond: null },
  slow: { dailyLimit: null, perSecond: 5 },
};

async function askAll(port: number, key: string, clients: number, times: number): Promise<(Answer | null)[]> {
  const answers: (Answer | null)[] = [];
  await Promise.all(
    Array.from({ length: clients }, async () => {
      for (let count = 0; count < times; count += 1) answers.push(await ask(port, key));
    }),
  );
  return answers;
}

test.each(SLOW_ENGINES)('two processes on one database share the quota exactly, on %s', async (engine) => {
  const file = await emptyDatabase(engine, 'shared');
  const here = await openTestGate(file, PLANS);
  here.now = Date.now();
  const text = await here.key('quota');
  const servers = [prepareServerProcess(SERVER, file, PLANS), prepareServerProcess(SERVER, file, PLANS)];
  const ports = await Promise.all(servers.map((server) => server.start()));
  const answers = (await Promise.all(ports.map((port) => askAll(port, text, 40, rounds(70))))).flat();
  expect(tally(answers.map((answer) => answer?.word ?? 'gone'))).toEqual({
    ok: QUOTA,
    rate_limit_exceeded: rounds(600),
  });
  expect(await here.gate.limits(text)).toMatchObject({ limits: { usedToday: QUOTA, remainingToday: 0 } });
  await Promise.all(servers.map((server) => server.end('SIGTERM')));
});

test('a key that is revoked by another process is refused from the next request on', async () => {
  const file = await temporaryFile('keys.db');
  const { key, store } = await openTestGate(file, PLANS);
  const text = await key('quota');
  const server = prepareServerProcess(SERVER, file, PLANS);
  const port = await server.start();
  expect((await ask(port, text))?.word).toBe('ok');
  await store.revoke(text.split('_')[1] ?? '', 1);
  expect(await ask(port, text)).toMatchObject({ status: 401, word: 'api_key_revoked' });
  const late = await key('quota');
  expect((await ask(port, late))?.word).toBe('ok');
  await server.end('SIGTERM');
});
