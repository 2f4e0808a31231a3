import type { KeyRow } from '../../store/key-schema.ts';
import type { KeyStore } from '../../store/key-store.ts';
import { type ApiKey, createKey, createKeyId, hashKey } from './key-format.ts';

const secretOf = (key: ApiKey, now: number) => ({
  hash: hashKey(key).toString('hex'),
  at: Math.floor(now / 1_000),
});

/** Makes and keeps a new key; the text that is answered is the only copy of it. `now` in ms. @throws {StoreError} */
export async function issueKey(
  store: KeyStore,
  { name, plan, now }: { readonly name: string; readonly plan: string; readonly now: number },
): Promise<ApiKey> {
  for (;;) {
    const key = createKey(createKeyId());
    if (await store.add({ id: key.id, name, plan }, secretOf(key, now))) return key;
  }
}

/**
 * Gives the key `id` a new secret; the old one stops at once. `now` in ms.
 * @returns `null` when there is no such key, or it is revoked.
 * @throws {StoreError}
 */
export async function reissueKey(
  store: KeyStore,
  id: string,
  now: number,
): Promise<{ readonly key: ApiKey; readonly row: KeyRow } | null> {
  const key = createKey(id);
  const row = await store.rotate(id, secretOf(key, now));
  return row && { key, row };
}
