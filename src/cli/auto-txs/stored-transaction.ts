import type { AutoTxView } from '../../client/views/auto-txs.ts';
import type { SignedTransaction } from '../../core/transactions/signed-transaction.ts';

const ZERO_HASH = '0x';

/**
 * What a service says of a signed transaction that it keeps, as far as a pre-flight goes; `null`: not enough. What cannot
 * be seen without the bytes (access lists, blobs, authorizations) is not counted.
 */
export function storedTransaction(autoTx: AutoTxView): SignedTransaction | null {
  const { type, from, nonce, gasLimit, value, hash } = autoTx;
  if (from === null || nonce === null || gasLimit === null || value === null) return null;
  if (autoTx.maxFeePerGas === null && autoTx.gasPrice === null) return null;
  return {
    type: typeOf(type, autoTx.maxFeePerGas !== null),
    hash: hash ?? ZERO_HASH,
    from,
    to: autoTx.to,
    chainId: autoTx.chainId,
    nonce,
    gasLimit,
    value,
    data: autoTx.data ?? '0x',
    gasPrice: autoTx.gasPrice,
    maxFeePerGas: autoTx.maxFeePerGas,
    maxPriorityFeePerGas: autoTx.maxPriorityFeePerGas,
    maxFeePerBlobGas: null,
    blobCount: 0,
    authorizations: [],
    intrinsicGas: 0n,
  };
}

function typeOf(type: number | null, hasFeeMarket: boolean): SignedTransaction['type'] {
  if (type === 0 || type === 1 || type === 2 || type === 3 || type === 4) return type;
  return hasFeeMarket ? 2 : 0;
}

/** Whether a check needs the bytes: what the service found when it had them stands. Blobs cost what is not said. */
export function needsBytes(name: string, { type }: Pick<SignedTransaction, 'type'>): boolean {
  return WITH_BYTES.includes(name) || (type === 3 && OF_BLOBS.includes(name));
}

const WITH_BYTES: readonly string[] = ['signature', 'intrinsic-gas', 'blob-cap'];
const OF_BLOBS: readonly string[] = ['balance', 'cost', 'reachable'];
