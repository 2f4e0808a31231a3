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

/**
 * All that is said of a setting, or of a flag that goes with every command. Flags, completion, the schema of the config
 * file, `gastop config`, the man page and docs/SETTINGS.md are made of it.
 */
export interface SettingRow {
  /** Its name in `Settings` and in `gastop config --json`, where it is not that of its row; shared by ways to say one thing. */
  readonly as?: string;
  /** With every command, as commander reads it, and its line in the help. */
  readonly flag?: string;
  readonly help?: string;
  /** What commander makes of the flag each time it stands there; left out: the last one counts. */
  readonly append?: true;
  /** The sources that the flag goes with; left out: all. */
  readonly goesWith?: string;
  /** A flag of some commands alone. */
  readonly ownFlag?: string;
  readonly variables?: readonly string[];
  /** Its first variable, and its text in the config file, reach no error and no other program. */
  readonly isSecret?: true;
  /** What it is in the config file, under the name of the row: text, as in a variable, or what `config-schema.ts` has for it. */
  readonly file?: 'text' | 'switch' | 'own';
  /** In Markdown, for docs/SETTINGS.md and the man page. */
  readonly docs?: string;
  /** Left out, with `standard`: `resolveSettings` has it. @throws RangeError that says what is valid */
  readonly parse?: (text: string) => unknown;
  readonly standard?: unknown;
  /** In `gastop config`; without a title, the name. Left out: `commands/config.ts` has it. */
  readonly title?: string;
  shown?(value: unknown): string;
  /** In place of `null`. */
  readonly unset?: string;
}

const SWITCH = {
  parse: parseSwitch,
  standard: false,
  shown: (isOn: boolean) => (isOn ? 'on' : 'off'),
} as const;

const duration = (min: string, max: string, note?: string) => ({
  parse: (text: string) => parseDuration(text, { min, max, note }),
  shown: durationText,
});

const choice = <const Choice extends string>(note: string, ...choices: readonly Choice[]) => ({
  parse: (text: string) => parseChoice(text, choices, note),
  shown: (chosen: Choice): string => chosen,
});

const A_CHAIN = '--rpc, --replay or --demo';

export const SETTINGS = {
  url: {
    as: 'source',
    flag: '--url <URL>',
    help: 'a v1 gas-price service; its key is GASTOP_API_KEY',
    variables: ['GASTOP_URL'],
    file: 'text',
    docs: 'a v1 service',
  },
  rpc: {
    as: 'source',
    flag: '--rpc <URL>',
    help: 'Ethereum node; several are fallbacks; with a key in it: GASTOP_RPC',
    append: true,
    variables: ['GASTOP_RPC'],
    file: 'own',
    docs: 'one node, or several: a list in the file, spaces or commas between them in the environment',
  },
  replay: { as: 'source', flag: '--replay <FILE>', help: 'recorded blocks: JSON Lines or CSV' },
  demo: { as: 'source', flag: '--demo', help: 'a simulated chain; needs no network' },
  speed: {
    as: 'source',
    flag: '--speed <N>',
    help: 'play a recording N times as fast (monitor: 1)',
    goesWith: '--replay FILE',
  },
  seed: {
    as: 'source',
    flag: '--seed <N>',
    help: 'another simulated chain (default 1)',
    goesWith: '--demo',
  },
  fork: {
    as: 'source',
    flag: '--fork [BLOCKS]',
    help: 'the simulated chain crosses the Amsterdam fork after so many blocks (20)',
    goesWith: '--demo',
  },
  chains: {
    ownFlag: '--chains',
    variables: ['GASTOP_API_KEY_<NAME>'],
    isSecret: true,
    file: 'own',
    docs: 'chains side by side: `[{ "name": "base" }, { "name": "mine", "url": "https://gas.example.org" }]`, with `rpc` (a node, or a list) or `url` (a v1 service, whose key is in the variable) and perhaps `chainId`; a chain that gastop knows by name needs neither. The flag goes with `chains` and the monitor',
  },
  apiKey: {
    variables: ['GASTOP_API_KEY'],
    isSecret: true,
    file: 'own',
    docs: "the service's key; never an argument, which others could read",
  },
  history: {
    as: 'historySec',
    flag: '--history <TIME>',
    help: 'how much history to load, 1h to 30d (default 30d)',
    goesWith: A_CHAIN,
    variables: ['GASTOP_HISTORY'],
    file: 'text',
    docs: 'how much past to load, `1h` to `30d`',
    ...duration('1h', '30d'),
    standard: 30 * 86_400,
  },
  confirmations: {
    flag: '--confirmations <N>',
    help: "blocks that make an auto-tx final (default: the chain's own)",
    goesWith: A_CHAIN,
    variables: ['GASTOP_CONFIRMATIONS'],
    file: 'text',
    docs: "how many blocks must have an auto-tx before it is final; default: the chain's own number (12 on Ethereum)",
    parse: (text: string) => parseWhole(text, 'a number of blocks', 1, 10_000),
    standard: null,
    shown: String,
    unset: "the chain's own",
  },
  patience: {
    as: 'patienceSec',
    flag: '--patience <TIME>',
    help: 'how long you can wait with a transaction, 5m to 1d (default 1h)',
    variables: ['GASTOP_PATIENCE'],
    file: 'text',
    docs: 'how long you can wait with a transaction, `5m` to `1d`; default: `1h`. The advice is the best wait within it; `P` on Live changes it',
    // Below five minutes the advice is always to send.
    ...duration(
      durationText(PATIENCE_SEC.least),
      durationText(PATIENCE_SEC.most),
      ', as advice waits no less and no longer',
    ),
    standard: PATIENCE_SEC.default,
  },
  interval: {
    as: 'intervalSec',
    flag: '--interval <TIME>',
    help: 'how often the monitor refreshes, 1s to 5m (default: as the source asks)',
    variables: ['GASTOP_INTERVAL'],
    file: 'text',
    docs: 'how often the monitor refreshes, `1s` to `5m`; default: as the source asks, each block where it tells of them. `+` and `-` change it',
    ...duration('1s', '5m'),
    standard: null,
    unset: 'as the source asks',
  },
  zone: {
    flag: '--zone <ZONE>',
    help: 'the times of the monitor: local or utc (default local)',
    variables: ['GASTOP_ZONE'],
    file: 'text',
    docs: 'the times of the monitor: `local` (the default; `TZ` says which that is) or `utc`; `z` changes it',
    ...choice('TZ says which zone is local', 'local', 'utc'),
    standard: 'local',
  },
  mouse: {
    flag: '--mouse',
    help: 'the monitor takes clicks and the wheel; M changes it',
    variables: ['GASTOP_MOUSE'],
    file: 'switch',
    docs: 'the monitor takes [clicks and the wheel](MONITOR.md#mouse); `M` changes it',
    ...SWITCH,
    shown: (isOn: boolean) => (isOn ? 'on' : 'off; the terminal selects text'),
  },
  fresh: {
    flag: '--fresh',
    help: 'the monitor starts without what it remembers',
    variables: ['GASTOP_FRESH'],
    file: 'switch',
    docs: 'the monitor starts without [what it remembers](MONITOR.md#what-it-remembers)',
    ...SWITCH,
    shown: (isOn: boolean) => (isOn ? 'on' : 'off; the monitor remembers'),
  },
  db: {
    flag: '--db <FILE>',
    help: 'keep history in this database',
    goesWith: A_CHAIN,
    variables: ['GASTOP_DB'],
    file: 'text',
    docs: 'the database file',
  },
  database: {
    as: 'db',
    flag: '--database <URL>',
    help: 'keep it in PostgreSQL: postgres://USER@HOST/NAME',
    goesWith: A_CHAIN,
    variables: ['GASTOP_DATABASE_URL'],
    isSecret: true,
    file: 'text',
    docs: 'PostgreSQL instead of a file, with the keys of `serve` in it, see [Scale](SCALE.md); `PGPASSWORD` and the other `PG*` variables say what the URL does not',
  },
  encryptionKey: {
    variables: ['GASTOP_ENCRYPTION_KEY'],
    isSecret: true,
    file: 'text',
    docs: 'what signed transactions are encrypted with, as `openssl rand -base64 32` prints it; PostgreSQL needs it to take auto-txs, a file has a key of its own beside it',
  },
  keys: {
    ownFlag: '--keys',
    variables: ['GASTOP_KEYS'],
    file: 'text',
    docs: 'the file with the keys of `serve`; the flag goes with `serve` and `keys`',
    parse: parsePath,
    standard: null,
  },
  cors: {
    ownFlag: '--cors',
    variables: ['GASTOP_CORS'],
    file: 'own',
    docs: 'origins whose pages may ask `serve` in a browser: a list in the file, spaces or commas between them in the environment, `*` for all; the flag goes with `serve`',
    parse: parseOrigins,
    standard: [],
    shown: (origins: readonly string[]) =>
      origins.join('\n') || 'none; pages of other origins get no response',
  },
  plans: { file: 'own', docs: 'own plans of keys, see [Keys and plans](SERVICE.md#keys-and-plans)' },
  ascii: {
    flag: '--ascii',
    help: 'ASCII characters only',
    variables: ['GASTOP_ASCII'],
    file: 'switch',
    docs: 'nothing but ASCII characters; by itself where the locale is `C`, `POSIX` or of a character set other than UTF-8, and on the Linux console',
    ...SWITCH,
  },
  smtp: {
    variables: ['GASTOP_SMTP_URL', 'GASTOP_SMTP_FROM'],
    isSecret: true,
    file: 'own',
    docs: 'the mail server of alerts, see [Alerts](ALERTS.md)',
  },
  telegram: {
    variables: ['GASTOP_TELEGRAM_TOKEN', 'GASTOP_TELEGRAM_API'],
    isSecret: true,
    file: 'own',
    docs: 'the bot that sends alerts',
  },
  screenReader: {
    flag: '--screen-reader',
    help: 'the monitor in sentences, without tables or drawing',
    variables: ['INK_SCREEN_READER'],
    docs: '`true`: the monitor in sentences for a screen reader, without tables or drawing',
    ...SWITCH,
    title: 'screen reader',
  },
  allowPrivateTargets: {
    flag: '--allow-private-targets',
    help: 'let webhooks go to this machine and private networks',
    goesWith: A_CHAIN,
    variables: ['GASTOP_ALLOW_PRIVATE_TARGETS'],
    file: 'switch',
    docs: 'alerts may go to this machine and private networks',
    ...SWITCH,
    title: 'private targets',
    shown: (isOn: boolean) => (isOn ? 'allowed' : 'refused'),
  },
  notifications: {
    variables: ['GASTOP_NOTIFICATIONS'],
    file: 'text',
    docs: "what the monitor's terminal does when an alert fires: `on` (bell and a note on the desktop), `bell`, `off`",
    ...choice('bell rings without a note on the desktop', 'on', 'bell', 'off'),
    standard: 'on',
  },
  config: {
    as: 'configFile',
    flag: '--config <FILE>',
    help: 'another config file',
    variables: ['GASTOP_CONFIG'],
    docs: 'the config file itself',
  },
} as const satisfies Readonly<Record<string, SettingRow>>;

type Table = typeof SETTINGS;
export type SettingName = keyof Table;
/** Their names by what the rows have. */
type NamesWith<Part> = { [Name in SettingName]: Table[Name] extends Part ? Name : never }[SettingName];
export type FileName = NamesWith<{ file: string }>;
export type OwnSchemaName = NamesWith<{ file: 'own' }>;
type KeyOf<Name extends SettingName> = {
  [One in Name]: Table[One] extends { as: infer Key extends string } ? Key : One;
}[Name];
/** The lines of `gastop config` that no row has. */
export type OwnLineKey = KeyOf<Exclude<SettingName, NamesWith<{ shown: unknown }>>>;

/** The settings whose rows have a parser. */
export type PlainValues = {
  readonly [Name in NamesWith<{ parse: unknown }> as KeyOf<Name>]: Table[Name] extends {
    parse: (text: string) => infer Value;
    standard: infer Standard;
  }
    ? Value | (Standard extends readonly [] ? Value : Standard)
    : never;
};

type FlagValue<Text, IsSeveral> = IsSeveral extends true
  ? readonly string[]
  : Text extends `${string}[${string}`
    ? string | true
    : Text extends `${string}<${string}`
      ? string
      : boolean;

/** The flags that go with every command, by the name of their row. */
export type SourceFlags = {
  readonly [Name in NamesWith<{ flag: string }>]?: FlagValue<
    Table[Name]['flag'],
    Table[Name] extends { append: true } ? true : false
  >;
};

export const SETTING_ROWS: readonly (readonly [SettingName, SettingRow])[] = Object.entries(SETTINGS).map(
  ([name, row]) => [name as SettingName, row],
);

const SECRETS = SETTING_ROWS.flatMap(([, { isSecret, variables = [] }]) =>
  isSecret ? variables.slice(0, 1) : [],
);

export const isSecretVariable = (name: string): boolean =>
  SECRETS.some((secret) => {
    const [beginning = '', isPart] = secret.split('<');
    return isPart === undefined ? name === secret : name.startsWith(beginning);
  });
