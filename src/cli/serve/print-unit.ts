import { realpath } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { cleanLine } from '../clean-line.ts';
import { usageError } from '../cli-error.ts';
import { createContext } from '../command-context.ts';
import type { ServeFlags } from '../commands/serve.ts';
import type { Io } from '../io.ts';
import { keySettings } from '../key-settings.ts';
import { configFile } from '../paths.ts';
import type { SourceFlags } from '../settings.ts';
import { listenAddress } from './listen-address.ts';
import { systemdUnit } from './systemd-unit.ts';

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
