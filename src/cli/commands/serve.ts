import { untilAborted } from '../../service/sleep.ts';
import { usageError } from '../cli-error.ts';
import type { CommandContext } from '../command-context.ts';
import { EXIT, type ExitCode } from '../exit-code.ts';
import type { Io } from '../io.ts';
import {
  isLoopback,
  type ListenAddress,
  listenAddress,
  listenError,
  prefixOf,
  servedUrl,
} from '../listen-address.ts';

export interface ServeFlags {
  readonly host: string;
  readonly port: string;
  readonly baseUrl?: string;
  /** Where the keys are kept. */
  readonly keys?: string;
  readonly logLevel: string;
}

/** `gastop serve` */
export async function serve({ io, loadSettings }: CommandContext, flags: ServeFlags): Promise<ExitCode> {
  const address = listenAddress(flags);
  const { settings } = await loadSettings();
  const choice = settings.source.value;
  if (choice.kind === 'hosted') {
    throw usageError('serve needs a chain, not a service; name one with --rpc URL, --replay FILE or --demo');
  }
  const signal = io.interruption();
  const [{ openServeLog }, { serveChain }, { startServer }] = await Promise.all([
    import('../serve-log.ts'),
    import('../serve-chain.ts'),
    import('../../service/http/server.ts'),
  ]);
  const log = openServeLog(io, flags.logLevel);
  const db = settings.db.value;
  try {
    const chain = await serveChain(io, choice, {
      db,
      historySec: settings.historySec.value,
      ...(address.baseUrl === null ? {} : { baseUrl: address.baseUrl.origin + prefixOf(address.baseUrl) }),
      onError: (error) => log.problem(error),
    });
    try {
      const prefix = prefixOf(address.baseUrl);
      const server = await startServer({ ...address, served: chain, prefix, log }).catch((error: unknown) => {
        throw listenError(error, address);
      });
      announce(io, address, { port: server.port, name: chain.name });
      await untilAborted(signal);
      await server.stop();
    } finally {
      await chain.close();
    }
    return EXIT.ok;
  } finally {
    log.close();
  }
}

function announce(
  io: Io,
  address: ListenAddress,
  { port, name }: { readonly port: number; readonly name: string },
) {
  io.stdout.write(`gastop serves ${name} on ${servedUrl(address, port)}\n`);
  if (isLoopback(address.host)) return;
  io.stdout.write(
    `It is open to everybody who can reach ${address.host}; keys travel unencrypted unless a proxy adds https.\n`,
  );
}
