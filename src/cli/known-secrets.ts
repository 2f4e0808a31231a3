import { isServerUrl } from '../store/database-url.ts';
import type { Io } from './io.ts';
import { isSecretVariable, SETTING_ROWS } from './settings-table.ts';

/** All configured keys, passwords and tokens, whatever their use: no error may repeat one. */
export async function knownSecrets(
  { env, home, platform }: Pick<Io, 'env' | 'platform' | 'home'>,
  config: string | undefined,
  database: string | null = null,
): Promise<readonly string[]> {
  const { configFile, loadConfigFile } = await settingsCode();
  // Every possible file: the unreadable one may be the reason of the error.
  const files = new Set([config, env.GASTOP_CONFIG, configFile({ env, home, platform })]);
  const contents = await Promise.all(
    [...files].map(async (file) => {
      if (file === undefined) return {};
      const loaded = await loadConfigFile(file, { home, platform }, false).catch(() => null);
      return loaded?.content ?? {};
    }),
  );
  const secrets = [
    ...Object.keys(env).map((name) => (isSecretVariable(name) || name === 'PGPASSWORD') && env[name]),
    database !== null && isServerUrl(database) && database,
    ...contents.flatMap(secretTexts),
    ...contents.flatMap(({ smtp, telegram }) => [smtp?.password, telegram?.token]),
  ].map((secret) => (secret || '').trim());
  return [...secrets, ...secrets.flatMap(passwordsOf)].filter((secret) => secret !== '');
}

const secretTexts = (file: Readonly<Record<string, unknown>>) =>
  SETTING_ROWS.map(([name, { at }]) => at.secret && file[name]).filter((text) => typeof text === 'string');

function passwordsOf(url: string): readonly string[] {
  const written = /^[^:]*:\/*[^:]*:(.*)@/.exec(url)?.[1];
  if (written === undefined) return [];
  const { password = '' } = URL.parse(url) ?? {};
  try {
    return [written, decodeURIComponent(password)];
  } catch {
    return [written, password];
  }
}

/** Help and version need none of it. */
export async function settingsCode() {
  const [file, settings] = await Promise.all([import('./config-file.ts'), import('./settings.ts')]);
  return { ...file, ...settings };
}
