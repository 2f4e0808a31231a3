import { readdirSync, readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { waitFor } from '../helpers/wait-for.ts';

/** What a program holds at one moment, told by itself and by the system. */
export interface Holding {
  /** Bytes as the system counts them, once what nobody uses was collected: when that is done depends on the machine. */
  readonly resident: number;
  /** What is still in use after a collection, JavaScript and what it holds outside, bytes. */
  readonly live: number;
  /** What keeps its event loop alive: timers, sockets, streams, by kind. */
  readonly resources: Readonly<Record<string, number>>;
  /** Listeners by who is listened to and for what: `process SIGINT`. */
  readonly listeners: Readonly<Record<string, number>>;
  readonly descriptors: number;
}

/** Runs in the program before it starts: on SIGUSR2 it writes down what it holds. */
const preload = (report: string) => `
import { renameSync, writeFileSync } from 'node:fs';
let count = 0;
process.on('SIGUSR2', () => {
  const resources = {};
  for (const kind of process.getActiveResourcesInfo()) resources[kind] = (resources[kind] ?? 0) + 1;
  const listeners = {};
  for (const [name, emitter] of Object.entries({ process, stdin: process.stdin, stdout: process.stdout, stderr: process.stderr })) {
    for (const event of emitter.eventNames()) listeners[name + ' ' + String(event)] = emitter.listenerCount(event);
  }
  // All that can go: one collection alone leaves code and caches that a quiet machine has let go of before.
  gc({ type: 'major', execution: 'sync', flavor: 'last-resort' });
  // Pages go back to the system beside the program.
  setTimeout(() => {
    const { rss: resident, heapUsed, external } = process.memoryUsage();
    const text = JSON.stringify({ count: ++count, resident, live: heapUsed + external, resources, listeners });
    writeFileSync(${JSON.stringify(report)} + '.new', text);
    renameSync(${JSON.stringify(report)} + '.new', ${JSON.stringify(report)});
  }, 1_000);
});
`;

export interface Watch {
  /** For Node, before the program's own arguments. */
  readonly nodeArgs: readonly string[];
  /** Asks the program of this process id. */
  ask(pid: number): Promise<Holding>;
}

/** Prepares to watch one program; `folder` is where it writes. */
export async function openWatch(folder: string, name: string): Promise<Watch> {
  const report = join(folder, `${name}.json`);
  const path = join(folder, `${name}.mjs`);
  await writeFile(path, preload(report));
  let asked = 0;
  return {
    nodeArgs: ['--expose-gc', '--import', path],
    ask: async (pid) => {
      const descriptors = readdirSync(`/proc/${pid}/fd`).length;
      asked += 1;
      process.kill(pid, 'SIGUSR2');
      const told = await waitFor(
        () => {
          const read = JSON.parse(readFileSync(report, 'utf8')) as Omit<Holding, 'descriptors'> & {
            readonly count: number;
          };
          if (read.count !== asked) throw new Error(`report ${read.count} of ${asked}`);
          return read;
        },
        { what: 'what the program holds' },
      );
      const { resident, live, resources, listeners } = told;
      return { resident, live, resources, listeners, descriptors };
    },
  };
}
