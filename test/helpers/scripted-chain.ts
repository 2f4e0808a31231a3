import { createHash } from 'node:crypto';
import { chainProfile } from '../../src/core/chains.ts';

export interface ScriptedBlock {
  readonly number: number;
  readonly hash: string;
  readonly parentHash: string;
  readonly timestamp: number;
  readonly baseFeePerGas: bigint;
  readonly gasUsed: bigint;
  readonly gasLimit: bigint;
  readonly blobBaseFee: bigint;
  readonly tip: bigint;
}

export interface ScriptedChain {
  readonly chainId: number;
  readonly blocks: readonly ScriptedBlock[];
  head(): ScriptedBlock;
  at(number: number): ScriptedBlock | undefined;
  mine(count?: number, options?: { gasUsedRatio?: number; tip?: bigint }): ScriptedBlock;
  rollBack(count: number): void;
  reorg(depth: number): void;
  fork(): ScriptedChain;
  nextBaseFee(block?: ScriptedBlock): bigint;
}

const GAS_LIMIT = 30_000_000n;
let branches = 0;

export function createScriptedChain(
  options: {
    chainId?: number;
    length?: number;
    baseFee?: bigint;
    startedAt?: number;
    spacingSec?: number;
  } = {},
): ScriptedChain {
  const {
    chainId = 31_337,
    length = 1,
    baseFee = 1_000_000_000n,
    startedAt = 1_700_000_000,
    spacingSec = 12,
  } = options;
  const chain = build(chainId, [], { baseFee, startedAt, spacingSec });
  chain.mine(length);
  return chain;
}

const hashOf = (branch: number, number: number, parentHash: string) =>
  `0x${createHash('sha256').update(`${branch}:${number}:${parentHash}`).digest('hex')}`;

function build(
  chainId: number,
  blocks: ScriptedBlock[],
  start: { baseFee: bigint; startedAt: number; spacingSec: number },
): ScriptedChain {
  let branch = ++branches;
  const head = (): ScriptedBlock => {
    const block = blocks.at(-1);
    if (!block) throw new Error('the scripted chain has no block');
    return block;
  };
  const nextBaseFee = (block = head()): bigint => {
    const target = block.gasLimit / 2n;
    const delta = (block.baseFeePerGas * (block.gasUsed - target)) / target / 8n;
    if (block.gasUsed === target) return block.baseFeePerGas;
    return block.gasUsed > target
      ? block.baseFeePerGas + (delta > 0n ? delta : 1n)
      : block.baseFeePerGas + delta;
  };
  const mine: ScriptedChain['mine'] = (count = 1, { gasUsedRatio, tip = 2_000_000_000n } = {}) => {
    for (let i = 0; i < count; i++) {
      const parent = blocks.at(-1);
      const number = (parent?.number ?? -1) + 1;
      const parentHash = parent?.hash ?? `0x${'0'.repeat(64)}`;
      blocks.push({
        number,
        hash: (number === 0 && chainProfile(chainId).genesisHash) || hashOf(branch, number, parentHash),
        parentHash,
        timestamp: start.startedAt + number * start.spacingSec,
        baseFeePerGas: parent ? nextBaseFee(parent) : start.baseFee,
        // Around the target, so that a long chain's base fee stays of its size.
        gasUsed: BigInt(Math.round(Number(GAS_LIMIT) * (gasUsedRatio ?? (number % 2 === 0 ? 0.6 : 0.4)))),
        gasLimit: GAS_LIMIT,
        blobBaseFee: BigInt(number + 1),
        tip,
      });
    }
    return head();
  };
  return {
    chainId,
    blocks,
    head,
    at: (number) => blocks[number],
    mine,
    rollBack: (count) => {
      blocks.splice(-count, count);
    },
    reorg: (depth) => {
      blocks.splice(-depth, depth);
      branch = ++branches;
      mine(depth, { gasUsedRatio: 0.4, tip: 3_000_000_000n });
    },
    fork: () => build(chainId, [...blocks], start),
    nextBaseFee,
  };
}
