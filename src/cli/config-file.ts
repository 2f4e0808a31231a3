import type { Stats } from 'node:fs';
import { stat } from 'node:fs/promises';
import { posix, win32 } from 'node:path';
import type { ChainProfile } from '../core/chains.ts';
import { holdsKey } from '../core/key-text.ts';
import type { ConfigFile } from './config-schema.ts';
import type { Io } from './io.ts';
import { tildePath } from './output.ts';
import { readText } from './parse.ts';

export interface LoadedConfig {
  readonly path: string;
  readonly content: ConfigFile | null;
  /** For stderr: others on this machine can change the file, or read a secret in it. */
  readonly warning: string | null;
}

/** Reads the config file. One that the user named must exist; the platform's default need not. */
export async function loadConfigFile(
  path: string,
  { home, platform }: Pick<Io, 'home' | 'platform'>,
  required: boolean,
): Promise<LoadedConfig> {
  const info = await stat(path).catch(() => null);
  if (info === null && !required) return { path, content: null, warning: null };
  const shown = `config file ${tildePath(path, home)}`;
  const text = await readText(path, {
    name: shown,
    mostBytes: 65_536,
    wanted: 'it is a small file of JSON, saved as UTF-8',
    instead: 'name another with --config FILE, or leave --config and GASTOP_CONFIG away',
  });
  // Most people have no such file, and need not wait for its schema.
  const { parseConfig } = await import('./config-schema.ts');
  const content = parseConfig(text, shown);
  const warning = platform === 'win32' || info === null ? null : warningOf(content, info);
  return { path, content, warning: warning && `${shown} ${warning}` };
}

function warningOf(content: ConfigFile, { uid, mode }: Pick<Stats, 'uid' | 'mode'>): string | null {
  const isForeign = uid !== 0 && uid !== process.geteuid?.();
  if (isForeign)
    return 'belongs to another user, who decides what gastop asks and tells; name another with --config';
  if ((mode & 0o002) !== 0) return 'can be changed by others on this machine; run chmod 600 on it';
  const secret = (mode & 0o077) === 0 ? null : secretIn(content);
  return secret && `holds ${secret} and others on this machine can read it; run chmod 600 on it`;
}

function secretIn(file: ConfigFile) {
  if (file.apiKey !== undefined || file.encryptionKey !== undefined) return 'a key';
  const hasPassword = /^[^:]+:\/*[^/@]*:[^/]*@|[?&]password=/.test(file.database ?? '');
  if (file.smtp?.password !== undefined || hasPassword) return 'a password';
  if (file.telegram !== undefined) return 'a token';
  const nodes = [file, ...(file.chains ?? [])].flatMap(({ rpc = [] }) => rpc);
  return nodes.some(holdsKey) ? 'the key of a node' : null;
}

type Place = Pick<Io, 'env' | 'platform' | 'home'>;

const FOLDERS = {
  config: { xdg: 'XDG_CONFIG_HOME', unix: '.config', windows: 'APPDATA', roaming: 'Roaming' },
  state: { xdg: 'XDG_STATE_HOME', unix: '.local/state', windows: 'LOCALAPPDATA', roaming: 'Local' },
  data: { xdg: 'XDG_DATA_HOME', unix: '.local/share', windows: 'LOCALAPPDATA', roaming: 'Local' },
} as const;

function userPath({ env, platform, home }: Place, kind: keyof typeof FOLDERS, ...names: readonly string[]) {
  const { xdg, unix, windows, roaming } = FOLDERS[kind];
  if (platform === 'win32') {
    return win32.join(env[windows] || win32.join(home, 'AppData', roaming), 'gastop', ...names);
  }
  const own = platform === 'darwin' ? 'Library/Application Support' : unix;
  const named = env[xdg];
  // XDG specification: a relative path is invalid and must be ignored.
  const folder = named !== undefined && posix.isAbsolute(named) ? named : posix.join(home, own);
  return posix.join(folder, 'gastop', ...names);
}

export const configFile = (place: Place) => userPath(place, 'config', 'config.json');
/** What the monitor remembers. */
export const stateFile = (place: Place) => userPath(place, 'state', 'monitor.json');
export const dataFolder = (place: Place) => userPath(place, 'data');
export const keysDatabase = (place: Place) => userPath(place, 'data', 'keys.db');

/** One database per chain, so that histories never mix; a development chain with a borrowed id has its own. */
export const chainDatabase = (
  place: Place,
  { id, borrowsId }: Pick<ChainProfile, 'borrowsId'> & { readonly id: number | '<id>' },
) => userPath(place, 'data', `chain-${id}${borrowsId ? '-dev' : ''}.db`);
