import { createCipheriv, createDecipheriv, createHash, randomBytes } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { basename } from 'node:path';
import { StoreError } from './errors.ts';

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

export type Sealer = ReturnType<typeof createSealer>;

export function createSealer(getKey: () => Buffer) {
  let key: Buffer | null = null;
  const current = () => {
    key ??= getKey();
    return { key, keyId: createHash('sha256').update(key).digest('hex').slice(0, 16) };
  };
  return {
    /** Bytes sealed for one auto-tx cannot be opened for another. */
    seal(autoTxId: string, bytes: Uint8Array): Sealed {
      const { key, keyId } = current();
      const nonce = randomBytes(NONCE_BYTES);
      const cipher = createCipheriv(CIPHER, key, nonce).setAAD(Buffer.from(autoTxId));
      const text = Buffer.concat([cipher.update(bytes), cipher.final()]);
      return { keyId, bytes: Buffer.concat([nonce, cipher.getAuthTag(), text]) };
    },
    /** `null`: sealed with another key, no key, or damaged. */
    open(autoTxId: string, { keyId, bytes }: Sealed): Uint8Array | null {
      try {
        const { key, keyId: ours } = current();
        if (keyId !== ours) return null;
        const [nonce, rest] = [bytes.subarray(0, NONCE_BYTES), bytes.subarray(NONCE_BYTES)];
        const decipher = createDecipheriv(CIPHER, key, nonce, { authTagLength: TAG_BYTES })
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

/** Without a key auto-txs cannot be stored. */
export const NO_SEALER: Sealer = createSealer(() => {
  throw new StoreError(
    'no-key',
    'auto-txs are kept encrypted, and there is no key for that: set GASTOP_ENCRYPTION_KEY (openssl rand -base64 32), the same for all processes',
  );
});

/** A key that is lost with the process, as its database is. */
export const ephemeralSealer = (): Sealer => createSealer(() => randomBytes(KEY_BYTES));

/** The key beside a database file, readable by its owner alone; created when first needed. */
export function fileSealer(database: string): Sealer {
  const path = `${database}.key`;
  return createSealer(() => {
    try {
      writeFileSync(path, `${randomBytes(KEY_BYTES).toString('base64')}\n`, { flag: 'wx', mode: 0o600 });
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
    }
    const key = Buffer.from(readFileSync(path, 'utf8').trim(), 'base64');
    if (key.length === KEY_BYTES) return key;
    throw new StoreError(
      'no-key',
      `${basename(path)} holds no key; put back the right one, or remove it: then auto-txs sealed with it are disabled`,
    );
  });
}

/** Parses what `openssl rand -base64 32` or `-hex 32` prints. @throws RangeError without any part of `text`. */
export function parseEncryptionKey(text: string): Buffer {
  const written = text.trim();
  const key = Buffer.from(written, /^[0-9a-f]{64}$/i.test(written) ? 'hex' : 'base64');
  if (key.length === KEY_BYTES && /^[0-9a-z+/=_-]+$/i.test(written)) return key;
  throw new RangeError('not a key of 32 bytes; make one with: openssl rand -base64 32');
}
