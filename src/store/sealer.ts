import { createCipheriv, createDecipheriv, createHash, randomBytes } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import { basename } from 'node:path';
import { systemCode } from '../core/system-code.ts';
import { StoreError } from './errors.ts';
import { makeWhole } from './whole-file.ts';

const KEY_BYTES = 32;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const CIPHER = 'aes-256-gcm';

/** Stored encrypted bytes: nonce, tag and cipher text of AES-256-GCM. */
export interface Sealed {
  /** Distinguishes keys, without revealing them. */
  readonly keyId: string;
  readonly bytes: Uint8Array;
}

/** Where the key of signed bytes comes from. */
interface KeyPlace {
  /** For people: where the right key belongs. */
  readonly remedy: string;
  /** `null`: there is none. @throws {StoreError} `no-key` for one that is no key, or cannot be read */
  readonly read: () => Buffer | null;
  /** Makes one for a database that has none. @throws {StoreError} when it cannot */
  readonly make: () => Buffer;
  /** One line: others can read it; `null`: they cannot. */
  readonly warning?: () => string | null;
}

export type Sealer = ReturnType<typeof createSealer>;

function createSealer(place: KeyPlace) {
  let key: Buffer | null = null;
  /** Read again until there is one: it may be put back. */
  const current = () => {
    key ??= place.read();
    return key;
  };
  return {
    remedy: place.remedy,
    warning: () => place.warning?.() ?? null,
    /** The id of the key that is here; `null`: there is none. @throws {StoreError} `no-key` */
    keyId: (): string | null => {
      const here = current();
      return here && idOf(here);
    },
    /** Reads it again when it is needed next. */
    forget: () => {
      key = null;
    },
    /** Makes a key for a database that has none, and returns its id. @throws {StoreError} */
    makeKey: (): string => {
      key = current() ?? place.make();
      return idOf(key);
    },
    /** Bytes sealed for one auto-tx cannot be opened for another. @throws {StoreError} `no-key` */
    seal(autoTxId: string, bytes: Uint8Array): Sealed {
      const here = current();
      if (here === null) throw noKey(`there is no key to encrypt auto-txs with: ${place.remedy}`);
      const nonce = randomBytes(NONCE_BYTES);
      const cipher = createCipheriv(CIPHER, here, nonce).setAAD(Buffer.from(autoTxId));
      const text = Buffer.concat([cipher.update(bytes), cipher.final()]);
      return { keyId: idOf(here), bytes: Buffer.concat([nonce, cipher.getAuthTag(), text]) };
    },
    /** `null`: sealed with another key, no key, or damaged. */
    open(autoTxId: string, { keyId, bytes }: Sealed): Uint8Array | null {
      try {
        const here = current();
        if (here === null || keyId !== idOf(here)) return null;
        const [nonce, rest] = [bytes.subarray(0, NONCE_BYTES), bytes.subarray(NONCE_BYTES)];
        const decipher = createDecipheriv(CIPHER, here, nonce, { authTagLength: TAG_BYTES })
          .setAAD(Buffer.from(autoTxId))
          .setAuthTag(rest.subarray(0, TAG_BYTES));
        const plain = [decipher.update(rest.subarray(TAG_BYTES)), decipher.final()];
        return new Uint8Array(Buffer.concat(plain));
      } catch {
        return null;
      }
    },
  };
}

const idOf = (key: Buffer) => createHash('sha256').update(key).digest('hex').slice(0, 16);

export const noKey = (message: string): StoreError => new StoreError('no-key', message);

const OF_OTHERS = 'set GASTOP_ENCRYPTION_KEY to the key of its other processes';
const MAKE_ONE = 'set GASTOP_ENCRYPTION_KEY (openssl rand -base64 32), the same for all processes';

/** A server keeps its key elsewhere: without one auto-txs cannot be stored. */
export const NO_SEALER: Sealer = createSealer({
  remedy: OF_OTHERS,
  read: () => null,
  make: () => {
    throw noKey(`auto-txs are kept encrypted, and there is no key for that: ${MAKE_ONE}`);
  },
});

/** The key of the settings. */
export const givenSealer = (key: Buffer): Sealer =>
  createSealer({
    remedy: OF_OTHERS,
    read: () => key,
    make: () => key,
  });

/** A key that is lost with the process, as its database is. */
export const ephemeralSealer = (): Sealer => givenSealer(randomBytes(KEY_BYTES));

/** The key beside a database file, readable by its owner alone. */
export function fileSealer(database: string): Sealer {
  const path = `${database}.key`;
  const name = basename(path);
  const read = () => readKey(path, name);
  return createSealer({
    remedy: `put ${name} back beside it`,
    read,
    make: () => {
      makeKeyFile(path);
      const made = read();
      if (made === null) throw noKey(`${name} was removed while it was made`);
      return made;
    },
    warning: () => {
      if (isForeign(database))
        return `${basename(database)} belongs to another user of this machine, who can read and change it`;
      const mode = statSync(path, { throwIfNoEntry: false })?.mode ?? 0;
      const isOpen = process.platform !== 'win32' && (mode & 0o077) !== 0;
      return isOpen ? `others on this machine can read ${name}; run chmod 600 on it as its owner` : null;
    },
  });
}

/** Whether a file is another user's, and not root's. */
function isForeign(path: string): boolean {
  const owner = statSync(path, { throwIfNoEntry: false })?.uid ?? 0;
  return process.platform !== 'win32' && owner !== 0 && owner !== process.geteuid?.();
}

/** Another process may be as early: its key is the one. */
function makeKeyFile(path: string): void {
  try {
    makeWhole(path, `${randomBytes(KEY_BYTES).toString('base64')}\n`);
  } catch (error) {
    if (systemCode(error) !== 'EEXIST') throw error;
  }
}

function readKey(path: string, name: string): Buffer | null {
  let text: string;
  try {
    // Who owns it knows it, and may put another in its place.
    if (isForeign(path))
      throw noKey(
        `${name} belongs to another user; run chown on it if it is the right one, or run as that user`,
      );
    text = readFileSync(path, 'utf8');
  } catch (error) {
    if (error instanceof StoreError) throw error;
    if (systemCode(error) === 'ENOENT') return null;
    throw noKey(`${name} cannot be read (${systemCode(error)}); check the rights on it`);
  }
  const key = Buffer.from(text.trim(), 'base64');
  if (key.length === KEY_BYTES) return key;
  throw noKey(`${name} holds no key of ${KEY_BYTES} bytes; put back the right one`);
}

/** Parses what `openssl rand -base64 32` or `-hex 32` prints. @throws RangeError without any part of `text`. */
export function parseEncryptionKey(text: string): Buffer {
  const written = text.trim();
  const key = Buffer.from(written, /^[0-9a-f]{64}$/i.test(written) ? 'hex' : 'base64');
  if (key.length === KEY_BYTES && /^[0-9a-z+/=_-]+$/i.test(written)) return key;
  throw new RangeError('not a key of 32 bytes; make one with: openssl rand -base64 32');
}
