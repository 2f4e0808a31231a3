import { untilAborted } from '../../service/async.ts';
import { startServer } from '../../service/http/server.ts';
import { isLoopback } from '../../service/is-loopback.ts';
import type { KeyGate } from '../../service/keys/key-gate.ts';
import { openKeyGate } from '../../service/keys/key-gate.ts';
import { cleanLine } from '../clean-line.ts';
import { usageError } from '../cli-error.ts';
import type { CommandContext } from '../command-context.ts';
import { deliveryOf } from '../delivery-settings.ts';
import { EXIT, type ExitCode } from '../exit-code.ts';
import type { Io } from '../io.ts';
import { type KeySettings, keySettings } from '../key-settings.ts';
import { knownSecrets } from '../known-secrets.ts';
import { confirmationsOf } from '../open-service.ts';
import { freshPlans } from '../serve/fresh-plans.ts';
import {
  type ListenAddress,
  listenAddress,
  listenError,
  prefixOf,
  servedUrl,
} from '../serve/listen-address.ts';
import { logAttempt } from '../serve/log-attempt.ts';
import { openServeLog, type ServeLog } from '../serve/serve-log.ts';
import { type ServedChain, serveChain } from '../serve-chain.ts';

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
