import { ChainError } from '../chain/chain-source.ts';
import { parseNodeUrl as readNodeUrl } from '../chain/rpc/failures.ts';
import { parseServiceUrl } from '../client/service-url.ts';
import { isAddress } from '../contract/alert-channels.ts';
import { keyProblem } from '../core/key-text.ts';
import { isLoopback } from '../core/loopback.ts';
import { FASTEST } from '../core/playback.ts';
import { OPENING } from '../core/simulation.ts';
import type { SmtpSettings } from '../service/alerts/notifiers/email.ts';
import type { TelegramSettings } from '../service/alerts/notifiers/notifiers.ts';
import type { ServiceOptions } from '../service/service.ts';
import { parseDatabaseUrl } from '../store/database-url.ts';
import { parseEncryptionKey } from '../store/sealer.ts';
import type { LoadedConfig } from './config-file.ts';
import type { ConfigFile } from './config-schema.ts';
import { usageError } from './errors.ts';
import { KNOWN_CHAINS, knownChain, PUBLIC_NODES } from './known-chains.ts';
import { asciiTerminal } from './output.ts';
import { checked, parsedOrNull, parsePath, parseWhole, wordsOf } from './parse.ts';
import {
  type PlainValues,
  SETTING_ROWS,
  SETTINGS,
  type SettingName,
  type SettingRow,
  type SourceFlags,
} from './settings-table.ts';

/** Without a `speed` the monitor plays a recording in real time; other commands read it to its end. */
export type SourceChoice =
  | { readonly kind: 'hosted'; readonly url: URL; readonly apiKey: string | null }
  | {
      readonly kind: 'rpc';
      readonly urls: readonly URL[];
      readonly isPublicDefault: boolean;
      /** Nodes of another chain are refused; left out: the chain of the first that answers. */
      readonly chainId?: number;
    }
  | { readonly kind: 'replay'; readonly file: string; readonly speed: number | null }
  | {
      readonly kind: 'simulated';
      readonly seed: number;
      /** Blocks until it crosses the Amsterdam fork; `null`: it does not. */
      readonly forkAfter: number | null;
    };

export type HostedChoice = Extract<SourceChoice, { readonly kind: 'hosted' }>;
export type ChainChoice = Exclude<SourceChoice, HostedChoice>;

/** The chain that `command` cannot do without. @throws CliError (usage) */
export function chosenChain({ source }: Settings, command: string): ChainChoice {
  if (source.value.kind !== 'hosted') return source.value;
  const needs = `${command} needs a chain, not a service`;
  throw usageError(`${needs}; name one with --rpc URL, --replay FILE or --demo`);
}

/** A value and its origin: `--url`, `GASTOP_URL`, `config file`, `default`. */
export interface Setting<Value> {
  readonly value: Value;
  readonly from: string;
}

export type Settings = ReturnType<typeof resolveSettings>;

export interface ChainSetup {
  readonly name: string;
  /** The id it must have; `null`: whatever answers. */
  readonly chainId: number | null;
  readonly source: Extract<SourceChoice, { kind: 'hosted' | 'rpc' }>;
}

type Env = Readonly<Record<string, string | undefined>>;
export const DEFAULT = 'default';
const FILE = 'config file';
export const DEFAULT_SEED = OPENING.seed;
/** Blocks of `--demo --fork`: four minutes. */
const FORK_AFTER = 20;

/** Where a setting may be, by its name there; `parse` reads all of them. */
interface Places<Value> {
  /** By precedence: flag, environment, config file. */
  readonly texts: readonly (readonly [name: string, text: string | undefined, from?: string])[];
  readonly parse: (text: string) => Value;
}

/** The first place that has a value; two settings of one `what` in places of one rank cannot be combined. */
function chosen<Value>(what: string, ...settings: readonly Places<Value>[]): Setting<Value> | null {
  for (const rank of [0, 1, 2]) {
    const named = settings.flatMap(({ texts, parse }) => {
      const [name = '', text, from = name] = texts[rank] ?? [];
      return text === undefined ? [] : [{ name, text, from, parse }];
    });
    const [only] = named;
    if (only === undefined) continue;
    if (named.length > 1) {
      const names = named.map(({ name }) => name).join(' and ');
      throw usageError(`${names} cannot be combined; name one ${what}`);
    }
    return { value: checked(only.name, () => only.parse(only.text)), from: only.from };
  }
  return null;
}

/** @throws CliError (usage) without any key in its message. */
export function resolveSettings(flags: SourceFlags, env: Env, config: LoadedConfig | null) {
  const file = config?.content ?? {};
  type Values = Partial<Record<SettingName, unknown>>;
  const typed: Values = flags;
  const inFile: Values = file;
  const places = <Value>(
    name: SettingName,
    parse: (text: string) => Value,
    fileName = `${FILE}: ${name}`,
    from = FILE,
  ): Places<Value> => {
    const { at }: SettingRow = SETTINGS[name];
    const variable = at.secret ?? at.variable ?? '';
    return {
      texts: [
        [longFlag(at), typed[name]?.toString()],
        [variable, set(env[variable])],
        [fileName, inFile[name]?.toString(), from],
      ],
      parse,
    };
  };
  const setting = <Value>(name: SettingName, parse: (text: string) => Value) =>
    chosen(name, places(name, parse));
  const sourceAt = (name: 'url' | 'rpc', parse: (text: string) => SourceChoice) =>
    places(name, parse, `${FILE}, ${name}`, `${FILE}, ${name}`);
  const source =
    chosen<SourceChoice>(
      'source',
      sourceAt('url', (text) => ({ kind: 'hosted', url: serviceUrl(text), apiKey: null })),
      sourceAt('rpc', (text) => ({ kind: 'rpc', urls: parseNodeUrls(text), isPublicDefault: false })),
      {
        texts: [['--replay', flags.replay]],
        parse: (text) => ({
          kind: 'replay',
          file: parsePath(text),
          speed: parsedOrNull('--speed', flags.speed, parseSpeed),
        }),
      },
      {
        texts: [['--demo', flags.demo?.toString()]],
        parse: () => ({
          kind: 'simulated',
          seed: parsedOrNull('--seed', flags.seed, parseSeed) ?? DEFAULT_SEED,
          forkAfter: flags.fork === true ? FORK_AFTER : parsedOrNull('--fork', flags.fork, parseForkAfter),
        }),
      },
    ) ?? byDefault({ kind: 'rpc', urls: PUBLIC_NODES.map((url) => new URL(url)), isPublicDefault: true });
  const apiKey = keyFor(source.value, chosen('apiKey', places('apiKey', parseApiKey)), file);
  refuseStrays(flags, source.value.kind);
  const hosted = (choice: HostedChoice) => ({ ...choice, apiKey: apiKey.value });
  const plain = Object.fromEntries(
    SETTING_ROWS.flatMap(([name, { as = name, parse, standard }]) =>
      parse === undefined ? [] : [[as, setting(name, parse) ?? byDefault(standard)]],
    ),
  ) as { readonly [Name in keyof PlainValues]: Setting<PlainValues[Name]> };
  const asciiFrom = plain.ascii.from === DEFAULT ? asciiTerminal(env) : null;
  return {
    ...plain,
    ...(asciiFrom !== null && { ascii: { value: true, from: asciiFrom } }),
    source: source.value.kind === 'hosted' ? { ...source, value: hosted(source.value) } : source,
    apiKey,
    chains: { value: chainsOf(env, file), from: file.chains === undefined ? DEFAULT : FILE },
    /** A file, or the URL of PostgreSQL; `null`: the chain's own file in the data folder. */
    db: chosen('database', places('db', parsePath), places('database', parseDatabaseUrl)) ?? byDefault(null),
    encryptionKey: setting('encryptionKey', parseEncryptionKey) ?? byDefault(null),
    smtp: smtpSettings(env, file),
    telegram: telegramSettings(env, file),
  };
}

/** Whether the user said it for this run: it goes before what the monitor remembers. */
export const isSaid = ({ from }: Pick<Setting<unknown>, 'from'>): boolean => /^(--|GASTOP_)/.test(from);

const byDefault = <const Value>(value: Value) => ({ value, from: DEFAULT });

/** The same settings for another source, chosen at runtime. A database named for the first one does not apply. */
export function withSource(settings: Settings, source: SourceChoice): Settings {
  return { ...settings, source: { value: source, from: 'the monitor' }, db: byDefault(null) };
}

/** Refuses flags that only other sources take. */
function refuseStrays(flags: SourceFlags, kind: SourceChoice['kind']): void {
  const given: Partial<Record<SettingName, unknown>> = flags;
  for (const [name, { at, goesWith }] of SETTING_ROWS) {
    if (given[name] === undefined || goesWith === undefined || goesWith.includes(SOURCE_FLAG[kind])) continue;
    const flag = longFlag(at);
    throw usageError(`${flag} goes with ${goesWith}; add it or leave ${flag} away`);
  }
}

const SOURCE_FLAG = { hosted: '--url', rpc: '--rpc', replay: '--replay', simulated: '--demo' } as const;
const longFlag = ({ flag = '' }: SettingRow['at']) => flag.split(' ', 1)[0] ?? flag;

function chainsOf(env: Env, { chains = [] }: ConfigFile): readonly ChainSetup[] {
  const setups = chains.map(({ name, url, rpc, chainId }, place): ChainSetup => {
    const at = `${FILE}: chains.${place}`;
    const chain = knownChain(name);
    const id = chainId ?? chain?.id ?? null;
    if (url !== undefined && rpc !== undefined) {
      throw usageError(`${at} has a url and an rpc; name one source`);
    }
    if (url !== undefined) {
      const variable = `GASTOP_API_KEY_${name.toUpperCase().replaceAll('-', '_')}`;
      const apiKey = parsedOrNull(variable, set(env[variable]), parseApiKey);
      const service = checked(`${at}.url`, () => serviceUrl(url));
      return { name, chainId: id, source: { kind: 'hosted', url: service, apiKey } };
    }
    if (rpc === undefined && chain === undefined) {
      throw usageError(`${at}: nothing is known of "${name}"; name its nodes as rpc, or a service as url`);
    }
    const nodes = rpc ?? chain?.nodes ?? [];
    const urls = checked(`${at}.rpc`, () => parseNodeUrls(nodes.toString()));
    return nodesOf(name, id, urls);
  });
  const twice = setups.find(({ name }, place) => setups.findIndex((each) => each.name === name) !== place);
  if (twice !== undefined) throw usageError(`${FILE}: chains: "${twice.name}" stands there twice`);
  return setups;
}

const nodesOf = (name: string, chainId: number | null, urls: readonly URL[]): ChainSetup => ({
  ...{ name, chainId },
  source: { kind: 'rpc', urls, isPublicDefault: false, ...(chainId !== null && { chainId }) },
});

/** By the config file's names, others by public nodes. @throws CliError (usage) */
export function namedChains(text: string, own: readonly ChainSetup[]): readonly ChainSetup[] {
  const names = [...new Set(wordsOf(text.toLowerCase()))];
  if (names.length === 0) throw usageError('--chains: a name is missing, such as base,op');
  return names.map((name) => {
    const setup = own.find((each) => each.name.toLowerCase() === name);
    if (setup !== undefined) return setup;
    const chain = knownChain(name);
    if (chain === undefined) {
      const all = [...own.map((each) => each.name), ...KNOWN_CHAINS.map((chain) => chain.name)];
      throw usageError(`--chains: "${name}" is not known; known are ${[...new Set(all)].join(', ')}`);
    }
    const urls = chain.nodes.map((url) => new URL(url));
    return nodesOf(chain.name, chain.id, urls);
  });
}

/** A key in the config file belongs to the service named there and must not be sent to another one. */
function keyFor(source: SourceChoice, key: Setting<string> | null, file: ConfigFile): Setting<string | null> {
  if (key === null || key.from !== FILE) return key ?? byDefault(null);
  if (file.url === undefined) {
    return { value: null, from: `${FILE} has one; without a url beside it, it is not used` };
  }
  const owner = serviceUrl(file.url);
  const isForeign = source.kind === 'hosted' && owner.origin !== source.url.origin;
  return isForeign ? { value: null, from: `${FILE} has one, for ${owner.host} only` } : key;
}

const set = (value = '') => (value.trim() === '' ? undefined : value);

/** URL of an Ethereum JSON-RPC node. Its path often contains a key, so messages never repeat it. */
export function parseNodeSetting(text: string): URL {
  try {
    return readNodeUrl(withScheme(text));
  } catch (error) {
    throw error instanceof ChainError ? new RangeError(error.message) : error;
  }
}

/** `localhost:8787` means http; other URLs must have a scheme. */
function withScheme(text: string): string {
  const trimmed = text.trim();
  const [, host = ''] = /^(\[.*\]|[^:/]*)(?::\d+)?(?:\/|$)/.exec(trimmed) ?? [];
  return isLoopback(host) ? `http://${trimmed}` : trimmed;
}

export const serviceUrl = (text: string) =>
  parseServiceUrl(withScheme(text), 'the key goes into GASTOP_API_KEY');

function parseNodeUrls(text: string): URL[] {
  const urls = wordsOf(text);
  return urls.length === 0 ? [parseNodeSetting('')] : urls.map(parseNodeSetting);
}

/** An API key as an HTTP header can carry it. Removes a trailing line break, which `$(cat file)` habits leave. */
function parseApiKey(text: string): string {
  const key = text.trim();
  if (key === '') throw new RangeError('the key is empty');
  const problem = keyProblem(key);
  if (problem !== null) throw new RangeError(problem);
  return key;
}

function parseSpeed(text: string): number {
  const speed = /^\d+(\.\d+)?x?$/.test(text.trim()) ? Number.parseFloat(text) : Number.NaN;
  if (!(speed > 0 && speed <= FASTEST)) {
    throw new RangeError(
      `"${text}" is not a speed; 1 is real time, 60 plays an hour in a minute, at most 100,000`,
    );
  }
  return speed;
}

const parseForkAfter = (text: string) => parseWhole(text, 'a number of blocks', 1, 100_000);
const parseSeed = (text: string) => parseWhole(text, 'a seed', 0, 0xffff_ffff);

const TELEGRAM_API = 'https://api.telegram.org';
/** Message submission (RFC 6409), and with TLS from the first byte (RFC 8314). */
const SUBMISSION_PORT = 587;
const SUBMISSIONS_PORT = 465;

function smtpSettings(env: Env, file: ConfigFile): Setting<SmtpSettings | null> {
  const from = set(env.GASTOP_SMTP_FROM)?.trim();
  const inEnv = parsedOrNull('GASTOP_SMTP_URL', set(env.GASTOP_SMTP_URL), parseSmtpUrl);
  const server = inEnv ?? (file.smtp === undefined ? null : withPort(file.smtp));
  if (server === null) return byDefault(null);
  const where = inEnv === null ? `${FILE}, smtp.from` : 'GASTOP_SMTP_URL';
  const { user } = server;
  const sender = from ?? file.smtp?.from ?? (user !== null && isAddress(user) ? user : undefined);
  if (sender === undefined) {
    const missing =
      inEnv === null ? `${FILE}, smtp: "from" is missing` : 'GASTOP_SMTP_URL needs GASTOP_SMTP_FROM';
    throw usageError(`${missing}: the address that alerts come from`);
  }
  const value = {
    ...server,
    from: checked(from === undefined ? where : 'GASTOP_SMTP_FROM', () => parseSender(sender)),
  };
  return { value, from: inEnv !== null ? where : from === undefined ? FILE : `${FILE}, GASTOP_SMTP_FROM` };
}

/** TLS follows from the port, and the port from TLS. */
function withPort(smtp: NonNullable<ConfigFile['smtp']>): Omit<SmtpSettings, 'from'> {
  const secure = smtp.secure ?? smtp.port === SUBMISSIONS_PORT;
  const port = smtp.port ?? (secure ? SUBMISSIONS_PORT : SUBMISSION_PORT);
  return { ...smtp, secure, port, user: smtp.user ?? null, password: smtp.password ?? null };
}

function telegramSettings(env: Env, { telegram }: ConfigFile): Setting<TelegramSettings | null> {
  const at = <Value>(variable: string, name: 'token' | 'apiUrl', parse: (text: string) => Value) =>
    chosen(name, {
      texts: [
        [variable, set(env[variable])],
        [`${FILE}, telegram.${name}`, telegram?.[name], FILE],
      ],
      parse,
    });
  const token = at('GASTOP_TELEGRAM_TOKEN', 'token', parseTelegramToken);
  if (token === null) return byDefault(null);
  const apiUrl = at('GASTOP_TELEGRAM_API', 'apiUrl', parseApiUrl)?.value ?? new URL(TELEGRAM_API);
  return { value: { token: token.value, apiUrl }, from: token.from };
}

const NOT_SMTP =
  'not a mail server; write smtps://USER:PASSWORD@mail.example.org, with @ / ? # : and % in either as %40 %2F %3F %23 %3A %25';

function parseSmtpUrl(text: string): Omit<SmtpSettings, 'from'> {
  const url = URL.parse(text);
  // A slash, ? or # in a password ends the host too early: the rest must not be sent to a name server.
  if (url === null || !/^smtps?:\/\/[^/?#]+\/?$/.test(url.href)) throw new RangeError(NOT_SMTP);
  const secure = url.protocol === 'smtps:' || url.port === String(SUBMISSIONS_PORT);
  const port = secure ? SUBMISSIONS_PORT : SUBMISSION_PORT;
  try {
    const [user = null, password = null] = [url.username, url.password].map((part) =>
      part === '' ? null : decodeURIComponent(part),
    );
    const host = url.hostname.replace(/^\[(.*)\]$/, '$1');
    return { host, port: Number(url.port || port), secure, user, password };
  } catch {
    throw new RangeError(NOT_SMTP);
  }
}

function parseSender(text: string): string {
  const address = /^[^<>\r\n]*<([^<>]+)>$/.exec(text.trim())?.[1] ?? text.trim();
  // Other characters could end the header and begin another.
  if (!isAddress(address) || /\p{Cc}/u.test(text))
    throw new RangeError('not an address to send from; write gas@example.org or "gastop <gas@example.org>"');
  return text.trim();
}

function parseTelegramToken(text: string): string {
  if (!/^\d{1,20}:[\w-]{8,128}$/.test(text.trim()))
    throw new RangeError('not a bot token; @BotFather gives one such as 123456789:AA…');
  return text.trim();
}

function parseApiUrl(text: string): URL {
  const url = URL.parse(text);
  if (url !== null && /^https?:\/\/[^@?#]+$/.test(url.href)) return url;
  throw new RangeError(`must be a bare http(s) address, without the token; by default it is ${TELEGRAM_API}`);
}

export const deliveryOf = (settings: Pick<Settings, 'smtp' | 'telegram' | 'allowPrivateTargets'>) =>
  ({
    smtp: settings.smtp.value,
    telegram: settings.telegram.value,
    allowPrivateTargets: settings.allowPrivateTargets.value,
  }) satisfies ServiceOptions['delivery'];
