/** Work that people pay gas for, and how much it uses. */
export interface UsualAction {
  readonly name: string;
  readonly gas: number;
}

/**
 * An ETH transfer is the intrinsic gas of a transaction (yellow paper, G_transaction). The others are what Etherscan's
 * gas tracker and wallets quote for typical contracts: 65,000 for an ERC-20 `transfer` to a holder or newcomer,
 * 46,000 for a first `approve`, 184,000 for a Uniswap V3 swap through the router, 120,000 for a single ERC-721 mint.
 * They are for orientation: the same call varies with warm and fresh storage (EIP-2929, EIP-3529).
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
