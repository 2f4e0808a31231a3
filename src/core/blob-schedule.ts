import { type BlobParams, BPO1_BLOBS, BPO2_BLOBS, CANCUN_BLOBS, PRAGUE_BLOBS } from './eip4844.ts';

const ETHEREUM_CHAIN_ID = 1;

/** Mainnet's forks that changed blobs, newest first; Unix seconds of the first slot (EIP-7892 and the forks' own EIPs). */
const SCHEDULE: readonly { readonly since: number; readonly params: BlobParams }[] = [
  { since: 1_767_747_671, params: BPO2_BLOBS },
  { since: 1_765_290_071, params: BPO1_BLOBS },
  // Osaka kept Prague's numbers and brought the reserve price (EIP-7918).
  { since: 1_764_798_551, params: { ...PRAGUE_BLOBS, reservePrice: true } },
  { since: 1_746_612_311, params: PRAGUE_BLOBS },
  { since: 1_710_338_135, params: CANCUN_BLOBS },
];

/**
 * Blob parameters of a block at `timestamp` (Unix seconds), for where the node itself does not say the blob fee;
 * `null` before EIP-4844 and on chains whose schedule is not known here.
 */
export function blobParamsAt(chainId: number, timestamp: number): BlobParams | null {
  if (chainId !== ETHEREUM_CHAIN_ID) return null;
  return SCHEDULE.find(({ since }) => timestamp >= since)?.params ?? null;
}
