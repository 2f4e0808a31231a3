import { basename } from 'node:path';
import { nearest } from '../core/text.ts';

/** A database that is deleted with the process: SQLite keeps it in an unlinked file, on disk rather than in memory. */
export const TEMPORARY_DATABASE = '';

export const isServerUrl = (target: string): boolean => /^postgres(?:ql)?:/i.test(target);

export const hasNoFile = (path: string) => path === ':memory:' || path === TEMPORARY_DATABASE;

/** Display name of a database: a file without its folder, a server without user and password. */
export function databaseName(target: string): string {
  if (hasNoFile(target)) return 'the temporary database';
  if (!isServerUrl(target)) return basename(target);
  const { hostname = '', pathname = '', searchParams } = parsedUrl(target) ?? {};
  const database = decoded(pathname.slice(1)) || process.env.PGDATABASE || 'the database';
  const host =
    searchParams?.get('host') || decoded(hostname.replace(NO_HOST, '')) || process.env.PGHOST || 'localhost';
  return `${database} on ${host}`;
}

const NO_HOST = 'no.host.invalid';

/** With a user and without a host, which `host` in the query names then, it is a URL for PostgreSQL alone. */
export const parsedUrl = (text: string) =>
  URL.parse(text.replace(/^(\w+:\/\/[^/?#]*@)(?=[/?])/, `$1${NO_HOST}`));

/** What the driver heeds; what it ignores might be meant to encrypt. */
const PARAMETERS = [
  ...['host', 'port', 'user', 'password', 'application_name', 'options', 'client_encoding'],
  ...['sslmode', 'sslrootcert', 'sslcert', 'sslkey', 'channel_binding'],
];
const TLS_MODES = ['disable', 'prefer', 'require', 'verify-ca', 'verify-full', 'no-verify'];

function refuseParameters(parameters: URLSearchParams): void {
  for (const [name, value] of parameters) {
    if (!PARAMETERS.includes(name)) {
      const meant = nearest(name.toLowerCase(), PARAMETERS, 2);
      // What is no word may be a part of a password with ? or & in it.
      const shown = /^[a-z_]{2,32}$/i.test(name) ? `"${name}" in the URL` : 'a parameter of the URL';
      const hint = meant === undefined ? '' : ` (did you mean ${meant}?)`;
      throw new RangeError(`${shown} is not known${hint}; taken are ${PARAMETERS.join(', ')}`);
    }
    if (name === 'sslmode' && !TLS_MODES.includes(value))
      throw new RangeError(`sslmode in the URL must be one of ${TLS_MODES.join(', ')}`);
  }
}

/** @throws RangeError with no part of `text` but the name of an unknown parameter: it may hold a password. */
export function parseDatabaseUrl(text: string): string {
  const url = text.trim();
  if (!isServerUrl(url))
    throw new RangeError('not a URL of PostgreSQL; write postgres://USER@HOST/DATABASE, or --db for a file');
  const parsed = parsedUrl(url);
  if (parsed === null || (decoded(parsed.password) === null && parsed.password !== ''))
    throw new RangeError(
      'not a URL; write postgres://USER:PASSWORD@HOST/DATABASE, with @ / ? # : and % in a password as %40 %2F %3F %23 %3A %25',
    );
  refuseParameters(parsed.searchParams);
  return url;
}

function decoded(text: string): string | null {
  try {
    return decodeURIComponent(text);
  } catch {
    return null;
  }
}
