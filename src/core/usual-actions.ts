/** Work that people pay gas for, and how much it uses. */
export interface UsualAction {
  readonly name: string;
  readonly gas: number;
}

/**
 * For orientation; the same call varies with warm and fresh storage (EIP-2929, EIP-3529).
 * ETH transfer: intrinsic gas of a transaction (yellow paper, G_transaction). ERC-20: intrinsic gas, calldata, event and
 * one fresh storage slot (22,100), 46,000 for a first approval, 65,000 for a transfer through a proxy such as USDC's.
 * NFT mint: between 57,000 (sequential ids) and 130,000 (enumerable) in public ERC-721 benchmarks. Swap: one hop through
 * Uniswap V3, of which the pool itself takes about 117,000 and router and token transfers the rest.
 */
export const USUAL_ACTIONS: readonly UsualAction[] = [
  { name: 'ETH transfer', gas: 21_000 },
  { name: 'ERC-20 approve', gas: 46_000 },
  { name: 'ERC-20 transfer', gas: 65_000 },
  { name: 'NFT mint', gas: 120_000 },
  { name: 'Swap', gas: 184_000 },
];

/** What `gas` costs at `price` wei per gas, in wei. */
export function cost(gas: number, price: bigint): bigint {
  return BigInt(gas) * price;
}
