/** Ethereum mainnet nodes that answer without a key: what is asked when nobody named a source. */
export const PUBLIC_NODES: readonly string[] = [
  'https://ethereum-rpc.publicnode.com',
  'https://ethereum.reth.rs/rpc',
  'https://eth.drpc.org',
  'https://eth.merkle.io',
  'https://1rpc.io/eth',
];
