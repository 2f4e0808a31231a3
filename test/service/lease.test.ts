import { spawn } from 'node:child_process';
import { once } from 'node:events';
import fc from 'fast-check';
import { sql } from 'kysely';
import { describe, expect, onTestFinished, test } from 'vitest';
import { Lease, type LeaseOptions, placeOf } from '../../src/service/lease.ts';
import { BlockStore } from '../../src/store/blocks.ts';
import type { Database } from '../../src/store/database.ts';
import { LeaseStore } from '../../src/store/lease.ts';
import { isPostgres } from '../../src/store/tables.ts';
import { makeBlock } from '../helpers/chain-blocks.ts';
import { asked, ENGINES, emptyDatabase, SLOW_ENGINES } from '../helpers/databases.ts';
import { openDatabase } from '../helpers/open-database.ts';
import { rounds } from '../helpers/rounds.ts';

class Clocks {
  wall = 1_700_000_000_000;
  steady = 0;

  pass(ms: number): void {
    this.wall += ms;
    this.steady += ms;
  }
}

function leaseOf(
  database: Database,
  clocks: Clocks,
  process: string,
  role: LeaseOptions['role'] = 'service',
  onError: (error: unknown) => void = (error) => {
    throw error;
  },
): Lease {
  return new Lease({
    store: new LeaseStore(database),
    process,
    role,
    wallNow: () => clocks.wall,
    steadyNow: () => clocks.steady,
    onError,
  });
}

async function machine() {
  const database = await openDatabase(':memory:');
  onTestFinished(() => database.close());
  const clocks = new Clocks();
  const lease = (
    process: string,
    ...rest: [role?: LeaseOptions['role'], onError?: (error: unknown) => void]
  ) => leaseOf(database, clocks, process, ...rest);
  const hold = (place: string | null) => {
    const held = { holder: 'x', process: 'one', since: clocks.wall, heartbeatAt: clocks.wall, place };
    return new LeaseStore(database).take(held, null);
  };
  return { database, clocks, lease, hold };
}

async function two() {
  const { clocks, lease } = await machine();
  const [one, other] = [lease('one'), lease('other')];
  await one.bid();
  await other.bid();
  return { clocks, one, other };
}

/** Time passes as it does for processes that are awake: everybody looks every half second. */
async function awake(clocks: Clocks, ms: number, ...leases: readonly Lease[]): Promise<void> {
  for (let passed = 0; passed < ms; passed += 500) {
    clocks.pass(500);
    for (const lease of leases) await lease.look();
  }
}

/** Time passes, also for a server, which has a clock of its own. */
async function passOn([database]: readonly Database[], clocks: Clocks, ms: number): Promise<void> {
  clocks.pass(ms);
  if (database !== undefined && isPostgres(database.queries))
    await sql`update leases set heartbeat_at = heartbeat_at - ${ms}`.execute(database.queries);
}

describe('the lease', () => {
  test('is taken at once where nobody has it, and says since when and by whom', async () => {
    const { clocks, lease } = await machine();
    const one = lease('gastop, process 1');
    expect(one.current).toBeNull();
    await one.bid();
    expect(one.state).toBe('leads');
    const at = { since: clocks.wall, heartbeatAt: clocks.wall };
    expect(one.current).toMatchObject({ process: 'gastop, process 1', ...at });
  });

  test('of one that was killed is taken six seconds after its last heartbeat, not before', async () => {
    const { clocks, other } = await two();
    await awake(clocks, 5_500, other);
    expect(other.state).toBe('stands-by');
    await awake(clocks, 500, other);
    expect(other.state).toBe('leads');
  });

  test('of one that was killed long ago is not waited for', async () => {
    const { clocks, lease } = await machine();
    await lease('one').bid();
    clocks.pass(3_600_000);
    const other = lease('other');
    await other.bid();
    expect(other.state).toBe('leads');
  });

  test('of a process of this machine that has ended is taken at once', async () => {
    const { lease, hold } = await machine();
    const program = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)']);
    const ended = once(program, 'exit');
    await once(program, 'spawn');
    await hold(placeOf(program.pid ?? 0));
    const other = lease('other');
    await other.bid();
    expect(other.state).toBe('stands-by');
    program.kill('SIGKILL');
    await ended;
    await other.look();
    expect(other.state).toBe('leads');
  });

  test('of a process of another machine is not taken before it lapses', async () => {
    const { database, lease, hold } = await machine();
    const other = lease('other');
    for (const place of [null, JSON.stringify(['another machine', 1, '1'])]) {
      await hold(place);
      await other.bid();
      expect(other.state).toBe('stands-by');
      await new LeaseStore(database).release('x');
    }
  });

  test('is given up, and nothing more is written, once a newer program has updated the database', async () => {
    const { database, lease } = await machine();
    const said: string[] = [];
    const one = lease('one', 'service', (error) => said.push(String(error)));
    await one.bid();
    const { right } = one;
    const message = 'a newer gastop has updated the database; restart this one updated, too';
    await sql`insert into kysely_migration values ('9999-later', '2030-01-01')`.execute(database.queries);
    await expect(new BlockStore(database, () => right).saveBlocks([makeBlock(1)])).rejects.toMatchObject({
      code: 'newer-schema',
      message,
    });
    for (let look = 0; look < 3; look += 1) await one.look();
    expect(one.mayWrite).toBe(false);
    expect(await new LeaseStore(database).read()).toBeNull();
    expect(said).toEqual([`StoreError: ${message}`]);
  });

  test.each(ENGINES)('of several that start at the same moment goes to one alone, on %s', async (engine) => {
    const target = await emptyDatabase(engine, 'shared');
    const clocks = new Clocks();
    const databases = await Promise.all(Array.from({ length: 4 }, () => openDatabase(target)));
    for (let round = 0; round < rounds(40); round += 1) {
      const leases = databases.map((database, index) => leaseOf(database, clocks, `process ${index}`));
      await Promise.all(leases.map((lease) => lease.bid()));
      expect(leases.filter(({ state }) => state === 'leads')).toHaveLength(1);
      // The same where a dead one's is taken.
      await passOn(databases, clocks, 60_000);
    }
    await Promise.all(databases.map((database) => database.close()));
  });

  test('may be taken from one that is there and does not do its work', async () => {
    const { one, other } = await two();
    await other.takeOver();
    await one.look();
    expect([one.state, other.state]).toEqual(['stands-by', 'leads']);
  });
});

describe('a clock that is set', () => {
  test.each([
    ['forward', 3_600_000],
    ['back', -3_600_000],
  ])('%s by an hour takes the lease from nobody who is awake', async (_, jump) => {
    const { clocks, one, other } = await two();
    clocks.wall += jump;
    await awake(clocks, 20_000, other, one);
    expect([one.state, other.state]).toEqual(['leads', 'stands-by']);
  });

  test.runIf(ENGINES.includes('PostgreSQL'))('matters not on a server, whose own clock judges', async () => {
    const url = await emptyDatabase('PostgreSQL');
    const databases = await Promise.all([openDatabase(url), openDatabase(url)]);
    const [first, second] = databases;
    if (first === undefined || second === undefined) throw new Error('two connections');
    const [here, there] = [new Clocks(), new Clocks()];
    there.wall += 3_600_000;
    const [one, other] = [leaseOf(first, here, 'one'), leaseOf(second, there, 'other')];
    await one.bid();
    await other.bid();
    expect([one.state, other.state]).toEqual(['leads', 'stands-by']);
    await asked(url, 'update leases set heartbeat_at = heartbeat_at - 6000');
    await other.look();
    expect(other.state).toBe('leads');
    await one.look();
    expect(one.state).toBe('stands-by');
    await Promise.all(databases.map((database) => database.close()));
  });

  test('back by an hour does not keep the lease of a dead one for an hour', async () => {
    const { clocks, lease } = await machine();
    await lease('one').bid();
    clocks.wall -= 3_600_000;
    const other = lease('other');
    await other.bid();
    expect(other.state).toBe('stands-by');
    await awake(clocks, 6_000, other);
    expect(other.state).toBe('leads');
  });
});

test('a visitor writes while no process has the lease, and never takes it', async () => {
  const { database, lease } = await machine();
  const visitor = lease('gastop now', 'one-shot');
  await visitor.bid();
  expect([visitor.state, visitor.current]).toEqual(['leaderless', null]);
  await new BlockStore(database, () => visitor.right).saveBlocks([makeBlock(1)]);
  const holder = lease('gastop serve');
  await holder.bid();
  expect(holder.state).toBe('leads');
  const late = new BlockStore(database, () => visitor.right).saveBlocks([makeBlock(2)]);
  await expect(late).rejects.toMatchObject({ code: 'not-holder' });
  await visitor.look();
  expect(visitor.state).toBe('stands-by');
});

type Step =
  | { readonly kind: 'start' | 'end' | 'kill' | 'look' | 'write' | 'take-over'; readonly process: number }
  | { readonly kind: 'pass'; readonly ms: number }
  | { readonly kind: 'set-clock'; readonly ms: number };

const PROCESSES = 3;
const acting: fc.Arbitrary<Step> = fc.record({
  // Writing and taking over often, or hardly anybody is ever late to hear of it.
  kind: fc.constantFrom('start', 'start', 'end', 'kill', 'look', 'write', 'write', 'write', 'take-over'),
  process: fc.nat(PROCESSES - 1),
});
const passing: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ kind: fc.constant('pass'), ms: fc.constantFrom(500, 2_000, 5_999, 6_000, 3_600_000) }),
  fc.record({ kind: fc.constant('set-clock'), ms: fc.constantFrom(-3_600_000, 20_000) }),
);
const step = fc.oneof({ weight: 5, arbitrary: acting }, { weight: 1, arbitrary: passing });

test.each(SLOW_ENGINES)(
  'however processes start, end, die, sleep and look, no block is written by two of them, on %s',
  async (engine) => {
    const target = await emptyDatabase(engine);
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 20, maxLength: 60, size: 'max' }), async (steps) => {
        const database = await openDatabase(target);
        await database.queries.deleteFrom('leases').execute();
        const clocks = new Clocks();
        const leases: (Lease | null)[] = Array.from({ length: PROCESSES }, () => null);
        /** Whose right the next block was last written by, since it was granted. */
        const rights = new Set<string>();
        let writer = '';
        let number = 0;
        for (const each of steps) {
          if (each.kind === 'pass') await passOn([database], clocks, each.ms);
          else if (each.kind === 'set-clock') clocks.wall += each.ms;
          else if (each.kind === 'start') {
            leases[each.process] ??= leaseOf(database, clocks, `process ${each.process}`);
            await leases[each.process]?.bid();
          } else if (each.kind === 'kill') leases[each.process] = null;
          else {
            const lease = leases[each.process];
            if (lease === null || lease === undefined) continue;
            if (each.kind === 'look') await lease.look();
            else if (each.kind === 'take-over') await lease.takeOver();
            else if (each.kind === 'end') {
              await lease.end();
              leases[each.process] = null;
            } else {
              const { right } = lease;
              const store = new BlockStore(database, () => right);
              const written = await store.saveBlocks([makeBlock(number)]).then(
                () => true,
                () => false,
              );
              const row = await new LeaseStore(database).read();
              // Exactly who stands in the row may write.
              expect(written).toBe(right.kind === 'holder' && row?.holder === right.holder);
              if (!written || right.kind !== 'holder') continue;
              number += 1;
              // Once another has written, who wrote before never does again by the right it had.
              if (right.holder !== writer) expect(rights.has(right.holder)).toBe(false);
              rights.add(right.holder);
              writer = right.holder;
            }
          }
        }
        const holding = leases.filter((lease) => lease?.state === 'leads');
        await Promise.all(holding.map((lease) => lease?.look()));
        expect(leases.filter((lease) => lease?.state === 'leads').length).toBeLessThanOrEqual(1);
        await database.close();
      }),
      { numRuns: rounds(60) },
    );
  },
);
