import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { endServer, startServer as startPostgres } from '../helpers/postgres-server.ts';
import { load, ROUND_MS, type Server, startServer } from './http.ts';
import type { Workshop } from './programs.ts';
import { atLeast, compare, type Row } from './row.ts';

const CONNECTIONS = 48;
const ROUNDS = 9;

/** `gas/current` with key and quota: a service on PostgreSQL against one on SQLite, and three on PostgreSQL against it alone. */
export async function measureReplicas({ folder }: Workshop): Promise<Row[]> {
  const files = join(folder, 'sqlite');
  await mkdir(files);
  // Of its own: PostgreSQL runs as another user where this one is root.
  const data = await mkdtemp(join(tmpdir(), 'gastop-bench-'));
  const postgres = await startPostgres(data);
  try {
    const target = `${postgres.url}/postgres`;
    await using onFile = await startServer('gastop', files);
    await using first = await startServer('gastop', target);
    await using second = await startServer('gastop', target);
    await using third = await startServer('gastop', target);
    const all = [first, second, third];
    for (const each of [onFile, ...all]) await load(each, CONNECTIONS);
    const rounds: { readonly file: Measured; readonly one: Measured; readonly three: Measured }[] = [];
    for (let round = 0; round < ROUNDS; round += 1) {
      rounds.push({
        file: await measured([onFile], postgres.pid),
        one: await measured([first], postgres.pid),
        three: await measured(all, postgres.pid),
      });
    }
    const file = rounds.map((each) => each.file);
    const one = rounds.map((each) => each.one);
    const three = rounds.map((each) => each.three);
    const runs = `in ${ROUNDS} rounds of ${ROUND_MS / 1_000} s in turns, ${CONNECTIONS} connections`;
    const row = (
      what: string,
      [ours, theirs]: readonly [readonly number[], readonly number[]],
      against: string,
      more: Partial<Parameters<typeof compare>[0]> = {},
    ) =>
      compare({ measure: `gas/current with key and quota, ${what}`, ours, theirs, against, runs, ...more });
    const micros = { unit: 'µs' };
    return [
      row('one service on PostgreSQL: requests per second', [rates(one), rates(file)], 'one on SQLite', {
        budget: (ratio) => [atLeast(ratio, 0.8)],
      }),
      row(
        'one service on PostgreSQL: processor time of the service for each',
        [cpu(one), cpu(file)],
        'one on SQLite',
        micros,
      ),
      row(
        'one service on PostgreSQL: processor time of PostgreSQL for each',
        [one.map(({ databaseMicros }) => databaseMicros), cpu(one)],
        'of the service',
        micros,
      ),
      row('three on PostgreSQL: requests per second', [rates(three), rates(one)], 'one on PostgreSQL'),
      row(
        'three on PostgreSQL: processor time of the services for each',
        [cpu(three), cpu(one)],
        'one on PostgreSQL',
        micros,
      ),
    ];
  } finally {
    await endServer(postgres.pid);
    await rm(data, { recursive: true, force: true });
  }
}

type Measured = Awaited<ReturnType<typeof measured>>;
const rates = (rounds: readonly Measured[]) => rounds.map(({ perSecond }) => perSecond);
const cpu = (rounds: readonly Measured[]) => rounds.map(({ cpuMicros }) => cpuMicros);

/** Requests a second, and processor time for each in µs; the connections are shared out evenly. */
async function measured(servers: readonly Server[], postgres: number) {
  const [before, databaseBefore] = [await cpuSec(servers), postgresCpuSec(postgres)];
  const rate = await Promise.all(servers.map((each) => load(each, CONNECTIONS / servers.length)));
  const perSecond = rate.reduce((sum, each) => sum + each, 0);
  const requests = (perSecond * ROUND_MS) / 1_000;
  return {
    perSecond,
    cpuMicros: (((await cpuSec(servers)) - before) * 1e6) / requests,
    databaseMicros: ((postgresCpuSec(postgres) - databaseBefore) * 1e6) / requests,
  };
}

function postgresCpuSec(pid: number): number {
  let ticks = 0;
  for (const name of readdirSync('/proc').filter((entry) => /^\d+$/.test(entry))) {
    const path = `/proc/${name}/stat`;
    const stat = existsSync(path) ? readFileSync(path, 'utf8') : '';
    const [, parent, ...fields] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    if (Number(parent) === pid || Number(name) === pid) ticks += Number(fields[9]) + Number(fields[10]);
  }
  return ticks / 100;
}

async function cpuSec(servers: readonly Server[]): Promise<number> {
  const each = await Promise.all(servers.map(({ metric }) => metric('process_cpu_seconds_total')));
  return each.reduce((sum, sec) => sum + sec, 0);
}
