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
  /** There is no key to encrypt signed bytes with. */
  | 'no-key'
  /** A server that does not answer, or does not let anybody in. */
  | 'unreachable'
  /** Another process holds the lease: see `lease.ts`. */
  | 'not-holder'
  | 'failed';

/** The history cannot be opened, read or written. `message` is one line for people and says what to do. */
export class StoreError extends Error {
  override readonly name = 'StoreError';
  readonly code: StoreErrorCode;

  constructor(code: StoreErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

// Primary result codes of SQLite (https://sqlite.org/rescode.html); extended ones carry them in the low byte.
const BUSY = 5;
const LOCKED = 6;
const READONLY = 8;
const IOERR = 10;
const CORRUPT = 11;
const FULL = 13;
const CANTOPEN = 14;
const NOTADB = 26;

/** The extended code of a disk that has no room for what processes share of the write-ahead log. */
const NO_ROOM_FOR_SHM = IOERR | (19 << 8);

function resultCode(error: unknown): number | null {
  if (!(error instanceof Error) || !('errcode' in error)) return null;
  if (error.errcode === NO_ROOM_FOR_SHM) return FULL;
  return typeof error.errcode === 'number' ? error.errcode & 0xff : null;
}

/** A file whose pages do not hold together. */
export const damaged = (where: string, options?: ErrorOptions): StoreError =>
  new StoreError('damaged', `${where} is damaged; put a backup in its place, or move it away`, options);

/** Puts whatever the database or the file system threw into words; `where` is the file, for people. */
export function toStoreError(error: unknown, where: string): StoreError {
  if (error instanceof StoreError) return error;
  const say = (code: StoreErrorCode, text: string) => new StoreError(code, text, { cause: error });
  switch (resultCode(error)) {
    case BUSY:
    case LOCKED:
      return say('busy', `${where} is in use by another program; close it, or choose another database file`);
    case READONLY:
      return say(
        'read-only',
        `${where} cannot be written; allow writing to it and its folder, or choose another`,
      );
    case IOERR:
      return say('failed', `${where} cannot be read or written (disk error); check the disk`);
    case CORRUPT:
      return damaged(where, { cause: error });
    case FULL:
      return say('full', `the disk is full, ${where} cannot grow; free some space`);
    case CANTOPEN:
      return say('not-permitted', `${where} cannot be opened; check its folder and the rights on it`);
    case NOTADB:
      return say('not-a-database', `${where} is not a database; move it away or choose another file`);
  }
  const code = error instanceof Error && 'code' in error ? error.code : null;
  switch (code) {
    case 'EACCES':
    case 'EPERM':
      return say('not-permitted', `no permission for ${where}; check the rights on it and its folder`);
    case 'EROFS':
      return say('read-only', `${where} is on a read-only disk; choose another database file`);
    case 'ENOSPC':
    case 'EDQUOT':
      return say('full', `the disk is full, ${where} cannot be made; free some space`);
    case 'EISDIR':
      return say('not-permitted', `${where} is a folder; name a file`);
    case 'ENOENT':
    case 'ENOTDIR':
    case 'EEXIST':
      return say(
        'not-permitted',
        `${where} cannot be made there; its folder is not a folder that can be used`,
      );
  }
  const reason = error instanceof Error ? error.message : String(error);
  const server = serverFailure(String(code), reason);
  if (server !== null) return say(server[0], `${where} ${server[1]}`);
  return say('failed', `${where} does not work: ${reason.split('\n')[0]}`);
}

const AWAY = 'does not answer';
const NOT_LET_IN = 'refuses the user or the password; check them in the URL, or PGUSER and PGPASSWORD';

/**
 * What PostgreSQL or the way to it says: codes of https://www.postgresql.org/docs/current/errcodes-appendix.html by their
 * beginning, of Node, or words of the driver.
 */
const SERVER_FAILURES: readonly (readonly [RegExp, StoreErrorCode, string])[] = [
  // The other transaction came first; tried again, this one reads its result.
  [/^(?:40001|40P01|55P03|23505)$/, 'busy', 'is busy; try again'],
  [/^57P03$/, 'busy', 'is only just starting; try again'],
  [/^25006$/, 'read-only', 'takes no writing (a standby server?); name the primary'],
  [
    /^42501$/,
    'not-permitted',
    'does not give its role the right to do this; name a role that owns its tables',
  ],
  [/^53100$/, 'full', 'cannot grow, the disk of its server is full; free some space'],
  [/^53300$/, 'unreachable', 'has no connection left; raise max_connections, or run fewer processes'],
  [
    /no encryption/,
    'unreachable',
    'lets nobody in without TLS; add ?sslmode=require to the URL, or allow this host in pg_hba.conf',
  ],
  [/^28/, 'unreachable', NOT_LET_IN],
  [/^3D000$/, 'unreachable', 'does not exist; make it with createdb, or name another database'],
  [/^3F000$/, 'unreachable', 'has no schema to keep tables in; check the search_path of its role'],
  [/^57014$/, 'failed', 'took too long'],
  [/^(?:ENOTFOUND|EAI_AGAIN)$/, 'unreachable', `${AWAY}: its host is not known; check the name`],
  [/^ECONNREFUSED$/, 'unreachable', `${AWAY}: nothing listens there; check host and port, and that it runs`],
  [/^(?:E[A-Z]+|08...|57P0.|25P03)$/, 'unreachable', `${AWAY}: the connection was lost or cannot be made`],
  [/password|SASL/, 'unreachable', NOT_LET_IN],
  [
    /certificate|CERT_/,
    'unreachable',
    'has a certificate that is not trusted; sslrootcert=FILE in the URL names its authority',
  ],
  [/does not support SSL/, 'unreachable', 'does not speak TLS; set it up there, or leave sslmode away'],
  [/Connection terminated|timeout exceeded|Client was closed|not queryable/, 'unreachable', AWAY],
  [/pool after calling end|driver has already been destroyed/, 'closed', 'is closed'],
];

function serverFailure(code: string, reason: string): readonly [StoreErrorCode, string] | null {
  const found = SERVER_FAILURES.find(([said]) => said.test(code) || said.test(reason));
  return found === undefined ? null : [found[1], found[2]];
}
