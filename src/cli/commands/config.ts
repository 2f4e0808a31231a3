import type { Command } from 'commander';
import { chainDatabase, planText } from '../config-file.ts';
import type { CommandContext, Run } from '../context.ts';
import { EXIT, type ExitCode } from '../errors.ts';
import { cleanLine, tableLines, tildePath } from '../output.ts';
import { durationText } from '../parse.ts';
import { keySettings, type Settings, type SourceChoice } from '../settings.ts';
import type { JsonFlags } from './resource.ts';

/** Every setting. */
export function addConfig(program: Command, run: Run): void {
  program
    .command('config')
    .summary('every setting and where it came from')
    .description('Prints every setting and where it came from. Keys are never shown.')
    .option('--json', 'for programs: { "api key": { value, from }, ... }')
    .action((flags: JsonFlags) => run((context) => config(context, flags)));
}

interface Row {
  readonly name: string;
  readonly value: string;
  readonly from: string;
}

/** `gastop config` */
async function config({ io, loadSettings }: CommandContext, { json }: JsonFlags): Promise<ExitCode> {
  const loaded = await loadSettings();
  const { settings, config: file, configFrom } = loaded;
  const keys = keySettings(io, loaded);
  const rows: Row[] = [
    ...sourceLines(settings.source.value).map((value, index) => ({
      name: index === 0 ? 'source' : '',
      value,
      from: index === 0 ? settings.source.from : '',
    })),
    { name: 'api key', value: settings.apiKey.value === null ? 'none' : 'set', from: settings.apiKey.from },
    { name: 'history', value: durationText(settings.historySec.value), from: settings.historySec.from },
    {
      name: 'database',
      value: databaseText(settings, tildePath(chainDatabase(io, { id: '<id>' }), io.home)),
      from: settings.db.from,
    },
    { name: 'keys', value: tildePath(keys.file.value, io.home), from: keys.file.from },
    ...[...keys.plans.values()].map((plan, index) => ({
      name: index === 0 ? 'plans' : '',
      value: planText(plan),
      from: keys.ownPlans.includes(plan.name) ? 'config file' : 'default',
    })),
    { name: 'mail', value: mailText(settings), from: settings.smtp.from },
    { name: 'telegram', value: telegramText(settings), from: settings.telegram.from },
    {
      name: 'private targets',
      value: settings.allowPrivateTargets.value ? 'allowed' : 'refused',
      from: settings.allowPrivateTargets.from,
    },
    { name: 'notifications', value: settings.notifications.value, from: settings.notifications.from },
    {
      name: 'screen reader',
      value: settings.screenReader.value ? 'on' : 'off',
      from: settings.screenReader.from,
    },
    { name: 'ascii', value: settings.ascii.value ? 'on' : 'off', from: settings.ascii.from },
    {
      name: 'config file',
      value: `${tildePath(file.path, io.home)}${file.content === null ? ' (not there)' : ''}`,
      from: configFrom,
    },
  ];
  if (json) {
    io.stdout.write(`${JSON.stringify(byName(rows), null, 2)}\n`);
    return EXIT.ok;
  }
  const lines = tableLines<Row>(
    [
      { title: 'setting', align: 'left', cell: (row) => row.name },
      { title: 'value', align: 'left', cell: (row) => cleanLine(row.value) },
      { title: 'from', align: 'left', cell: (row) => cleanLine(row.from) },
    ],
    rows,
  );
  io.stdout.write(`${lines.join('\n')}\n`);
  return EXIT.ok;
}

/** Rows without a name go on with the one above. */
function byName(rows: readonly Row[]): Record<string, Pick<Row, 'value' | 'from'>> {
  const settings: Record<string, Pick<Row, 'value' | 'from'>> = {};
  let last = '';
  for (const { name, value, from } of rows) {
    const before = settings[last];
    if (name === '' && before !== undefined)
      settings[last] = { ...before, value: `${before.value}, ${value}` };
    else {
      last = name;
      settings[name] = { value, from };
    }
  }
  return settings;
}

function sourceLines(source: SourceChoice): readonly string[] {
  switch (source.kind) {
    case 'hosted':
      return [`service ${shownUrl(source.url)}`];
    case 'rpc':
      return source.urls.map((url) => `node ${shownUrl(url)}`);
    case 'replay':
      return [`recording ${source.file}${source.speed === null ? '' : `, ${source.speed} times as fast`}`];
    case 'simulated':
      return [`simulated chain, seed ${source.seed}`];
  }
}

/** Whether there is a password is told, and nothing of it. */
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

/** A URL's path often is a key, so only that there is one is told. */
function shownUrl(url: URL): string {
  return `${url.protocol}//${url.host}${url.pathname === '/' && url.search === '' ? '' : '/…'}`;
}

function databaseText({ source, db }: Settings, chainFile: string): string {
  if (source.value.kind === 'hosted') return 'none; the service keeps the history';
  if (db.value !== null) return db.value;
  return source.value.kind === 'rpc' ? chainFile : 'temporary; --db FILE keeps it';
}
