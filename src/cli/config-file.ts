import { readFile, stat } from 'node:fs/promises';
import { usageError } from './cli-error.ts';
import type { ConfigFile } from './config-schema.ts';
import { parseConfig } from './config-schema.ts';
import { tildePath } from './tilde-path.ts';

const LARGEST_BYTES = 65_536;

export interface LoadedConfig {
  readonly path: string;
  /** `null`: there is no such file. */
  readonly content: ConfigFile | null;
  /** For stderr: a secret in the file that others on this machine can read. */
  readonly warning: string | null;
}

/**
 * Reads the config file. One that was asked for by name must exist; the platform's own need not.
 * Windows line ends and a byte order mark do no harm.
 */
export async function loadConfigFile(
  path: string,
  { required, home, platform }: { required: boolean; home: string; platform: NodeJS.Platform },
): Promise<LoadedConfig> {
  const shown = `config file ${tildePath(path, home)}`;
  const bytes = await readBytes(path, shown, required);
  if (bytes === null) return { path, content: null, warning: null };

  const content = parseConfig(bytes.text, shown);
  const open = platform !== 'win32' && (bytes.mode & 0o077) !== 0;
  const secret = secretIn(content);
  const warning =
    secret !== null && open
      ? `${shown} holds ${secret} and others on this machine can read it; run chmod 600 on it`
      : null;
  return { path, content, warning };
}

function secretIn({ apiKey, smtp, telegram }: ConfigFile): string | null {
  if (apiKey !== undefined) return 'a key';
  if (smtp?.password !== undefined) return 'a password';
  return telegram === undefined ? null : 'a token';
}

async function readBytes(
  path: string,
  shown: string,
  required: boolean,
): Promise<{ text: string; mode: number } | null> {
  try {
    const info = await stat(path);
    if (!info.isFile()) throw usageError(`${shown} is not a file; name one with --config FILE`);
    if (info.size > LARGEST_BYTES)
      throw usageError(`${shown} is larger than 64 kB; it holds a few settings only`);
    const text = new TextDecoder('utf-8', { fatal: true }).decode(await readFile(path));
    return { text, mode: info.mode };
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : null;
    if (code === 'ENOENT' || code === 'ENOTDIR') {
      if (!required) return null;
      throw usageError(`${shown} does not exist; write it, or leave --config and GASTOP_CONFIG away`);
    }
    if (code === 'ELOOP')
      throw usageError(`${shown} is a link that leads round to itself; name a file with --config FILE`);
    if (code === 'EACCES' || code === 'EPERM')
      throw usageError(`${shown} may not be read; check its permissions`);
    if (code === 'ERR_ENCODING_INVALID_ENCODED_DATA')
      throw usageError(`${shown} is not UTF-8 text; save it as UTF-8`);
    throw error;
  }
}
