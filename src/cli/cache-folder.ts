import { existsSync, lstatSync, mkdirSync, realpathSync, type Stats, statSync } from 'node:fs';
import { dirname, isAbsolute, join } from 'node:path';

interface Machine {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly platform: NodeJS.Platform;
  readonly home: string;
  /** The user that this process acts as; absent on Windows. */
  readonly uid: number | undefined;
}

/**
 * gastop's folder for compiled code, made if missing; `null` where others could write there: who
 * writes it runs code as this user.
 */
export function cacheFolder({ env, platform, home, uid }: Machine): string | null {
  try {
    if (uid === undefined || platform === 'win32') {
      return env.LOCALAPPDATA ? join(env.LOCALAPPDATA, 'gastop', 'cache') : null;
    }
    const own = join(home, platform === 'darwin' ? 'Library/Caches' : '.cache');
    // XDG specification: a relative path is invalid and must be ignored.
    const named = env.XDG_CACHE_HOME !== undefined && isAbsolute(env.XDG_CACHE_HOME);
    const parent = (named && env.XDG_CACHE_HOME) || own;
    const folder = join(parent, 'gastop');
    if (!isAbsolute(folder)) return null;
    for (const missing of [parent, folder].filter((each) => !existsSync(each)))
      mkdirSync(missing, { mode: 0o700 });
    const stats = lstatSync(folder);
    const isOurs = stats.isDirectory() && stats.uid === uid && (stats.mode & 0o077) === 0;
    return isOurs && isSafeWay(realpathSync(parent), uid) ? folder : null;
  } catch {
    return null;
  }
}

/** Whether nobody but this user and root can replace what lies in a folder, or in one above. */
function isSafeWay(folder: string, uid: number): boolean {
  const above = dirname(folder);
  return isSafe(statSync(folder), uid) && (above === folder || isSafeWay(above, uid));
}

/** In a sticky folder, such as `/tmp`, others cannot rename what is not theirs. */
const isSafe = ({ uid: owner, mode }: Stats, uid: number): boolean =>
  (owner === uid || owner === 0) && ((mode & 0o022) === 0 || (mode & 0o1000) !== 0);
