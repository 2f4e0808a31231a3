import { afterEach, describe, expect, it } from 'vitest';
import { createRpcSource, type RpcSource } from '../../../src/chain/rpc-source.ts';
import { type DataFees, workDataFee } from '../../../src/core/data-fee.ts';
import { USUAL_ACTIONS } from '../../../src/core/usual-work.ts';
import {
  headerOf,
  type JsonRpcServer,
  type JsonRpcServerOptions,
  startJsonRpcServer,
} from '../../helpers/json-rpc-server.ts';
import { createScriptedChain } from '../../helpers/scripted-chain.ts';

/** Headers as nodes gave them in 2026, Linea's documented example, and answers built from documented encodings. */
const closing: (() => unknown)[] = [];
afterEach(() => Promise.all(closing.splice(0).map((close) => close())));

type Answer = NonNullable<JsonRpcServerOptions['answer']>;

async function sourceOf(
  chainId: number,
  answer: Answer,
  chain = createScriptedChain({ chainId, length: 3 }),
): Promise<[RpcSource, JsonRpcServer]> {
  const server = await startJsonRpcServer(chain, { answer });
  const source = createRpcSource({ urls: [server.url], requestTimeoutMs: 60_000 });
  await source.chain();
  closing.push(() => source.close(), server.stop);
  return [source, server];
}

async function feesOf(chainId: number, answer: Answer): Promise<DataFees> {
  const [source] = await sourceOf(chainId, answer);
  const fees = await source.dataFees?.();
  if (fees === undefined) throw new Error('a source over nodes tells data fees');
  return fees;
}

const FIRST_OF_BLOCK = 'eth_getTransactionByBlockNumberAndIndex';

/** Of a node whose blocks begin with the attributes of L1. */
async function opStackAnswer(): Promise<Answer> {
  const { l1Attributes, L1_VALUES } = await import('../../helpers/op-stack.ts');
  const deposit = {
    hash: `0x${'ab'.repeat(32)}`,
    type: '0x7e',
    from: '0xdeaddeaddeaddeaddeaddeaddeaddeaddead0001',
    to: '0x4200000000000000000000000000000000000015',
    gas: '0xf4240',
    input: l1Attributes(L1_VALUES, 'jovian'),
  };
  return (asked) => (asked === FIRST_OF_BLOCK ? { result: deposit } : undefined);
}

const word = (value: bigint | number) => value.toString(16).padStart(64, '0');
const known = (fees: DataFees, name: string, price = 1n) => {
  const action = USUAL_ACTIONS.find((each) => each.name === name);
  if (action === undefined) throw new Error(name);
  return workDataFee(fees, { ...action, gas: action.gas.osaka }, price);
};

describe('data fees', () => {
  it('of Arbitrum are what 0x6C says of 140 bytes, and of each byte of call data', async () => {
    const asked: unknown[] = [];
    const fees = await feesOf(42_161, (method, params) => {
      if (method !== 'eth_call') return undefined;
      asked.push(params[0]);
      const prices = [140_000_000n, 1_000_000n, 0n, 20_000_000n, 0n, 20_000_000n];
      return { result: `0x${prices.map(word).join('')}` };
    });
    expect(asked).toEqual([{ to: '0x000000000000000000000000000000000000006c', data: '0x41b247a8' }]);
    expect(known(fees, 'ETH transfer').wei).toBe(140_000_000n);
    expect(known(fees, 'Swap').wei).toBe(140_000_000n + 228n * 1_000_000n);
    expect(fees.parameters).toEqual({ rate: 0n, operatorPerMillionGas: 0n, operatorConstant: 0n });
  });

  it('of Scroll are what its oracle says of each kind of signed transaction', async () => {
    const lengths: number[] = [];
    const fees = await feesOf(534_352, (method, params) => {
      if (method !== 'eth_call') return undefined;
      const { to, data } = params[0] as { to: string; data: string };
      expect([to, data.slice(0, 10)]).toEqual(['0x5300000000000000000000000000000000000002', '0x49948e0e']);
      lengths.push(Number(`0x${data.slice(10 + 64, 10 + 128)}`));
      return { result: `0x${word(BigInt(lengths.at(-1) ?? 0) * 10n ** 9n)}` };
    });
    const sizes = USUAL_ACTIONS.map(({ unsigned }) => unsigned.length / 2 - 1 + 67);
    expect(lengths).toEqual(sizes);
    expect(known(fees, 'Swap').wei).toBe(BigInt(sizes.at(-1) ?? 0) * 10n ** 9n);
    expect([fees.parameters, fees.reason]).toEqual([
      null,
      'only the node can tell the L1 fee of a transaction of this chain',
    ]);
  });

  it('of Linea are what its tip asks for above the lane', async () => {
    const said = { baseFeePerGas: '0x7', gasLimit: '0xcf08', priorityFeePerGas: '0x43a82a4' };
    const fees = await feesOf(59_144, (method) =>
      method === 'linea_estimateGas' ? { result: said } : undefined,
    );
    const price = 30_000_000n;
    expect(known(fees, 'Swap', price).wei).toBe(53_000n * (7n + 70_943_396n - price));
    expect(known(fees, 'Swap', 80_000_000n).wei).toBe(0n);
    const none = await feesOf(59_144, () => undefined);
    expect(known(none, 'Swap').reason).toMatch(/linea_estimateGas/);
  });

  it('of ZKsync are what the node estimates of a transfer, and unknown of calls', async () => {
    const fees = await feesOf(324, (method) => {
      if (method === 'eth_estimateGas') return { result: '0x1d4c0' };
      return method === 'eth_gasPrice' ? { result: '0x2b275d0' } : undefined;
    });
    expect(known(fees, 'ETH transfer', 45_250_000n).wei).toBe((120_000n - 21_000n) * 45_250_000n);
    expect(known(fees, 'Swap')).toEqual({
      wei: null,
      reason: 'its gas depends on the state that it changes: ask the node for your own call',
    });
  });

  it('of a chain whose model is not known here are unknown, and of one that takes none nothing is asked', async () => {
    const mantle = await feesOf(5_000, () => undefined);
    expect(known(mantle, 'Swap')).toEqual({
      wei: null,
      reason: 'the fee model of this chain has not been verified',
    });
    const [source, server] = await sourceOf(1, () => undefined);
    const before = server.requests.length;
    expect((await source.dataFees?.())?.reason).toBeNull();
    expect(server.requests.length).toBe(before);
  });

  it('of an unknown chain are those of an OP-stack chain where its blocks begin as such, and are asked for once in 12 s', async () => {
    const [source, server] = await sourceOf(987_654, await opStackAnswer());
    const [one, other] = await Promise.all([source.dataFees?.(), source.dataFees?.()]);
    expect(known(one ?? other ?? (await feesOf(1, () => undefined)), 'ETH transfer').wei).toBeGreaterThan(0n);
    expect(server.requests.filter(({ method }) => method === FIRST_OF_BLOCK)).toHaveLength(1);
    const plain = await feesOf(987_655, (asked) => (asked === FIRST_OF_BLOCK ? { result: null } : undefined));
    expect(known(plain, 'Swap')).toEqual({ wei: 0n, reason: null });
  });
});

it('fees that must be of the head are asked for once for each, by however many', async () => {
  const chain = createScriptedChain({ chainId: 10, length: 3 });
  const [source, server] = await sourceOf(10, await opStackAnswer(), chain);
  const askedAfter = async (isFresh: boolean) => {
    await Promise.all([1, 2, 3].map(() => source.dataFees?.({ isFresh })));
    return server.requests.filter(({ method }) => method === FIRST_OF_BLOCK).length;
  };
  await source.head();
  expect(await askedAfter(true)).toBe(1);
  expect(await askedAfter(true)).toBe(1);
  for (const [blocks, times] of [
    [1, 2],
    [1, 3],
    [4, 4],
  ] as const) {
    chain.mine(blocks);
    await source.head();
    expect(await askedAfter(false)).toBe(times - 1);
    expect(await askedAfter(true)).toBe(times);
    expect(await askedAfter(true)).toBe(times);
  }
});

it.each([1, 2, 3])(
  'fees of the head that could not be read %i times are asked for again at the same head',
  async (failures) => {
    const answer = await opStackAnswer();
    let asked = 0;
    const failing: Answer = (method, params) => {
      if (method !== FIRST_OF_BLOCK) return answer(method, params);
      asked += 1;
      return asked <= failures
        ? { error: { code: -32_000, message: 'header not found' } }
        : answer(method, params);
    };
    const [source] = await sourceOf(10, failing, createScriptedChain({ chainId: 10, length: 3 }));
    await source.head();
    for (let read = 0; read < failures; read += 1)
      expect((await source.dataFees?.({ isFresh: true }))?.parameters).toBeNull();
    expect((await source.dataFees?.({ isFresh: true }))?.parameters).not.toBeNull();
  },
);

describe('a header of an OP-stack chain', () => {
  const stated = async (extraData: string, blobGasUsed = '0x0') => {
    const chain = createScriptedChain({ chainId: 8_453, length: 3 });
    const [source] = await sourceOf(8_453, (method) => {
      const head = chain.at(2);
      if (method !== 'eth_getBlockByNumber' || head === undefined) return undefined;
      return { result: { ...headerOf(head), extraData, blobGasUsed } };
    });
    return [(await source.head()).stated, chain.at(2)?.gasUsed] as const;
  };

  it('states denominator, elasticity and floor since Jovian, where the data footprint may move the base fee', async () => {
    const [base, gasUsed] = await stated('0x01000000640000000500000000004c4b40');
    expect(base).toEqual({ denominator: 100, elasticity: 5, minBaseFee: 5_000_000n, meteredGas: gasUsed });
    const [op] = await stated('0x01000000fa000000020000000000000000', '0x77359400');
    expect(op).toEqual({ denominator: 250, elasticity: 2, minBaseFee: 0n, meteredGas: 2_000_000_000n });
  });

  it('states denominator and elasticity since Holocene, and nothing where it is none of these', async () => {
    const [holocene, gasUsed] = await stated('0x00000000fa00000006');
    expect(holocene).toEqual({ denominator: 250, elasticity: 6, meteredGas: gasUsed });
    for (const other of [
      '0x',
      '0x000000000000000000',
      '0x4d616465206f6e20',
      '0x02000000fa000000060000000000000000',
    ]) {
      expect((await stated(other))[0]).toBeUndefined();
    }
  });
});
