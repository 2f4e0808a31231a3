import { isIP } from 'node:net';
import { parseServiceUrl } from '../../client/service-url.ts';
import { BASE_PATH } from '../../contract/routes.ts';
import { untilAborted } from '../../service/async.ts';
import { startServer } from '../../service/http/server.ts';
import { isLoopback } from '../../service/is-loopback.ts';
import { type KeyGate, openKeyGate } from '../../service/keys/key-gate.ts';
import type { CommandContext } from '../context.ts';
import { CliError, EXIT, type ExitCode, usageError } from '../errors.ts';
import type { Io } from '../io.ts';
import { knownSecrets } from '../main.ts';
import { confirmationsOf } from '../open-service.ts';
import { cleanLine } from '../output.ts';
import { checked } from '../parse.ts';
import { deliveryOf, type KeySettings, keySettings } from '../settings.ts';
import {
  freshPlans,
  logAttempt,
  openServeLog,
  type ServedChain,
  type ServeLog,
  serveChain,
} from './serve-chain.ts';

export interface ServeFlags {
  readonly host: string;
  readonly port: string;
  readonly baseUrl?: string;
  /** Where the keys are kept. */
  readonly keys?: string;
  readonly logLevel: string;
  /** Prints a unit that runs it, instead of running it. */
  readonly systemd?: boolean;
}

/** `gastop serve` */
export async function serve(context: CommandContext, flags: ServeFlags): Promise<ExitCode> {
  // First of all, so that it also ends well before the port is open.
  const signal = context.io.interruption();
  // A service does not end with who reads its log.
  context.io.outliveReaders();
  try {
    await serveUntil(signal, context, flags);
  } catch (error) {
    if (!signal.aborted || error !== signal.reason) throw error;
  }
  return EXIT.ok;
}

async function serveUntil(
  signal: AbortSignal,
  { io, loadSettings }: CommandContext,
  flags: ServeFlags,
): Promise<void> {
  const address = listenAddress(flags);
  const loaded = await loadSettings();
  const { settings } = loaded;
  const choice = settings.source.value;
  if (choice.kind === 'hosted') {
    throw usageError('serve needs a chain, not a service; name one with --rpc URL, --replay FILE or --demo');
  }
  const keys = keySettings(io, loaded, flags.keys);
  const log = openServeLog(io, flags.logLevel, await knownSecrets(io, loaded.config.path));
  const onError = (error: unknown) => log.problem(error);
  try {
    const plans = freshPlans({ path: loaded.config.path, plans: keys.plans, now: io.now, onError });
    const gate = await openKeyGate({ file: keys.file.value, plans, onError });
    try {
      const chain = await serveChain(io, choice, {
        db: settings.db.value,
        historySec: settings.historySec.value,
        process: `gastop serve, process ${process.pid}`,
        delivery: deliveryOf(settings),
        ...confirmationsOf(settings),
        onAttempt: (made) => logAttempt(log, made),
        gate,
        onError,
        onNews: ({ isWell, message }) => (isWell ? log.info(message) : log.warn(message)),
        signal,
        ...(address.baseUrl === null ? {} : { baseUrl: address.baseUrl.origin + prefixOf(address.baseUrl) }),
      });
      try {
        await serveUntilStopped(io, signal, { address, chain, gate, keys, log });
      } finally {
        await chain.close();
      }
    } finally {
      await gate.close();
    }
  } finally {
    log.close();
  }
}

interface Parts {
  readonly address: ListenAddress;
  readonly chain: ServedChain;
  readonly gate: KeyGate;
  readonly keys: KeySettings;
  readonly log: ServeLog;
}

/** Returns after the first signal, when what was under way has been answered; a second one ends the process at once. */
async function serveUntilStopped(
  io: Io,
  signal: AbortSignal,
  { address, chain, gate, keys, log }: Parts,
): Promise<void> {
  signal.throwIfAborted();
  const prefix = prefixOf(address.baseUrl);
  const server = await startServer({ ...address, served: chain, prefix, log }).catch((error: unknown) => {
    throw listenError(error, address);
  });
  const say = (line: string) => io.stdout.write(`${cleanLine(line)}\n`);
  say(`gastop serves ${chain.name} on ${servedUrl(address, server.port)}`);
  if (!isLoopback(address.host)) {
    say(
      `It is open to everybody who can reach ${address.host}; keys travel unencrypted unless a proxy adds https.`,
    );
  }
  if (!(await gate.hasKeys())) {
    const where = keys.file.from === 'default' ? '' : `--keys ${keys.file.value} `;
    say(`There is no key yet, so nobody is answered; make one with: gastop keys ${where}create`);
  }
  try {
    await Promise.race([untilAborted(signal), chain.failure]);
  } finally {
    await server.stop();
  }
}

interface ListenAddress {
  readonly host: string;
  readonly port: number;
  /** What others call the service by; `null` where that is the address itself. */
  readonly baseUrl: URL | null;
}

/** Where `gastop serve` listens. @throws CliError (usage) with one line. */
export function listenAddress(flags: {
  readonly host: string;
  readonly port: string;
  readonly baseUrl?: string;
}): ListenAddress {
  const { baseUrl } = flags;
  return {
    host: checked('--host', () => parseHost(flags.host)),
    port: checked('--port', () => parsePort(flags.port)),
    baseUrl:
      baseUrl === undefined ? null : checked('--base-url', () => parseServiceUrl(baseUrl, 'leave it out')),
  };
}

function parseHost(text: string): string {
  const host = text.trim().replace(/^\[(.*)\]$/, '$1');
  const isName = /^(?=.{1,253}$)[a-z\d]([a-z\d-]*[a-z\d])?(\.[a-z\d]([a-z\d-]*[a-z\d])?)*$/i.test(host);
  // Four numbers that are no address would be looked up as a name.
  if (isIP(host) === 0 && (!isName || /^[\d.]+$/.test(host))) {
    throw new RangeError(`"${text}" is not an address to listen on; for example 127.0.0.1, ::1 or 0.0.0.0`);
  }
  return host;
}

function parsePort(text: string): number {
  const port = /^\d{1,5}$/.test(text.trim()) ? Number(text) : Number.NaN;
  if (!(port <= 65_535)) throw new RangeError(`"${text}" is not a port; a number from 0 to 65535`);
  return port;
}

/** `http://127.0.0.1:8787/be/api/v1`, or the same below the base URL. */
function servedUrl({ host, baseUrl }: ListenAddress, port: number): string {
  const name = isIP(host) === 6 ? `[${host}]` : host;
  const root = baseUrl === null ? `http://${name}:${port}` : baseUrl.origin + prefixOf(baseUrl);
  return root + BASE_PATH;
}

/** The base URL's path without a slash at its end. */
const prefixOf = (baseUrl: URL | null) => baseUrl?.pathname.replace(/\/+$/, '') ?? '';

/** Why nothing can listen there, as one line. */
function listenError(error: unknown, { host, port }: ListenAddress): unknown {
  const code = error instanceof Error && 'code' in error ? error.code : null;
  switch (code) {
    case 'EADDRINUSE':
      return new CliError(
        EXIT.failed,
        `port ${port} is in use; name another with --port, 0 takes a free one`,
      );
    case 'EACCES':
      return new CliError(EXIT.failed, `port ${port} needs more rights than you have; name one from 1024 on`);
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
    case 'EINVAL':
    case 'EAFNOSUPPORT':
      return usageError(
        `this computer has no address ${host}; --host 127.0.0.1 is itself, 0.0.0.0 all it has`,
      );
    default:
      return error;
  }
}
