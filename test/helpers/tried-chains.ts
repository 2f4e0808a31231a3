/** Several chains on scripted nodes, as a board shows them: two that are well, one dead, one of another chain, one that says 429. */
import type { LoadedConfig } from '../../src/cli/config-file.ts';
import { chainProfile } from '../../src/core/chains.ts';
import { type JsonRpcServer, type Reply, startJsonRpcServer } from './json-rpc-server.ts';
import { createScriptedChain } from './scripted-chain.ts';

export type TriedChains = Awaited<ReturnType<typeof startChains>>;

const word = (value: number | bigint) => value.toString(16).padStart(64, '0');
const LATEST_ROUND_DATA = '0xfeaf968c';
const DECIMALS = '0x313ce567';
const GET_L1_FEE = '0x49948e0e';
/** Dollars for an ether, and wei that posting a transaction to L1 takes on Scroll. */
const USD = 2_500n;
const L1_FEE = 2_500_000_000_000n;
const BLOCKS = 300;

/** What a contract of these chains returns; `null`: there is none. */
function returned(chainId: number, data: string): string | null {
  const now = Math.floor(Date.now() / 1_000);
  if (chainId === 1 && data === DECIMALS) return `0x${word(8)}`;
  if (chainId === 1 && data === LATEST_ROUND_DATA) {
    return `0x${[1n, USD * 10n ** 8n, now, now, 1n].map(word).join('')}`;
  }
  return chainId === 534_352 && data.startsWith(GET_L1_FEE) ? `0x${word(L1_FEE)}` : null;
}

/** A node of the chain that its id says. */
async function startKnown(chainId: number, baseFee: bigint): Promise<JsonRpcServer> {
  const spacingSec = chainProfile(chainId).feeRule.blockTimeSec;
  const startedAt = Math.floor(Date.now() / 1_000) - BLOCKS * spacingSec;
  const chain = createScriptedChain({ chainId, baseFee, spacingSec, startedAt });
  chain.mine(BLOCKS, { tip: 1_000_000n });
  const answer = (method: string, params: readonly unknown[]): Reply | undefined => {
    const [first] = params;
    if (method !== 'eth_call' || typeof first !== 'object' || first === null || !('data' in first)) return;
    const result = returned(chainId, String(first.data));
    return result === null ? { error: { code: 3, message: 'execution reverted' } } : { result };
  };
  return startJsonRpcServer(chain, { answer });
}

export async function startChains() {
  const limit: Reply = { raw: '{}', status: 429, headers: { 'retry-after': '42' } };
  const [ethereum, scroll, limited] = await Promise.all([
    startKnown(1, 40_000_000n),
    startKnown(534_352, 120_000n),
    startJsonRpcServer(createScriptedChain(), { answer: () => limit }),
  ]);
  const setups = [
    { name: 'ethereum', rpc: ethereum.url },
    { name: 'scroll', rpc: scroll.url },
    { name: 'dead', rpc: 'http://127.0.0.1:9' },
    { name: 'base', rpc: ethereum.url },
    { name: 'limited', rpc: limited.url },
  ];
  return {
    setups,
    ethereum,
    limited,
    config: {
      path: '/nonexistent/config.json',
      content: { chains: setups },
      warning: null,
    } satisfies LoadedConfig,
    stop: async () => {
      await Promise.all([ethereum, scroll, limited].map((server) => server.stop()));
    },
  };
}
