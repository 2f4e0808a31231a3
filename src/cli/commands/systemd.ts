import { realpath } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { configFile } from '../config-file.ts';
import { createContext } from '../context.ts';
import { usageError } from '../errors.ts';
import type { Io } from '../io.ts';
import { cleanLine } from '../output.ts';
import { keySettings, type SourceFlags } from '../settings.ts';
import { listenAddress, type ServeFlags } from './serve.ts';

/**
 * Prints a unit that runs this gastop as it is called, on stdout alone, so that it can be sent into its file.
 * @throws CliError for what `serve` would not take either.
 */
export async function printUnit(io: Io, source: SourceFlags, flags: ServeFlags): Promise<void> {
  if (io.platform !== 'linux') {
    throw usageError('--systemd is for Linux; elsewhere let your own service manager run "gastop serve"');
  }
  if (source.rpc !== undefined || source.url !== undefined) {
    // A node's URL often is a key, and everybody may read a unit and a command line.
    const environment = join(dirname(configFile(io)), 'serve.env');
    throw usageError(`a unit takes its nodes from the config file, or from GASTOP_RPC in ${environment}`);
  }
  listenAddress(flags);
  // Its shell's settings are not the unit's.
  const own = Object.entries(io.env).filter(([name]) => !name.startsWith('GASTOP_'));
  const unitIo = { ...io, env: Object.fromEntries(own) };
  keySettings(unitIo, await createContext(unitIo, source).loadSettings(), flags.keys);
  const script = await realpath(process.argv[1] ?? '').catch(() => process.argv[1] ?? '');
  if (/[\\/]_npx[\\/]/.test(script)) {
    io.stderr.write(
      'gastop: this gastop lies in the cache of npx, which may be cleared; npm install -g gastop keeps one\n',
    );
  }
  if (/[\r\n]/.test(script)) throw usageError(`${cleanLine(script)} cannot be named in a unit`);
  io.stdout.write(
    systemdUnit({
      program: [process.execPath, script],
      argv: ['serve', ...sourceWords(source), ...serveWords(flags)],
      environmentFile: join(dirname(configFile(io)), 'serve.env'),
    }),
  );
}

function sourceWords(flags: SourceFlags) {
  const { replay, speed, demo, seed, history, confirmations, db, allowPrivateTargets, config } = flags;
  return [
    ...(replay === undefined ? [] : ['--replay', resolve(replay)]),
    ...(speed === undefined ? [] : ['--speed', speed]),
    ...(demo ? ['--demo'] : []),
    ...(seed === undefined ? [] : ['--seed', seed]),
    ...(history === undefined ? [] : ['--history', history]),
    ...(confirmations === undefined ? [] : ['--confirmations', confirmations]),
    ...(db === undefined ? [] : ['--db', resolve(db)]),
    ...(allowPrivateTargets ? ['--allow-private-targets'] : []),
    ...(config === undefined ? [] : ['--config', resolve(config)]),
  ];
}

function serveWords({ host, port, baseUrl, keys, logLevel }: ServeFlags) {
  return [
    '--host',
    host,
    '--port',
    port,
    ...(baseUrl === undefined ? [] : ['--base-url', baseUrl]),
    ...(keys === undefined ? [] : ['--keys', resolve(keys)]),
    ...(logLevel === 'info' ? [] : ['--log-level', logLevel]),
  ];
}

/** What a unit runs, and where its secrets lie. */
interface UnitParts {
  /** The Node.js that runs it, and gastop's own file: a user's services do not know the shell's PATH. */
  readonly program: readonly string[];
  /** What follows, beginning with the command. */
  readonly argv: readonly string[];
  readonly environmentFile: string;
}

/** A unit of systemd's user manager that keeps `gastop serve` running; see systemd.service(5) and systemd.exec(5). */
export function systemdUnit({ program, argv, environmentFile }: UnitParts): string {
  return `[Unit]
Description=gastop: gas prices over HTTP, and alerts

[Service]
ExecStart=${[...program, ...argv].map(quoted).join(' ')}
# Settings such as GASTOP_RPC, passwords and tokens; a minus: it need not be there. Keep it to yourself (chmod 600).
EnvironmentFile=-${literal(environmentFile)}
Restart=on-failure
RestartSec=5
# Wrong usage waits for a person.
RestartPreventExitStatus=2
# Requests and messages that are under way may end.
TimeoutStopSec=30
UMask=0077
NoNewPrivileges=yes
# A dump of its memory would hold keys.
LimitCORE=0

[Install]
WantedBy=default.target
`;
}

/** One word of a command line: systemd expands % and $ and reads quotes and backslashes. */
function quoted(word: string): string {
  const text = literal(word).replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('$', '$$$$');
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `"${text}"`;
}

const literal = (text: string) => text.replaceAll('%', '%%');
