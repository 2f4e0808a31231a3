import { existsSync } from 'node:fs';
import { formatCount } from '../../core/units.ts';
import { databaseName, isServerUrl, parseDatabaseUrl } from '../../store/database-url.ts';
import type { CliCommand, CommandContext, Flags } from '../command.ts';
import { keysDatabase } from '../config-file.ts';
import { usageError } from '../errors.ts';
import { note, tildePath } from '../output.ts';
import { checked, given } from '../parse.ts';
import { parsePath } from '../settings.ts';

export function addMigrate(program: CliCommand): void {
  program
    .command('migrate')
    .summary('from a database file to PostgreSQL')
    .description(
      'Copies history, alerts, auto-txs and keys to an empty PostgreSQL database, all or nothing. The files stay as they are. ' +
        'Signed transactions are encrypted with GASTOP_ENCRYPTION_KEY on the way.',
    )
    .requiredOption('--from <FILE>', 'the database file')
    .option('--keys <FILE>', 'the database of the keys (default: that of the data folder)')
    .option('--to <URL>', 'the PostgreSQL database (default: GASTOP_DATABASE_URL)')
    .examples('gastop migrate --from chain-1.db --keys keys.db --to postgres://gastop@db.example.org/gastop')
    .does(migrate);
}

type MigrateFlags = Flags<'keys' | 'to'> & { readonly from: string };

async function migrate({ io, loadSettings }: CommandContext, flags: MigrateFlags): Promise<void> {
  const { settings } = await loadSettings();
  const named = settings.db.value !== null && isServerUrl(settings.db.value) ? settings.db.value : null;
  const to = given('--to', flags.to, parseDatabaseUrl) ?? named;
  if (to === null)
    throw usageError('name the PostgreSQL database with --to URL, or with GASTOP_DATABASE_URL');
  const from = thereAt('--from', flags.from);
  const usual = existsSync(keysDatabase(io)) ? keysDatabase(io) : null;
  const keys = flags.keys === undefined ? usual : thereAt('--keys', flags.keys);
  const { openDatabase, openKeyDatabase } = await import('../../store/database.ts');
  const { moveDatabase } = await import('../../store/move-database.ts');
  const history = await openDatabase(from);
  const ofKeys = keys === null ? null : await openKeyDatabase(keys);
  const target = await openDatabase(to, settings.encryptionKey.value);
  try {
    const moved = await moveDatabase(history, ofKeys, target, io.now());
    for (const [table, rows] of moved) {
      io.stdout.write(`${table.padEnd(20)} ${formatCount(rows).padStart(12)}\n`);
    }
  } finally {
    for (const database of [history, ofKeys, target]) await database?.close();
  }
  const files = [from, ...(keys === null ? [] : [keys])]
    .map((file) => tildePath(file, io.home))
    .join(' and ');
  note(io, `all of ${files} is in ${databaseName(to)}; start gastop on it from now on`);
}

function thereAt(flag: string, text: string): string {
  const file = checked(flag, () => parsePath(text));
  if (!existsSync(file)) throw usageError(`${flag}: ${databaseName(file)} does not exist; check the path`);
  return file;
}
