import { createCipheriv, createDecipheriv, createHash, randomBytes } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { basename } from 'node:path';
import { StoreError } from './errors.ts';

const KEY_BYTES = 32;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const CIPHER = 'aes-256-gcm';

/** Encrypted bytes as they are stored: nonce, tag and cipher text of AES-256-GCM. */
export interface Sealed {
  /** Tells keys apart, and nothing of the key. */
  readonly keyId: string;
  readonly bytes: Uint8Array;
}

/** Encrypts the signed bytes of auto-txs. */
export interface Sealer {
  /** What is sealed for one auto-tx is opened for no other. */
  seal(autoTxId: string, bytes: Uint8Array): Sealed;
  /** `null`: it was sealed with another key, there is no key, or it is not as it was written. */
  open(autoTxId: string, sealed: Sealed): Uint8Array | null;
}

/** The key is asked for when something is to be sealed or opened first. */
export function createSealer(getKey: () => Buffer): Sealer {
  let known: { readonly key: Buffer; readonly id: string } | null = null;
  const current = () => {
    if (known === null) {
      const key = getKey();
      known = { key, id: createHash('sha256').update(key).digest('hex').slice(0, 16) };
    }
    return known;
  };
  return {
    seal(autoTxId, bytes) {
      const { key, id } = current();
      const nonce = randomBytes(NONCE_BYTES);
      const cipher = createCipheriv(CIPHER, key, nonce).setAAD(Buffer.from(autoTxId));
      const text = Buffer.concat([cipher.update(bytes), cipher.final()]);
      return { keyId: id, bytes: Buffer.concat([nonce, cipher.getAuthTag(), text]) };
    },
    open(autoTxId, { keyId, bytes }) {
      try {
        const { key, id } = current();
        if (keyId !== id || bytes.length < NONCE_BYTES + TAG_BYTES) return null;
        const decipher = createDecipheriv(CIPHER, key, bytes.subarray(0, NONCE_BYTES))
          .setAAD(Buffer.from(autoTxId))
          .setAuthTag(bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES));
        return new Uint8Array(
          Buffer.concat([decipher.update(bytes.subarray(NONCE_BYTES + TAG_BYTES)), decipher.final()]),
        );
      } catch {
        return null;
      }
    },
  };
}

/** Who named no key cannot have auto-txs kept. */
export const NO_SEALER: Sealer = createSealer(() => {
  throw new StoreError(
    'no-key',
    'auto-txs are kept encrypted, and there is no key for that: set GASTOP_ENCRYPTION_KEY (openssl rand -base64 32), the same for all processes',
  );
});

/** A key that ends with the process, as its database does. */
export const passingSealer = (): Sealer => createSealer(() => randomBytes(KEY_BYTES));

/** The key that lies beside a database file, for its owner alone; made when it is first needed. */
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

/** A key as `openssl rand -base64 32` prints it, or 64 hexadecimal digits. @throws RangeError that repeats nothing of it. */
export function parseEncryptionKey(text: string): Buffer {
  const written = text.trim();
  const key = Buffer.from(written, /^[0-9a-f]{64}$/i.test(written) ? 'hex' : 'base64');
  if (key.length === KEY_BYTES && /^[0-9a-z+/=_-]+$/i.test(written)) return key;
  throw new RangeError('not a key of 32 bytes; make one with: openssl rand -base64 32');
}
