import type { EtherscanGasOracle } from '../../../contract/compat.ts';
import type { PublishedChain } from '../../published-chain.ts';
import { gasCurrent } from '../gas.ts';
import { gweiText } from './gwei.ts';

/** Etherscan's `gasoracle` (https://docs.etherscan.io/api-reference/endpoint/gasoracle): its three prices are our three lanes. */
export function etherscanGasOracle(present: PublishedChain): EtherscanGasOracle {
  const { blockNumber, lowPrice, averagePrice, highPrice, nextBasePrice, gasUsedRatio } = gasCurrent(present);
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
