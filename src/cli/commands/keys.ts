import { statSync } from 'node:fs';
import { withoutKeys } from '../../core/key-text.ts';
import { cleanText } from '../../core/text.ts';
import { DAY_MS } from '../../core/time.ts';
import { formatCount } from '../../core/units.ts';
import {
  createPlans,
  isKeyId,
  issueKey,
  type Plans,
  readKey,
  reissueKey,
  retireKey,
} from '../../service/keys/api-keys.ts';
import type { KeyStore } from '../../store/api-keys.ts';
import { databaseName, isServerUrl } from '../../store/database-url.ts';
import { toStoreError } from '../../store/errors.ts';
import type { KeyRow } from '../../store/tables.ts';
import type { CliCommand, CommandContext, Flags, LoadedSettings } from '../command.ts';
import { keysDatabase } from '../config-file.ts';
import { failure, fileFailureReason, usageError } from '../errors.ts';
import type { Io } from '../io.ts';
import { cleanLine, mapped, note, shownDatabase, tableLines, utcTime } from '../output.ts';
import { checked, parsePath } from '../parse.ts';
import type { Setting } from '../settings.ts';
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
  const opened = async ({ io, loadSettings }: CommandContext, own: KeysFlags) => {
    const flags: KeysFlags = { ...keys.opts<KeysFlags>(), ...own };
    const { file, plans } = keySettings(io, await loadSettings(), flags.keys);
    return { io, flags, file: file.value, plans };
  };
  const idArgument = ['<id>', 'as gastop keys list shows it', parseKeyId] as const;
  keys
    .command('create')
    .description('Makes a key and prints it, once.')
    .parsed('--name <TEXT>', 'who or what it is for', parseName)
    .option('--plan <NAME>', 'free, basic, pro or one of the config file', 'free')
    .option('--json', 'print { id, name, plan, key }')
    .does(async (context, flags: KeysFlags) => createKey(await opened(context, flags)));
  keys
    .command('list', { isDefault: true })
    .description('Lists the keys, their plans and requests today. The keys themselves are not stored.')
    .option('--json', 'for programs')
    .does(async (context, flags: KeysFlags) => listKeys(await opened(context, flags)));
  keys
    .command('rotate')
    .description('Gives a key a new secret; the old one stops working at once.')
    .argument(...idArgument)
    .option('--json', 'print { id, name, plan, key }')
    .does(async (context, id: string, flags: KeysFlags) => rotateKey(await opened(context, flags), id));
  keys
    .command('revoke')
    .description('Revokes a key, at once and for good. It asks first; without a terminal it needs --yes.')
    .argument(...idArgument)
    .option('--yes', 'do not ask')
    .does(async (context, id: string, flags: KeysFlags) => revokeKey(await opened(context, flags), id));
}

/** The database of the keys of `serve` (a file, or the URL of PostgreSQL) and their plans; `flag` is `--keys`. */
export function keySettings(
  io: Pick<Io, 'env' | 'platform' | 'home'>,
  { settings, config }: Pick<LoadedSettings, 'settings' | 'config'>,
  flag?: string,
) {
  const ownPlans = config.content?.plans ?? {};
  const { value, from } = settings.keys;
  const { db } = settings;
  // With PostgreSQL the keys are there too, so that all replicas share them.
  const own =
    value === null && db.value !== null && isServerUrl(db.value)
      ? { value: db.value, from: db.from }
      : { value: value ?? keysDatabase(io), from };
  const file: Setting<string> =
    flag === undefined ? own : { value: checked('--keys', () => parsePath(flag)), from: '--keys' };
  // `:memory:` is an SQLite database; keys in it could never be used.
  if (file.value === ':memory:') {
    throw usageError(`${file.from}: keys need a file that stays; ":memory:" would forget them at once`);
  }
  return { file, plans: createPlans(ownPlans), ownPlans: Object.keys(ownPlans) };
}

type Opened = Pick<CommandContext, 'io'> & {
  readonly flags: KeysFlags;
  readonly file: string;
  readonly plans: Plans;
};

const IS_KEY = 'this is a key, which other users of this machine can read on a command line; rotate it';

/** A name is stored and listed as typed, which a secret must never be. */
function parseName(text: string): string {
  const name = cleanText(text).trim();
  if (withoutKeys(name) !== name) throw new RangeError(IS_KEY);
  if (name.length > 60) throw new RangeError('at most 60 characters');
  return name;
}

/** Repeats no input: it may be a secret. */
function parseKeyId(text: string): string {
  if (isKeyId(text)) return text;
  const own = mapped(readKey(text), (key) => `, here ${key.id}`) ?? '';
  throw usageError(
    `the argument must be the id of a key${own}: 10 letters and digits that gastop keys list shows; a whole key does not belong on a command line: other users of this machine can read it there`,
  );
}

async function createKey({ io, flags, file, plans }: Opened): Promise<void> {
  const { plan = 'free', name = '' } = flags;
  if (withoutKeys(plan) !== plan) throw usageError(`--plan: ${IS_KEY}`);
  if (!plans.has(plan)) {
    throw usageError(`there is no plan "${plan}"; known are ${[...plans.keys()].join(', ')}`);
  }
  const key = await withStore(file, (store) => issueKey(store, { name, plan, now: io.now() }));
  try {
    await printKey({ io, flags }, { id: key.id, name, plan }, key.text);
  } catch (error) {
    await withStore(file, (store) => retireKey(store, key.id, io.now()));
    throw failure(`the output ${fileFailureReason(error)}; key ${key.id} was not shown, so it was revoked`);
  }
  if (!flags.json) note(io, `made key ${key.id} with plan ${plan}; it is shown only now`);
}

async function listKeys({ io, flags, file, plans }: Opened): Promise<void> {
  const now = io.now();
  const day = Math.floor(now / DAY_MS);
  const [rows, used] = isThere(file)
    ? await withStore(file, (store) => Promise.all([store.list(), store.usageOn(day)]))
    : [[], new Map<string, { readonly used: number }>()];
  const items = rows.map((row) => listedKey(row, used.get(row.id)?.used ?? 0, plans, day));
  if (flags.json === true) io.stdout.write(`${JSON.stringify({ items })}\n`);
  else if (items.length > 0) io.stdout.write(`${keyLines(items).join('\n')}\n`);
  else note(io, `there are no keys in ${shownDatabase(file, io.home)}; gastop keys create makes one`);
}

async function rotateKey({ io, flags, file }: Opened, id: string): Promise<void> {
  const { key, row } = await withKey(file, id, async (store, stored) => {
    const rotated = await reissueKey(store, id, io.now());
    if (rotated !== null) return rotated;
    throw failure(
      `key ${id} was revoked on ${revokedOn(stored)} for good; make another with gastop keys create`,
    );
  });
  if (!flags.json) note(io, `key ${id} has a new secret, shown only now; the old one stopped working`);
  await printKey({ io, flags }, row, key.text).catch((error: unknown) => {
    throw failure(
      `the output ${fileFailureReason(error)}; the new secret of key ${id} was not shown: rotate it again, or revoke it`,
    );
  });
}

async function revokeKey({ io, flags, file }: Opened, id: string): Promise<void> {
  const said = await withKey(file, id, async (store, stored) => {
    if (stored.revoked_at !== null) {
      return `key ${id} was revoked before, on ${revokedOn(stored)}; nothing changed`;
    }
    requireTerminal(io, 'revoking', flags.yes);
    const name = stored.name === '' ? '' : ` (${withoutKeys(stored.name)})`;
    const what = `key ${id}${name} of the plan ${stored.plan}`;
    const prompt = cleanText(`Revoke ${what} and disable its alerts, for good`);
    if (!flags.yes && !(await isConfirmed(io, prompt))) return `kept key ${id}`;
    await retireKey(store, id, io.now());
    return `revoked ${what}; it stopped working, and every running serve disables its alerts`;
  });
  note(io, cleanText(said));
}

function printKey(
  { io, flags }: Pick<Opened, 'io' | 'flags'>,
  { id, name, plan }: Pick<KeyRow, 'id' | 'name' | 'plan'>,
  key: string,
): Promise<void> {
  return io.deliver(`${flags.json ? JSON.stringify({ id, name: withoutKeys(name), plan, key }) : key}\n`);
}

/** @throws {StoreError} `not-permitted` where this user may not look for it */
function isThere(database: string): boolean {
  if (isServerUrl(database)) return true;
  try {
    return statSync(database, { throwIfNoEntry: false }) !== undefined;
  } catch (error) {
    throw toStoreError(error, databaseName(database));
  }
}

async function withKey<Result>(
  file: string,
  id: string,
  work: (store: KeyStore, stored: KeyRow) => Promise<Result>,
): Promise<Result> {
  const none = usageError(`there is no key ${id}; gastop keys list shows them`);
  if (!isThere(file)) throw none;
  return withStore(file, async (store) => {
    const stored = (await store.list()).find((row) => row.id === id);
    if (stored === undefined) throw none;
    return work(store, stored);
  });
}

async function withStore<Result>(file: string, work: (store: KeyStore) => Promise<Result>): Promise<Result> {
  const [{ KeyStore }, { openKeyDatabase }] = await Promise.all([
    import('../../store/api-keys.ts'),
    import('../../store/database.ts'),
  ]);
  await using database = await openKeyDatabase(file);
  return await work(new KeyStore(database));
}

const revokedOn = ({ revoked_at }: KeyRow) => `${utcTime(Number(revoked_at) * 1_000, 'minutes')} UTC`;
const isoTime = (sec: number) => new Date(Number(sec) * 1_000).toISOString();
type ListedKey = ReturnType<typeof listedKey>;

function listedKey(row: KeyRow, usedToday: number, plans: Plans, day: number) {
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
    resetsAt: new Date((day + 1) * DAY_MS).toISOString(),
  };
}

function keyLines(keys: readonly ListedKey[]): string[] {
  const remaining = ({ state, remainingToday }: ListedKey) =>
    state === 'active' ? (mapped(remainingToday, formatCount) ?? 'no limit') : '-';
  return tableLines<ListedKey>(
    [
      ['id', 'left', (key) => cleanLine(key.id)],
      ['name', 'left', (key) => cleanLine(key.name) || '-'],
      ['plan', 'left', (key) => cleanLine(key.plan)],
      ['created (UTC)', 'left', (key) => utcTime(Date.parse(key.createdAt), 'minutes')],
      ['state', 'left', (key) => key.state],
      ['used today', 'right', (key) => formatCount(key.usedToday)],
      ['remaining', 'right', remaining],
    ],
    keys,
  );
}
