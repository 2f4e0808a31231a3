import { ROUTE_GROUPS } from '../../contract/routes.ts';
import { formatCount } from '../../core/units.ts';
import type { Plan } from '../../service/keys/api-keys.ts';
import { databaseName, isServerUrl } from '../../store/database-url.ts';
import type { CliCommand, CommandContext } from '../command.ts';
import { chainDatabase } from '../config-file.ts';
import { cleanLine, mapped, shownDatabase, tableLines } from '../output.ts';
import type { Setting, Settings, SourceChoice } from '../settings.ts';
import { type OwnLineKey, SETTING_ROWS } from '../settings-table.ts';
import { keySettings } from './keys.ts';
import type { JsonFlags } from './resource.ts';

export function addConfig(program: CliCommand): void {
  program
    .command('config')
    .summary('every setting and where it came from')
    .description('Prints every setting and where it came from. Keys are never shown.')
    .option(
      '--json',
      'for programs: { source: { value: { kind, urls }, from }, apiKey: { value: true, from }, ... }',
    )
    .does(config);
}

async function config({ io, loadSettings }: CommandContext, { json }: JsonFlags): Promise<void> {
  const loaded = await loadSettings();
  const { settings, config: file, configFrom } = loaded;
  const keys = keySettings(io, loaded);
  const { source, apiKey, chains, db, encryptionKey, smtp, telegram } = settings;
  const { kind } = source.value;
  // Recordings and the demo keep no database, and a remote service has its own.
  const chainFile = kind === 'rpc' ? chainDatabase(io, { id: '<id>' }) : null;
  const database = kind === 'hosted' ? null : (db.value ?? chainFile);
  const without = kind === 'hosted' ? 'none; the service keeps the history' : 'temporary; --db FILE keeps it';
  const plans = [...keys.plans.values()];
  const shown = (path: string) => shownDatabase(path, io.home);
  const isSet = ({ value, from }: Setting<unknown>) => ({ value: value !== null, from });
  const ownKey = isServerUrl(db.value ?? '') ? 'none; no auto-txs are taken' : "the file's own";
  const databaseText = database === null ? without : shown(database);
  const path = `${shown(file.path)}${file.content === null ? ' (not there)' : ''}`;
  const [sourceText, sourceValue] = describeSource(source.value);
  const described = chains.value.map((chain) => ({ name: chain.name, words: describeSource(chain.source) }));
  const chainTexts = described.map(({ name, words: [text] }) => `${name}: ${text.replaceAll('\n', ', ')}`);
  const line = (title: string, text: string, { value, from }: Setting<unknown>) => [
    { title, texts: text.split('\n'), value, from },
  ];
  /** Those that show more than the value of one setting. */
  const own: Readonly<Record<OwnLineKey, ReturnType<typeof line>>> = {
    source: line('source', sourceText, { ...source, value: sourceValue }),
    chains: line('chains', chainTexts.join('\n') || 'none; see --chains', {
      ...chains,
      value: described.map(({ name, words: [, value] }) => ({ name, source: value })),
    }),
    apiKey: line('api key', apiKey.value === null ? 'none' : 'set', isSet(apiKey)),
    db: line('database', databaseText, { value: mapped(database, withoutLogin), from: db.from }),
    encryptionKey: line('encryption key', encryptionKey.value ? 'set' : ownKey, isSet(encryptionKey)),
    keys: line('keys', shown(keys.file.value), { ...keys.file, value: withoutLogin(keys.file.value) }),
    plans: plans.flatMap((plan, index) => {
      const from = keys.ownPlans.includes(plan.name) ? 'config file' : 'default';
      return line(index === 0 ? 'plans' : '', planText(plan), { value: plans, from });
    }),
    smtp: line('mail', mailText(settings), {
      value: mapped(smtp.value, ({ password, ...rest }) => ({ ...rest, hasPassword: password !== null })),
      from: smtp.from,
    }),
    telegram: line('telegram', telegramText(settings), {
      value: mapped(telegram.value, ({ apiUrl }) => ({ host: apiUrl.host })),
      from: telegram.from,
    }),
    configFile: line('config file', path, {
      value: mapped(file.content, () => file.path),
      from: configFrom,
    }),
  };
  const all: Readonly<Record<string, Setting<unknown> | undefined>> = settings;
  const plain = SETTING_ROWS.map(([name, { as: key = name, title = name, shown: describe }]) => {
    const setting = all[key];
    if (setting === undefined || describe === undefined) return [key, []];
    return [key, line(title, describe(setting.value), setting)];
  });
  // Each in the place of its row.
  const lines: typeof own = { ...Object.fromEntries(plain), ...own };
  const rows = Object.entries(lines).flatMap(([key, parts]) => parts.map((part) => ({ key, ...part })));
  if (json) {
    const values = Object.fromEntries(rows.map(({ key, value, from }) => [key, { value, from }]));
    io.stdout.write(`${JSON.stringify(values, null, 2)}\n`);
    return;
  }
  const titles = ['setting', 'value', 'from'];
  const table = tableLines<readonly string[]>(
    titles.map((title, at) => [title, 'left', (cells) => cleanLine(cells[at] ?? '')]),
    rows.flatMap(({ title, from, texts }) =>
      texts.map((text, index) => (index === 0 ? [title, text, from] : ['', text, ''])),
    ),
  );
  io.stdout.write(`${table.join('\n')}\n`);
}

function planText({ name, dailyLimit, perSecond, groups, mcpWrites }: Plan): string {
  const day = `${dailyLimit === null ? 'any number of' : formatCount(dailyLimit)} requests a day`;
  const second = `${perSecond === null ? 'any number' : perSecond.toLocaleString('en')} a second`;
  const only = groups.length === ROUTE_GROUPS.length ? '' : `, only ${groups.join(', ')}`;
  return `${name}: ${day}, ${second}${only}${mcpWrites ? ', writes over MCP' : ''}`;
}

function describeSource(source: SourceChoice): readonly [text: string, value: object] {
  switch (source.kind) {
    case 'hosted': {
      const url = shownUrl(source.url);
      return [`service ${url}`, { kind: 'service', urls: [url] }];
    }
    case 'rpc': {
      const urls = source.urls.map(shownUrl);
      return [urls.map((url) => `node ${url}`).join('\n'), { kind: 'rpc', urls }];
    }
    case 'replay': {
      const speed = source.speed === null ? '' : `, ${source.speed} times as fast`;
      return [`recording ${source.file}${speed}`, source];
    }
    case 'simulated':
      return [`simulated chain, seed ${source.seed}`, source];
  }
}

function mailText({ smtp: { value } }: Settings): string {
  if (value === null) return 'none; alerts cannot be mailed';
  const { host, port, secure, user, password, from } = value;
  const place = `${host.includes(':') ? `[${host}]` : host}:${port}`;
  const login =
    user === null ? 'no login' : `as ${user}, ${password === null ? 'no password' : 'password set'}`;
  return `${secure ? 'smtps' : 'smtp'}://${place}, ${login}, from ${from}`;
}

function telegramText({ telegram: { value } }: Settings): string {
  if (value === null) return 'none; alerts cannot go to Telegram';
  const { host, hostname } = value.apiUrl;
  return hostname === 'api.telegram.org' ? 'token set' : `token set, asks ${host}`;
}

/** The path of a URL is often a key, so only its presence is shown. */
function shownUrl(url: URL): string {
  return `${url.protocol}//${url.host}${url.pathname === '/' && url.search === '' ? '' : '/…'}`;
}

const withoutLogin = (database: string) =>
  isServerUrl(database) ? `postgres: ${databaseName(database)}` : database;
