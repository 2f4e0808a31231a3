import { readFile, stat } from 'node:fs/promises';
import { posix, win32 } from 'node:path';
import * as z from 'zod';
import { ROUTE_GROUPS } from '../contract/routes.ts';
import type { ChainProfile } from '../core/chains.ts';
import { ownValue } from '../core/own-value.ts';
import type { Plan } from '../service/keys/api-keys.ts';
import { usageError } from './errors.ts';
import type { Io } from './io.ts';
import { tildePath } from './output.ts';

const LARGEST_BYTES = 65_536;

export interface LoadedConfig {
  readonly path: string;
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

function secretIn({ apiKey, database, encryptionKey, smtp, telegram, rpc = [] }: ConfigFile): string | null {
  if (apiKey !== undefined || encryptionKey !== undefined) return 'a key';
  if (smtp?.password !== undefined || hasPassword(database)) return 'a password';
  if (telegram !== undefined) return 'a token';
  return [rpc].flat().some(holdsKey) ? 'the key of a node' : null;
}

/** Whether URLs of nodes hold a user name or a password, or a key as providers write it: a long word in the path or query. */
export const holdsKey = (urls: string) => /\/\/[^/\s]*@|[/=?][\w-]{20,}/.test(urls);

const hasPassword = (url = '') => /^[^:]+:\/*[^/@]*:[^/]*@|[?&]password=/.test(url);

const READ_FAILURES: Readonly<Record<string, string>> = {
  ENOENT: 'does not exist; write it, or leave --config and GASTOP_CONFIG away',
  ENOTDIR: 'does not exist; write it, or leave --config and GASTOP_CONFIG away',
  ELOOP: 'is a link that leads round to itself; name a file with --config FILE',
  EACCES: 'may not be read; check its permissions',
  EPERM: 'may not be read; check its permissions',
  ERR_ENCODING_INVALID_ENCODED_DATA: 'is not UTF-8 text; save it as UTF-8',
};

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
    const code = error instanceof Error && 'code' in error ? String(error.code) : '';
    if ((code === 'ENOENT' || code === 'ENOTDIR') && !required) return null;
    const words = ownValue(READ_FAILURES, code);
    if (words !== undefined) throw usageError(`${shown} ${words}`);
    throw error;
  }
}

const SmtpConfig = z.strictObject({
  host: z.string().regex(/^[^\s/@]+$/),
  port: z.int().min(1).max(65_535).optional(),
  secure: z.boolean().optional(),
  user: z.string().min(1).optional(),
  password: z.string().min(1).optional(),
  from: z.string().min(1).optional(),
  requireTls: z.boolean().optional(),
});

const TelegramConfig = z.strictObject({ token: z.string().min(1), apiUrl: z.string().optional() });

const PLAN_NAME = /^[a-z0-9][a-z0-9_-]{0,31}$/i;
const PlanSettings = z.record(
  z.string().regex(PLAN_NAME),
  z.strictObject({
    dailyLimit: z.int().min(1).nullable(),
    perSecond: z.number().min(0.001).max(1_000_000).nullable(),
    groups: z.array(z.enum(ROUTE_GROUPS)).min(1).optional(),
  }),
);

/** The config file. Values are text as in the environment, so that one reader checks them all. */
const ConfigFile = z.strictObject({
  url: z.string().optional(),
  rpc: z.union([z.string(), z.array(z.string()).min(1)]).optional(),
  apiKey: z.string().optional(),
  history: z.string().optional(),
  confirmations: z.string().optional(),
  db: z.string().optional(),
  database: z.string().optional(),
  encryptionKey: z.string().optional(),
  ascii: z.boolean().optional(),
  notifications: z.string().optional(),
  keys: z.string().optional(),
  plans: PlanSettings.optional(),
  smtp: SmtpConfig.optional(),
  telegram: TelegramConfig.optional(),
  allowPrivateTargets: z.boolean().optional(),
});
export type ConfigFile = z.infer<typeof ConfigFile>;

/** What should stand at a path; `*` is the name of a plan. */
const WANTED: Readonly<Record<string, string>> = {
  url: 'a text such as "https://gas.example.org"',
  rpc: 'a URL, or a list of URLs such as ["http://127.0.0.1:8545"]',
  apiKey: 'a text',
  history: 'a text such as "24h"',
  confirmations: 'a text such as "12"',
  db: 'a file name',
  database: 'a URL such as "postgres://gastop@db.example.org/gastop"',
  encryptionKey: 'a text of 32 bytes in base64',
  ascii: 'true or false',
  notifications: '"on", "bell" or "off"',
  keys: 'a file name',
  plans: 'plans by name, such as { "team": { "dailyLimit": 100000, "perSecond": 50 } }',
  'plans.*':
    'an object of dailyLimit, perSecond and perhaps groups, such as { "dailyLimit": 100000, "perSecond": 50 }',
  'plans.*.dailyLimit': 'a whole number of requests from 1, or null for no limit',
  'plans.*.perSecond': 'a number of requests from 0.001, or null for no limit',
  'plans.*.groups': `a list of ${ROUTE_GROUPS.join(', ')}`,
  smtp: 'an object of host, from and perhaps port, secure, user, password and requireTls, such as { "host": "mail.example.org", "from": "gas@example.org" }',
  'smtp.host': 'the name of a mail server, such as "mail.example.org"',
  'smtp.port': 'a whole number from 1 to 65535',
  'smtp.secure': 'true (TLS from the first byte) or false (upgraded by STARTTLS)',
  'smtp.user': 'a text',
  'smtp.password': 'a text',
  'smtp.from': 'an address, such as "gas@example.org"',
  'smtp.requireTls': 'true or false; without it, TLS is required unless the server is on this machine',
  telegram: 'an object of token and perhaps apiUrl, such as { "token": "123456789:AA…" }',
  'telegram.token': 'a text; @BotFather gives one',
  'telegram.apiUrl': 'a URL',
  allowPrivateTargets: 'true or false',
};

/** Parses the text of a config file; `shown` names it in errors. No value is repeated: one may be a key. */
export function parseConfig(text: string, shown: string): ConfigFile {
  const parsed = ConfigFile.safeParse(parseJson(text.replace(/^\ufeff/, ''), shown));
  if (parsed.success) return parsed.data;
  for (const issue of parsed.error.issues) {
    if (issue.code === 'unrecognized_keys' && issue.path.length === 0) {
      const names = issue.keys.map((key) => `"${key}"`).join(', ');
      const known = Object.keys(ConfigFile.shape).join(', ');
      throw usageError(`${shown}: unknown setting ${names}; known are ${known}`);
    }
  }
  const path = (parsed.error.issues[0]?.path ?? []).map(String);
  const [first, plan] = path;
  if (first === undefined) throw usageError(`${shown} must be a JSON object, such as {}`);
  const where = first === 'rpc' ? first : path.join('.');
  const isBadName = first === 'plans' && plan !== undefined && !PLAN_NAME.test(plan);
  const keys = path.map((part, at) => (first === 'plans' && at === 1 ? '*' : part));
  const wanted = [3, 2, 1].map((depth) => ownValue(WANTED, keys.slice(0, depth).join('.'))).find(Boolean);
  throw usageError(
    `${shown}: "${where}" must be ${isBadName ? 'a name of at most 32 letters, digits, - and _' : wanted}`,
  );
}

function parseJson(text: string, shown: string): unknown {
  if (text.trim() === '') return {};
  try {
    return JSON.parse(text);
  } catch (error) {
    throw usageError(`${shown} is not JSON${placeOf(error, text)}; correct it there`);
  }
}

/** V8 quotes the text around the error, which may be a key: only the place is taken from its message, and what is amiss there. */
function placeOf(error: unknown, text: string): string {
  const found = /at position (\d+)/.exec(error instanceof Error ? error.message : '')?.[1];
  if (found === undefined) return '';
  const position = Number(found);
  const before = text.slice(0, position).split('\n');
  const amiss = amissAt(text, position);
  const hint = amiss === null ? '' : `: ${amiss}`;
  return ` (line ${before.length}, column ${(before.at(-1)?.length ?? 0) + 1}${hint})`;
}

function amissAt(text: string, position: number): string | null {
  const at = text[position] ?? '';
  if (text[position - 1] === '\\') return 'a backslash is written twice, or as /';
  if (at === '/' || at === '#') return 'it has no comments';
  if (at === "'") return 'it has double quotes only';
  if ((at === '}' || at === ']') && text.slice(0, position).trimEnd().endsWith(','))
    return 'the comma before it is one too many';
  return null;
}

/** `free: 50,000 requests a day, 20 a second` */
export function planText({ name, dailyLimit, perSecond, groups }: Plan): string {
  const count = (value: number) => value.toLocaleString('en');
  const day = dailyLimit === null ? 'any number of requests a day' : `${count(dailyLimit)} requests a day`;
  const second = perSecond === null ? 'any number a second' : `${count(perSecond)} a second`;
  const only = groups.length === ROUTE_GROUPS.length ? '' : `, only ${groups.join(', ')}`;
  return `${name}: ${day}, ${second}${only}`;
}

type Place = Pick<Io, 'env' | 'platform' | 'home'>;

export function configFile(place: Place): string {
  const path = pathOf(place);
  return path.join(
    folder(place, 'XDG_CONFIG_HOME', '.config', 'APPDATA', 'Roaming'),
    'gastop',
    'config.json',
  );
}

export function dataFolder(place: Place): string {
  return pathOf(place).join(
    folder(place, 'XDG_DATA_HOME', '.local/share', 'LOCALAPPDATA', 'Local'),
    'gastop',
  );
}

/** One database per chain, so that histories never mix; a development chain that borrows an id has its own. */
export function chainDatabase(
  place: Place,
  { id, borrowsId }: Pick<ChainProfile, 'borrowsId'> & { readonly id: number | '<id>' },
): string {
  return pathOf(place).join(dataFolder(place), `chain-${id}${borrowsId ? '-dev' : ''}.db`);
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
