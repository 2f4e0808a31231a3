import { existsSync } from 'node:fs';
import { KEY_PREFIX, withoutKeys } from '../../core/key-text.ts';
import { cleanText } from '../../core/text.ts';
import { formatCount } from '../../core/units.ts';
import { isKeyId, issueKey, type Plans, readKey, reissueKey } from '../../service/keys/api-keys.ts';
import type { KeyStore } from '../../store/api-keys.ts';
import { isServerUrl } from '../../store/database-url.ts';
import type { KeyRow } from '../../store/tables.ts';
import type { CliCommand } from '../command.ts';
import type { CommandContext, Flags } from '../context.ts';
import { type CliError, failure, fileFailureReason, usageError } from '../errors.ts';
import { cleanLine, mapped, note, shownDatabase, tableLines, utcTime } from '../output.ts';
import { keySettings } from '../settings.ts';
import { isConfirmed, requireTerminal } from './resource.ts';

type KeysFlags = Flags<'keys' | 'name' | 'plan', 'json' | 'yes'>;

export function addKeys(program: CliCommand): void {
  const keys = program
    .group(
      'keys',
      'keys of gastop serve: create, list, rotate, revoke',
      'The keys that gastop serve accepts. A key is shown once, when it is made.',
    )
    .examples('gastop keys create --name "price bot" --plan basic', 'KEY=$(gastop keys create)');
  keys.option('--keys <FILE>', 'the database of the keys');
  const typed = (flags: KeysFlags): KeysFlags => ({ ...keys.opts<KeysFlags>(), ...flags });
  keys
    .command('create')
    .description('Makes a key and prints it, once.')
    .option('--name <TEXT>', 'who or what it is for')
    .option('--plan <NAME>', 'free, basic, pro or one of the config file', 'free')
    .option('--json', 'print { id, name, plan, key }')
    .does((context, flags: KeysFlags) => createKey(context, typed(flags)));
  keys
    .command('list', { isDefault: true })
    .description('Lists the keys, their plans and requests today. The keys themselves are not stored.')
    .option('--json', 'for programs')
    .does((context, flags: KeysFlags) => listKeys(context, typed(flags)));
  keys
    .command('rotate')
    .description('Gives a key a new secret; the old one stops working at once.')
    .argument('<id>', 'as gastop keys list shows it')
    .option('--json', 'print { id, name, plan, key }')
    .does((context, id: string, flags: KeysFlags) => rotateKey(context, id, typed(flags)));
  keys
    .command('revoke')
    .description('Revokes a key, at once and for good. It asks first; without a terminal it needs --yes.')
    .argument('<id>', 'as gastop keys list shows it')
    .option('--yes', 'do not ask')
    .does((context, id: string, flags: KeysFlags) => revokeKey(context, id, typed(flags)));
}

const LONGEST_NAME = 60;
const NAMED_IDS = 8;

async function createKey(context: CommandContext, flags: KeysFlags): Promise<void> {
  const { io } = context;
  const { file, plans } = await keySettingsOf(context, flags);
  const plan = flags.plan ?? 'free';
  refuseKeyAs(plan, '--plan', 'the name of a plan');
  if (!plans.has(plan)) {
    throw usageError(`there is no plan "${plan}"; known are ${[...plans.keys()].join(', ')}`);
  }
  const name = keyName(flags.name ?? '');
  const key = await withStore(file.value, (store) => issueKey(store, { name, plan, now: io.now() }));
  try {
    await printKey(context, flags, { id: key.id, name, plan }, key.text);
  } catch (error) {
    await withStore(file.value, (store) => store.revoke(key.id, Math.floor(io.now() / 1_000)));
    throw failure(`the output ${fileFailureReason(error)}; key ${key.id} was not shown, so it was revoked`);
  }
  if (!flags.json) note(io, `made key ${key.id} with plan ${plan}; it is shown only now`);
}

async function listKeys(context: CommandContext, flags: KeysFlags): Promise<void> {
  const { io } = context;
  const { file, plans } = await keySettingsOf(context, flags);
  const now = io.now();
  const [rows, used] = isThere(file.value)
    ? await withStore(file.value, (store) => Promise.all([store.list(), store.allUsedOn(dayOf(now))]))
    : [[], new Map<string, number>()];
  const items = rows.map((row) => listedKey(row, used.get(row.id) ?? 0, plans, now));
  if (flags.json === true) io.stdout.write(`${JSON.stringify({ items })}\n`);
  else if (items.length > 0) io.stdout.write(`${keyLines(items).join('\n')}\n`);
  else {
    note(io, `there are no keys in ${shownDatabase(file.value, io.home)}; gastop keys create makes one`);
  }
}

async function rotateKey(context: CommandContext, id: string, flags: KeysFlags): Promise<void> {
  const { io } = context;
  const { file } = await keySettingsOf(context, flags);
  refuseKey(id);
  const { key, row } = await withExisting(file.value, id, async (store) => {
    const rotated = await reissueKey(store, id, io.now());
    if (rotated !== null) return rotated;
    const kept = await knownKey(store, id);
    throw failure(
      `key ${id} was revoked on ${revokedOn(kept)} for good; make another with gastop keys create`,
    );
  });
  if (!flags.json) note(io, `key ${id} has a new secret, shown only now; the old one stopped working`);
  await printKey(context, flags, row, key.text).catch((error: unknown) => {
    throw failure(
      `the output ${fileFailureReason(error)}; the new secret of key ${id} was not shown: rotate it again, or revoke it`,
    );
  });
}

async function revokeKey(context: CommandContext, id: string, flags: KeysFlags): Promise<void> {
  const { io } = context;
  const { file } = await keySettingsOf(context, flags);
  refuseKey(id);
  const said = await withExisting(file.value, id, async (store) => {
    const kept = await knownKey(store, id);
    if (kept.revoked_at !== null) {
      return `key ${id} was revoked before, on ${revokedOn(kept)}; nothing changed`;
    }
    requireTerminal(io, 'revoking', flags.yes);
    const name = kept.name === '' ? '' : ` (${withoutKeys(kept.name)})`;
    const what = `key ${id}${name} of the plan ${kept.plan}`;
    const prompt = cleanText(`Revoke ${what} and disable its alerts, for good`);
    if (!flags.yes && !(await isConfirmed(io, prompt))) return `kept key ${id}`;
    await store.revoke(id, Math.floor(io.now() / 1_000));
    return `revoked ${what}; it stopped working, and every running serve disables its alerts`;
  });
  note(io, cleanText(said));
}

const keySettingsOf = async ({ io, loadSettings }: CommandContext, flags: KeysFlags) =>
  keySettings(io, await loadSettings(), flags.keys);

function printKey(
  { io }: CommandContext,
  { json }: KeysFlags,
  { id, name, plan }: Pick<KeyRow, 'id' | 'name' | 'plan'>,
  key: string,
): Promise<void> {
  return io.deliver(`${json ? JSON.stringify({ id, name: withoutKeys(name), plan, key }) : key}\n`);
}

function keyName(text: string): string {
  const name = cleanText(text).trim();
  refuseKeyAs(name, '--name', 'a name');
  if (name.length > LONGEST_NAME) throw usageError(`--name: at most ${LONGEST_NAME} characters`);
  return name;
}

/** A name is stored and listed as typed, which a secret must never be. */
function refuseKeyAs(text: string, flag: string, wanted: string): void {
  if (withoutKeys(text) === text) return;
  throw usageError(
    `${flag}: this is a key, not ${wanted}; others can read a command line, so rotate that key`,
  );
}

/** Repeats the input only if it cannot be a secret. */
function refuseKey(id: string): void {
  if (isKeyId(id)) return;
  if (!id.startsWith(KEY_PREFIX)) {
    throw usageError(
      'this is not the id of a key, which has 10 letters and digits; gastop keys list shows them',
    );
  }
  const own = mapped(readKey(id), (key) => `, ${key.id}`) ?? '';
  throw usageError(
    `name the key by its id${own}: others can read a command line; gastop keys list shows ids`,
  );
}

const isThere = (database: string) => isServerUrl(database) || existsSync(database);

async function withExisting<Result>(
  file: string,
  id: string,
  work: (store: KeyStore) => Promise<Result>,
): Promise<Result> {
  if (!isThere(file)) throw unknownKey(id, []);
  return withStore(file, work);
}

async function withStore<Result>(file: string, work: (store: KeyStore) => Promise<Result>): Promise<Result> {
  const [{ KeyStore }, { openKeyDatabase }] = await Promise.all([
    import('../../store/api-keys.ts'),
    import('../../store/database.ts'),
  ]);
  const store = new KeyStore(await openKeyDatabase(file));
  try {
    return await work(store);
  } finally {
    await store.close();
  }
}

async function knownKey(store: KeyStore, id: string): Promise<KeyRow> {
  const keys = await store.list();
  const key = keys.find((candidate) => candidate.id === id);
  if (key === undefined) throw unknownKey(id, keys);
  return key;
}

function unknownKey(id: string, keys: readonly KeyRow[]): CliError {
  const ids = keys.filter((key) => key.revoked_at === null).map((key) => key.id);
  if (ids.length === 0) return usageError(`there is no key ${id}; gastop keys create makes one`);
  const named = ids.slice(-NAMED_IDS).join(', ');
  const more = ids.length > NAMED_IDS ? `, and ${ids.length - NAMED_IDS} more: gastop keys list` : '';
  return usageError(`there is no key ${id}; known are ${named}${more}`);
}

const revokedOn = ({ revoked_at }: KeyRow) => `${utcTime(Number(revoked_at) * 1_000, 'minutes')} UTC`;

const DAY_MS = 86_400_000;
const dayOf = (now: number) => Math.floor(now / DAY_MS);

type ListedKey = ReturnType<typeof listedKey>;

function listedKey(row: KeyRow, usedToday: number, plans: Plans, now: number) {
  const plan = plans.get(row.plan);
  const dailyLimit = plan?.dailyLimit ?? null;
  return {
    id: row.id,
    // Never shows a secret, whatever wrote the row.
    name: withoutKeys(row.name),
    plan: withoutKeys(row.plan),
    state: row.revoked_at !== null ? 'revoked' : plan === undefined ? 'plan unknown' : 'active',
    createdAt: isoTime(row.created_at),
    rotatedAt: mapped(row.rotated_at, isoTime),
    revokedAt: mapped(row.revoked_at, isoTime),
    dailyLimit,
    usedToday,
    remainingToday: mapped(dailyLimit, (limit) => Math.max(0, limit - usedToday)),
    resetsAt: new Date((dayOf(now) + 1) * DAY_MS).toISOString(),
  };
}

function keyLines(keys: readonly ListedKey[]): string[] {
  return tableLines<ListedKey>(
    [
      ['id', 'left', (key) => cleanLine(key.id)],
      ['name', 'left', (key) => cleanLine(key.name) || '-'],
      ['plan', 'left', (key) => cleanLine(key.plan)],
      ['created (UTC)', 'left', (key) => utcTime(Date.parse(key.createdAt), 'minutes')],
      ['state', 'left', (key) => key.state],
      ['used today', 'right', (key) => formatCount(key.usedToday)],
      [
        'remaining',
        'right',
        ({ state, remainingToday }) =>
          state === 'active' ? (mapped(remainingToday, formatCount) ?? 'no limit') : '-',
      ],
    ],
    keys,
  );
}

const isoTime = (sec: number) => new Date(Number(sec) * 1_000).toISOString();
