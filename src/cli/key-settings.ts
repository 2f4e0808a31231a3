import { createPlans, type Plans } from '../service/keys/api-keys.ts';
import { checked } from './checked.ts';
import { usageError } from './cli-error.ts';
import type { LoadedSettings } from './command-context.ts';
import type { Io } from './io.ts';
import { keysDatabase } from './paths.ts';
import { parsePath } from './setting-values.ts';
import type { Setting } from './settings.ts';

export interface KeySettings {
  readonly file: Setting<string>;
  /** Built-in ones and those of the config file. */
  readonly plans: Plans;
  /** Names of those that stand in the config file. */
  readonly ownPlans: readonly string[];
}

/** Where the keys of `serve` are kept and what their plans are; `flag` is `--keys`. */
export function keySettings(
  io: Pick<Io, 'env' | 'platform' | 'home'>,
  { settings, config }: Pick<LoadedSettings, 'settings' | 'config'>,
  flag?: string,
): KeySettings {
  const own = config.content?.plans ?? {};
  const { value, from } = settings.keys;
  const file =
    flag === undefined
      ? { value: value ?? keysDatabase(io), from }
      : { value: checked('--keys', () => parsePath(flag)), from: '--keys' };
  // A database in memory is SQLite's word; keys in it are gone before anybody has used them.
  if (file.value === ':memory:') {
    throw usageError(`${file.from}: keys need a file that stays; ":memory:" would forget them at once`);
  }
  return { file, plans: createPlans(own), ownPlans: Object.keys(own) };
}
