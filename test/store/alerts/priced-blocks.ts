import type { LanePrices } from '../../../src/core/advice.ts';
import type { PricedBlock } from '../../../src/core/alerts/alert-rule.ts';
import type { Block } from '../../../src/core/block.ts';
import type { AlertRun } from '../../../src/store/alert-evaluation.ts';
import type { BlockStore } from '../../../src/store/blocks.ts';
import { makeBlock } from '../../helpers/chain-blocks.ts';

export const WALL_NOW = 1_800_000_000_000;

export const flat = (price: bigint | number): LanePrices => ({
  slow: BigInt(price),
  average: BigInt(price),
  fast: BigInt(price),
});

export const priced = (
  number: number,
  price: bigint | number,
  { isMissed = false, ...block }: Partial<Block> & { readonly isMissed?: boolean } = {},
): PricedBlock => ({ block: makeBlock(number, block), prices: flat(price), isMissed });

export const runOf = (blocks: readonly PricedBlock[], more: Partial<AlertRun> = {}): AlertRun => ({
  blocks,
  chain: { chainId: 1, chainName: 'Ethereum', sourceKind: 'rpc' },
  nativeUsd: null,
  nativeUsdAt: null,
  now: WALL_NOW,
  ...more,
});

export const savePriced = (store: BlockStore, ...blocks: readonly PricedBlock[]): Promise<number> =>
  store.saveBlocks(
    blocks.map(({ block }) => block),
    null,
    runOf(blocks),
  );

export const savePrices = (store: BlockStore, first: number, ...prices: readonly number[]): Promise<number> =>
  savePriced(store, ...prices.map((price, place) => priced(first + place, price)));
