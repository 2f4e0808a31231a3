import { ROUTE_GROUPS } from '../../contract/routes.ts';
import { formatCount } from '../../core/units.ts';
import type { Plan } from '../../service/keys/api-keys.ts';
import { databaseName, isServerUrl } from '../../store/database-url.ts';
import type { CliCommand, CommandContext } from '../command.ts';
import { chainDatabase } from '../config-file.ts';
import { cleanLine, mapped, shownDatabase, tableLines } from '../output.ts';
import { durationText } from '../parse.ts';
import type { Setting, Settings, SourceChoice } from '../settings.ts';
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
  const { source, apiKey, historySec, db, encryptionKey, smtp, telegram, allowPrivateTargets } = settings;
  const { notifications, chains, intervalSec } = settings;
  const { kind } = source.value;
  // Recordings and the demo keep no database, and a remote service has its own.
  const chainFile = kind === 'rpc' ? chainDatabase(io, { id: '<id>' }) : null;
  const database = kind === 'hosted' ? null : (db.value ?? chainFile);
  const without = kind === 'hosted' ? 'none; the service keeps the history' : 'temporary; --db FILE keeps it';
  const plans = [...keys.plans.values()];
  const shown = (path: string) => shownDatabase(path, io.home);
  /** For people by title, line by line; for programs by the name in the config file, if any. */
  const row = (title: string, key: string, text: string, { value, from }: Setting<unknown>) => {
    const lines = text.split('\n');
    return { title, key, lines, value, from };
  };
  const toggle = (title: string, key: string, said: Setting<boolean>, on = 'on', off = 'off') =>
    row(title, key, said.value ? on : off, said);
  const isSet = ({ value, from }: Setting<unknown>) => ({ value: value !== null, from });
  const ownKey = isServerUrl(db.value ?? '') ? 'none; no auto-txs are taken' : "the file's own";
  const databaseText = database === null ? without : shown(database);
  const path = `${shown(file.path)}${file.content === null ? ' (not there)' : ''}`;
  const [sourceText, sourceValue] = describeSource(source.value);
  const described = chains.value.map((chain) => ({ name: chain.name, words: describeSource(chain.source) }));
  const chainTexts = described.map(({ name, words: [text] }) => `${name}: ${text.replaceAll('\n', ', ')}`);
  const rows = [
    row('source', 'source', sourceText, { ...source, value: sourceValue }),
    toggle('api key', 'apiKey', isSet(apiKey), 'set', 'none'),
    row('chains', 'chains', chainTexts.join('\n') || 'none; see --chains', {
      ...chains,
      value: described.map(({ name, words: [, value] }) => ({ name, source: value })),
    }),
    row('history', 'historySec', durationText(historySec.value), historySec),
    row('patience', 'patienceSec', durationText(settings.patienceSec.value), settings.patienceSec),
    row(
      'interval',
      'intervalSec',
      mapped(intervalSec.value, durationText) ?? 'as the source asks',
      intervalSec,
    ),
    row('zone', 'zone', settings.zone.value, settings.zone),
    toggle('mouse', 'mouse', settings.mouse, 'on', 'off; the terminal selects text'),
    toggle('fresh', 'fresh', settings.fresh, 'on', 'off; the monitor remembers'),
    row('database', 'db', databaseText, { value: mapped(database, withoutLogin), from: db.from }),
    toggle('encryption key', 'encryptionKey', isSet(encryptionKey), 'set', ownKey),
    row('keys', 'keys', shown(keys.file.value), { ...keys.file, value: withoutLogin(keys.file.value) }),
    ...plans.map((plan, index) => {
      const from = keys.ownPlans.includes(plan.name) ? 'config file' : 'default';
      return row(index === 0 ? 'plans' : '', 'plans', planText(plan), { value: plans, from });
    }),
    row(
      'cors',
      'cors',
      settings.cors.value.join('\n') || 'none; pages of other origins get no response',
      settings.cors,
    ),
    row('mail', 'smtp', mailText(settings), {
      value: mapped(smtp.value, ({ password, ...rest }) => ({ ...rest, hasPassword: password !== null })),
      from: smtp.from,
    }),
    row('telegram', 'telegram', telegramText(settings), {
      value: mapped(telegram.value, ({ apiUrl }) => ({ host: apiUrl.host })),
      from: telegram.from,
    }),
    toggle('private targets', 'allowPrivateTargets', allowPrivateTargets, 'allowed', 'refused'),
    row('notifications', 'notifications', notifications.value, notifications),
    toggle('screen reader', 'screenReader', settings.screenReader),
    toggle('ascii', 'ascii', settings.ascii),
    row('config file', 'configFile', path, {
      value: mapped(file.content, () => file.path),
      from: configFrom,
    }),
  ];
  if (json) {
    const values = Object.fromEntries(rows.map(({ key, value, from }) => [key, { value, from }]));
    io.stdout.write(`${JSON.stringify(values, null, 2)}\n`);
    return;
  }
  const titles = ['setting', 'value', 'from'];
  const lines = tableLines<readonly string[]>(
    titles.map((title, at) => [title, 'left', (cells) => cleanLine(cells[at] ?? '')]),
    rows.flatMap(({ title, from, lines: texts }) =>
      texts.map((line, index) => (index === 0 ? [title, line, from] : ['', line, ''])),
    ),
  );
  io.stdout.write(`${lines.join('\n')}\n`);
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
