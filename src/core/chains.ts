import { ETHEREUM_FEE_RULE, type FeeRule } from './fee-rule.ts';

/** What a chain id says to people and to the fee arithmetic. */
export interface ChainProfile {
  readonly id: number;
  readonly name: string;
  /** Ticker of the native coin. */
  readonly nativeSymbol: string;
  readonly feeRule: FeeRule;
  /** Chainlink's native-coin/USD feed and its heartbeat, where the chain has one (data.chain.link). */
  readonly usdFeed?: { readonly address: `0x${string}`; readonly heartbeatSec: number };
}

const ethereumLike = (
  id: number,
  name: string,
  nativeSymbol: string,
  blockTimeSec: number,
): ChainProfile => ({
  id,
  name,
  nativeSymbol,
  feeRule: { ...ETHEREUM_FEE_RULE, blockTimeSec },
});

/** OP-stack chains since Canyon: elasticity 6 (Base differs over time), denominator 250; the node's word comes first. */
const opStack = (id: number, name: string, elasticity = 6): ChainProfile => ({
  id,
  name,
  nativeSymbol: 'ETH',
  feeRule: { elasticity, denominator: 250, blockTimeSec: 2 },
});

/** The simulation's own: EIP-155 ids begin at 1. */
export const SIMULATED_CHAIN_ID = 0;

const PROFILES: ReadonlyMap<number, ChainProfile> = new Map(
  [
    ethereumLike(SIMULATED_CHAIN_ID, 'Simulated', 'ETH', 12),
    {
      ...ethereumLike(1, 'Ethereum', 'ETH', 12),
      usdFeed: { address: '0x5f4eC3Df9cbd43714FE2740f5E3616155c5b8419', heartbeatSec: 3_600 },
    } satisfies ChainProfile,
    opStack(10, 'OP Mainnet'),
    ethereumLike(56, 'BNB Smart Chain', 'BNB', 0.75),
    ethereumLike(100, 'Gnosis', 'xDAI', 5),
    opStack(130, 'Unichain'),
    {
      ...ethereumLike(137, 'Polygon', 'POL', 2),
      feeRule: { elasticity: 2, denominator: 16, blockTimeSec: 2 },
    },
    ethereumLike(324, 'ZKsync Era', 'ETH', 1),
    opStack(480, 'World Chain'),
    ethereumLike(1337, 'local chain', 'ETH', 1),
    opStack(8453, 'Base'),
    ethereumLike(17_000, 'Holesky', 'ETH', 12),
    ethereumLike(31_337, 'Anvil', 'ETH', 1),
    ethereumLike(42_161, 'Arbitrum One', 'ETH', 0.25),
    ethereumLike(43_114, 'Avalanche C-Chain', 'AVAX', 1.5),
    ethereumLike(59_144, 'Linea', 'ETH', 2),
    ethereumLike(81_457, 'Blast', 'ETH', 2),
    ethereumLike(534_352, 'Scroll', 'ETH', 3),
    ethereumLike(560_048, 'Hoodi', 'ETH', 12),
    ethereumLike(11_155_111, 'Sepolia', 'ETH', 12),
  ].map((profile) => [profile.id, profile]),
);

/** The chain behind an id; an unknown one is named by its number and taken for Ethereum-like. */
export function chainProfile(id: number): ChainProfile {
  return PROFILES.get(id) ?? ethereumLike(id, `chain ${id}`, 'ETH', 12);
}
