import { existsSync } from 'node:fs';
import { formatCount } from '../../core/units.ts';
import { databaseName, isServerUrl, parseDatabaseUrl } from '../../store/database-url.ts';
import type { CliCommand, CommandContext, Flags } from '../command.ts';
import { keysDatabase } from '../config-file.ts';
import { usageError } from '../errors.ts';
import type { Io } from '../io.ts';
import { note, tildePath } from '../output.ts';
import { checked, parsedOrNull, parsePath } from '../parse.ts';
import type { Settings } from '../settings.ts';
import { isConfirmed, requireTerminal } from './resource.ts';

export function addMigrate(program: CliCommand): void {
  program
    .command('migrate')
    .summary('from a database file to PostgreSQL')
    .description(
      'Copies history, alerts, auto-txs and keys to an empty PostgreSQL database, all or nothing. The files stay as they are, but nothing starts on the history any more, so that nothing is sent twice. ' +
        'Signed transactions are encrypted with GASTOP_ENCRYPTION_KEY on the way. ' +
        '--take-back, --new-key and --begin-anew change the database that --db or --database names; they ask first, and without a terminal need --yes.',
    )
    .option('--from <FILE>', 'the database file')
    .option('--keys <FILE>', 'the database of the keys (default: that of the data folder)')
    .option('--to <URL>', 'the PostgreSQL database (default: GASTOP_DATABASE_URL)')
    .option('--new-key', 'the encryption key is lost: go on with the one that is here')
    .option('--begin-anew', 'the chain began anew: drop its history, keep alerts, disable auto-txs')
    .option('--take-back', 'let the file that --db names go on itself after all')
    .option('--yes', 'do not ask')
    .examples('gastop migrate --from chain-1.db --keys keys.db --to postgres://gastop@db.example.org/gastop')
    .does(migrate);
}

type MigrateFlags = Flags<'keys' | 'to' | 'from', 'newKey' | 'beginAnew' | 'takeBack' | 'yes'>;

async function migrate(context: CommandContext, flags: MigrateFlags): Promise<void> {
  const { from, newKey, beginAnew, takeBack } = flags;
  if ([from, newKey, beginAnew, takeBack].filter((each) => each !== undefined).length !== 1)
    throw usageError('give one of --from FILE, --take-back, --new-key and --begin-anew');
  const { settings } = await context.loadSettings();
  if (from !== undefined) return move(context.io, settings, { ...flags, from });
  if (takeBack) return takeFileBack(context.io, settings, flags);
  return newKey ? replaceKey(context.io, settings, flags) : beginChainAnew(context.io, settings, flags);
}

async function move(
  io: Io,
  settings: Settings,
  flags: MigrateFlags & { readonly from: string },
): Promise<void> {
  const named = settings.db.value !== null && isServerUrl(settings.db.value) ? settings.db.value : null;
  const to = parsedOrNull('--to', flags.to, parseDatabaseUrl) ?? named;
  if (to === null)
    throw usageError('name the PostgreSQL database with --to URL, or with GASTOP_DATABASE_URL');
  const from = thereAt('--from', flags.from);
  const usual = existsSync(keysDatabase(io)) ? keysDatabase(io) : null;
  const keys = flags.keys === undefined ? usual : thereAt('--keys', flags.keys);
  const { openDatabase, openHistoryToMove, openKeysToRead } = await import('../../store/database.ts');
  const { moveDatabase } = await import('../../store/move-database.ts');
  const { isRunning } = await import('../../service/lease.ts');
  await using history = await openHistoryToMove(from);
  await using ofKeys = keys === null ? null : await openKeysToRead(keys);
  await using target = await openDatabase(to, settings.encryptionKey.value);
  const moved = await moveDatabase(history, ofKeys, target, {
    now: io.now(),
    isRunning: (place) => isRunning(place) === true,
  });
  for (const [table, rows] of moved) {
    io.stdout.write(`${table.padEnd(20)} ${formatCount(rows).padStart(12)}\n`);
  }
  const files = [from, ...(keys === null ? [] : [keys])]
    .map((file) => tildePath(file, io.home))
    .join(' and ');
  note(io, `all of ${files} is in ${databaseName(to)}; start gastop on it from now on`);
}

async function replaceKey(io: Io, settings: Settings, { yes }: MigrateFlags): Promise<void> {
  await using database = await openNamed(settings);
  const { EncryptionKey } = await import('../../store/encryption-key.ts');
  const key = new EncryptionKey(database);
  if ((await key.problem()) === null)
    return note(io, `the encryption key of ${database.name} is here; nothing changes`);
  requireTerminal(io, 'going on with another key', yes);
  const lost = 'what was encrypted with the former key is never broadcast unless that comes back';
  if (!yes && !(await isConfirmed(io, `${database.name} goes on with the key that is here: ${lost}. Go on`)))
    return note(io, 'nothing was changed');
  await key.replace();
  note(io, `${database.name} goes on with the key that is here`);
}

async function beginChainAnew(io: Io, settings: Settings, { yes }: MigrateFlags): Promise<void> {
  await using database = await openNamed(settings);
  const { BlockStore } = await import('../../store/blocks.ts');
  // While a process leads it has the chain that is stored.
  const blocks = new BlockStore(database, () => ({ kind: 'one-shot', now: io.now() }), io.now);
  requireTerminal(io, 'dropping the history', yes);
  const what = `drop the history of ${database.name}, and disable its auto-txs until they are enabled`;
  if (!yes && !(await isConfirmed(io, `${what[0]?.toUpperCase()}${what.slice(1)}`)))
    return note(io, 'nothing was changed');
  await blocks.beginAnew(undefined);
  note(io, `${database.name} takes the chain of the next process that leads`);
}

async function takeFileBack(io: Io, { db }: Settings, { yes }: MigrateFlags): Promise<void> {
  if (db.value === null || isServerUrl(db.value)) throw usageError('name the file with --db FILE');
  const { openMoved } = await import('../../store/database.ts');
  const { readMoved, takeBack } = await import('../../store/moved.ts');
  await using database = await openMoved(thereAt('--db', db.value));
  const moved = await database.run(readMoved);
  if (moved === null) return note(io, `${database.name} was not moved; nothing changes`);
  requireTerminal(io, 'taking it back', yes);
  const twice = `what runs on ${moved.to} would send everything a second time`;
  if (!yes && !(await isConfirmed(io, `${twice}. Let ${database.name} go on`)))
    return note(io, 'nothing was changed');
  await database.transaction(takeBack);
  note(io, `${database.name} goes on itself`);
}

async function openNamed({ db, encryptionKey }: Settings) {
  if (db.value === null) throw usageError('name the database with --db FILE or --database URL');
  if (!isServerUrl(db.value)) thereAt('--db', db.value);
  const { openDatabase } = await import('../../store/database.ts');
  return openDatabase(db.value, encryptionKey.value);
}

function thereAt(flag: string, text: string): string {
  const file = checked(flag, () => parsePath(text));
  if (!existsSync(file)) throw usageError(`${flag}: ${databaseName(file)} does not exist; check the path`);
  return file;
}
