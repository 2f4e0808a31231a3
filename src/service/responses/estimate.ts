import type * as z from 'zod';
import { ChainError, type ChainSource, isRefusal } from '../../chain/chain-source.ts';
import type { CallToEstimate, GasEstimate } from '../../contract/estimate.ts';
import type { Hex } from '../../core/block.ts';
import { type DataFees, workDataFee } from '../../core/data-fee.ts';
import { cleanText } from '../../core/text.ts';
import { unsignedCall } from '../../core/transactions/unsigned-call.ts';
import { ApiFailure, conflict } from '../http/errors.ts';
import type { PublishedChain } from '../published-chain.ts';
import { gasCount } from './wire.ts';

const LONGEST_REASON = 200;

const lower = (hex: string) => hex.toLowerCase() as Hex;

/** @throws {ApiFailure} `validation_failed` where the call would fail, `conflict` for a source that runs no calls */
export async function gasEstimate(
  { from, to = null, data, value }: z.output<typeof CallToEstimate>,
  source: ChainSource,
  { profile, advice }: PublishedChain,
  dataFees: DataFees,
): Promise<GasEstimate> {
  if (source.estimateGas === undefined) {
    throw conflict('this source runs no calls: give the gas itself, or follow a node (--rpc URL)');
  }
  const call = { to: to === null ? null : lower(to), data: lower(data), value: BigInt(value) };
  const sender = from === undefined ? {} : { from: lower(from) };
  const gas = await source.estimateGas({ ...call, ...sender }).catch((error: unknown) => {
    if (!(error instanceof ChainError) || !isRefusal(error)) throw error;
    const said = cleanText(error.message.replace(/^.*? refuses eth_estimateGas: /, ''), LONGEST_REASON);
    const hint = from === undefined ? '; name who sends it with from' : '';
    throw new ApiFailure('validation_failed', `the call would fail: ${said}${hint}`);
  });
  const { price } = advice.lanes.average;
  const unsigned = unsignedCall(call, { chainId: profile.id, gas, price });
  // The fee of this very call: quotes are of usual work.
  const fee = workDataFee({ ...dataFees, quotes: null }, { name: '', gas: gasCount(gas), unsigned }, price);
  return {
    chainId: profile.id,
    gas: gasCount(gas),
    dataFeeWei: fee.wei?.toString() ?? null,
    dataFeeReason: fee.reason,
  };
}
