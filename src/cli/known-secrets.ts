import { loadConfigFile } from './config-file.ts';
import type { Io } from './io.ts';
import { configFile } from './paths.ts';

/** The keys of services that are set, wherever they were meant to go: none may stand in what is said of an error. */
export async function knownSecrets(
  io: Pick<Io, 'env' | 'platform' | 'home'>,
  config: string | undefined,
): Promise<readonly string[]> {
  // Whichever was read: a file that cannot be may be what the error is about.
  const files = new Set([config, io.env.GASTOP_CONFIG, configFile(io)].filter((file) => file !== undefined));
  const keys = await Promise.all([...files].map((file) => keyIn(io, file)));
  return [io.env.GASTOP_API_KEY, ...keys].map((key) => key?.trim() ?? '').filter((key) => key !== '');
}

async function keyIn({ home, platform }: Pick<Io, 'platform' | 'home'>, file: string) {
  const loaded = await loadConfigFile(file, { required: false, home, platform }).catch(() => null);
  return loaded?.content?.apiKey;
}
