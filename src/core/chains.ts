import { ETHEREUM_FEE_RULE, type FeeRule } from './fee-rule.ts';

/** What a chain id says to people and to the fee arithmetic. */
export interface ChainProfile {
  readonly id: number;
  readonly name: string;
  /** Ticker of the native coin. */
  readonly nativeSymbol: string;
  readonly feeRule: FeeRule;
  /** Chainlink's native-coin/USD feed, where the chain has one. */
  readonly usdFeed?: UsdFeed;
}

export interface UsdFeed {
  readonly address: `0x${string}`;
  /** No longer than this passes between two answers. */
  readonly heartbeatSec: number;
}

/**
 * The feeds' proxies and heartbeats as published at https://docs.chain.link/data-feeds/price-feeds/addresses. Of two
 * heartbeats that were published over the years the shorter one is taken: no price then, rather than an old one.
 */
const USD_FEEDS: ReadonlyMap<number, UsdFeed> = new Map([
  [1, { address: '0x5f4eC3Df9cbd43714FE2740f5E3616155c5b8419', heartbeatSec: 3_600 }],
  [10, { address: '0x13e3Ee699D1909E989722E753853AE30b17e08c5', heartbeatSec: 1_200 }],
  [56, { address: '0x0567F2323251f0Aab15c8dFb1967E4e8A7D42aeE', heartbeatSec: 27 }],
  [137, { address: '0xAB594600376Ec9fD91F8e885dADF0CE036862dE0', heartbeatSec: 27 }],
  [8_453, { address: '0x71041dddad3595F9CEd3DcCFBe3D1F4b0a16Bb70', heartbeatSec: 1_200 }],
  [42_161, { address: '0x639Fe6ab55C921f74e7fac1ee960C0B6293ba612', heartbeatSec: 3_600 }],
  [43_114, { address: '0x0A77230d17318075983913bC2145DB16C7366156', heartbeatSec: 120 }],
  [59_144, { address: '0x3c6Cd9Cc7c7a4c2Cf5a82734CD249D7D593354dA', heartbeatSec: 86_400 }],
]);

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

/** One machine makes their blocks, mostly when there is something to put in, and nobody replaces them. */
const DEVELOPMENT: ReadonlySet<number> = new Set([1_337, 31_337]);

export const isDevelopmentChain = (id: number): boolean => DEVELOPMENT.has(id);

const PROFILES: ReadonlyMap<number, ChainProfile> = new Map(
  [
    ethereumLike(SIMULATED_CHAIN_ID, 'Simulated', 'ETH', 12),
    ethereumLike(1, 'Ethereum', 'ETH', 12),
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
  ].map((profile) => [profile.id, { ...profile, ...withFeed(profile.id) }]),
);

function withFeed(id: number): Pick<ChainProfile, 'usdFeed'> {
  const usdFeed = USD_FEEDS.get(id);
  return usdFeed === undefined ? {} : { usdFeed };
}

/** The chain behind an id; an unknown one is named by its number and taken for Ethereum-like. */
export function chainProfile(id: number): ChainProfile {
  return PROFILES.get(id) ?? ethereumLike(id, `chain ${id}`, 'ETH', 12);
}
