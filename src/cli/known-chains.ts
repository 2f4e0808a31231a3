interface KnownChain {
  readonly id: number;
  readonly names: readonly [string, ...string[]];
  readonly nodes: readonly string[];
}

/** Public Ethereum mainnet nodes that need no key: the default source. */
export const PUBLIC_NODES: readonly string[] = [
  'https://ethereum-rpc.publicnode.com',
  'https://ethereum.reth.rs/rpc',
  'https://eth.drpc.org',
  'https://eth.merkle.io',
  'https://1rpc.io/eth',
];

const known = (id: number, names: string, ...nodes: readonly string[]): KnownChain => {
  const [name = '', ...others] = names.split(' ');
  return { id, names: [name, ...others], nodes };
};

/** The chain's own node as in viem (`viem/chains`), and one more. */
export const KNOWN_CHAINS: readonly KnownChain[] = [
  known(1, 'ethereum eth mainnet', ...PUBLIC_NODES),
  known(8_453, 'base', 'https://mainnet.base.org', 'https://base-rpc.publicnode.com'),
  known(10, 'op optimism', 'https://mainnet.optimism.io', 'https://optimism-rpc.publicnode.com'),
  known(42_161, 'arbitrum arb', 'https://arb1.arbitrum.io/rpc', 'https://arbitrum-one-rpc.publicnode.com'),
  known(130, 'unichain', 'https://mainnet.unichain.org', 'https://unichain-rpc.publicnode.com'),
  known(59_144, 'linea', 'https://rpc.linea.build', 'https://linea-rpc.publicnode.com'),
  known(534_352, 'scroll', 'https://rpc.scroll.io', 'https://scroll-rpc.publicnode.com'),
  known(324, 'zksync era', 'https://mainnet.era.zksync.io', 'https://zksync.drpc.org'),
  known(137, 'polygon pol', 'https://polygon.drpc.org', 'https://polygon-bor-rpc.publicnode.com'),
  known(56, 'bnb bsc', 'https://bsc-rpc.publicnode.com', 'https://bsc.drpc.org'),
  known(100, 'gnosis', 'https://rpc.gnosischain.com', 'https://gnosis-rpc.publicnode.com'),
  known(43_114, 'avalanche avax', 'https://api.avax.network/ext/bc/C/rpc'),
  known(480, 'world worldchain', 'https://worldchain-mainnet.g.alchemy.com/public'),
  known(57_073, 'ink', 'https://rpc-gel.inkonchain.com'),
  known(34_443, 'mode', 'https://mainnet.mode.network'),
  known(7_777_777, 'zora', 'https://rpc.zora.energy'),
  known(81_457, 'blast', 'https://rpc.blast.io'),
  known(5_000, 'mantle', 'https://rpc.mantle.xyz'),
  known(42_220, 'celo', 'https://forno.celo.org'),
];

export const USUAL_CHAINS = 'ethereum,base,op,arbitrum,unichain,linea,scroll,zksync,polygon,bnb';

export const knownChain = (name: string): KnownChain | undefined =>
  KNOWN_CHAINS.find(({ names }) => names.includes(name.toLowerCase()));
