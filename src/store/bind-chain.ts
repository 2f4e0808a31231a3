import { SIMULATED_CHAIN_ID } from '../core/chains.ts';
import { readMeta } from './meta.ts';
import type { Queries } from './schema.ts';
import { StoreError } from './store-error.ts';

/** Notes that the history is of this chain. @throws {StoreError} `wrong-chain` when it is of another one. */
export async function bindChain(db: Queries, chainId: number, name: string): Promise<void> {
  const known = await readMeta(db, 'chain_id');
  if (known === String(chainId)) return;
  if (known !== null) throw wrongChain(name, Number(known), chainId);
  // Another process may be doing the same for another chain: whoever comes first is right.
  await db
    .insertInto('meta')
    .values({ key: 'chain_id', value: String(chainId) })
    .onConflict((conflict) => conflict.column('key').doNothing())
    .execute();
  await bindChain(db, chainId, name);
}

/** Short enough for a line of 80 columns, with a file name of usual length. */
export const wrongChain = (name: string, known: number, chainId: number): StoreError =>
  new StoreError(
    'wrong-chain',
    `${name} holds ${chainWords(known)}, not ${chainWords(chainId)}; name another path with --db`,
  );

const chainWords = (id: number): string =>
  id === SIMULATED_CHAIN_ID ? 'the simulated chain' : `chain ${id}`;
