import { basename } from 'node:path';

/** A database that is deleted with the process: SQLite keeps it in an unlinked file, on disk rather than in memory. */
export const TEMPORARY_DATABASE = '';

export const isServerUrl = (target: string): boolean => /^postgres(?:ql)?:/i.test(target);

export const hasNoFile = (path: string) => path === ':memory:' || path === TEMPORARY_DATABASE;

/** Display name of a database: a file without its folder, a server without user and password. */
export function databaseName(target: string): string {
  if (hasNoFile(target)) return 'the temporary database';
  if (!isServerUrl(target)) return basename(target);
  const { hostname = '', pathname = '', searchParams } = URL.parse(target) ?? {};
  const database = decoded(pathname.slice(1)) || process.env.PGDATABASE || 'the database';
  const host = searchParams?.get('host') || decoded(hostname) || process.env.PGHOST || 'localhost';
  return `${database} on ${host}`;
}

/** @throws RangeError without any part of `text`, which may hold a password. */
export function parseDatabaseUrl(text: string): string {
  const url = text.trim();
  if (!isServerUrl(url))
    throw new RangeError('not a URL of PostgreSQL; write postgres://USER@HOST/DATABASE, or --db for a file');
  const parsed = URL.parse(url);
  if (parsed === null || (decoded(parsed.password) === null && parsed.password !== ''))
    throw new RangeError(
      'not a URL; write postgres://USER:PASSWORD@HOST/DATABASE, with @ / ? # : and % in a password as %40 %2F %3F %23 %3A %25',
    );
  return url;
}

function decoded(text: string): string | null {
  try {
    return decodeURIComponent(text);
  } catch {
    return null;
  }
}
