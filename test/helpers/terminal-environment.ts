import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';

/** A home of its own for a program under test. */
export interface Home {
  readonly path: string;
  readonly env: Readonly<Record<string, string>>;
  remove(): Promise<void>;
}

/** The variables that point a program at `path` for everything it would keep in a user's folders. */
function homeVariables(path: string): Record<string, string> {
  return {
    HOME: path,
    XDG_CONFIG_HOME: join(path, '.config'),
    XDG_DATA_HOME: join(path, '.local', 'share'),
    XDG_STATE_HOME: join(path, '.local', 'state'),
    XDG_CACHE_HOME: join(path, '.cache'),
    XDG_RUNTIME_DIR: join(path, '.run'),
  };
}

/** An empty temporary home, or the given folder, which then stays for the next program. */
export async function openHome(path?: string): Promise<Home> {
  if (path !== undefined) return { path, env: homeVariables(path), remove: async () => {} };
  const fresh = await mkdtemp(join(tmpdir(), 'gastop-home-'));
  return {
    path: fresh,
    env: homeVariables(fresh),
    remove: () => rm(fresh, { recursive: true, force: true, maxRetries: 3 }),
  };
}

/**
 * The environment of a program under test, built up rather than inherited: no `CI` (Ink would not be
 * interactive), no `NO_COLOR` or `FORCE_COLOR`, no `NODE_ENV`, no settings or keys of the person who runs the tests.
 */
export function programEnvironment(
  home: Home,
  extra: Readonly<Record<string, string>> = {},
): Record<string, string> {
  const path = [dirname(process.execPath), process.env.PATH ?? '/usr/bin:/bin'].join(delimiter);
  return {
    PATH: path,
    LANG: 'C.UTF-8',
    TZ: 'UTC',
    TERM: 'xterm-256color',
    TMPDIR: tmpdir(),
    ...home.env,
    ...extra,
  };
}
