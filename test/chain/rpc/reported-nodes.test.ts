/** Answers that people reported of the nodes of chains, each with its report. The right one is always the same: the chain's own blocks. */
import { expect, test } from 'vitest';
import { createRpcSource } from '../../../src/chain/rpc-source.ts';
import type { JsonRpcServerOptions } from '../../helpers/json-rpc-server.ts';
import { createScriptedChain } from '../../helpers/scripted-chain.ts';
import { servedNodes } from './served-nodes.ts';

const { serve } = servedNodes();

type Fields = Record<string, unknown>;

const history =
  (change: (result: Fields) => Fields): JsonRpcServerOptions['adjust'] =>
  (method, result) =>
    method === 'eth_feeHistory' ? { ...result, ...change(result) } : result;
const header =
  (change: (result: Fields) => Fields): JsonRpcServerOptions['adjust'] =>
  (method, result) =>
    method === 'eth_getBlockByNumber' ? change(result) : result;
const list = (value: unknown) => value as unknown[];
const LAST = 39;

test.each<[string, JsonRpcServerOptions]>([
  [
    'Evmos: no base fee of the next block (evmos/ethermint#1559)',
    { adjust: history(({ baseFeePerGas }) => ({ baseFeePerGas: list(baseFeePerGas).slice(0, -1) })) },
  ],
  ['Evmos: no rewards at all (evmos/ethermint#1559)', { rewards: false }],
  [
    'Besu: more base fees than blocks (besu-eth/besu#4243)',
    {
      adjust: history(({ baseFeePerGas }) => ({
        baseFeePerGas: [...list(baseFeePerGas), '0x17681061', '0x147b0e55', '0x1e925e88'],
      })),
    },
  ],
  [
    'Reth: a hash for the oldest block, two ratios for one, null for the rewards (paradigmxyz/reth#1782)',
    {
      adjust: history(({ gasUsedRatio }) => ({
        oldestBlock: `0x${'89'.repeat(32)}`,
        gasUsedRatio: [...list(gasUsedRatio), 0.0042],
        reward: null,
      })),
    },
  ],
  [
    'Filecoin: null for all lists (filecoin-project/lotus#10414)',
    {
      adjust: history(() => ({ oldestBlock: '0x0', baseFeePerGas: null, gasUsedRatio: null, reward: null })),
    },
  ],
  [
    'Hedera: ten rows, however many are asked for (hiero-ledger/hiero-json-rpc-relay#278)',
    { feeHistoryLimit: 10, feeHistoryOverLimit: 'shorter' },
  ],
  [
    'Hedera: no ratios (hiero-ledger/hiero-json-rpc-relay#5066)',
    { adjust: history(({ gasUsedRatio: _, ...rest }) => ({ ...rest, gasUsedRatio: undefined })) },
  ],
  [
    'SKALE: headers without a base fee (skalenetwork/skaled#2521)',
    { adjust: header(({ baseFeePerGas: _, ...rest }) => rest) },
  ],
  [
    'eth-tester: one row, and an empty list for the rewards (ApeWorX/eth-tester#278)',
    {
      feeHistoryLimit: 1,
      feeHistoryOverLimit: 'shorter',
      adjust: history(({ baseFeePerGas }) => ({
        baseFeePerGas: list(baseFeePerGas).slice(0, 1),
        reward: [],
      })),
    },
  ],
  [
    'Conflux: another base fee for the next block (Conflux-Chain/conflux-rust#2867)',
    { adjust: history(({ baseFeePerGas }) => ({ baseFeePerGas: list(baseFeePerGas).with(-1, '0x1') })) },
  ],
  [
    'Besu: zeros for the rewards (besu-eth/besu#6170)',
    {
      adjust: history(({ reward }) => ({ reward: list(reward).map((row) => list(row).map(() => '0x0')) })),
    },
  ],
])('%s', async (_, options) => {
  const chain = createScriptedChain({ length: LAST + 1 });
  const { url } = await serve(chain, options);
  const source = createRpcSource({ urls: [url] });
  const head = await source.head();
  expect(head).toMatchObject({ number: LAST, baseFeePerGas: chain.head().baseFeePerGas });
  const known =
    (await source.newest?.(20, { known: null, signal: AbortSignal.timeout(9_000) }))?.blocks ?? [];
  const filled = await source.blocks(LAST - 9, LAST);
  for (const some of [known, filled]) {
    expect(some.length).toBeGreaterThanOrEqual(10);
    for (const { number, baseFeePerGas, gasUsedRatio } of some) {
      const own = chain.at(number);
      expect([number, baseFeePerGas]).toEqual([own?.number, own?.baseFeePerGas]);
      expect(gasUsedRatio).toBeCloseTo(Number(own?.gasUsed) / Number(own?.gasLimit), 9);
    }
  }
  source.close();
});

test.each<[string, JsonRpcServerOptions, string]>([
  [
    'MANTRA: blocks one higher than they are said to be (cosmos/evm#246)',
    {
      adjust: history(({ oldestBlock }) => ({
        oldestBlock: `0x${Math.max(0, Number(oldestBlock) - 1).toString(16)}`,
      })),
    },
    'has no fees of its newest block yet',
  ],
  [
    'Reth: "Invalid block range" for the latest block (paradigmxyz/reth#3615)',
    {
      answer: (method, [, newest]) =>
        method === 'eth_feeHistory' && newest === 'latest'
          ? { error: { code: -32_602, message: 'Invalid block range' } }
          : undefined,
    },
    'refuses eth_feeHistory: Invalid block range',
  ],
  [
    'no eth_feeHistory at all (smartcontractkit/Blockchain-RPC-Exporter#23)',
    {
      answer: (method) =>
        method === 'eth_feeHistory'
          ? { error: { code: -32_601, message: 'the method eth_feeHistory does not exist/is not available' } }
          : undefined,
    },
    'eth_feeHistory',
  ],
])('%s: is refused in words that say it', async (_, options, words) => {
  const { url } = await serve(createScriptedChain({ length: LAST + 1 }), options);
  const source = createRpcSource({ urls: [url] });
  await expect(source.head()).rejects.toThrow(words);
  source.close();
});
