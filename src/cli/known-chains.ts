/** Public Ethereum mainnet nodes that need no key: the default source. */
export const PUBLIC_NODES: readonly string[] = [
  'https://ethereum-rpc.publicnode.com',
  'https://ethereum.reth.rs/rpc',
  'https://eth.drpc.org',
  'https://eth.merkle.io',
  'https://1rpc.io/eth',
];

/** The chain's own node as in viem (`viem/chains`), and one more. */
const CHAINS: readonly (readonly [id: number, names: string, ...nodes: readonly string[]])[] = [
  [1, 'ethereum eth mainnet', ...PUBLIC_NODES],
  [8_453, 'base', 'https://mainnet.base.org', 'https://base-rpc.publicnode.com'],
  [10, 'op optimism', 'https://mainnet.optimism.io', 'https://optimism-rpc.publicnode.com'],
  [42_161, 'arbitrum arb', 'https://arb1.arbitrum.io/rpc', 'https://arbitrum-one-rpc.publicnode.com'],
  [130, 'unichain', 'https://mainnet.unichain.org', 'https://unichain-rpc.publicnode.com'],
  [59_144, 'linea', 'https://rpc.linea.build', 'https://linea-rpc.publicnode.com'],
  [534_352, 'scroll', 'https://rpc.scroll.io', 'https://scroll-rpc.publicnode.com'],
  [324, 'zksync era', 'https://mainnet.era.zksync.io', 'https://zksync.drpc.org'],
  [137, 'polygon pol', 'https://polygon.drpc.org', 'https://polygon-bor-rpc.publicnode.com'],
  [56, 'bnb bsc', 'https://bsc-rpc.publicnode.com', 'https://bsc.drpc.org'],
  [100, 'gnosis', 'https://rpc.gnosischain.com', 'https://gnosis-rpc.publicnode.com'],
  [43_114, 'avalanche avax', 'https://api.avax.network/ext/bc/C/rpc'],
  [480, 'world worldchain', 'https://worldchain-mainnet.g.alchemy.com/public'],
  [57_073, 'ink', 'https://rpc-gel.inkonchain.com'],
  [34_443, 'mode', 'https://mainnet.mode.network'],
  [7_777_777, 'zora', 'https://rpc.zora.energy'],
  [81_457, 'blast', 'https://rpc.blast.io'],
  [5_000, 'mantle', 'https://rpc.mantle.xyz'],
  [42_220, 'celo', 'https://forno.celo.org'],
];

export const KNOWN_CHAINS = CHAINS.map(([id, all, ...nodes]) => {
  const [name = '', ...others] = all.split(' ');
  return { id, name, names: [name, ...others], nodes };
});

export const USUAL_CHAINS = 'ethereum,base,op,arbitrum,unichain,linea,scroll,zksync,polygon,bnb';

export const knownChain = (name: string) =>
  KNOWN_CHAINS.find(({ names }) => names.includes(name.toLowerCase()));
