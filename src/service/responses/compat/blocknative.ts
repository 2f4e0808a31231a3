import type { BlocknativePrices } from '../../../contract/compat.ts';
import type { PublishedChain } from '../../published-chain.ts';
import { gasCurrent } from '../gas.ts';
import { integerOrNull } from '../wire.ts';
import { gwei } from './gwei.ts';

/** The levels that Blocknative gives where none is named. */
const DEFAULT_LEVELS = [99, 95, 90, 80, 70] as const;

/**
 * Blocknative's `gasprices/blockprices` (https://docs.blocknative.com/gas-prediction/gas-platform). Its confidence is the chance of the
 * next block; a level is stated here only where a lane of two or three blocks has kept its promise so often. The highest price in the pool, the time
 * since the block and the number of transactions are left out: nothing here measures them, or a cached response cannot say them.
 */
export function blocknativePrices(
  present: PublishedChain,
  levels: readonly number[] = DEFAULT_LEVELS,
): BlocknativePrices {
  const { chainId, blockNumber, nextBasePrice, blobBasePrice, lanes } = gasCurrent(present);
  const isEthereum = chainId === 1;
  const quick = [lanes.average, lanes.fast];
  return {
    system: isEthereum ? 'ethereum' : null,
    network: isEthereum ? 'main' : null,
    unit: 'gwei',
    currentBlockNumber: blockNumber,
    blockPrices: [
      {
        blockNumber: blockNumber + 1,
        baseFeePerGas: gwei(nextBasePrice),
        blobBaseFeePerGas:
          blobBasePrice === null ? null : gwei(integerOrNull(present.advice.nextBlobBaseFee)),
        estimatedPrices: levels.flatMap((confidence) => {
          const lane = quick.find(
            ({ probability }) => probability !== null && probability >= confidence / 100,
          );
          if (lane === undefined || lane.maxPriorityFeePerGas === null) return [];
          return {
            confidence,
            price: gwei(lane.price),
            maxPriorityFeePerGas: gwei(lane.maxPriorityFeePerGas),
            maxFeePerGas: gwei(lane.maxFeePerGas),
          };
        }),
      },
    ],
  };
}
