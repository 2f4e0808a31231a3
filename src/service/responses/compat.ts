import type { BlocknativePrices, EtherscanGasOracle, MetamaskSuggestedFees } from '../../contract/compat.ts';
import { tipAt } from '../../core/block.ts';
import { gweiString } from '../../core/units.ts';
import type { PublishedChain } from '../published-chain.ts';
import { gasCurrent, gasTrend } from './gas.ts';
import { integerOrNull } from './wire.ts';

/** Wei per gas as gwei with every decimal: `0.082455567`; `null` stays `null`. */
const gweiText = (wei: number | null): string | null => (wei === null ? null : gweiString(BigInt(wei)));

const gwei = (wei: number | null): number | null => (wei === null ? null : Number(gweiText(wei)));

/** Etherscan's `gasoracle` (https://docs.etherscan.io/api-reference/endpoint/gasoracle): its three prices are our three lanes. */
export function etherscanGasOracle(published: PublishedChain): EtherscanGasOracle {
  const { blockNumber, lowPrice, averagePrice, highPrice, nextBasePrice, gasUsedRatio } =
    gasCurrent(published);
  return {
    status: '1',
    message: 'OK',
    result: {
      LastBlock: String(blockNumber),
      SafeGasPrice: gweiText(lowPrice),
      ProposeGasPrice: gweiText(averagePrice),
      FastGasPrice: gweiText(highPrice),
      suggestBaseFee: gweiText(nextBasePrice),
      gasUsedRatio: String(gasUsedRatio),
    },
  };
}

const TRENDS = { RISING: 'up', FALLING: 'down', STABLE: 'level' } as const;

/**
 * MetaMask's `suggestedGasFees` (https://docs.metamask.io/services/reference/gas-api/api-reference/gasprices-type2). Its congestion is where
 * the base fee stands among those of the past, as ours of 24 h. The least wait and the trend of tips are `null`: not measured.
 */
export function metamaskSuggestedFees(published: PublishedChain): MetamaskSuggestedFees {
  const { lanes, nextBasePrice } = gasCurrent(published);
  const { base, priority, percentileRank24h, direction } = gasTrend(published);
  const fees = ({ maxPriorityFeePerGas, maxFeePerGas, waitSec }: typeof lanes.slow) => ({
    suggestedMaxPriorityFeePerGas: gweiText(maxPriorityFeePerGas),
    suggestedMaxFeePerGas: gweiText(maxFeePerGas),
    minWaitTimeEstimate: null,
    maxWaitTimeEstimate: waitSec.p95 * 1_000,
  });
  const lowTip = integerOrNull(tipAt(published.head, 10));
  const highTip = integerOrNull(tipAt(published.head, 90));
  const areTipsKnown = lanes.average.maxPriorityFeePerGas !== null;
  return {
    low: fees(lanes.slow),
    medium: fees(lanes.average),
    high: fees(lanes.fast),
    estimatedBaseFee: gweiText(nextBasePrice),
    networkCongestion: percentileRank24h,
    latestPriorityFeeRange: range(lowTip, highTip),
    historicalPriorityFeeRange: areTipsKnown ? range(priority.min, priority.max) : null,
    historicalBaseFeeRange: range(base.min, base.max),
    priorityFeeTrend: null,
    baseFeeTrend: TRENDS[direction],
  };
}

function range(least: number | null, most: number | null): [string, string] | null {
  const [from, to] = [gweiText(least), gweiText(most)];
  return from === null || to === null ? null : [from, to];
}

/** The levels that Blocknative gives where none is named. */
const DEFAULT_LEVELS = [99, 95, 90, 80, 70] as const;

/**
 * Blocknative's `gasprices/blockprices` (https://docs.blocknative.com/gas-prediction/gas-platform). Its confidence is the chance of the
 * next block; a level is stated here only where a lane of two or three blocks has kept its promise so often. The highest price in the pool, the time
 * since the block and the number of transactions are left out: nothing here measures them, or a cached response cannot say them.
 */
export function blocknativePrices(
  published: PublishedChain,
  levels: readonly number[] = DEFAULT_LEVELS,
): BlocknativePrices {
  const { chainId, blockNumber, nextBasePrice, blobBasePrice, lanes } = gasCurrent(published);
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
          blobBasePrice === null ? null : gwei(integerOrNull(published.advice.nextBlobBaseFee)),
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
