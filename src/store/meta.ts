import type { Hex } from '../core/block.ts';
import { type ChainProfile, identifiedChain, isImpostor, SIMULATED_CHAIN_ID } from '../core/chains.ts';
import { StoreError } from './errors.ts';
import { type Queries, upsert } from './tables.ts';

export async function readMeta(db: Queries, key: string): Promise<string | null> {
  const row = await db.selectFrom('meta').select('value').where('key', '=', key).executeTakeFirst();
  return row?.value ?? null;
}

export const saveMeta = (db: Queries, key: string, value: string): Promise<void> =>
  upsert(db, 'meta', ['key'], { key, value });

export async function dropMeta(db: Queries, key: string): Promise<void> {
  await db.deleteFrom('meta').where('key', '=', key).execute();
}

export type ChainIdentity = Pick<ChainProfile, 'id' | 'genesisHash' | 'borrowsId'>;

/** Binds a history to a chain. @throws {StoreError} `wrong-chain` when it belongs to another one. */
export async function bindChain(db: Queries, chain: ChainIdentity, name: string): Promise<void> {
  if (await isHistoryOf(db, chain, name)) return;
  const rows = [{ key: 'chain_id', value: String(chain.id) }];
  if (chain.genesisHash !== undefined) rows.push({ key: 'genesis_hash', value: chain.genesisHash });
  // Another process may bind it to another chain at the same time: the first one wins.
  const first = db.insertInto('meta').values(rows);
  await first.onConflict((conflict) => conflict.column('key').doNothing()).execute();
  await bindChain(db, chain, name);
}

/** `false` when it is not bound yet. @throws {StoreError} `wrong-chain` when it belongs to another chain. */
export async function isHistoryOf(db: Queries, chain: ChainIdentity, name: string): Promise<boolean> {
  const known = await readMeta(db, 'chain_id');
  if (known === null) return false;
  if (known !== String(chain.id)) throw wrongChain(name, { id: Number(known) }, chain);
  const genesis = await readGenesis(db);
  if (genesis !== null && chain.genesisHash !== undefined && isImpostor(chain.id, genesis, chain.genesisHash))
    throw wrongChain(name, identifiedChain(chain.id, genesis), chain);
  return true;
}

export async function readGenesis(db: Queries): Promise<Hex | null> {
  const genesis = await readMeta(db, 'genesis_hash');
  return genesis === null ? null : `0x${genesis.slice(2)}`;
}

/** Stores the genesis hash of the history's chain; `undefined` when unknown. */
export const saveGenesis = (db: Queries, genesis: Hex | undefined): Promise<void> =>
  genesis === undefined ? dropMeta(db, 'genesis_hash') : saveMeta(db, 'genesis_hash', genesis);

/** Fits a line of 80 columns, with a file name of usual length. */
export const wrongChain = (name: string, known: ChainIdentity, chain: ChainIdentity): StoreError => {
  const [holds, wanted] = [chainWords(known), chainWords(chain)];
  return new StoreError(
    'wrong-chain',
    `${name} holds ${holds === wanted ? `another ${wanted}` : `${holds}, not ${wanted}`}; name another path with --db`,
  );
};

function chainWords({ id, borrowsId }: ChainIdentity): string {
  if (id === SIMULATED_CHAIN_ID) return 'the simulated chain';
  return borrowsId ? `a development chain with id ${id}` : `chain ${id}`;
}
