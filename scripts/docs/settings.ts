import type { ConfigFile } from '../../src/cli/config-schema.ts';
import { code, table } from './markdown.ts';

export interface SettingRow {
  /** Name in the config file; `null`: it is not in it. */
  readonly key: keyof ConfigFile | null;
  readonly variables: readonly string[];
  readonly flag: string | null;
  /** In Markdown. */
  readonly text: string;
}

/** Every setting that is not of one command alone. A key of the config file that has no row does not compile. */
const BY_KEY: Readonly<Record<keyof ConfigFile, Omit<SettingRow, 'key'>>> = {
  url: { variables: ['GASTOP_URL'], flag: '--url', text: 'a v1 service' },
  rpc: {
    variables: ['GASTOP_RPC'],
    flag: '--rpc',
    text: 'one node, or several: a list in the file, spaces or commas between them in the environment',
  },
  chains: {
    variables: ['GASTOP_API_KEY_<NAME>'],
    flag: '--chains',
    text: 'chains side by side: `[{ "name": "base" }, { "name": "mine", "url": "https://gas.example.org" }]`, with `rpc` (a node, or a list) or `url` (a v1 service, whose key is in the variable) and perhaps `chainId`; a chain that gastop knows by name needs neither. The flag goes with `chains` and the monitor',
  },
  apiKey: {
    variables: ['GASTOP_API_KEY'],
    flag: null,
    text: "the service's key; never an argument, which others could read",
  },
  history: {
    variables: ['GASTOP_HISTORY'],
    flag: '--history',
    text: 'how much past to load, `1h` to `30d`',
  },
  confirmations: {
    variables: ['GASTOP_CONFIRMATIONS'],
    flag: '--confirmations',
    text: "how many blocks must have an auto-tx before it is final; default: the chain's own number (12 on Ethereum)",
  },
  patience: {
    variables: ['GASTOP_PATIENCE'],
    flag: '--patience',
    text: 'how long you can wait with a transaction, `5m` to `1d`; default: `1h`. The advice is the best wait within it; `P` on Live changes it',
  },
  interval: {
    variables: ['GASTOP_INTERVAL'],
    flag: '--interval',
    text: 'how often the monitor refreshes, `1s` to `5m`; default: as the source asks, each block where it tells of them. `+` and `-` change it',
  },
  zone: {
    variables: ['GASTOP_ZONE'],
    flag: '--zone',
    text: 'the times of the monitor: `local` (the default; `TZ` says which that is) or `utc`; `z` changes it',
  },
  mouse: {
    variables: ['GASTOP_MOUSE'],
    flag: '--mouse',
    text: 'the monitor takes [clicks and the wheel](MONITOR.md#mouse); `M` changes it',
  },
  fresh: {
    variables: ['GASTOP_FRESH'],
    flag: '--fresh',
    text: 'the monitor starts without [what it remembers](MONITOR.md#what-it-remembers)',
  },
  db: { variables: ['GASTOP_DB'], flag: '--db', text: 'the database file' },
  database: {
    variables: ['GASTOP_DATABASE_URL'],
    flag: '--database',
    text: 'PostgreSQL instead of a file, with the keys of `serve` in it, see [Scale](SCALE.md); `PGPASSWORD` and the other `PG*` variables say what the URL does not',
  },
  encryptionKey: {
    variables: ['GASTOP_ENCRYPTION_KEY'],
    flag: null,
    text: 'what signed transactions are encrypted with, as `openssl rand -base64 32` prints it; PostgreSQL needs it to take auto-txs, a file has a key of its own beside it',
  },
  keys: {
    variables: ['GASTOP_KEYS'],
    flag: '--keys',
    text: 'the file with the keys of `serve`; the flag goes with `serve` and `keys`',
  },
  cors: {
    variables: ['GASTOP_CORS'],
    flag: '--cors',
    text: 'origins whose pages may ask `serve` in a browser: a list in the file, spaces or commas between them in the environment, `*` for all; the flag goes with `serve`',
  },
  plans: {
    variables: [],
    flag: null,
    text: 'own plans of keys, see [Keys and plans](SERVICE.md#keys-and-plans)',
  },
  ascii: {
    variables: ['GASTOP_ASCII'],
    flag: '--ascii',
    text: 'nothing but ASCII characters; by itself where the locale is `C`, `POSIX` or of a character set other than UTF-8, and on the Linux console',
  },
  smtp: {
    variables: ['GASTOP_SMTP_URL', 'GASTOP_SMTP_FROM'],
    flag: null,
    text: 'the mail server of alerts, see [Alerts](ALERTS.md)',
  },
  telegram: {
    variables: ['GASTOP_TELEGRAM_TOKEN', 'GASTOP_TELEGRAM_API'],
    flag: null,
    text: 'the bot that sends alerts',
  },
  allowPrivateTargets: {
    variables: ['GASTOP_ALLOW_PRIVATE_TARGETS'],
    flag: '--allow-private-targets',
    text: 'alerts may go to this machine and private networks',
  },
  notifications: {
    variables: ['GASTOP_NOTIFICATIONS'],
    flag: null,
    text: "what the monitor's terminal does when an alert fires: `on` (bell and a note on the desktop), `bell`, `off`",
  },
};

export const SETTINGS: readonly SettingRow[] = [
  ...Object.entries(BY_KEY).map(([key, row]) => ({ key: key as keyof ConfigFile, ...row })),
  { key: null, variables: ['GASTOP_CONFIG'], flag: '--config', text: 'the config file itself' },
  {
    key: null,
    variables: ['INK_SCREEN_READER'],
    flag: '--screen-reader',
    text: '`true`: the monitor in sentences for a screen reader, without tables or drawing',
  },
];

/** Variables that are no settings. */
export const OTHER_VARIABLES: Readonly<Record<string, string>> = {
  'HTTPS_PROXY, HTTP_PROXY, NO_PROXY':
    'in capitals or not, are used as by curl, on Node.js 24.14 or newer; what runs on this machine is asked itself, and deliveries of alerts never go through a proxy',
  'NO_COLOR, CLICOLOR': 'the first set to anything, or the other to `0`: no colours',
  GASTOP_DEBUG: '`1`: the details of an error',
  GASTOP_LOG:
    'a file, to which the monitor appends what it does, a line of JSON each: requests by name, frames, states; for work on gastop itself',
};

export function settingsTable(): string {
  const named = (texts: readonly string[]) => (texts.length === 0 ? '–' : texts.map(code).join(', '));
  return table(
    ['config file', 'environment', 'flag', ''],
    SETTINGS.map(({ key, variables, flag, text }) => [
      named(key === null ? [] : [key]),
      named(variables),
      named(flag === null ? [] : [flag]),
      text,
    ]),
  );
}

export function variablesTable(): string {
  return table(
    ['environment', ''],
    Object.entries(OTHER_VARIABLES).map(([names, text]) => [names.split(', ').map(code).join(', '), text]),
  );
}
