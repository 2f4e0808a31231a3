import { describe, expect, test } from 'vitest';
import { systemClock } from '../../../src/chain/async.ts';
import { createRpcSource } from '../../../src/chain/rpc-source.ts';
import type { Reply } from '../../helpers/json-rpc-server.ts';
import { createScriptedChain } from '../../helpers/scripted-chain.ts';
import { servedNodes } from './served-nodes.ts';

const { serve } = servedNodes();

const TIP = 'eth_maxPriorityFeePerGas';
const PRICE = 'eth_gasPrice';
const G = 1_000_000_000n;
const hex = (wei: bigint) => `0x${wei.toString(16)}`;

interface Node {
  readonly chainId?: number;
  readonly tip?: bigint;
  /** Whether it has no base fee. */
  readonly isFree?: boolean;
  readonly answers?: Readonly<Record<string, Reply>>;
}

/** A node of ten blocks that pay `tip`, with a clock that the test moves. */
async function nodeOf({ chainId = 31_338, tip = 0n, isFree = false, answers = {} }: Node) {
  const chain = createScriptedChain({ chainId });
  chain.mine(10, { gasUsedRatio: tip === 0n ? 0 : 0.5, tip });
  const free = (fees: unknown) => (Array.isArray(fees) ? fees.map(() => '0x0') : '0x0');
  const server = await serve(chain, {
    answer: (method) => answers[method],
    ...(isFree && { adjust: (_, fields) => ({ ...fields, baseFeePerGas: free(fields.baseFeePerGas) }) }),
  });
  let later = 0;
  const clock = { ...systemClock, elapsed: () => systemClock.elapsed() + later };
  const source = createRpcSource({ urls: [server.url], clock });
  return {
    chain,
    read: async () => {
      const { blocks = [] } =
        (await source.newest?.(64, { known: null, signal: AbortSignal.timeout(9_000) })) ?? {};
      return blocks.at(-1);
    },
    pass: (ms: number) => {
      later += ms;
    },
    asked: () => server.requests.filter(({ method }) => method === TIP || method === PRICE).length,
  };
}

const result = (wei: bigint): Reply => ({ result: hex(wei) });
const refusal: Reply = { error: { code: -32601, message: 'the method does not exist' } };

describe('the tip that a node suggests', () => {
  test.each<readonly [string, Node]>([
    ['where blocks are empty', {}],
    ['where there is no base fee', { tip: G, isFree: true }],
    ['where nodes refuse low tips (Polygon)', { chainId: 80_002, tip: G }],
  ])('is requested %s', async (_, node) => {
    const { read } = await nodeOf({ ...node, answers: { [TIP]: result(25n * G) } });
    expect((await read())?.suggestedTip).toBe(25n * G);
  });

  test('is not requested where tips are paid', async () => {
    const { read, asked } = await nodeOf({ tip: G, answers: { [TIP]: result(25n * G) } });
    expect((await read())?.suggestedTip).toBeUndefined();
    expect(asked()).toBe(0);
  });

  test.each<readonly [string, Reply, Reply | bigint, bigint | undefined]>([
    ['is read from the gas price where it is refused', refusal, 9n * G, 9n * G],
    ['is read from the gas price where it is 0', result(0n), 4n * G, 4n * G],
    ['is 0 where the gas price is the base fee', result(0n), 0n, 0n],
    ['is unknown where both are refused', refusal, refusal, undefined],
    ['is unknown where it cannot be', { result: '-0x1' }, { result: null }, undefined],
    ['is unknown where a web page comes', { raw: '<html>' }, { raw: '<html>' }, undefined],
  ])('%s', async (_, tip, price, expected) => {
    const answers: Record<string, Reply> = { [TIP]: tip };
    const { chain, read } = await nodeOf({ answers });
    answers[PRICE] = typeof price === 'bigint' ? result(chain.head().baseFeePerGas + price) : price;
    expect(await read()).toMatchObject({ number: 10 });
    expect((await read())?.suggestedTip).toBe(expected);
  });

  test('is requested once a minute, not with each block', async () => {
    const { chain, read, pass, asked } = await nodeOf({ answers: { [TIP]: result(25n * G) } });
    for (let block = 0; block < 30; block++) {
      await read();
      chain.mine(1, { gasUsedRatio: 0, tip: 0n });
      pass(6_000);
    }
    expect(asked()).toBeLessThanOrEqual(4);
    expect((await read())?.suggestedTip).toBe(25n * G);
  });

  test('that is refused is requested once in ten minutes', async () => {
    const { chain, read, pass, asked } = await nodeOf({ answers: { [TIP]: refusal, [PRICE]: refusal } });
    for (let block = 0; block < 30; block++) {
      await read();
      chain.mine(1, { gasUsedRatio: 0, tip: 0n });
      pass(12_000);
    }
    expect(asked()).toBe(2);
  });
});
