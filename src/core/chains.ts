import type { Block, Hex } from './block.ts';
import { ETHEREUM_FEE_RULE, type FeeRule } from './eip1559.ts';

export interface ChainProfile {
  readonly id: number;
  readonly name: string;
  /** Hash of block 0, lower case; absent when unknown. */
  readonly genesisHash?: Hex;
  /** A development chain with the id of a known chain that has another genesis. */
  readonly borrowsId?: true | undefined;
  readonly nativeSymbol: string;
  readonly feeRule: FeeRule;
  /**
   * Whose gas rules it has: `ethereum`: an own network of Ethereum, whose headers tell; `osaka`: it takes them over, its limits
   * aside; `own`: its own, or none that are known.
   */
  readonly gasRules: 'ethereum' | 'osaka' | 'own';
  /**
   * Model of its fee for posting to L1: `op`: an OP-stack chain; `op-or-none`: perhaps one; `estimate`: included in a
   * ZK-stack node's gas estimate; `unverified`: it has one, by an unknown model. Absent: it has none.
   */
  readonly dataFee?: 'op' | 'op-or-none' | 'arbitrum' | 'scroll' | 'linea' | 'estimate' | 'unverified';
  /** Whether its blocks carry blobs (EIP-4844), whatever its headers and fee histories state; absent: its node tells. */
  readonly hasBlobs?: boolean;
  /** What becomes of the base fee: a vault, a collector or the operator gets it, or nobody here knows. Absent: it is burnt. */
  readonly baseFeeGoes?: 'elsewhere' | 'unknown';
  /** With the maximum time between two updates. */
  readonly usdFeed?: { readonly address: Hex; readonly heartbeatSec: number };
}

/** The simulated chain's id: no registered chain has it, and wallets sign for it. */
export const SIMULATED_CHAIN_ID = 15_591_559;

/** https://docs.chain.link/data-feeds/price-feeds/addresses. Of two published heartbeats the shorter: rather none than old. */
const USD_FEEDS: ReadonlyMap<number, NonNullable<ChainProfile['usdFeed']>> = new Map([
  [1, { address: '0x5f4eC3Df9cbd43714FE2740f5E3616155c5b8419', heartbeatSec: 3_600 }],
  [10, { address: '0x13e3Ee699D1909E989722E753853AE30b17e08c5', heartbeatSec: 1_200 }],
  [56, { address: '0x0567F2323251f0Aab15c8dFb1967E4e8A7D42aeE', heartbeatSec: 27 }],
  [137, { address: '0xAB594600376Ec9fD91F8e885dADF0CE036862dE0', heartbeatSec: 27 }],
  [8_453, { address: '0x71041dddad3595F9CEd3DcCFBe3D1F4b0a16Bb70', heartbeatSec: 1_200 }],
  [42_161, { address: '0x639Fe6ab55C921f74e7fac1ee960C0B6293ba612', heartbeatSec: 3_600 }],
  [43_114, { address: '0x0A77230d17318075983913bC2145DB16C7366156', heartbeatSec: 120 }],
  [59_144, { address: '0x3c6Cd9Cc7c7a4c2Cf5a82734CD249D7D593354dA', heartbeatSec: 86_400 }],
  [SIMULATED_CHAIN_ID, { address: `0x${'fe'.repeat(20)}`, heartbeatSec: 3_600 }],
]);

/** Each from at least two independent sources: clients, the superchain registry, recorded responses of nodes. */
const GENESIS_HASHES: ReadonlyMap<number, Hex> = new Map([
  [1, '0xd4e56740f876aef8c010b86a40d5f56745a118d0906a34e69aec8c0db1cb8fa3'],
  [10, '0x7ca38a1916c42007829c55e69d3e9a73265554b586a499015373241b8a3fa48b'],
  [56, '0x0d21840abff46b96c84b2ac9e10e4f5cdaeb5693cb665db62a2f3b02d2d57b5b'],
  [100, '0x4f1dd23188aab3a76b463e4af801b52b1248ef073c648cbdc4c9333d3da79756'],
  [130, '0x3425162ddf41a0a1f0106d67b71828c9a9577e6ddeb94e4f33d2cde1fdc3befe'],
  [137, '0xa9c28ce2141b56c474f1dc504bee9b01eb1bd7d1a507580d5519d4437a97de1b'],
  [480, '0x70d316d2e0973b62332ba2e9768dd7854298d7ffe77f0409ffdb8d859f2d3fa3'],
  [8_453, '0xf712aa9241cc24369b143cf6dce85f0902a9731e70d66818a3a5845b296c73dd'],
  [17_000, '0xb5f7f912443c940f21fd611f12828d75b534364ed9e95ca4e307729a4661bde4'],
  [42_161, '0x7ee576b35482195fc49205cec9af72ce14f003b9ae69f6ba0faef4514be8b442'],
  [43_114, '0x31ced5b9beb7f8782b014660da0cb18cc409f121f408186886e1ca3e8eeca96b'],
  [57_073, '0x23a2658170ba70d014ba0d0d2709f8fbfe2fa660cd868c5f282f991eecbe38ee'],
  [59_144, '0xb6762a65689107b2326364aefc18f94cda413209fab35c00d4af51eaa20ffbc6'],
  [534_352, '0xbbc05efd412b7cd47a2ed0e5ddfcf87af251e414ea4c801d78b6784513180a80'],
  [560_048, '0xbbe312868b376a3001692a646dd2d7d1e4406380dfd86b98aa8a34d1557c971b'],
  [11_155_111, '0x25a5cc106eea7138acab33231d7160d69cb777ee0c2c553fcddf5138993e6dd9'],
]);

/** Ethereum's public networks, and the simulation of one. */
const ETHEREUM: ReadonlySet<number> = new Set([1, 17_000, 560_048, 11_155_111, SIMULATED_CHAIN_ID]);
/** ZKsync Era, Arbitrum One; Avalanche and Blast, which have not taken over the calldata floor (EIP-7623). */
const OWN_GAS_RULES: ReadonlySet<number> = new Set([324, 42_161, 43_114, 81_457]);

/** Ethereum's, development chains', Gnosis' (https://docs.gnosischain.com) and BSC's (BEP-336). */
const WITH_BLOBS: ReadonlySet<number> = new Set([...ETHEREUM, 56, 100, 1_337, 31_337]);

/**
 * OP stack (specs: BaseFeeVault), Gnosis (fee collector of its chain specification), Arbitrum (infrastructure fee account),
 * Scroll (L2TxFeeVault), ZKsync Era (operator). Of Celo (FeeHandler), Linea and Mantle no share is known.
 */
const BASE_FEE_ELSEWHERE: ReadonlySet<number> = new Set([100, 324, 42_161, 81_457, 534_352]);
const BASE_FEE_UNKNOWN: ReadonlySet<number> = new Set([5_000, 42_220, 59_144]);

/**
 * Below these nodes refuse a transaction. BSC: 0.05 gwei, testnet 0.1 (node-real/bsc-erigon#773, chainflip-eth-contracts#535);
 * Polygon and Amoy: 25 gwei (PIP-35; refused below it in May 2026, too: WayfinderFoundation/wayfinder-paths-sdk#379. PIP-59
 * proposes it as a least base fee instead).
 */
const LEAST_TIPS: ReadonlyMap<number, Pick<FeeRule, 'leastTip'>> = new Map([
  [56, { leastTip: 50_000_000n }],
  [97, { leastTip: 100_000_000n }],
  [137, { leastTip: 25_000_000_000n }],
  [80_002, { leastTip: 25_000_000_000n }],
]);

const ethereumLike = (
  id: number,
  name: string,
  nativeSymbol: string,
  blockTimeSec: number,
  rule: Partial<FeeRule> = {},
): ChainProfile => ({
  id,
  name,
  nativeSymbol,
  feeRule: { ...ETHEREUM_FEE_RULE, blockTimeSec, ...LEAST_TIPS.get(id), ...rule },
  gasRules: ETHEREUM.has(id) ? 'ethereum' : OWN_GAS_RULES.has(id) ? 'own' : 'osaka',
});

const rollup = (dataFee: ChainProfile['dataFee'], profile: ChainProfile) => ({ ...profile, dataFee });

/**
 * Since Holocene each block states denominator and elasticity, since Jovian its floor: these values are for blocks without a
 * header, of OP Mainnet and Base from recorded headers of 2026, of the others from the superchain registry.
 */
const opStack = (id: number, name: string, rule: Partial<FeeRule> = {}): ChainProfile =>
  rollup(
    'op',
    ethereumLike(id, name, 'ETH', 2, { elasticity: 6, denominator: 250, isStated: true, ...rule }),
  );

/** One machine makes their blocks, mostly on demand, without reorgs. */
const DEVELOPMENT: ReadonlySet<number> = new Set([1_337, 31_337]);

export const isDevelopmentChain = ({ id, borrowsId }: Pick<ChainProfile, 'id' | 'borrowsId'>): boolean =>
  borrowsId === true || DEVELOPMENT.has(id);

const PROFILES: ReadonlyMap<number, ChainProfile> = new Map(
  [
    ethereumLike(SIMULATED_CHAIN_ID, 'Simulated', 'ETH', 12),
    ethereumLike(1, 'Ethereum', 'ETH', 12),
    opStack(10, 'OP Mainnet', { elasticity: 2 }),
    ethereumLike(56, 'BNB Smart Chain', 'BNB', 0.75),
    ethereumLike(100, 'Gnosis', 'xDAI', 5),
    opStack(130, 'Unichain', { blockTimeSec: 1 }),
    ethereumLike(137, 'Polygon', 'POL', 2, { denominator: 64, targetPercent: 65 }),
    rollup('estimate', ethereumLike(324, 'ZKsync Era', 'ETH', 1)),
    opStack(480, 'World Chain', { elasticity: 10 }),
    ethereumLike(1337, 'local chain', 'ETH', 1),
    rollup('unverified', ethereumLike(5_000, 'Mantle', 'MNT', 2)),
    opStack(8453, 'Base', { elasticity: 5, denominator: 100, minBaseFee: 5_000_000n }),
    ethereumLike(17_000, 'Holesky', 'ETH', 12),
    ethereumLike(31_337, 'Anvil', 'ETH', 1),
    opStack(34_443, 'Mode'),
    rollup('arbitrum', ethereumLike(42_161, 'Arbitrum One', 'ETH', 0.25, { minBaseFee: 20_000_000n })),
    rollup('unverified', ethereumLike(42_220, 'Celo', 'CELO', 1)),
    ethereumLike(43_114, 'Avalanche C-Chain', 'AVAX', 1.5),
    opStack(57_073, 'Ink', { blockTimeSec: 1 }),
    rollup('linea', ethereumLike(59_144, 'Linea', 'ETH', 2)),
    rollup('unverified', ethereumLike(81_457, 'Blast', 'ETH', 2)),
    rollup('scroll', ethereumLike(534_352, 'Scroll', 'ETH', 3)),
    ethereumLike(560_048, 'Hoodi', 'ETH', 12),
    opStack(7_777_777, 'Zora'),
    ethereumLike(11_155_111, 'Sepolia', 'ETH', 12),
  ].map((profile: ChainProfile) => {
    const usdFeed = USD_FEEDS.get(profile.id);
    const genesisHash = GENESIS_HASHES.get(profile.id);
    const { id, dataFee } = profile;
    const isElsewhere = dataFee === 'op' || BASE_FEE_ELSEWHERE.has(id);
    const fate = isElsewhere ? 'elsewhere' : BASE_FEE_UNKNOWN.has(id) ? 'unknown' : null;
    return [
      id,
      {
        ...profile,
        hasBlobs: WITH_BLOBS.has(id),
        ...(fate && { baseFeeGoes: fate }),
        ...(usdFeed && { usdFeed }),
        ...(genesisHash && { genesisHash }),
      },
    ];
  }),
);

/** Symbols by id, of chains without a profile: read when the first of them is met. */
let coins: ReadonlyMap<number, string> = new Map();

/** Has {@link chainProfile} know the coin of a chain without a profile, if viem's chain list has it. */
export async function learnCoin(id: number | null): Promise<void> {
  if (id === null || PROFILES.has(id) || coins.size > 0) return;
  const { default: bySymbol } = await import('./coin-symbols.json', { with: { type: 'json' } });
  const rows = Object.entries(bySymbol).flatMap(([symbol, ids]) =>
    ids.split(' ').map((each) => [Number(each), symbol] as const),
  );
  coins = new Map(rows);
}

/** The profile of a chain id; an unknown one is named by its number and assumed to be like Ethereum. */
export const chainProfile = (id: number): ChainProfile =>
  PROFILES.get(id) ?? {
    ...rollup(
      'op-or-none',
      ethereumLike(id, `chain ${id}`, coins.get(id) ?? 'coins', 12, { isStated: true }),
    ),
    gasRules: 'own',
  };

const MAINNET = 1;

/** The chain of a service; one that names none is taken for one of Ethereum. */
export const servedChain = (id: number | null): ChainProfile => chainProfile(id ?? MAINNET);

/** `ETH`; of an unknown chain `coins`. */
export const coinSymbol = (id: number | null): string =>
  id === null ? 'coins' : chainProfile(id).nativeSymbol;

/** `Ethereum (chain 1)`, `chain 4711`. */
export const describeChain = ({ id, name, borrowsId }: Pick<ChainProfile, 'id' | 'name' | 'borrowsId'>) =>
  borrowsId || name === `chain ${id}` ? name : `${name} (chain ${id})`;

/** Wei per blob gas; `null`: the chain has no blobs, whatever its headers state. */
export const blobPriceOf = (
  { blobBaseFee }: Pick<Block, 'blobBaseFee'>,
  { hasBlobs }: Pick<ChainProfile, 'hasBlobs'>,
): bigint | null => (hasBlobs === false ? null : blobBaseFee);

/** Whether the chain has a fee for posting to L1 beside gas, or one that a price per gas does not show. */
export const hasDataFee = (id: number | null): boolean => PROFILES.get(id ?? 0)?.dataFee !== undefined;

/** Whether that fee is beside a transaction's gas, so that its gas limit and its cap are not all that it may pay. */
export const hasFeeBesideGas = (id: number | null): boolean =>
  ['op', 'scroll', 'unverified'].includes(PROFILES.get(id ?? 0)?.dataFee ?? '');

/** Whether a node quotes the data fee of each usual action by itself: a request each. */
export const isQuotedPerAction = ({ dataFee }: ChainProfile): boolean =>
  dataFee === 'scroll' || dataFee === 'linea';

/** The profile of a chain id and genesis hash; `null`: the node does not report it. */
export function identifiedChain(id: number, genesisHash: Hex | null): ChainProfile {
  const profile = chainProfile(id);
  if (genesisHash === null || genesisHash === profile.genesisHash) return profile;
  if (profile.genesisHash === undefined) return { ...profile, genesisHash };
  const name = `development chain with id ${id}`;
  const { hasBlobs: _, baseFeeGoes: __, ...lent } = profile;
  return { ...lent, name, genesisHash, borrowsId: true, gasRules: 'osaka' };
}

/** Whether two chains with one id are different and one of them is known: then neither is a restart of the other. */
export function isImpostor(id: number, one: Hex, other: Hex): boolean {
  const known = GENESIS_HASHES.get(id);
  return one !== other && (one === known || other === known);
}

const ABOUT = 0.1;
/** Above this, blocks may be made on demand, and earlier ones do not predict the next. */
const MOST_ON_DEMAND_SEC = 12;

/** Seconds between blocks: the measured pace if it differs from the nominal one, which may only be assumed. */
export function updateFrequencySec(chain: ChainProfile, blockSec: number): number {
  const { feeRule } = chain;
  if (Math.abs(blockSec / feeRule.blockTimeSec - 1) <= ABOUT) return feeRule.blockTimeSec;
  const everySec = Number(blockSec.toPrecision(3));
  return isDevelopmentChain(chain) ? Math.min(everySec, MOST_ON_DEMAND_SEC) : everySec;
}
