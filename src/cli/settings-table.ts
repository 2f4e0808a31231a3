import { PATIENCE_SEC } from '../contract/choices.ts';
import {
  durationText,
  parseChoice,
  parseDuration,
  parseOrigins,
  parsePath,
  parseSwitch,
  parseWhole,
} from './parse.ts';

/** All that is said of a setting, or of a flag that goes with every command: flags, completion, config file and documents. */
export interface SettingRow {
  /** Its name in `Settings` and `gastop config --json`, where it is not that of the row; shared by ways to say one thing. */
  readonly as?: string;
  readonly at: {
    /** With every command, as commander reads it; `ownFlag` is one of some commands alone. */
    readonly flag?: string;
    readonly ownFlag?: string;
    /** A variable that, like its text in the config file, reaches no error and no other program. */
    readonly secret?: string;
    readonly variable?: string;
    /** In the config file, under the name of the row: text, as in a variable, or what `config-schema.ts` has for it. */
    readonly file?: 'text' | 'switch' | 'own';
  };
  readonly help?: string;
  /** The flag may stand there several times. */
  readonly append?: true;
  /** The sources that the flag goes with; left out: all. */
  readonly goesWith?: string;
  /** In Markdown, for docs/SETTINGS.md and the man page. */
  readonly docs?: string;
  /** Left out, with `standard`: `resolveSettings` has it. @throws RangeError that says what is valid */
  readonly parse?: (text: string) => unknown;
  readonly standard?: unknown;
  /** In `gastop config`; without a title, the name. Left out: `commands/config.ts` has it. */
  readonly title?: string;
  shown?(value: unknown): string;
}

const toggle = (on = 'on', off = 'off') =>
  ({ parse: parseSwitch, standard: false, shown: (isOn: boolean) => (isOn ? on : off) }) as const;

const duration = <Standard extends number | null>(
  min: string,
  max: string,
  standard: Standard,
  { note = '', unset = '' } = {},
) => ({
  parse: (text: string) => parseDuration(text, { min, max, note }),
  standard,
  shown: (sec: number | null) => (sec === null ? unset : durationText(sec)),
});

/** The first is the default. */
const choice = <const Choice extends string>(note: string, ...choices: readonly [Choice, ...Choice[]]) => ({
  parse: (text: string) => parseChoice(text, choices, note),
  standard: choices[0],
  shown: (chosen: Choice): string => chosen,
});

const A_CHAIN = '--rpc, --replay or --demo';

export const SETTINGS = {
  url: {
    as: 'source',
    at: { flag: '--url <URL>', variable: 'GASTOP_URL', file: 'text' },
    help: 'a v1 gas-price service; its key is GASTOP_API_KEY',
    docs: 'a v1 service',
  },
  rpc: {
    as: 'source',
    at: { flag: '--rpc <URL>', variable: 'GASTOP_RPC', file: 'own' },
    help: 'Ethereum node; several are fallbacks; with a key in it: GASTOP_RPC',
    append: true,
    docs: 'one node, or several: a list in the file, spaces or commas between them in the environment',
  },
  replay: { as: 'source', at: { flag: '--replay <FILE>' }, help: 'recorded blocks: JSON Lines or CSV' },
  demo: { as: 'source', at: { flag: '--demo' }, help: 'a simulated chain; needs no network' },
  speed: {
    at: { flag: '--speed <N>' },
    help: 'play a recording N times as fast (monitor: 1)',
    goesWith: '--replay FILE',
  },
  seed: { at: { flag: '--seed <N>' }, help: 'another simulated chain (default 1)', goesWith: '--demo' },
  fork: {
    at: { flag: '--fork [BLOCKS]' },
    help: 'the simulated chain crosses the Amsterdam fork after so many blocks (20)',
    goesWith: '--demo',
  },
  chains: {
    at: { ownFlag: '--chains', secret: 'GASTOP_API_KEY_<NAME>', file: 'own' },
    docs: 'chains side by side: `[{ "name": "base" }, { "name": "mine", "url": "https://gas.example.org" }]`, with `rpc` (a node, or a list) or `url` (a v1 service, whose key is in the variable) and perhaps `chainId`; a chain that gastop knows by name needs neither. The flag goes with `chains` and the monitor',
  },
  apiKey: {
    at: { secret: 'GASTOP_API_KEY', file: 'own' },
    docs: "the service's key; never an argument, which others could read",
  },
  history: {
    as: 'historySec',
    at: { flag: '--history <TIME>', variable: 'GASTOP_HISTORY', file: 'text' },
    help: 'how much history to load, 1h to 30d (default 30d)',
    goesWith: A_CHAIN,
    docs: 'how much past to load, `1h` to `30d`',
    ...duration('1h', '30d', 30 * 86_400),
  },
  confirmations: {
    at: { flag: '--confirmations <N>', variable: 'GASTOP_CONFIRMATIONS', file: 'text' },
    help: "blocks that make an auto-tx final (default: the chain's own)",
    goesWith: A_CHAIN,
    docs: "how many blocks must have an auto-tx before it is final; default: the chain's own number (12 on Ethereum)",
    parse: (text: string) => parseWhole(text, 'a number of blocks', 1, 10_000),
    standard: null,
    shown: (blocks: number | null) => blocks?.toString() ?? "the chain's own",
  },
  patience: {
    as: 'patienceSec',
    at: { flag: '--patience <TIME>', variable: 'GASTOP_PATIENCE', file: 'text' },
    help: 'how long you can wait with a transaction, 5m to 1d (default 1h)',
    docs: 'how long you can wait with a transaction, `5m` to `1d`; default: `1h`. The advice is the best wait within it; `P` on Live changes it',
    // Below five minutes the advice is always to send.
    ...duration('5m', durationText(PATIENCE_SEC.most), PATIENCE_SEC.default, {
      note: ', as advice waits no less and no longer',
    }),
  },
  interval: {
    as: 'intervalSec',
    at: { flag: '--interval <TIME>', variable: 'GASTOP_INTERVAL', file: 'text' },
    help: 'how often the monitor refreshes, 1s to 5m (default: as the source asks)',
    docs: 'how often the monitor refreshes, `1s` to `5m`; default: as the source asks, each block where it tells of them. `+` and `-` change it',
    ...duration('1s', '5m', null, { unset: 'as the source asks' }),
  },
  zone: {
    at: { flag: '--zone <ZONE>', variable: 'GASTOP_ZONE', file: 'text' },
    help: 'the times of the monitor: local or utc (default local)',
    docs: 'the times of the monitor: `local` (the default; `TZ` says which that is) or `utc`; `z` changes it',
    ...choice('TZ says which zone is local', 'local', 'utc'),
  },
  mouse: {
    at: { flag: '--mouse', variable: 'GASTOP_MOUSE', file: 'switch' },
    help: 'the monitor takes clicks and the wheel; M changes it',
    docs: 'the monitor takes [clicks and the wheel](MONITOR.md#mouse); `M` changes it',
    ...toggle('on', 'off; the terminal selects text'),
  },
  fresh: {
    at: { flag: '--fresh', variable: 'GASTOP_FRESH', file: 'switch' },
    help: 'the monitor starts without what it remembers',
    docs: 'the monitor starts without [what it remembers](MONITOR.md#what-it-remembers)',
    ...toggle('on', 'off; the monitor remembers'),
  },
  db: {
    at: { flag: '--db <FILE>', variable: 'GASTOP_DB', file: 'text' },
    help: 'keep history in this database',
    goesWith: A_CHAIN,
    docs: 'the database file',
  },
  database: {
    as: 'db',
    at: { flag: '--database <URL>', secret: 'GASTOP_DATABASE_URL', file: 'text' },
    help: 'keep it in PostgreSQL: postgres://USER@HOST/NAME',
    goesWith: A_CHAIN,
    docs: 'PostgreSQL instead of a file, with the keys of `serve` in it, see [Scale](SCALE.md); `PGPASSWORD` and the other `PG*` variables say what the URL does not',
  },
  encryptionKey: {
    at: { secret: 'GASTOP_ENCRYPTION_KEY', file: 'text' },
    docs: 'what signed transactions are encrypted with, as `openssl rand -base64 32` prints it; PostgreSQL needs it to take auto-txs, a file has a key of its own beside it',
  },
  keys: {
    at: { ownFlag: '--keys', variable: 'GASTOP_KEYS', file: 'text' },
    docs: 'the file with the keys of `serve`; the flag goes with `serve` and `keys`',
    parse: parsePath,
    standard: null,
  },
  cors: {
    at: { ownFlag: '--cors', variable: 'GASTOP_CORS', file: 'own' },
    docs: 'origins whose pages may ask `serve` in a browser: a list in the file, spaces or commas between them in the environment, `*` for all; the flag goes with `serve`',
    parse: parseOrigins,
    standard: [],
    shown: (origins: readonly string[]) =>
      origins.join('\n') || 'none; pages of other origins get no response',
  },
  plans: { at: { file: 'own' }, docs: 'own plans of keys, see [Keys and plans](SERVICE.md#keys-and-plans)' },
  ascii: {
    at: { flag: '--ascii', variable: 'GASTOP_ASCII', file: 'switch' },
    help: 'ASCII characters only',
    docs: 'nothing but ASCII characters; by itself where the locale is `C`, `POSIX` or of a character set other than UTF-8, and on the Linux console',
    ...toggle(),
  },
  smtp: {
    at: { secret: 'GASTOP_SMTP_URL', variable: 'GASTOP_SMTP_FROM', file: 'own' },
    docs: 'the mail server of alerts, see [Alerts](ALERTS.md)',
  },
  telegram: {
    at: { secret: 'GASTOP_TELEGRAM_TOKEN', variable: 'GASTOP_TELEGRAM_API', file: 'own' },
    docs: 'the bot that sends alerts',
  },
  screenReader: {
    at: { flag: '--screen-reader', variable: 'INK_SCREEN_READER' },
    help: 'the monitor in sentences, without tables or drawing',
    docs: '`true`: the monitor in sentences for a screen reader, without tables or drawing',
    ...toggle(),
    title: 'screen reader',
  },
  allowPrivateTargets: {
    at: { flag: '--allow-private-targets', variable: 'GASTOP_ALLOW_PRIVATE_TARGETS', file: 'switch' },
    help: 'let webhooks go to this machine and private networks',
    goesWith: A_CHAIN,
    docs: 'alerts may go to this machine and private networks',
    ...toggle('allowed', 'refused'),
    title: 'private targets',
  },
  notifications: {
    at: { variable: 'GASTOP_NOTIFICATIONS', file: 'text' },
    docs: "what the monitor's terminal does when an alert fires: `on` (bell and a note on the desktop), `bell`, `off`",
    ...choice('bell rings without a note on the desktop', 'on', 'bell', 'off'),
  },
  config: {
    as: 'configFile',
    at: { flag: '--config <FILE>', variable: 'GASTOP_CONFIG' },
    help: 'another config file',
    docs: 'the config file itself',
  },
} as const satisfies Readonly<Record<string, SettingRow>>;

type Table = typeof SETTINGS;
export type SettingName = keyof Table;
/** Their names by what the rows have. */
type NamesWith<Part> = { [Name in SettingName]: Table[Name] extends Part ? Name : never }[SettingName];
export type FileName = NamesWith<{ at: { file: string } }>;
export type OwnSchemaName = NamesWith<{ at: { file: 'own' } }>;
type KeyOf<Row, Name> = Row extends { as: infer Key extends string } ? Key : Name;
/** The lines of `gastop config` that no row has. */
export type OwnLineKey = {
  [Name in NamesWith<{ docs: string }>]: Table[Name] extends { shown: unknown }
    ? never
    : KeyOf<Table[Name], Name>;
}[NamesWith<{ docs: string }>];

type PlainRow = { parse: (text: string) => unknown; standard: unknown };
type ValueOf<Row extends PlainRow> = ReturnType<Row['parse']> | Exclude<Row['standard'], readonly []>;
/** The settings whose rows have a parser. */
export type PlainValues = {
  readonly [Name in NamesWith<PlainRow> as KeyOf<Table[Name], Name>]: ValueOf<Table[Name]>;
};

type FlagValue<Text> = Text extends `${string}<${string}`
  ? string
  : Text extends `${string}[${string}`
    ? string | true
    : boolean;
/** The flags that go with every command, by the name of their row. */
export type SourceFlags = {
  readonly [Name in NamesWith<{ at: { flag: string } }>]?: Table[Name] extends { append: true }
    ? readonly string[]
    : FlagValue<Table[Name]['at']['flag']>;
};

export const SETTING_ROWS = Object.entries(SETTINGS) as readonly (readonly [SettingName, SettingRow])[];

/** `GASTOP_API_KEY_<NAME>` stands for all that begin so. */
const SECRETS = SETTING_ROWS.flatMap(([, { at }]) => at.secret?.replace('<NAME>', '.*') ?? []);

export const isSecretVariable = (name: string): boolean =>
  new RegExp(`^(?:${SECRETS.join('|')})$`).test(name);
