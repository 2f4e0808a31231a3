import { onTestFinished } from 'vitest';
import {
  ChainError,
  type ChainTransaction,
  type IncludedTransaction,
} from '../../../src/chain/chain-source.ts';
import { eachLane } from '../../../src/core/advice.ts';
import type { StoredAutoTx } from '../../../src/core/auto-txs/stored-auto-tx.ts';
import type { Block, Hex } from '../../../src/core/block.ts';
import { chainRules, type NextFork } from '../../../src/core/chain-rules.ts';
import { chainProfile } from '../../../src/core/chains.ts';
import { type DataFees, NO_DATA_FEES } from '../../../src/core/data-fee.ts';
import { AutoTxSchedule } from '../../../src/service/auto-txs/schedule.ts';
import type { FreshChain } from '../../../src/service/follow/fresh-head.ts';
import { AutoTxStore } from '../../../src/store/auto-txs.ts';
import { BlockStore } from '../../../src/store/blocks.ts';
import type { Database } from '../../../src/store/database.ts';
import { HistoryStore } from '../../../src/store/history.ts';
import { makeBlock } from '../../helpers/chain-blocks.ts';
import { makeIncluded } from '../../helpers/made-transactions.ts';
import { openDatabase } from '../../helpers/open-database.ts';
import { ScriptedSource } from '../../helpers/scripted-source.ts';
import { GWEI, NOW } from '../../store/auto-txs/stored-auto-txs.ts';

/** The schedule by itself: on a real database, with clocks and a node that do what a test says. */

/** What the node says; all accounts are rich unless told. */
class ScriptedNode extends ScriptedSource {
  readonly nonces = new Map<Hex, number>();
  readonly balances = new Map<Hex, bigint>();
  readonly nonceAsked: Hex[] = [];
  readonly sent: Hex[] = [];
  fees: DataFees = NO_DATA_FEES;
  /** Of each call; `null`: it would revert. */
  estimate: bigint | null = null;
  dataFees = async () => this.fees;
  estimateGas = async () => {
    if (this.estimate !== null) return this.estimate;
    throw new ChainError('rejected', 'execution reverted');
  };
  send: (signed: Hex) => Promise<Hex> = async () => `0x${'1'.repeat(64)}`;

  override nonce = async (address: Hex, at: 'latest' | 'pending') => {
    if (at === 'latest') this.nonceAsked.push(address);
    return this.nonces.get(address) ?? 0;
  };
  override balance = async (address: Hex) => this.balances.get(address) ?? 10n ** 24n;
  override sendRawTransaction = (signed: Hex) => {
    this.sent.push(signed);
    return this.send(signed);
  };

  include(block: Block, from: Hex, nonce: number, hash?: Hex): IncludedTransaction {
    const transaction = { from, nonce, ...(hash === undefined ? {} : { hash }) };
    const made = makeIncluded(block, 0, { transaction });
    this.transactions.set(block.number, [...(this.transactions.get(block.number) ?? []), made]);
    this.nonces.set(from, Math.max(this.nonces.get(from) ?? 0, nonce + 1));
    return made;
  }
}

export async function startSchedule({
  confirmations = 3,
  agreedNow = (now) => now,
  database: given,
  fork = null,
  chainId = 1,
}: {
  readonly chainId?: number;
  readonly database?: Database;
  readonly confirmations?: number;
  /** That is ahead of all blocks. */
  readonly fork?: NextFork | null;
  /** What the chain's time makes of the clock's, ms since epoch. */
  readonly agreedNow?: (now: number) => number;
} = {}) {
  const database = given ?? (await openDatabase(':memory:'));
  onTestFinished(() => database.close());
  const blocks = new BlockStore(database);
  const store = new AutoTxStore(database);
  const node = new ScriptedNode([makeBlock(99)]);
  const errors: unknown[] = [];
  const abort = new AbortController();
  onTestFinished(() => abort.abort());
  let present: FreshChain | null = null;
  const coin = { usd: null as number | null };
  let now = 0;
  let next = 100;
  const schedule = new AutoTxSchedule(
    {
      source: node,
      store,
      blocks,
      history: new HistoryStore(database),
      profile: () => chainProfile(chainId),
      confirmations: () => confirmations,
      freshChain: () => present,
      coinPrice: () => ({ nativeUsd: coin.usd }),
      wallNow: () => NOW + now,
      agreedNow: () => agreedNow(NOW + now),
      steadyNow: () => now,
      onError: (error) => errors.push(error),
    },
    abort.signal,
  );
  const turn = async () => {
    await schedule.turn();
    await schedule.idle();
  };
  const kept = async (id: string) => {
    const found = await store.find('', id);
    if (found === null) throw new Error(`there is no auto-tx ${id}`);
    return found;
  };
  return {
    node,
    coin,
    store,
    errors,
    kept,
    turn,
    place: async (autoTx: StoredAutoTx) => {
      const created = await store.create(autoTx, Buffer.from(autoTx.id), 1_000);
      if (created.kind !== 'created') throw new Error(created.kind);
    },
    kinds: async (id: string) => (await store.timeline(id)).map(({ kind }) => kind).reverse(),
    hasBytes: async (id: string) => {
      const bytes = database.queries.selectFrom('signed_transactions').select('ended_at');
      return (await bytes.where('auto_tx_id', '=', id).executeTakeFirst()) !== undefined;
    },
    /** A block comes after which the next one costs this much, 50 gwei unless told, and the schedule has its turn. */
    block: async (gwei = 50, fill: (block: Block) => void = () => {}) => {
      // A header of before Amsterdam, that was read.
      const block = makeBlock(next++, { blockAccessListHash: null, slotNumber: null });
      node.mine(block);
      fill(block);
      await blocks.saveBlocks([block]);
      const price = BigInt(Math.round(gwei * 1e9));
      present = {
        head: block,
        updatedAt: NOW + now + 12_000,
        advice: {
          nextBaseFee: price - GWEI,
          nextBlobBaseFee: null,
          lanes: eachLane(() => ({ price })),
        },
        rules: { ...chainRules(block, chainProfile(1), null), next: fork },
      };
      now += 12_000;
      await turn();
      return block;
    },
    pass: (ms: number) => {
      now += ms;
    },
  };
}

export const waitingTransaction = (hash: Hex): ChainTransaction => ({
  ...makeIncluded(makeBlock(1), 0, { transaction: { hash } }).transaction,
  blockNumber: null,
  blockHash: null,
});
