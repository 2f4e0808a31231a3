import type { Stats } from 'node:fs';
import { stat } from 'node:fs/promises';
import { posix, win32 } from 'node:path';
import * as z from 'zod';
import { fieldProblems } from '../contract/field-problems.ts';
import { ROUTE_GROUPS } from '../contract/routes.ts';
import type { ChainProfile } from '../core/chains.ts';
import { holdsKey } from '../core/key-text.ts';
import { usageError } from './errors.ts';
import type { Io } from './io.ts';
import { tildePath } from './output.ts';
import { readText } from './parse.ts';

export interface LoadedConfig {
  readonly path: string;
  readonly content: ConfigFile | null;
  /** For stderr: others on this machine can change the file, or read a secret in it. */
  readonly warning: string | null;
}

/** Reads the config file. One that the user named must exist; the platform's default need not. */
export async function loadConfigFile(
  path: string,
  { home, platform }: Pick<Io, 'home' | 'platform'>,
  required: boolean,
): Promise<LoadedConfig> {
  const info = await stat(path).catch(() => null);
  if (info === null && !required) return { path, content: null, warning: null };
  const shown = `config file ${tildePath(path, home)}`;
  const text = await readText(path, {
    name: shown,
    mostBytes: 65_536,
    wanted: 'it is a small file of JSON, saved as UTF-8',
    instead: 'name another with --config FILE, or leave --config and GASTOP_CONFIG away',
  });
  const content = parseConfig(text, shown);
  const warning = platform === 'win32' || info === null ? null : warningOf(content, info);
  return { path, content, warning: warning && `${shown} ${warning}` };
}

function warningOf(content: ConfigFile, { uid, mode }: Pick<Stats, 'uid' | 'mode'>): string | null {
  const isForeign = uid !== 0 && uid !== process.geteuid?.();
  if (isForeign)
    return 'belongs to another user, who decides what gastop asks and tells; name another with --config';
  if ((mode & 0o002) !== 0) return 'can be changed by others on this machine; run chmod 600 on it';
  const secret = (mode & 0o077) === 0 ? null : secretIn(content);
  return secret && `holds ${secret} and others on this machine can read it; run chmod 600 on it`;
}

function secretIn(file: ConfigFile) {
  if (file.apiKey !== undefined || file.encryptionKey !== undefined) return 'a key';
  const hasPassword = /^[^:]+:\/*[^/@]*:[^/]*@|[?&]password=/.test(file.database ?? '');
  if (file.smtp?.password !== undefined || hasPassword) return 'a password';
  if (file.telegram !== undefined) return 'a token';
  const nodes = [file, ...(file.chains ?? [])].flatMap(({ rpc = [] }) => rpc);
  return nodes.some(holdsKey) ? 'the key of a node' : null;
}

const Text = z.string().min(1).optional();
const Flag = z.boolean().optional();
const matching = (pattern: RegExp, wanted: string) => z.string().regex(pattern, `must be ${wanted}`);
const oneOrMore = (wanted: string) => z.union([z.string(), z.array(z.string()).min(1)], `must be ${wanted}`);
const Urls = oneOrMore('a URL, or a list of URLs such as ["http://127.0.0.1:8545"]').optional();

const SmtpConfig = z.strictObject({
  host: matching(/^[^\s/@]+$/, 'the name of a mail server, such as "mail.example.org"'),
  port: z.int().min(1).max(65_535).optional(),
  /** TLS from the first byte; otherwise upgraded by STARTTLS. */
  secure: Flag,
  user: Text,
  password: Text,
  from: Text,
  name: matching(
    /^[a-z0-9-]+(?:\.[a-z0-9-]+)+$/i,
    'the full name of this machine, such as "gas.example.org"',
  ).optional(),
  requireTls: Flag,
});

const PlanConfig = z.strictObject({
  dailyLimit: z.int().min(1).nullable(),
  perSecond: z.number().min(0.001).max(1_000_000).nullable(),
  groups: z.array(z.enum(ROUTE_GROUPS)).min(1).optional(),
  mcpWrites: Flag,
});
const PlanName = matching(/^[a-z0-9][a-z0-9_-]{0,31}$/i, 'a name of at most 32 letters, digits, - and _');

const ChainConfig = z.strictObject({
  name: matching(/^[a-z0-9][a-z0-9-]{0,31}$/i, 'a name of at most 32 letters, digits and -'),
  rpc: Urls,
  url: Text,
  chainId: z.int().min(1).optional(),
});

/** The config file. Values are text as in the environment, so that both share their parsers. */
const ConfigFile = z.strictObject({
  url: Text,
  rpc: Urls,
  chains: z.array(ChainConfig).max(64).optional(),
  apiKey: z.string().optional(),
  history: Text,
  confirmations: Text,
  patience: Text,
  interval: Text,
  zone: Text,
  mouse: Flag,
  fresh: Flag,
  db: Text,
  database: Text,
  encryptionKey: Text,
  ascii: Flag,
  notifications: Text,
  keys: Text,
  cors: oneOrMore('an origin, or a list of origins such as ["https://app.example.org"]').optional(),
  plans: z.record(PlanName, PlanConfig).optional(),
  smtp: SmtpConfig.optional(),
  telegram: z.strictObject({ token: z.string().min(1), apiUrl: Text }).optional(),
  allowPrivateTargets: Flag,
});
export type ConfigFile = z.infer<typeof ConfigFile>;

/** Parses the text of a config file; `shown` names it in errors. Repeats no value: one may be a key. */
export function parseConfig(text: string, shown: string): ConfigFile {
  const body = parseJson(text.replace(/^\ufeff/, ''), shown);
  const { data, error } = ConfigFile.safeParse(body);
  if (error === undefined) return data;
  for (const issue of error.issues) {
    if (issue.code !== 'unrecognized_keys' || issue.path.length > 0) continue;
    const names = issue.keys.map((key) => `"${key}"`).join(', ');
    const known = Object.keys(ConfigFile.shape).join(', ');
    throw usageError(`${shown}: unknown setting ${names}; known are ${known}`);
  }
  const [problem = { path: '', message: 'must be a JSON object' }] = fieldProblems(error, body);
  const where = problem.path === '' ? shown : `${shown}: "${problem.path}"`;
  throw usageError(`${where} ${problem.message.replace('a field of this request', 'a setting')}`);
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
  state: { xdg: 'XDG_STATE_HOME', unix: '.local/state', windows: 'LOCALAPPDATA', roaming: 'Local' },
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
/** What the monitor remembers. */
export const stateFile = (place: Place) => userPath(place, 'state', 'monitor.json');
export const dataFolder = (place: Place) => userPath(place, 'data');
export const keysDatabase = (place: Place) => userPath(place, 'data', 'keys.db');

/** One database per chain, so that histories never mix; a development chain with a borrowed id has its own. */
export const chainDatabase = (
  place: Place,
  { id, borrowsId }: Pick<ChainProfile, 'borrowsId'> & { readonly id: number | '<id>' },
) => userPath(place, 'data', `chain-${id}${borrowsId ? '-dev' : ''}.db`);
