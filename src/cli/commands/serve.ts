import { realpath } from 'node:fs/promises';
import { isIP } from 'node:net';
import { dirname, join } from 'node:path';
import { parseServiceUrl } from '../../client/service-url.ts';
import { API_KEY_HEADER, MCP_PATH } from '../../contract/routes.ts';
import type { LogLevel } from '../../service/http/log.ts';
import type { CliCommand, CommandContext, Flags } from '../command.ts';
import { configFile } from '../config-file.ts';
import { usageError } from '../errors.ts';
import { cleanLine, note } from '../output.ts';
import { checked, parseOrigins, parseWhole } from '../parse.ts';
import type { SourceFlags } from '../settings-table.ts';
import { keySettings } from './keys.ts';

const LEVELS: readonly LogLevel[] = ['debug', 'info', 'warn', 'error', 'fatal', 'silent'];

export function addServe(program: CliCommand): void {
  program
    .command('serve')
    .summary('the v1 service for other programs and people')
    .description(
      'Serves the v1 API over HTTP, with keys and quotas. Make a key with gastop keys create; requests carry it in the ' +
        `header ${API_KEY_HEADER}. AI agents use it over MCP, at ${MCP_PATH}, with the same keys. Anyone with a key sees ` +
        'the hosts and ports of your nodes in /dashboard/summary.',
    )
    .parsed('--host <ADDRESS>', 'where to listen; 0.0.0.0 is every address', parseHost, {
      standard: '127.0.0.1',
    })
    .parsed('--port <N>', 'port to listen on; 0 takes a free one', parsePort, { standard: '8787' })
    .parsed('--base-url <URL>', 'its public URL, behind a proxy', parseBaseUrl)
    .option('--keys <FILE>', 'the database of the keys')
    .option(
      '--cors <ORIGIN>',
      'let pages of this origin ask in a browser; several, or * for all',
      (text, before: readonly string[] = []) => [...before, ...checked('--cors', () => parseOrigins(text))],
    )
    .oneOf('--log-level <LEVEL>', 'what goes to stderr', LEVELS, 'info')
    .option('--systemd', 'print a systemd unit that keeps it running')
    .examples(
      'gastop serve --rpc http://127.0.0.1:8545',
      'gastop serve --demo --port 8787',
      'gastop serve --systemd > ~/.config/systemd/user/gastop.service',
    )
    .does((context, flags: ServeFlags) =>
      flags.systemd ? printUnit(context, program.opts<SourceFlags>(), flags) : serve(context, flags),
    );
}

export interface ServeFlags extends Flags<'keys', 'systemd'> {
  readonly host: string;
  readonly port: string | number;
  readonly baseUrl?: URL;
  readonly logLevel: LogLevel;
  readonly cors?: readonly string[];
}

async function serve(context: CommandContext, flags: ServeFlags): Promise<void> {
  // First, so that an early signal also ends it cleanly.
  const signal = context.io.interruption();
  // A service keeps running when the reader of its log closes.
  context.io.outliveReaders();
  try {
    const { serveUntil } = await import('./run-service.ts');
    await serveUntil(signal, context, flags);
  } catch (error) {
    if (!signal.aborted || error !== signal.reason) throw error;
  }
}

const parsePort = (text: string) => parseWhole(text, 'a port', 0, 65_535);
const parseBaseUrl = (text: string) => parseServiceUrl(text, 'leave it out');

function parseHost(text: string): string {
  const host = text.trim().replace(/^\[(.*)\]$/, '$1');
  const isName = /^(?=.{1,253}$)[a-z\d]([a-z\d-]*[a-z\d])?(\.[a-z\d]([a-z\d-]*[a-z\d])?)*$/i.test(host);
  // Four numbers that are no valid address would be resolved as a name.
  if (isIP(host) === 0 && (!isName || /^[\d.]+$/.test(host))) {
    throw new RangeError(`"${text}" is not an address to listen on; for example 127.0.0.1, ::1 or 0.0.0.0`);
  }
  return host;
}

async function printUnit(
  { io, loadSettings }: CommandContext,
  source: SourceFlags,
  flags: ServeFlags,
): Promise<void> {
  if (io.platform !== 'linux') {
    throw usageError('--systemd is for Linux; elsewhere let your own service manager run "gastop serve"');
  }
  // A node's URL is often a key, and everybody can read a unit and a command line.
  const environmentFile = join(dirname(configFile(io)), 'serve.env');
  for (const [flag, what, variable] of [
    ['rpc', 'nodes', 'GASTOP_RPC'],
    ['url', 'nodes', 'GASTOP_RPC'],
    ['database', 'database', 'GASTOP_DATABASE_URL'],
  ] as const) {
    if (source[flag] === undefined) continue;
    throw usageError(
      `a unit takes its ${what} from the config file, or from ${variable} in ${environmentFile}`,
    );
  }
  // The settings of the present shell do not apply to the unit.
  const own = Object.entries(io.env).filter(([name]) => !name.startsWith('GASTOP_'));
  const env = Object.fromEntries(own);
  keySettings({ ...io, env }, await loadSettings(env), flags.keys);
  const script = await realpath(process.argv[1] ?? '').catch(() => process.argv[1] ?? '');
  if (/[\\/]_npx[\\/]/.test(script)) {
    note(io, 'this gastop is in the npx cache, which may be cleared; npm install -g gastop installs one');
  }
  const argv = process.argv.slice(2).filter((word) => word !== '--systemd');
  const odd = [script, process.cwd(), ...argv].find((word) => /[\r\n]/.test(word));
  if (odd !== undefined) throw usageError(`${cleanLine(odd)} cannot be named in a unit`);
  // Node.js and gastop's own file: a user's services do not have the shell's PATH.
  const command = [process.execPath, script, ...argv];
  io.stdout.write(systemdUnit(command, process.cwd(), environmentFile));
}

/** A unit of systemd's user manager that keeps `gastop serve` running; see systemd.service(5) and systemd.exec(5). */
export const systemdUnit = (command: readonly string[], folder: string, environmentFile: string): string =>
  `[Unit]
Description=gastop: gas prices over HTTP, and alerts

[Service]
ExecStart=${command.map(quoted).join(' ')}
# Where the paths above begin.
WorkingDirectory=${literal(folder)}
# Settings such as GASTOP_RPC, passwords and tokens; a minus: it need not be there. Keep it to yourself (chmod 600).
EnvironmentFile=-${literal(environmentFile)}
Restart=on-failure
RestartSec=5
# Wrong usage waits for a person.
RestartPreventExitStatus=2
# Requests and messages that are under way may end.
TimeoutStopSec=30
UMask=0077
# What a user's own services can have everywhere: filters of system calls, which need neither user namespaces nor
# privileges. Whatever would need a mount namespace (ProtectSystem, PrivateTmp, …) does not start where those are off.
NoNewPrivileges=yes
SystemCallArchitectures=native
SystemCallFilter=@system-service
SystemCallFilter=~@privileged @resources @obsolete
SystemCallErrorNumber=EPERM
# The network, PostgreSQL's socket, and the names of interfaces.
RestrictAddressFamilies=AF_INET AF_INET6 AF_UNIX AF_NETLINK
RestrictNamespaces=yes
RestrictRealtime=yes
RestrictSUIDSGID=yes
LockPersonality=yes
# A dump of its memory would hold keys.
LimitCORE=0

[Install]
WantedBy=default.target
`;

/** One word of a command line: systemd expands % and $ and interprets quotes and backslashes. */
function quoted(word: string): string {
  const text = literal(word).replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('$', '$$$$');
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `"${text}"`;
}

const literal = (text: string) => text.replaceAll('%', '%%');
