import { serializeTransaction } from 'viem/utils';
import type { Hex } from '../block.ts';

/** The unsigned bytes (EIP-1559) of a call, by whose size a rollup charges for L1; its nonce is that of a used account. */
export const unsignedCall = (
  { to, data, value }: { readonly to: Hex | null; readonly data: Hex; readonly value: bigint },
  { chainId, gas, price }: { readonly chainId: number; readonly gas: bigint; readonly price: bigint },
): Hex =>
  serializeTransaction({
    type: 'eip1559',
    chainId,
    to,
    data,
    value,
    gas,
    nonce: USED_NONCE,
    maxFeePerGas: price,
    maxPriorityFeePerGas: price,
  });

/** Two bytes long. */
const USED_NONCE = 1_000;
