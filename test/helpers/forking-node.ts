/** A node of a scripted chain that crosses Amsterdam, with accounts and a pool, and what it says of that beforehand. */
import { keccak256 } from 'viem';
import type { Hex } from '../../src/core/block.ts';
import { headerOf, type JsonRpcServerOptions, type Reply, startJsonRpcServer } from './json-rpc-server.ts';
import { createScriptedChain } from './scripted-chain.ts';

export const SPACING_SEC = 12;
const BPO2 = { target: 14, max: 21, baseFeeUpdateFraction: 11_684_671 };
const CONTRACTS = {
  BEACON_ROOTS_ADDRESS: '0x000f3df6d732807ef1319fb7b8bb8522d0beac02',
  CONSOLIDATION_REQUEST_PREDEPLOY_ADDRESS: '0x0000bbddc7ce488642fb579f8b00f3a590007251',
  DEPOSIT_CONTRACT_ADDRESS: '0x00000000219ab540356cbb839cbe05303d7705fa',
  HISTORY_STORAGE_ADDRESS: '0x0000f90827f1c53a10cb7a02335b175320002935',
  WITHDRAWAL_REQUEST_PREDEPLOY_ADDRESS: '0x00000961ef480eb55e80d19ad83579a64c007002',
};
/** Of EIP-8282; where they are says nothing of the rules. */
const AMSTERDAM_CONTRACTS = {
  ...CONTRACTS,
  BUILDER_DEPOSIT_CONTRACT_ADDRESS: '0x0000000000000000000000000000000000008282',
  BUILDER_EXIT_CONTRACT_ADDRESS: '0x0000000000000000000000000000000000008283',
};

export interface ForkingNodeOptions {
  readonly chainId?: number;
  /** Blocks before the service begins. */
  readonly length?: number;
  /** Number of the first block by the new rules; `null`: there is none. */
  readonly forkAt: number | null;
  /** How `eth_config` tells of it: with its time, a wrong one (by so many blocks), with `next: null` or not at all. */
  readonly tells?: 'its time' | 'no fork' | 'nothing' | number;
  /** Whether its headers have the new fields then; default: they do. */
  readonly hasFields?: boolean;
  /** Unix seconds; default: such that its newest block is new. */
  readonly startedAt?: number;
  readonly answer?: JsonRpcServerOptions['answer'];
}

export type ForkingNode = Awaited<ReturnType<typeof startForkingNode>>;

export async function startForkingNode(options: ForkingNodeOptions) {
  const { chainId = 1, length = 60, forkAt, tells = 'its time', hasFields = true } = options;
  const { startedAt = Math.floor(Date.now() / 1_000) - length * SPACING_SEC } = options;
  const chain = createScriptedChain({ chainId, length, startedAt, spacingSec: SPACING_SEC });
  const timeOf = (number: number) => startedAt + number * SPACING_SEC;
  const absent = new Set<string>();
  const sent: Hex[] = [];

  function config(): Reply {
    if (tells === 'nothing')
      return { error: { code: -32601, message: 'the method eth_config does not exist' } };
    const forkId = '0x00000000';
    const shared = { blobSchedule: BPO2, chainId: `0x${chainId.toString(16)}`, forkId, precompiles: {} };
    const before = { ...shared, activationTime: timeOf(0), systemContracts: CONTRACTS };
    if (forkAt === null) return { result: { current: before, next: null, last: null } };
    const isLater = typeof tells === 'number';
    const activationTime = timeOf(forkAt + (isLater ? tells : 0));
    const after = { ...shared, activationTime, systemContracts: AMSTERDAM_CONTRACTS };
    if (chain.head().timestamp >= activationTime)
      return { result: { current: after, next: null, last: null } };
    const next = tells === 'no fork' ? null : after;
    return { result: { current: before, next, last: next } };
  }

  function answer(method: string, params: readonly unknown[]): Reply | undefined {
    const isAbsent = absent.has(String(params[0]).toLowerCase());
    switch (method) {
      case 'eth_config':
        return config();
      case 'eth_getTransactionCount':
      case 'eth_maxPriorityFeePerGas':
        return { result: '0x0' };
      case 'eth_getBalance':
        return { result: isAbsent ? '0x0' : '0x3635c9adc5dea00000' };
      case 'eth_getCode':
        return { result: '0x' };
      case 'eth_sendRawTransaction':
        sent.push(params[0] as Hex);
        return { result: keccak256(params[0] as Hex) };
      case 'eth_getTransactionByHash':
      case 'eth_getTransactionReceipt':
        return { result: null };
      default:
        return undefined;
    }
  }

  const withFork = (header: Record<string, unknown>) =>
    hasFields && forkAt !== null && Number(header.number) >= forkAt
      ? { ...header, blockAccessListHash: `0x${'ba'.repeat(32)}`, slotNumber: header.number }
      : header;

  const node = await startJsonRpcServer(chain, {
    answer: (method, params) => options.answer?.(method, params) ?? answer(method, params),
    adjust: (method, result) => {
      return method === 'eth_getBlockByNumber' ? withFork(result) : result;
    },
  });
  const announce = () => node.announceAs(withFork(headerOf(chain.head())));
  return {
    chain,
    node,
    url: node.wsUrl,
    timeOf,
    /** Accounts that are not on the chain. */
    absent,
    /** The signed transactions that it was sent. */
    sent,
    mine(options?: Parameters<typeof chain.mine>[1]) {
      const { number } = chain.mine(1, options);
      announce();
      return number;
    },
    /** Another branch takes the place of the blocks from this one on, and has this one alone. */
    reorgTo(number: number) {
      chain.rollBack(chain.head().number - number);
      chain.reorg(1);
      announce();
      return number;
    },
    stop: node.stop,
  };
}
