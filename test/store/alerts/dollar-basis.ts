import { type DollarBasis, noPast } from '../../../src/core/alerts/alert-rule.ts';
import { type DataFees, NO_DATA_FEES } from '../../../src/core/data-fee.ts';
import { usualBasis } from '../../../src/core/threshold/usual-basis.ts';

/** Fees of an OP-stack chain whose L1 fee for each byte is `rate`. */
export const l1Fees = (rate: bigint): DataFees => ({
  ...NO_DATA_FEES,
  parameters: { rate, operatorPerMillionGas: 0n, operatorConstant: 0n },
});

/** As a service knows it of a chain with today's rules. */
export const dollarBasis = (nativeUsd: number | null, fees: DataFees = NO_DATA_FEES): DollarBasis => ({
  key: `${nativeUsd} ${fees.parameters?.rate} ${fees.reason}`,
  nativeUsd,
  ...usualBasis('osaka', fees, 0n),
  pastPrice: noPast,
});
