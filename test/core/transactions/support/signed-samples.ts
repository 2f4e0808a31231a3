import { commitmentsToVersionedHashes, fromRlp, type Hex, keccak256, stringToHex, toRlp } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { decodeTransaction } from '../../../../src/core/transactions/decode-transaction.ts';
import { TransactionError } from '../../../../src/core/transactions/signed-text.ts';

export const ACCOUNT = privateKeyToAccount(keccak256(stringToHex('signs only in tests')));
export const FRIEND = '0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045';

const fees = { maxFeePerGas: 30_000_000_000n, maxPriorityFeePerGas: 1_000_000_000n };
const call = {
  chainId: 1,
  nonce: 7,
  gas: 100_000n,
  to: FRIEND,
  value: 10n ** 18n,
  data: '0xa9059cbb00ff',
} as const;
const accessList = [
  { address: FRIEND, storageKeys: [keccak256('0x00'), keccak256('0x01')] },
  { address: ACCOUNT.address, storageKeys: [] },
] as const;

export async function signedSamples() {
  const authorization = await ACCOUNT.signAuthorization({ address: FRIEND, chainId: 1, nonce: 8 });
  return {
    'legacy before EIP-155': await ACCOUNT.signTransaction({
      ...call,
      chainId: undefined,
      type: 'legacy',
      gasPrice: 5n,
    }),
    legacy: await ACCOUNT.signTransaction({ ...call, type: 'legacy', gasPrice: 20_000_000_000n }),
    'access list': await ACCOUNT.signTransaction({ ...call, type: 'eip2930', gasPrice: 1n, accessList }),
    'dynamic fee': await ACCOUNT.signTransaction({ ...call, ...fees, type: 'eip1559', accessList }),
    'contract creation': await ACCOUNT.signTransaction({ ...call, ...fees, type: 'eip1559', to: undefined }),
    blobs: await signedBlobs(2),
    'blobs with cell proofs': withCellProofs(await signedBlobs(1)),
    'set code': await ACCOUNT.signTransaction({
      ...call,
      ...fees,
      type: 'eip7702',
      accessList,
      authorizationList: [authorization, authorization],
    }),
  };
}

/** A blob transaction with its sidecar as EIP-4844 has it. The proofs prove nothing: that is for nodes to see. */
export async function signedBlobs(count: number): Promise<Hex> {
  const sidecars = Array.from({ length: count }, (_, index) => ({
    blob: keccak256(`0x0${index}`)
      .replace('0x', '0x00')
      .slice(0, 66)
      .concat('00'.repeat(131_072 - 32)) as Hex,
    commitment: `0x${'c0'.repeat(47)}0${index}` as const,
    proof: `0x${'d0'.repeat(47)}0${index}` as const,
  }));
  const blobVersionedHashes = commitmentsToVersionedHashes({
    commitments: sidecars.map(({ commitment }) => commitment),
  });
  return ACCOUNT.signTransaction({
    ...call,
    ...fees,
    type: 'eip4844',
    maxFeePerBlobGas: 100n,
    blobVersionedHashes,
    sidecars,
  });
}

function withCellProofs(raw: Hex): Hex {
  const [transaction = '0x', blobs = [], commitments = [], proofs = []] = fromRlp(
    `0x${raw.slice(4)}`,
    'hex',
  ) as Hex[];
  const cellProofs = [...proofs].flatMap((proof) => Array.from({ length: 128 }, () => proof as Hex));
  return `0x03${toRlp([transaction, '0x01', blobs as Hex, commitments as Hex, cellProofs]).slice(2)}`;
}

export function withoutSidecar(raw: Hex): Hex {
  const [transaction = '0x'] = fromRlp(`0x${raw.slice(4)}`, 'hex') as Hex[];
  return `0x03${toRlp(transaction).slice(2)}`;
}

export function refusalOf(raw: string | Uint8Array): string {
  try {
    decodeTransaction(raw);
  } catch (error) {
    if (error instanceof TransactionError) return error.message;
    throw error;
  }
  throw new Error('it was taken');
}
