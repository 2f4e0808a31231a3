import type { ChainRulesName } from '../chain-rules.ts';
import { type DataFees, dataFee, workDataFee } from '../data-fee.ts';
import { gasOfWord, USUAL_ACTIONS } from '../usual-work.ts';
import type { ThresholdBasis } from './threshold.ts';

/**
 * What work takes on a chain whose rules and data fees are known. So much gas alone has no bytes: what L1 takes for it is
 * unknown, where it takes anything. @param price wei per gas of the average lane
 */
export const usualBasis = (
  rules: ChainRulesName,
  dataFees: DataFees,
  price: bigint,
): Pick<ThresholdBasis, 'gasOf' | 'dataFeeOf'> => ({
  gasOf: (work) => ('gas' in work ? work.gas : gasOfWord(work.action, rules)),
  dataFeeOf: (work) => {
    if ('gas' in work) {
      const { parameters, quotes } = dataFees;
      if (quotes !== null || parameters === null || parameters.rate > 0n) return null;
      return dataFee(parameters, 0, BigInt(work.gas));
    }
    const action = USUAL_ACTIONS.find(({ word }) => word === work.action);
    const gas = gasOfWord(work.action, rules);
    if (action === undefined || gas === null) return null;
    return workDataFee(dataFees, { ...action, gas }, price).wei;
  },
});
