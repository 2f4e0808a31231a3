import { describe, expect, it } from 'vitest';
import { createRpcSource } from '../../../src/chain/rpc-source.ts';
import type { Block } from '../../../src/core/block.ts';
import { tipCases } from '../../core/support/amsterdam.ts';
import type { Reply } from '../../helpers/json-rpc-server.ts';
import { createScriptedChain } from '../../helpers/scripted-chain.ts';
import { servedNodes } from './served-nodes.ts';

const { serve } = servedNodes();
const RECEIPTS = 'eth_getBlockReceipts';
const hex = (value: bigint | number) => `0x${value.toString(16)}`;

/** Cases in which the two ways differ: the block at each height is one of them. */
const CASES = tipCases().filter((each) => String(each.rewardByReceipts) !== String(each.rewardByHeader));
const caseAt = (number: number) => {
  const found = CASES[number % CASES.length];
  if (found === undefined) throw new Error('no case');
  return found;
};

interface Node {
  /** By which its rewards are weighed. */
  weighs?: 'receipts' | 'header';
  readonly isAmsterdam?: boolean;
  /** In place of the receipts. */
  receipts?: Reply;
}

async function nodeOf(node: Node) {
  const { isAmsterdam = true } = node;
  const chain = createScriptedChain({ length: 6 });
  const receiptsAt = (number: number): Reply => ({
    result: caseAt(number).transactions.map(({ gasUsed, tip }, place) => ({
      ...{ transactionHash: `0x${hex(place).slice(2).padStart(64, '0')}`, status: '0x1' },
      ...{ blockNumber: hex(number), blockHash: chain.at(number)?.hash, transactionIndex: hex(place) },
      gasUsed: hex(gasUsed),
      effectiveGasPrice: hex((chain.at(number)?.baseFeePerGas ?? 0n) + BigInt(tip)),
    })),
  });
  const server = await serve(chain, {
    answer: (method, params) =>
      method === RECEIPTS ? (node.receipts ?? receiptsAt(Number(params[0]))) : undefined,
    adjust: (method, fields) => {
      if (method === 'eth_getBlockByNumber') {
        const gasUsed = hex(caseAt(Number(fields.number)).headerGasUsed);
        return { ...fields, gasUsed, ...(isAmsterdam && { blockAccessListHash: `0x${'1d'.repeat(32)}` }) };
      }
      const oldest = Number(fields.oldestBlock);
      const reward = (fields.reward as unknown[] | undefined)?.map((_, place) => {
        const each = caseAt(oldest + place);
        return (node.weighs === 'header' ? each.rewardByHeader : each.rewardByReceipts).map(hex);
      });
      return { ...fields, reward };
    },
  });
  const source = createRpcSource({ urls: [server.url] });
  let known: Block | null = null;
  return {
    node,
    source,
    /** The newest block after one more. */
    next: async () => {
      chain.mine(1);
      const signal = AbortSignal.timeout(9_000);
      const { blocks = [] } = (await source.newest?.(64, { known, signal })) ?? {};
      known = blocks.at(-1) ?? null;
      return known;
    },
    asked: () => server.requests.filter(({ method }) => method === RECEIPTS).length,
    notes: () => source.health().flatMap(({ notes = [] }) => notes),
  };
}

const tips = (rewards: readonly number[]) => rewards.map(BigInt);

describe('the tips of a node that weighs by the gas of the header', () => {
  it('are weighed by receipts from the block on that tells, and it is said of the node', async () => {
    const { next, notes } = await nodeOf({ weighs: 'header' });
    for (let count = 0; count < 6; count++) {
      const block = await next();
      const { rewardByReceipts } = caseAt(block?.number ?? 0);
      expect(block?.tips).toEqual(tips(rewardByReceipts));
    }
    expect(notes()).toEqual([expect.stringContaining("weighs tips by the header's gas")]);
  });

  it('stay as stated where its receipts are refused or of another block', async () => {
    const refusal: Reply = { error: { code: -32601, message: 'the method does not exist' } };
    for (const receipts of [refusal, { result: null }, { result: [] }, { raw: '<html>' }]) {
      const { next, notes } = await nodeOf({ weighs: 'header', receipts });
      await next();
      const block = await next();
      expect(block?.tips).toEqual(tips(caseAt(block?.number ?? 0).rewardByHeader));
      expect(notes().filter((note) => note.includes('weighs'))).toEqual([]);
    }
  });

  it('are taken as stated again once it weighs by receipts', async () => {
    const { node, next, notes, asked } = await nodeOf({ weighs: 'header' });
    for (let count = 0; count < 3; count++) await next();
    expect(notes()).toHaveLength(1);
    node.weighs = 'receipts';
    for (let count = 0; count < 3; count++) await next();
    expect(notes()).toEqual([]);
    const before = asked();
    for (let count = 0; count < 5; count++) await next();
    expect(asked() - before).toBeLessThanOrEqual(1);
  });
});

describe('the tips of a node that weighs by receipts', () => {
  it('are compared with those of one block in fifty, and with none before Amsterdam', async () => {
    const { next, asked, notes } = await nodeOf({ weighs: 'receipts' });
    for (let count = 0; count < 45; count++) {
      const block = await next();
      expect(block?.tips).toEqual(tips(caseAt(block?.number ?? 0).rewardByReceipts));
    }
    expect(asked()).toBe(1);
    for (let count = 0; count < 10; count++) await next();
    expect(asked()).toBe(2);
    expect(notes()).toEqual([]);
    const before = await nodeOf({ weighs: 'header', isAmsterdam: false });
    for (let count = 0; count < 3; count++) await before.next();
    expect(before.asked()).toBe(0);
  });
});
