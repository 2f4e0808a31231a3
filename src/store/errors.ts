import { cleanText } from '../core/text.ts';

export type StoreErrorCode =
  | 'not-a-database'
  | 'damaged'
  | 'foreign-database'
  | 'newer-schema'
  | 'wrong-chain'
  | 'read-only'
  | 'full'
  | 'busy'
  | 'not-permitted'
  | 'closed'
  /** No key to encrypt signed bytes with. */
  | 'no-key'
  /** The server does not respond, or refuses the login. */
  | 'unreachable'
  /** Another process holds the lease, see `lease.ts`. */
  | 'not-holder'
  /** The file was moved to a server, see `moved.ts`. */
  | 'moved'
  | 'failed';

/** The history cannot be opened, read or written. `message` is one line for people that says what to do. */
export class StoreError extends Error {
  override readonly name = 'StoreError';
  readonly code: StoreErrorCode;

  constructor(code: StoreErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

/** Whether a newer program leads from now on, or the file was moved: this process writes nothing more. */
export const isLeftBehind = (error: unknown): boolean =>
  error instanceof StoreError && (error.code === 'newer-schema' || error.code === 'moved');

/** What the triggers of a moved file say. */
export type MovedWords = `moved to ${string}`;
const WAS_MOVED =
  '% was $; start gastop on that, or, if nothing runs there, take it back with gastop migrate --take-back --db FILE';
export const movedWords = (name: string, to: string): string =>
  WAS_MOVED.replace('%', () => name).replace('$', () => `moved to ${to}` satisfies MovedWords);

const DAMAGED = '% is damaged; put a backup in its place, or move it away';
const AWAY = '% does not answer';
const NOT_LET_IN = '% refuses the user or the password; check them in the URL, or PGUSER and PGPASSWORD';

/**
 * Error code or text, our code, and the message; % is the name of the database. SQLite has primary result codes
 * (https://sqlite.org/rescode.html), the file system and the network error names, PostgreSQL codes
 * (https://www.postgresql.org/docs/current/errcodes-appendix.html) and the driver texts.
 */
const FAILURES: readonly (readonly [RegExp, StoreErrorCode, string])[] = [
  [/^moved to /, 'moved', WAS_MOVED],
  [/^sqlite [56]$/, 'busy', '% is in use by another program; close it, or choose another database file'],
  [
    /^(?:sqlite 8|EROFS)$/,
    'read-only',
    '% cannot be written; allow writing to it and its folder, or choose another',
  ],
  [/^sqlite (?:13|10 19)$/, 'full', 'the disk is full, % cannot grow; free some space'],
  [/^sqlite 10/, 'failed', '% cannot be read or written (disk error); check the disk'],
  [/^sqlite 11$/, 'damaged', DAMAGED],
  [/^sqlite 14$/, 'not-permitted', '% cannot be opened; check its folder and the rights on it'],
  [/^sqlite 26$/, 'not-a-database', '% is not a database; move it away or choose another file'],
  [/^(?:EACCES|EPERM)$/, 'not-permitted', 'no permission for %; check the rights on it and its folder'],
  [/^(?:ENOSPC|EDQUOT)$/, 'full', 'the disk is full, % cannot be made; free some space'],
  [/^EISDIR$/, 'not-permitted', '% is a folder; name a file'],
  [
    /^connect (?:ENOENT|ENOTDIR|EACCES)/,
    'unreachable',
    `${AWAY}: there is no socket of PostgreSQL, or no right to it, at $`,
  ],
  [/^(?:ENOENT|ENOTDIR|EEXIST)$/, 'not-permitted', '% cannot be made there; its folder is not a folder'],
  // A conflict with another transaction, whose result a retry reads; a server that is starting.
  [/^(?:40001|40P01|55P03|23505|57P03)$/, 'busy', '% is busy; try again'],
  [/^25006$/, 'read-only', '% takes no writing (a standby server?); name the primary'],
  [/^42501$/, 'not-permitted', '% does not give its role the right; name a role that owns its tables'],
  [/^53100$/, 'full', '% cannot grow, the disk of its server is full; free some space'],
  [/^53300$/, 'unreachable', '% has no connection left; raise max_connections, or run fewer processes'],
  [
    /no encryption/,
    'unreachable',
    '% accepts only connections with TLS; add ?sslmode=require to the URL, or allow this host in pg_hba.conf',
  ],
  [/^28P01$|password|SASL/, 'unreachable', NOT_LET_IN],
  // A pooler's refusals, such as of a parameter, and the server's, such as by pg_hba.conf.
  [/^(?:28...|08P01)$/, 'unreachable', '% refuses the connection: $'],
  [/^3D000$/, 'unreachable', '% does not exist; make it with createdb, or name another database'],
  [/^3F000$/, 'unreachable', '% has no schema to keep tables in; check the search_path of its role'],
  [/^57014$/, 'failed', '% took too long'],
  [/^(?:ENOTFOUND|EAI_AGAIN)$/, 'unreachable', `${AWAY}: its host is not known; check the name`],
  [/^ECONNREFUSED$/, 'unreachable', `${AWAY}: nothing listens there; check host and port, and that it runs`],
  [
    /^(?:E[A-Z]+|08...|57P0.|25P03)$|Connection terminated|timeout exceeded|read timeout|Client was closed|not queryable/,
    'unreachable',
    `${AWAY}: the connection was lost or cannot be made`,
  ],
  [
    /certificate|CERT_/,
    'unreachable',
    '% has a certificate that is not trusted; sslrootcert=FILE in the URL names its authority',
  ],
  [/does not support SSL/, 'unreachable', '% does not speak TLS; set it up there, or leave sslmode away'],
  [/pool after calling end|driver has already been destroyed/, 'closed', '% is closed'],
];

export const damaged = (where: string): StoreError => new StoreError('damaged', DAMAGED.replace('%', where));

/** Turns any error of the database or file system into a message; `where` is the display name of the database. */
export function toStoreError(error: unknown, where: string): StoreError {
  if (error instanceof StoreError) return error;
  const reason = error instanceof Error ? error.message : String(error);
  const code = codeOf(error);
  const [, kind, text] = FAILURES.find(([said]) => said.test(code) || said.test(reason)) ?? [
    null,
    'failed' as const,
    `% does not work: ${reason.split('\n')[0]}`,
  ];
  const message = text.replace('%', () => where).replace('$', () => detailOf(error, reason));
  return new StoreError(kind, message, { cause: error });
}

/** The path of a socket or file, else the server's words. */
function detailOf(error: unknown, reason: string): string {
  const { address, path } = Object(error) as { address?: unknown; path?: unknown };
  return cleanText(String(address ?? path ?? reason.split('\n')[0]), LONGEST_DETAIL);
}
const LONGEST_DETAIL = 200;

function codeOf(error: unknown): string {
  if (!(error instanceof Error)) return '';
  const { syscall } = error as NodeJS.ErrnoException;
  if (syscall === 'connect' && 'address' in error && String(error.address).startsWith('/'))
    return `connect ${(error as NodeJS.ErrnoException).code}`;
  if (!('errcode' in error) || typeof error.errcode !== 'number')
    return 'code' in error ? String(error.code) : '';
  // Extended codes have the primary code in the low byte.
  const [primary, extension] = [error.errcode & 0xff, error.errcode >> 8];
  return extension === 19 ? `sqlite ${primary} ${extension}` : `sqlite ${primary}`;
}
