import { commitmentToVersionedHash, type Hex, type TransactionSerializable, toHex } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';

const ACCOUNT = privateKeyToAccount('0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80');

export const FROM = '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266';
export const TO = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8';

export function signedTransfer(changes: Partial<TransactionSerializable> = {}): Promise<Hex> {
  return ACCOUNT.signTransaction({
    ...{ type: 'eip1559', chainId: 1, nonce: 7, gas: 21_000n },
    to: TO,
    value: 10n ** 16n,
    maxFeePerGas: 60_000_000n,
    maxPriorityFeePerGas: 1_000_000n,
    ...changes,
  } as TransactionSerializable);
}

export function noise(bytes: number): Hex {
  let state = 1;
  return toHex(
    Uint8Array.from({ length: bytes }, () => {
      // The generator of Numerical Recipes; its upper bits are random enough.
      state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
      return state >>> 24;
    }),
  );
}

/** A transaction with so many blobs of noise. The commitments are made up: only a node could tell. */
export async function signedBlobs(count: number): Promise<Hex> {
  const sidecars = Array.from({ length: count }, (_, place) => ({
    blob: noise(131_072),
    commitment: toHex(new Uint8Array(48).fill(place + 1)),
    proof: toHex(new Uint8Array(48).fill(place + 101)),
  }));
  return ACCOUNT.signTransaction({
    ...{ type: 'eip4844', chainId: 1, nonce: 7, gas: 21_000n },
    to: TO,
    ...{ value: 0n, maxFeePerGas: 60_000_000n, maxPriorityFeePerGas: 1_000_000n, maxFeePerBlobGas: 10n },
    blobVersionedHashes: sidecars.map(({ commitment }) => commitmentToVersionedHash({ commitment })),
    sidecars,
  });
}
