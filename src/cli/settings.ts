import { parseServiceUrl } from '../client/service-url.ts';
import type { NotificationLevel } from '../tui/notification-bytes.ts';
import { asciiTerminal } from './ascii-terminal.ts';
import { checked } from './checked.ts';
import { usageError } from './cli-error.ts';
import type { LoadedConfig } from './config-file.ts';
import type { ConfigFile } from './config-schema.ts';
import { type DeliverySettings, smtpSettings, telegramSettings } from './delivery-settings.ts';
import { PUBLIC_NODES } from './public-nodes.ts';
import {
  parseApiKey,
  parseConfirmations,
  parseHistory,
  parseNodeUrls,
  parseNotifications,
  parsePath,
  parseSeed,
  parseSpeed,
  parseSwitch,
} from './setting-values.ts';

/** The global flags as they were typed. */
export interface SourceFlags {
  readonly url?: string;
  readonly rpc?: readonly string[];
  readonly replay?: string;
  readonly speed?: string;
  readonly demo?: boolean;
  readonly seed?: string;
  readonly history?: string;
  readonly confirmations?: string;
  readonly db?: string;
  readonly ascii?: boolean;
  readonly allowPrivateTargets?: boolean;
  readonly config?: string;
}

/** Without a `speed` the monitor plays a recording in real time; other commands read it to its end. */
export type SourceChoice =
  | { readonly kind: 'hosted'; readonly url: URL; readonly apiKey: string | null }
  | { readonly kind: 'rpc'; readonly urls: readonly URL[]; readonly isPublicDefault: boolean }
  | { readonly kind: 'replay'; readonly file: string; readonly speed: number | null }
  | { readonly kind: 'simulated'; readonly seed: number };

/** A value and who said it: `--url`, `GASTOP_URL`, `config file`, `default`. */
export interface Setting<Value> {
  readonly value: Value;
  readonly from: string;
}

export interface Settings extends DeliverySettings {
  readonly source: Setting<SourceChoice>;
  readonly apiKey: Setting<string | null>;
  readonly historySec: Setting<number>;
  /** Blocks that must have an auto-tx before it is final; `null`: the chain's own number. */
  readonly confirmations: Setting<number | null>;
  /** `null`: the chain's own file in the data folder; replay and demo keep nothing. */
  readonly db: Setting<string | null>;
  readonly ascii: Setting<boolean>;
  /** Of alerts that fire, beside the line on the monitor's screen. */
  readonly notifications: Setting<NotificationLevel>;
  /** The file of the keys that `serve` accepts; `null`: the one in the data folder. */
  readonly keys: Setting<string | null>;
}

type Env = Readonly<Record<string, string | undefined>>;

const DEFAULT = 'default';
const FILE = 'config file';
const DEFAULT_HISTORY_SEC = 30 * 86_400;
export const DEFAULT_SEED = 1;

/** Flags before environment before config file before defaults. */
export function resolveSettings(flags: SourceFlags, env: Env, config: LoadedConfig | null): Settings {
  refuseStrayFlags(flags);
  const file = config?.content ?? {};
  const source = sourceFromFlags(flags) ??
    sourceFrom('GASTOP_URL', set(env.GASTOP_URL), 'GASTOP_RPC', set(env.GASTOP_RPC)) ??
    sourceFrom(`${FILE}, url`, file.url, `${FILE}, rpc`, joined(file.rpc)) ?? {
      value: { kind: 'rpc', urls: PUBLIC_NODES.map((url) => new URL(url)), isPublicDefault: true },
      from: DEFAULT,
    };
  const apiKey = keyFor(source.value, env, file);
  if (source.value.kind === 'hosted') refuseEmbeddedFlags(flags);
  return {
    source:
      source.value.kind === 'hosted'
        ? { ...source, value: { ...source.value, apiKey: apiKey.value } }
        : source,
    apiKey,
    historySec: read('--history', flags.history, parseHistory) ??
      read('GASTOP_HISTORY', set(env.GASTOP_HISTORY), parseHistory) ??
      inFile('history', file.history, parseHistory) ?? { value: DEFAULT_HISTORY_SEC, from: DEFAULT },
    confirmations: read('--confirmations', flags.confirmations, parseConfirmations) ??
      read('GASTOP_CONFIRMATIONS', set(env.GASTOP_CONFIRMATIONS), parseConfirmations) ??
      inFile('confirmations', file.confirmations, parseConfirmations) ?? { value: null, from: DEFAULT },
    db: read('--db', flags.db, parsePath) ??
      read('GASTOP_DB', set(env.GASTOP_DB), parsePath) ??
      inFile('db', file.db, parsePath) ?? { value: null, from: DEFAULT },
    ascii:
      (flags.ascii ? { value: true, from: '--ascii' } : null) ??
      read('GASTOP_ASCII', set(env.GASTOP_ASCII), parseSwitch) ??
      (file.ascii === undefined ? asciiByDefault(env) : { value: file.ascii, from: FILE }),
    notifications: read('GASTOP_NOTIFICATIONS', set(env.GASTOP_NOTIFICATIONS), parseNotifications) ??
      inFile('notifications', file.notifications, parseNotifications) ?? { value: 'on', from: DEFAULT },
    keys: read('GASTOP_KEYS', set(env.GASTOP_KEYS), parsePath) ??
      inFile('keys', file.keys, parsePath) ?? { value: null, from: DEFAULT },
    smtp: smtpSettings(env, file),
    telegram: telegramSettings(env, file),
    allowPrivateTargets: (flags.allowPrivateTargets
      ? { value: true, from: '--allow-private-targets' }
      : null) ??
      read('GASTOP_ALLOW_PRIVATE_TARGETS', set(env.GASTOP_ALLOW_PRIVATE_TARGETS), parseSwitch) ?? {
        value: file.allowPrivateTargets ?? false,
        from: file.allowPrivateTargets === undefined ? DEFAULT : FILE,
      },
  };
}

function asciiByDefault(env: Env): Setting<boolean> {
  const from = asciiTerminal(env);
  return { value: from !== null, from: from ?? DEFAULT };
}

/** The same settings over another source, chosen while running. A database named for the first is not for it. */
export function withSource(settings: Settings, source: SourceChoice): Settings {
  const from = 'the monitor';
  return { ...settings, source: { value: source, from }, db: { value: null, from: DEFAULT } };
}

function sourceFromFlags(flags: SourceFlags): Setting<SourceChoice> | null {
  const named = [
    flags.url === undefined ? null : '--url',
    flags.rpc === undefined ? null : '--rpc',
    flags.replay === undefined ? null : '--replay',
    flags.demo ? '--demo' : null,
  ].filter((name) => name !== null);
  if (named.length > 1) throw usageError(`${named.join(' and ')} cannot be combined; name one source`);
  if (flags.replay !== undefined) {
    const file = checked('--replay', () => parsePath(flags.replay ?? ''));
    const speed = read('--speed', flags.speed, parseSpeed)?.value ?? null;
    return { value: { kind: 'replay', file, speed }, from: '--replay' };
  }
  if (flags.demo) {
    const seed = read('--seed', flags.seed, parseSeed)?.value ?? DEFAULT_SEED;
    return { value: { kind: 'simulated', seed }, from: '--demo' };
  }
  return sourceFrom('--url', flags.url, '--rpc', joined(flags.rpc));
}

function sourceFrom(
  urlName: string,
  url: string | undefined,
  rpcName: string,
  rpc: string | undefined,
): Setting<SourceChoice> | null {
  if (url !== undefined && rpc !== undefined) {
    throw usageError(`${urlName} and ${rpcName} cannot be combined; name one source`);
  }
  const hosted = read(urlName, url, parseServiceUrl);
  if (hosted !== null)
    return { value: { kind: 'hosted', url: hosted.value, apiKey: null }, from: hosted.from };
  const nodes = read(rpcName, rpc, parseNodeUrls);
  return nodes && { value: { kind: 'rpc', urls: nodes.value, isPublicDefault: false }, from: nodes.from };
}

/** A key in the config file belongs to the service named there: another one must never be sent it. */
function keyFor(source: SourceChoice, env: Env, file: ConfigFile): Setting<string | null> {
  const fromEnv = read('GASTOP_API_KEY', set(env.GASTOP_API_KEY), parseApiKey);
  if (fromEnv !== null) return fromEnv;
  const fromFile = inFile('apiKey', file.apiKey, parseApiKey);
  if (fromFile === null) return { value: null, from: DEFAULT };
  if (file.url === undefined) {
    return { value: null, from: `${FILE} has one; without a url beside it, it is not used` };
  }
  const owner = read(`${FILE}, url`, file.url, parseServiceUrl)?.value;
  const foreign = source.kind === 'hosted' && owner?.origin !== source.url.origin;
  return foreign ? { value: null, from: `${FILE} has one, for ${owner?.host} only` } : fromFile;
}

function refuseStrayFlags(flags: SourceFlags): void {
  if (flags.speed !== undefined && flags.replay === undefined) {
    throw usageError('--speed goes with --replay FILE; add it or leave --speed away');
  }
  if (flags.seed !== undefined && !flags.demo) {
    throw usageError('--seed goes with --demo; add it or leave --seed away');
  }
}

function refuseEmbeddedFlags(flags: SourceFlags): void {
  if (flags.allowPrivateTargets) {
    throw usageError(
      '--allow-private-targets goes with --rpc, --replay or --demo; the service at the URL decides where its alerts go',
    );
  }
  if (flags.confirmations !== undefined) {
    throw usageError(
      '--confirmations goes with --rpc; the service at the URL says itself when an auto-tx is final',
    );
  }
  const stray = flags.db !== undefined ? '--db' : flags.history !== undefined ? '--history' : null;
  if (stray === null) return;
  throw usageError(
    `${stray} goes with --rpc, --replay or --demo; the service at the URL keeps its own history`,
  );
}

function read<Value>(
  from: string,
  text: string | undefined,
  parse: (text: string) => Value,
): Setting<Value> | null {
  return text === undefined ? null : { value: checked(from, () => parse(text)), from };
}

/** As {@link read}, where a failure has to say which of the file's settings it is. */
function inFile<Value>(
  name: keyof ConfigFile,
  text: string | undefined,
  parse: (text: string) => Value,
): Setting<Value> | null {
  const setting = read(`${FILE}: ${name}`, text, parse);
  return setting && { ...setting, from: FILE };
}

/** An empty variable is an unset one. */
function set(value: string | undefined): string | undefined {
  return value === undefined || value.trim() === '' ? undefined : value;
}

function joined(urls: string | readonly string[] | undefined): string | undefined {
  return typeof urls === 'string' ? urls : urls?.join(' ');
}
