import { abortable } from '../chain/async.ts';
import type { ChainSource } from '../chain/chain-source.ts';
import type { ChainProfile } from '../core/chains.ts';
import { type DataFees, NO_DATA_FEES, unknownDataFees } from '../core/data-fee.ts';

/** Prices wait no longer for the data fee; a late response serves the next request. */
const WITHIN_MS = 2_000;

/** The chain's present fee beside gas, if the source reports it in time; `isFresh`: of the head. Never rejects. */
export async function dataFeesOf(
  source: ChainSource,
  chain: ChainProfile | null,
  isFresh = false,
): Promise<DataFees> {
  if (chain?.dataFee === undefined) return NO_DATA_FEES;
  if (source.dataFees === undefined) {
    return chain.dataFee === 'op-or-none'
      ? NO_DATA_FEES
      : unknownDataFees('only a node tells it, and this is a recording');
  }
  return abortable(source.dataFees({ isFresh }), AbortSignal.timeout(WITHIN_MS)).catch(() =>
    unknownDataFees('the node does not tell it in time'),
  );
}
