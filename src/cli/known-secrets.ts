import { loadConfigFile } from './config-file.ts';
import type { Io } from './io.ts';
import { configFile } from './paths.ts';

/**
 * The keys, passwords and tokens that are set, wherever they were meant to go: none may stand in what is said of an
 * error.
 */
export async function knownSecrets(
  io: Pick<Io, 'env' | 'platform' | 'home'>,
  config: string | undefined,
): Promise<readonly string[]> {
  const { GASTOP_API_KEY, GASTOP_SMTP_URL, GASTOP_TELEGRAM_TOKEN, GASTOP_CONFIG } = io.env;
  // Whichever was read: a file that cannot be may be what the error is about.
  const files = new Set([config, GASTOP_CONFIG, configFile(io)].filter((file) => file !== undefined));
  const inFiles = await Promise.all([...files].map((file) => secretsIn(io, file)));
  return [GASTOP_API_KEY, GASTOP_TELEGRAM_TOKEN, ...passwordsOf(GASTOP_SMTP_URL), ...inFiles.flat()]
    .map((secret) => secret?.trim() ?? '')
    .filter((secret) => secret !== '');
}

async function secretsIn({ home, platform }: Pick<Io, 'platform' | 'home'>, file: string) {
  const loaded = await loadConfigFile(file, { required: false, home, platform }).catch(() => null);
  const { apiKey, smtp, telegram } = loaded?.content ?? {};
  return [apiKey, smtp?.password, telegram?.token];
}

/** As it stands in the URL, and as it is sent. */
function passwordsOf(smtpUrl: string | undefined): readonly string[] {
  if (smtpUrl === undefined) return [];
  const text = smtpUrl.trim();
  const written = /^[^:]*:\/*[^:]*:(.*)@/.exec(text)?.[1] ?? '';
  return [text, written, URL.canParse(text) ? safelyDecoded(new URL(text).password) : ''];
}

function safelyDecoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
