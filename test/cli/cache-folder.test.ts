import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { cacheFolder } from '../../src/cli/cache-folder.ts';
import { temporaryFolder } from '../helpers/service.ts';
import { startProgram } from './served-program.ts';

const uid = process.geteuid?.();
const onUnix = test.runIf(uid !== undefined);

const found = (home: string, env: Record<string, string> = {}, own = uid) =>
  cacheFolder({ env, platform: 'linux', home, uid: own });

onUnix(
  'the folder for compiled code is made for this user alone, where the system keeps caches',
  async () => {
    const home = await temporaryFolder();
    const cache = join(home, 'own');
    mkdirSync(cache, { mode: 0o755 });
    for (const [env, folder] of [
      [{}, join(home, '.cache', 'gastop')],
      [{ XDG_CACHE_HOME: cache }, join(cache, 'gastop')],
      [{ XDG_CACHE_HOME: 'relative' }, join(home, '.cache', 'gastop')],
    ] as const) {
      expect(found(home, env)).toBe(folder);
      // Again, as it is there now.
      expect(found(home, env)).toBe(folder);
      expect(lstatSync(folder).mode & 0o777).toBe(0o700);
    }
  },
);

onUnix.each([
  ['others may write to it', (cache: string) => chmodSync(made(cache), 0o722)],
  ['others may read it', (cache: string) => chmodSync(made(cache), 0o755)],
  ['it is a link', (cache: string) => symlinkSync(made(`${cache}-else`), `${cache}/gastop`)],
  ['it is a file', (cache: string) => writeFileSync(join(cache, 'gastop'), '', { mode: 0o600 })],
  ['others may rename it', (cache: string) => chmodSync(cache, 0o777)],
  ['a group may rename it', (cache: string) => chmodSync(cache, 0o775)],
] as const)('nothing is read from a folder where %s', async (_, spoil) => {
  const home = await temporaryFolder();
  const cache = join(home, 'cache');
  mkdirSync(cache);
  spoil(cache);
  expect(found(home, { XDG_CACHE_HOME: cache })).toBeNull();
});

onUnix('nothing is read from the folder of another user, as by sudo with the home kept', async () => {
  const home = await temporaryFolder();
  expect(found(home)).not.toBeNull();
  for (const other of [(uid ?? 0) + 1, 65_534]) expect(found(home, {}, other)).toBeNull();
});

test.each([['/proc'], ['/dev/null'], ['']])('there is none below the home %j', (home) => {
  expect(found(home)).toBeNull();
});

onUnix('the program neither reads nor writes code in the shared temporary folder', async () => {
  const [home, shared] = [await temporaryFolder(), await temporaryFolder()];
  chmodSync(shared, 0o1777);
  const run = async (cache: string) => {
    const env = { TMPDIR: shared, TMP: shared, TEMP: shared, XDG_CACHE_HOME: cache };
    const { code, stderr } = await startProgram(['--version'], { home, env }).ended;
    expect([code, stderr]).toEqual([0, '']);
  };
  const cache = join(home, 'cache');
  await run(cache);
  expect(readdirSync(join(cache, 'gastop'))).toHaveLength(1);
  chmodSync(cache, 0o777);
  const before = readdirSync(cache, { recursive: true });
  await run(cache);
  expect(readdirSync(cache, { recursive: true })).toEqual(before);
  expect(readdirSync(shared)).toEqual([]);
  expect(existsSync(join(home, '.cache'))).toBe(false);
});

function made(cache: string): string {
  const folder = join(cache, 'gastop');
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  return folder;
}
