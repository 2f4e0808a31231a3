import { posix, win32 } from 'node:path';
import type { Io } from './io.ts';

type Place = Pick<Io, 'env' | 'platform' | 'home'>;

/** Where the platform keeps settings: XDG_CONFIG_HOME, Application Support or APPDATA. */
export function configFile(place: Place): string {
  const path = pathOf(place);
  return path.join(
    folder(place, 'XDG_CONFIG_HOME', '.config', 'APPDATA', 'Roaming'),
    'gastop',
    'config.json',
  );
}

/** Where the platform keeps data: XDG_DATA_HOME, Application Support or LOCALAPPDATA. */
export function dataFolder(place: Place): string {
  return pathOf(place).join(
    folder(place, 'XDG_DATA_HOME', '.local/share', 'LOCALAPPDATA', 'Local'),
    'gastop',
  );
}

/** One database per chain, so that histories never mix. */
export function chainDatabase(place: Place, chainId: number | '<id>'): string {
  return pathOf(place).join(dataFolder(place), `chain-${chainId}.db`);
}

/** Keys are good for every chain that is served from here, so they lie beside the histories. */
export function keysDatabase(place: Place): string {
  return pathOf(place).join(dataFolder(place), 'keys.db');
}

function folder(place: Place, xdg: string, unixDefault: string, windows: string, roaming: string): string {
  const { env, platform, home } = place;
  const path = pathOf(place);
  if (platform === 'win32') return env[windows] || path.join(home, 'AppData', roaming);
  // The XDG specification: a relative path is invalid and to be ignored.
  const named = env[xdg];
  if (named !== undefined && path.isAbsolute(named)) return named;
  return platform === 'darwin'
    ? path.join(home, 'Library', 'Application Support')
    : path.join(home, unixDefault);
}

function pathOf({ platform }: Place): typeof posix {
  return platform === 'win32' ? win32 : posix;
}
