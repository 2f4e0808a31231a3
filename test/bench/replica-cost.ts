import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { endServer, startServer as startPostgres } from '../helpers/postgres-server.ts';
import { type Load, load, type Server, startServer } from './http-cost.ts';
import type { Row } from './row.ts';
import { median, range, ratios } from './statistics.ts';

const CONNECTIONS = 48;
const ROUNDS = 9;
const ROUND_MS = 2_000;

interface Measured extends Load {
  /** Processor time of the service for each request, µs. */
  readonly cpuMicros: number;
  /** The same of PostgreSQL. */
  readonly databaseMicros: number;
}

/** `gas/current` with key and quota: a service on PostgreSQL against one on SQLite, and three on PostgreSQL against it alone. */
export async function measureReplicaCost({ folder }: { readonly folder: string }): Promise<Row[]> {
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
    for (const each of [onFile, ...all]) await load(each, 1_000, CONNECTIONS);
    const taken = { file: [] as Measured[], one: [] as Measured[], three: [] as Measured[] };
    for (let round = 0; round < ROUNDS; round += 1) {
      taken.file.push(await measured([onFile], postgres.pid));
      taken.one.push(await measured([first], postgres.pid));
      taken.three.push(await measured(all, postgres.pid));
    }
    const { file, one, three } = taken;
    return [
      ...rowsOf({
        what: 'one service on PostgreSQL',
        ours: one,
        against: 'one on SQLite',
        theirs: file,
        atLeast: 0.8,
      }),
      {
        measure:
          'gas/current with key and quota, one service on PostgreSQL: processor time of PostgreSQL for each',
        gastop: `${median(one.map((each) => each.databaseMicros)).toFixed(0)} µs`,
        yardstick: `of the service, ${median(one.map((each) => each.cpuMicros)).toFixed(0)} µs`,
        ratio: median(one.map((each) => each.databaseMicros / each.cpuMicros)),
        spread: `medians of ${ROUNDS} rounds`,
        budget: [],
      },
      ...rowsOf({ what: 'three on PostgreSQL', ours: three, against: 'one on PostgreSQL', theirs: one }),
    ];
  } finally {
    await endServer(postgres.pid);
    await rm(data, { recursive: true, force: true });
  }
}

interface Compared {
  readonly what: string;
  readonly ours: readonly Measured[];
  readonly against: string;
  readonly theirs: readonly Measured[];
  readonly atLeast?: number;
}

function rowsOf({ what, ours, against, theirs, atLeast }: Compared): Row[] {
  const of = (loads: readonly Measured[], key: keyof Measured) => loads.map((each) => each[key]);
  const row = (measure: string, key: keyof Measured, unit: string, limits: Row['budget']): Row => {
    const spread = ratios(of(ours, key), of(theirs, key));
    return {
      measure: `gas/current with key and quota, ${what}: ${measure}`,
      gastop: `${median(of(ours, key)).toFixed(0)}${unit}`,
      yardstick: `${against}, ${median(of(theirs, key)).toFixed(0)}${unit}`,
      ratio: median(spread),
      spread: `${range(spread)} (${ROUNDS} rounds of ${ROUND_MS / 1_000} s in turns, ${CONNECTIONS} connections)`,
      budget: limits,
    };
  };
  return [
    row('requests per second', 'perSecond', '', atLeast === undefined ? [] : [{ atLeast }]),
    row('processor time of the service for each', 'cpuMicros', ' µs', []),
  ];
}

/** The connections are shared out evenly. */
async function measured(servers: readonly Server[], postgres: number): Promise<Measured> {
  const [before, databaseBefore] = [await cpuSec(servers), postgresCpuSec(postgres)];
  const loads = await Promise.all(servers.map((each) => load(each, ROUND_MS, CONNECTIONS / servers.length)));
  const perSecond = loads.reduce((sum, each) => sum + each.perSecond, 0);
  const requests = (perSecond * ROUND_MS) / 1_000;
  return {
    perSecond,
    p99: Math.max(...loads.map((each) => each.p99)),
    cpuMicros: (((await cpuSec(servers)) - before) * 1e6) / requests,
    databaseMicros: ((postgresCpuSec(postgres) - databaseBefore) * 1e6) / requests,
  };
}

/** Of the server and its processes for connections, in hundredths of a second. */
function postgresCpuSec(pid: number): number {
  let ticks = 0;
  for (const name of readdirSync('/proc').filter((entry) => /^\d+$/.test(entry))) {
    const path = `/proc/${name}/stat`;
    // It may end at any moment.
    const stat = existsSync(path) ? readFileSync(path, 'utf8') : '';
    const [, parent, ...fields] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    if (Number(parent) === pid || Number(name) === pid) ticks += Number(fields[9]) + Number(fields[10]);
  }
  return ticks / 100;
}

async function cpuSec(servers: readonly Server[]): Promise<number> {
  const pages = servers.map(async ({ port }) => (await fetch(`http://127.0.0.1:${port}/metrics`)).text());
  const said = (await Promise.all(pages)).map((page) => /^process_cpu_seconds_total (\S+)$/m.exec(page)?.[1]);
  return said.reduce((sum, sec) => sum + Number(sec), 0);
}
