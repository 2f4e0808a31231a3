import { KeyStore } from '../../store/key-store.ts';
import { openKeyDatabase } from '../../store/open-key-database.ts';
import { createKeyGate, type KeyGate, type KeyGateOptions } from './key-gate.ts';

/** The gate over the keys in `file`, which is made where there is none. @throws {StoreError} when it cannot be opened. */
export async function openKeyGate({
  file,
  ...options
}: Omit<KeyGateOptions, 'store'> & { readonly file: string }): Promise<KeyGate> {
  return createKeyGate({ ...options, store: new KeyStore(await openKeyDatabase(file, 'process')) });
}
