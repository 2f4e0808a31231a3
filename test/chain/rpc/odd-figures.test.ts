import { describe, expect, test } from 'vitest';
import type { ChainSource } from '../../../src/chain/chain-source.ts';
import { createRpcSource } from '../../../src/chain/rpc-source.ts';
import type { JsonRpcServerOptions } from '../../helpers/json-rpc-server.ts';
import { createScriptedChain } from '../../helpers/scripted-chain.ts';
import { servedNodes } from './served-nodes.ts';

const { serve } = servedNodes();

type Fields = Record<string, unknown>;

/** The first ten blocks of a chain whose node changes what `eth_feeHistory` gives, with what it notes. */
async function read(change: (history: Fields) => Fields, options: JsonRpcServerOptions = {}) {
  const chain = createScriptedChain({ length: 10 });
  const adjust = (method: string, result: Fields) =>
    method === 'eth_feeHistory' ? { ...result, ...change(result) } : result;
  const { url } = await serve(chain, { adjust, ...options });
  const source: ChainSource = createRpcSource({ urls: [url] });
  const { blocks = [] } =
    (await source.newest?.(10, { known: null, signal: AbortSignal.timeout(9_000) })) ?? {};
  return { chain, source, blocks, filled: await source.blocks(0, 9), notes: source.health()[0]?.notes ?? [] };
}

/** Replaces one entry of a list of `eth_feeHistory`. */
const at = (list: unknown, place: number, value: unknown) => (list as unknown[]).with(place, value);

const row = (...first: unknown[]) => [...first, ...Array(7 - first.length).fill('0x3b9aca00')];
const G = 1_000_000_000n;

describe('a reward that cannot be', () => {
  test.each([
    ['below 0 (op-geth of Hemi)', '-0xfd'],
    ['below 0, as a number', -7],
    ['null (Ethermint)', null],
    ['near 2^256 (Besu)', `0x${(2n ** 256n - 12_345n).toString(16)}`],
    ['near 2^64', `0x${(2n ** 64n - 253n).toString(16)}`],
    ['near 2^128', `0x${(2n ** 128n - 1n).toString(16)}`],
    ['above what the wire has, as a mistyped fee', '0x6f05b59d3b200000'],
    ['no number', 'unknown'],
  ])('%s is unknown, and the others are used', async (_, odd) => {
    const { blocks, filled, notes } = await read(({ reward }) => ({
      reward: at(at(reward, 4, row(odd)), 6, Array(7).fill(odd)),
    }));
    for (const some of [blocks, filled]) {
      expect(some).toHaveLength(10);
      expect(some[4]?.tips).toEqual([null, G, G, G, G, G, G]);
      expect(some[5]?.tips).toEqual(Array(7).fill(2n * G));
      expect(some[6]?.tips).toBeNull();
    }
    expect(notes).toEqual([expect.stringContaining('rewards that cannot be')]);
  });

  test.each([
    ['5,000,000 gwei in one block', 5_000_000n, [9]],
    ['8,000,000 gwei in every block', 8_000_000n, [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]],
    ['1,500 gwei in some', 1_500n, [2, 5]],
  ])('above what the transactions of its block signed for is unknown: %s', async (_, gwei, places) => {
    const hex = `0x${(gwei * G).toString(16)}`;
    const { blocks, notes } = await read(({ reward }) => ({
      reward: (reward as unknown[]).map((own, place) => (places.includes(place) ? Array(7).fill(hex) : own)),
    }));
    expect(blocks.filter(({ tips }) => tips === null).map(({ number }) => number)).toEqual(places);
    expect(notes).toEqual([expect.stringContaining('rewards that cannot be')]);
  });

  test.each([
    ['a row with too few', [['0x1']]],
    ['a row with too many', [Array(8).fill('0x1')]],
    ['a row that is no list', ['0x1']],
  ])('%s is unknown', async (_, [odd]) => {
    const { blocks } = await read(({ reward }) => ({ reward: at(reward, 4, odd) }));
    expect(blocks.map(({ tips }) => tips !== null)).toEqual(blocks.map(({ number }) => number !== 4));
  });
});

test.each([
  ['falling', [7, 6, 5, 4, 3, 2, 1], [1, 2, 3, 4, 5, 6, 7]],
  ['mixed (Monad)', [317, 317, 2, 2, 4, 4, 4], [2, 2, 4, 4, 4, 317, 317]],
  ['with an unknown one between', [9, null, 2, 3, 4, 5, 6], [2, null, 3, 4, 5, 6, 9]],
])('rewards that are %s are sorted', async (_, given, sorted) => {
  const figure = (value: number | null) => (value === null ? null : `0x${value.toString(16)}`);
  const { blocks } = await read(({ reward }) => ({ reward: at(reward, 3, given.map(figure)) }));
  expect(blocks[3]?.tips).toEqual(sorted.map((tip) => (tip === null ? null : BigInt(tip))));
});

describe('a gas-used ratio that is missing', () => {
  test.each([
    ['one that is null', (ratios: unknown) => at(ratios, 4, null)],
    ['one that is a text', (ratios: unknown) => at(ratios, 4, '0.5')],
    ['one below 0', (ratios: unknown) => at(ratios, 4, -0.5)],
    ['the whole list', () => null],
    ['a list of another length', (ratios: unknown) => (ratios as unknown[]).slice(3)],
  ])('(%s) is that of the header', async (_, odd) => {
    const { chain, blocks, filled, notes } = await read(({ gasUsedRatio }) => ({
      gasUsedRatio: odd(gasUsedRatio),
    }));
    for (const some of [blocks, filled])
      expect(some.map(({ number, gasUsedRatio }) => [number, gasUsedRatio])).toEqual(
        chain.blocks.map(({ number, gasUsed, gasLimit }) => [number, Number(gasUsed) / Number(gasLimit)]),
      );
    expect(notes).toEqual([expect.stringContaining('gas-used ratios')]);
  });

  test('above 1 (Lotus) is a full block', async () => {
    const { blocks } = await read(({ gasUsedRatio }) => ({ gasUsedRatio: at(gasUsedRatio, 4, 1.13) }));
    expect(blocks[4]?.gasUsedRatio).toBe(1);
  });
});

test.each([
  ['3,000,000 gwei (PulseChain)', 3_000_000n * G],
  ['9,000,000 gwei', 9_000_000n * G],
  ['20,000,000 gwei', 20_000_000n * G],
  ['a billion gwei', 1_000_000_000n * G],
])('a base fee of %s takes no chain away: beyond 2^53 − 1 wei it reads as that', async (_, baseFee) => {
  const chain = createScriptedChain({ length: 10, baseFee });
  const { url } = await serve(chain);
  const head = await createRpcSource({ urls: [url] }).head();
  const most = (wei: bigint) => (wei < 2n ** 53n ? wei : 2n ** 53n - 1n);
  expect(head.baseFeePerGas).toBe(most(chain.head().baseFeePerGas));
  expect(head.nextBaseFee).toBe(most(chain.nextBaseFee()));
});

describe('a base fee that is missing', () => {
  test.each([
    ['null', null],
    ['below 0', '-0x1'],
    ['no number', 'NaN'],
  ])('(%s) is that of the header', async (_, odd) => {
    const { chain, blocks, filled } = await read(({ baseFeePerGas }) => ({
      baseFeePerGas: at(baseFeePerGas, 4, odd),
    }));
    for (const some of [blocks, filled])
      expect(some.map(({ baseFeePerGas }) => baseFeePerGas)).toEqual(
        chain.blocks.map(({ baseFeePerGas }) => baseFeePerGas),
      );
  });

  test('is no forecast where it is the last', async () => {
    const { blocks } = await read(({ baseFeePerGas }) => ({ baseFeePerGas: at(baseFeePerGas, 10, null) }));
    expect(blocks).toHaveLength(10);
    expect(blocks[9]?.nextBaseFee).toBeNull();
    expect(blocks[8]?.nextBaseFee).toBe(blocks[9]?.baseFeePerGas);
  });
});

test.each([
  ['null (Lotus)', { oldestBlock: '0x0', baseFeePerGas: null, gasUsedRatio: null, reward: null }],
  ['missing', { baseFeePerGas: undefined, gasUsedRatio: undefined, reward: undefined }],
  ['null but for the ratios', { baseFeePerGas: null, reward: null }],
])('where all fees are %s, headers stand in, without tips', async (_, odd) => {
  const { chain, source, blocks, filled, notes } = await read(() => odd);
  for (const some of [blocks, filled, [await source.head()]])
    expect(some).toMatchObject(
      chain.blocks.slice(-some.length).map(({ number, hash, baseFeePerGas, gasUsed, gasLimit }) => ({
        ...{ number, baseFeePerGas, tips: null },
        gasUsedRatio: Number(gasUsed) / Number(gasLimit),
        ...(number === 9 && { hash, nextBaseFee: null }),
      })),
    );
  expect([blocks.length, filled.length]).toEqual([10, 10]);
  expect(notes).toEqual([expect.stringContaining('headers stand in')]);
});

test.each([
  ['JSON numbers', (fee: unknown): unknown => Number(fee)],
  ['with leading zeros', (fee: unknown): unknown => `0x00${String(fee).slice(2)}`],
])('fees that are %s are read', async (_, change) => {
  const { chain, blocks } = await read(({ baseFeePerGas }) => ({
    baseFeePerGas: (baseFeePerGas as unknown[]).map(change),
  }));
  expect(blocks.map(({ baseFeePerGas }) => baseFeePerGas)).toEqual(
    chain.blocks.map(({ baseFeePerGas }) => baseFeePerGas),
  );
});

test.each([
  ['blob fees of another length', { baseFeePerBlobGas: ['0x1'] }],
  ['blob fees that are no list', { baseFeePerBlobGas: '0x1' }],
  ['a single odd blob fee', { baseFeePerBlobGas: ['-0x1', ...Array(10).fill(null)] }],
])('%s are unknown blob fees alone', async (_, odd) => {
  const { blocks } = await read(() => odd);
  expect(blocks.map(({ blobBaseFee, tips }) => [blobBaseFee, tips !== null])).toEqual(
    Array(10).fill([null, true]),
  );
});
