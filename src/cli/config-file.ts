import { stat } from 'node:fs/promises';
import { posix, win32 } from 'node:path';
import * as z from 'zod';
import { ROUTE_GROUPS } from '../contract/routes.ts';
import type { ChainProfile } from '../core/chains.ts';
import { usageError } from './errors.ts';
import type { Io } from './io.ts';
import { tildePath } from './output.ts';
import { readText } from './parse.ts';

const LARGEST_BYTES = 65_536;

export interface LoadedConfig {
  readonly path: string;
  readonly content: ConfigFile | null;
  /** For stderr: the file has a secret that others on this machine can read. */
  readonly warning: string | null;
}

/** Reads the config file. One that the user named must exist; the platform's default need not. */
export async function loadConfigFile(
  path: string,
  { required, home, platform }: { required: boolean; home: string; platform: NodeJS.Platform },
): Promise<LoadedConfig> {
  const info = await stat(path).catch(() => null);
  if (info === null && !required) return { path, content: null, warning: null };
  const shown = `config file ${tildePath(path, home)}`;
  const text = await readText(path, {
    name: shown,
    mostBytes: LARGEST_BYTES,
    wanted: 'it is a small file of JSON, saved as UTF-8',
    instead: 'name another with --config FILE, or leave --config and GASTOP_CONFIG away',
  });
  const content = parseConfig(text, shown);
  const isOpen = platform !== 'win32' && info !== null && (info.mode & 0o077) !== 0;
  const secret = isOpen ? secretIn(content) : null;
  const advice = 'and others on this machine can read it; run chmod 600 on it';
  return { path, content, warning: secret && `${shown} holds ${secret} ${advice}` };
}

function secretIn({
  apiKey,
  database = '',
  encryptionKey,
  smtp,
  telegram,
  rpc = [],
  chains = [],
}: ConfigFile) {
  if (apiKey !== undefined || encryptionKey !== undefined) return 'a key';
  const hasPassword = /^[^:]+:\/*[^/@]*:[^/]*@|[?&]password=/.test(database);
  if (smtp?.password !== undefined || hasPassword) return 'a password';
  if (telegram !== undefined) return 'a token';
  return [rpc, ...chains.map((chain) => chain.rpc ?? [])].flat().some(holdsKey) ? 'the key of a node' : null;
}

/** Whether URLs of nodes contain a user name, a password, or a provider's key: a long word in the path or query. */
export const holdsKey = (urls: string) => /\/\/[^/\s]*@|[/=?][\w-]{20,}/.test(urls);

// The message of each schema follows "must be".
const text = (wanted: string) => z.string(wanted).optional();
const words = (wanted: string) => z.string(wanted).min(1, wanted);
const matching = (pattern: RegExp, wanted: string) => z.string(wanted).regex(pattern, wanted);
const within = (number: z.ZodNumber, min: number, max: number, wanted: string) =>
  number.min(min, wanted).max(max, wanted);
const flag = (wanted: string) => z.boolean(wanted).optional();

const PORT = 'a whole number from 1 to 65535';
const SmtpConfig = z.strictObject(
  {
    host: matching(/^[^\s/@]+$/, 'the name of a mail server, such as "mail.example.org"'),
    port: within(z.int(PORT), 1, 65_535, PORT).optional(),
    secure: flag('true (TLS from the first byte) or false (upgraded by STARTTLS)'),
    user: words('a text').optional(),
    password: words('a text').optional(),
    from: words('an address, such as "gas@example.org"').optional(),
    requireTls: flag('true or false; without it, TLS is required unless the server is on this machine'),
  },
  'an object of host, from and perhaps port, secure, user, password and requireTls, such as { "host": "mail.example.org", "from": "gas@example.org" }',
);

const TelegramConfig = z.strictObject(
  { token: words('a text; @BotFather gives one'), apiUrl: text('a URL') },
  'an object of token and perhaps apiUrl, such as { "token": "123456789:AA…" }',
);

const DAILY = 'a whole number of requests from 1, or null for no limit';
const RATE = 'a number of requests from 0.001, or null for no limit';
const GROUPS = `a list of ${ROUTE_GROUPS.join(', ')}`;
const PlanConfig = z.strictObject(
  {
    dailyLimit: z.int(DAILY).min(1, DAILY).nullable(),
    perSecond: within(z.number(RATE), 0.001, 1_000_000, RATE).nullable(),
    groups: z.array(z.enum(ROUTE_GROUPS, GROUPS), GROUPS).min(1, GROUPS).optional(),
    mcpWrites: flag('true or false'),
  },
  'an object of dailyLimit, perSecond and perhaps groups and mcpWrites, such as { "dailyLimit": 100000, "perSecond": 50 }',
);
const PlanName = matching(/^[a-z0-9][a-z0-9_-]{0,31}$/i, 'a name of at most 32 letters, digits, - and _');
const PLANS = 'plans by name, such as { "team": { "dailyLimit": 100000, "perSecond": 50 } }';
const ORIGINS = 'an origin, or a list of origins such as ["https://app.example.org"]';
const URLS = 'a URL, or a list of URLs such as ["http://127.0.0.1:8545"]';

const MOST_CHAINS = 64;
const CHAINS = `a list of at most ${MOST_CHAINS} chains such as [{ "name": "base" }, { "name": "mine", "url": "https://gas.example.org" }]`;
const ChainConfig = z.strictObject(
  {
    name: matching(/^[a-z0-9][a-z0-9-]{0,31}$/i, 'a name of at most 32 letters, digits and -'),
    rpc: z.union([z.string(), z.array(z.string()).min(1, URLS)], URLS).optional(),
    url: text('a text such as "https://gas.example.org"'),
    chainId: z.int('a chain id').min(1, 'a chain id').optional(),
  },
  'an object of name and perhaps rpc, url and chainId, such as { "name": "base", "rpc": ["http://127.0.0.1:8545"] }',
);

/** The config file. Values are text as in the environment, so that both share their parsers. */
const ConfigFile = z.strictObject({
  url: text('a text such as "https://gas.example.org"'),
  rpc: z.union([z.string(), z.array(z.string()).min(1, URLS)], URLS).optional(),
  chains: z.array(ChainConfig, CHAINS).max(MOST_CHAINS, CHAINS).optional(),
  apiKey: text('a text'),
  history: text('a text such as "24h"'),
  confirmations: text('a text such as "12"'),
  db: text('a file name'),
  database: text('a URL such as "postgres://gastop@db.example.org/gastop"'),
  encryptionKey: text('a text of 32 bytes in base64'),
  ascii: flag('true or false'),
  notifications: text('"on", "bell" or "off"'),
  keys: text('a file name'),
  cors: z.union([z.string(), z.array(z.string()).min(1, ORIGINS)], ORIGINS).optional(),
  plans: z.record(PlanName, PlanConfig, PLANS).optional(),
  smtp: SmtpConfig.optional(),
  telegram: TelegramConfig.optional(),
  allowPrivateTargets: flag('true or false'),
});
export type ConfigFile = z.infer<typeof ConfigFile>;

/** Parses the text of a config file; `shown` names it in errors. Repeats no value: one may be a key. */
export function parseConfig(text: string, shown: string): ConfigFile {
  const { data, error } = ConfigFile.safeParse(parseJson(text.replace(/^\ufeff/, ''), shown));
  if (error === undefined) return data;
  for (const issue of error.issues) {
    if (issue.code !== 'unrecognized_keys' || issue.path.length > 0) continue;
    const names = issue.keys.map((key) => `"${key}"`).join(', ');
    const known = Object.keys(ConfigFile.shape).join(', ');
    throw usageError(`${shown}: unknown setting ${names}; known are ${known}`);
  }
  const [issue] = error.issues;
  if (issue === undefined || issue.path.length === 0)
    throw usageError(`${shown} must be a JSON object, such as {}`);
  const wanted = issue.code === 'invalid_key' ? issue.issues[0]?.message : issue.message;
  throw usageError(`${shown}: "${issue.path.join('.')}" must be ${wanted}`);
}

function parseJson(text: string, shown: string): unknown {
  if (text.trim() === '') return {};
  try {
    return JSON.parse(text);
  } catch (error) {
    // V8 quotes the text around the error, which may be a key: only the position is taken from its message.
    const at = /at position (\d+)/.exec(error instanceof Error ? error.message : '')?.[1];
    const lines = text.slice(0, Number(at ?? 0)).split('\n');
    const place =
      at === undefined ? '' : ` (line ${lines.length}, column ${(lines.at(-1)?.length ?? 0) + 1})`;
    throw usageError(`${shown} is not JSON${place}; correct it there`);
  }
}

type Place = Pick<Io, 'env' | 'platform' | 'home'>;

const FOLDERS = {
  config: { xdg: 'XDG_CONFIG_HOME', unix: '.config', windows: 'APPDATA', roaming: 'Roaming' },
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
export const dataFolder = (place: Place) => userPath(place, 'data');
export const keysDatabase = (place: Place) => userPath(place, 'data', 'keys.db');

/** One database per chain, so that histories never mix; a development chain with a borrowed id has its own. */
export const chainDatabase = (
  place: Place,
  { id, borrowsId }: Pick<ChainProfile, 'borrowsId'> & { readonly id: number | '<id>' },
) => userPath(place, 'data', `chain-${id}${borrowsId ? '-dev' : ''}.db`);
