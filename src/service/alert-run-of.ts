import type { ChainProfile } from '../core/chains.ts';
import type { AlertRun } from '../store/alert-run.ts';
import type { DigestedBlock } from './block-writer.ts';
import type { DigestedChainEvents, DigestedChainOptions } from './digested-chain-options.ts';

/**
 * What alerts see of digested blocks: whatever was priced, when it is written, as a block may have become past while
 * it could not be.
 */
export function alertRunOf(
  digested: readonly DigestedBlock[],
  { id, name }: ChainProfile,
  { isPast }: Pick<DigestedChainEvents, 'isPast'>,
  { source, wallNow, nativeUsd }: DigestedChainOptions,
): AlertRun {
  return {
    blocks: digested.flatMap(({ block, prices }) =>
      prices === null ? [] : [{ block, prices, isPast: isPast(block) }],
    ),
    chain: { chainId: id, chainName: name, sourceKind: source.kind },
    nativeUsd: nativeUsd?.() ?? null,
    now: wallNow(),
  };
}
