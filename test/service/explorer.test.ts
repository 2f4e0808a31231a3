import { expect, test } from 'vitest';
import { ChainError } from '../../src/chain/chain-source.ts';
import { GasCurrent } from '../../src/contract/gas.ts';
import { BlockMetrics, TxMetrics, TxsMetrics } from '../../src/contract/metrics.ts';
import { PATHS } from '../../src/contract/routes.ts';
import { blockTips } from '../../src/core/block.ts';
import { ETHEREUM_FEE_RULE, nextBaseFee, type StatedFeeRule } from '../../src/core/eip1559.ts';
import { blockGasCases, tipCases } from '../core/support/amsterdam.ts';
import { BLOCK_ZERO_TIME, blockHash, makeBlock, makeBlocks } from '../helpers/chain-blocks.ts';
import { fixedPrice } from '../helpers/fixed-price.ts';
import { makeIncluded, transactionHash } from '../helpers/made-transactions.ts';
import { ScriptedSource } from '../helpers/scripted-source.ts';
import { type RunningService, readyService, refused, shareService } from '../helpers/service.ts';
import { waitFor } from '../helpers/wait-for.ts';

const HEAD = 999;
const GWEI = 1_000_000_000n;
const LARGEST = 2n ** 256n - 1n;
const DEAR_PRICE = 2n ** 60n + 1n;
const [ALONE, TIED, COSTLY, DEAR] = [HEAD - 119, HEAD - 118, HEAD - 117, HEAD - 116];

/** Three transactions in each of the newest 120 blocks, tipping 1, 2 and 3 gwei. */
function chainWithTransactions(): ScriptedSource {
  const source = new ScriptedSource(makeBlocks(HEAD - 119, HEAD));
  for (const block of makeBlocks(HEAD - 119, HEAD)) {
    const tips = [GWEI, 3n * GWEI, 2n * GWEI];
    source.transactions.set(
      block.number,
      tips.map((tip, index) =>
        makeIncluded(block, index, {
          transaction: { maxPriorityFeePerGas: tip, maxFeePerGas: 100n * GWEI, data: '0xA9059cbb00' },
        }),
      ),
    );
  }
  return source;
}

const unchanged = shareService(async (run) => {
  const source = chainWithTransactions();
  source.headers.set(990, { blobGasUsed: 393_216n, excessBlobGas: 131_072n });
  const [alone, tied, costly, dear] = makeBlocks(ALONE, DEAR);
  if (!alone || !tied || !costly || !dear) throw new Error('four blocks');
  source.transactions.set(ALONE, [makeIncluded(alone, 0)]);
  const same = [0, 1, 2].map((index) => makeIncluded(tied, index));
  source.transactions.set(TIED, same);
  source.transactions.set(COSTLY, [
    makeIncluded(costly, 0, {
      transaction: { type: 3, blobCount: 2, maxFeePerBlobGas: 7n, to: null },
      receipt: { status: 'reverted', blobFee: 262_144n * 5n, dataFee: 11n },
    }),
  ]);
  source.transactions.set(DEAR, [
    makeIncluded(dear, 0, {
      transaction: { maxFeePerGas: LARGEST, maxPriorityFeePerGas: LARGEST, value: LARGEST },
      receipt: { effectiveGasPrice: DEAR_PRICE },
    }),
  ]);
  const service = await run({ source, historySec: 3_600, priceFeed: fixedPrice(2_000) });
  await service.ready;
  return service;
});

async function following(source: ScriptedSource, historySec = 3_600): Promise<RunningService> {
  return readyService({ source, historySec, priceFeed: fixedPrice(2_000) });
}

const blockAt = (number: number | string) => PATHS.block.replace('{number}', String(number));
const txAt = (hash: string) => PATHS.tx.replace('{hash}', hash);
const iso = (number: number) => new Date((BLOCK_ZERO_TIME + number * 12) * 1_000).toISOString();

async function readBlock(service: RunningService, number: number | string): Promise<BlockMetrics> {
  return BlockMetrics.parse(await service.read(blockAt(number)));
}

async function readTxs(service: RunningService, query = ''): Promise<TxsMetrics> {
  return TxsMetrics.parse(await service.read(`${PATHS.txs}${query}`));
}

test('what blobs burnt is unknown without their fee', async () => {
  const blocks = makeBlocks(900, HEAD).map((block) => ({
    ...block,
    blobBaseFee: null,
    nextBlobBaseFee: null,
  }));
  const told = async (chainId: number) => {
    const source = new ScriptedSource(blocks, { chainId });
    source.headers.set(990, { blobGasUsed: 15n * 131_072n, excessBlobGas: 20_000_000n });
    return readBlock(await following(source), 990);
  };
  expect(await told(1)).toMatchObject({ blobBaseFee: null, nextBlobBaseFee: null, burntWei: null });
});

test('since Amsterdam what a block burnt is of its receipts, and how full it is of its header', async () => {
  const cases = blockGasCases();
  const first = HEAD - cases.length + 1;
  const blocks = makeBlocks(HEAD - 119, HEAD).map((block) => {
    const own = cases[block.number - first];
    return own === undefined
      ? block
      : {
          ...block,
          ...{ baseFeePerGas: BigInt(own.baseFeePerGas), gasUsed: BigInt(own.headerGasUsed) },
          ...{ gasLimit: BigInt(own.gasLimit), gasUsedRatio: own.headerGasUsed / own.gasLimit },
        };
  });
  const source = new ScriptedSource(blocks);
  for (const [place, { receipts }] of cases.entries()) {
    const block = blocks.find(({ number }) => number === first + place) ?? expect.fail('no block');
    source.headers.set(block.number, { blockAccessListHash: blockHash(1), slotNumber: 7_000 + place });
    source.transactions.set(
      block.number,
      receipts.map(({ gasUsed }, index) =>
        makeIncluded(block, index, { receipt: { gasUsed: BigInt(gasUsed) } }),
      ),
    );
  }
  const service = await following(source);
  for (const [place, own] of cases.entries()) {
    const told = await readBlock(service, first + place);
    expect({ id: own.id, ...told }).toMatchObject({
      id: own.id,
      slotNumber: 7_000 + place,
      gasUsed: own.headerGasUsed,
      gasPaid: own.sumOfReceipts,
      gasUsedRatio: expect.closeTo(own.headerGasUsed / own.gasLimit, 9),
      burntWei: own.burntWei,
    });
    expect(
      nextBaseFee(
        {
          baseFeePerGas: BigInt(own.baseFeePerGas),
          gasUsed: BigInt(own.headerGasUsed),
          gasLimit: BigInt(own.gasLimit),
        },
        ETHEREUM_FEE_RULE,
      ),
    ).toBe(BigInt(own.nextBaseFeePerGas));
  }
});

test('since Amsterdam the tips of a block are weighed by its receipts, whatever the node weighs them by', async () => {
  const cases = tipCases();
  const first = HEAD - cases.length + 1;
  const blocks = makeBlocks(HEAD - 119, HEAD).map((block) => {
    const own = cases[block.number - first];
    if (own === undefined) return block;
    const tips = blockTips(own.rewardByHeader.map(BigInt));
    return { ...block, tips, gasUsed: BigInt(own.headerGasUsed) };
  });
  const source = new ScriptedSource(blocks);
  for (const [place, { transactions }] of cases.entries()) {
    const block = blocks.find(({ number }) => number === first + place) ?? expect.fail('no block');
    source.headers.set(block.number, { blockAccessListHash: blockHash(1) });
    source.transactions.set(
      block.number,
      transactions.map(({ gasUsed, tip }, index) => {
        const effectiveGasPrice = block.baseFeePerGas + BigInt(tip);
        return makeIncluded(block, index, { receipt: { gasUsed: BigInt(gasUsed), effectiveGasPrice } });
      }),
    );
  }
  const service = await following(source);
  for (const [place, own] of cases.entries()) {
    const { tips } = await readBlock(service, first + place);
    expect([own.id, ...Object.values(tips ?? {})]).toEqual([own.id, ...own.rewardByReceipts]);
  }
});

const OP_HEADER = { denominator: 250, elasticity: 6, meteredGas: 0n };

test.each<
  [chain: string, chainId: number, stated: StatedFeeRule | null, hasBlobs: boolean, burnt: boolean | null]
>([
  ['Ethereum', 1, null, true, true],
  ['OP Mainnet', 10, OP_HEADER, false, false],
  ['Base', 8_453, null, false, false],
  ['an OP-stack chain that is not known by name', 4_444_444, OP_HEADER, false, false],
  ['a chain that is not known by name', 4_444_444, null, true, true],
  ['Gnosis', 100, null, true, false],
  ['Polygon', 137, null, false, true],
  ['Arbitrum One', 42_161, null, false, false],
  ['Celo', 42_220, null, false, null],
])(
  'of a block of %s (%i), what it burns and whether it has blobs is told as it is there',
  async (_, chainId, stated, hasBlobs, isBurnt) => {
    const source = new ScriptedSource(makeBlocks(900, HEAD), { chainId });
    source.headers.set(990, {
      ...{ blobGasUsed: 0n, excessBlobGas: 20_000_000n },
      ...(stated && { stated }),
    });
    const service = await following(source);
    const { baseFeePerGas, gasUsed } = makeBlock(990);
    const burntWei = isBurnt === null ? null : String(isBurnt ? baseFeePerGas * (gasUsed ?? 0n) : 0n);
    const { blobBaseFee, nextBlobBaseFee, blobGasUsed, excessBlobGas, ...told } = await readBlock(
      service,
      990,
    );
    expect(told).toMatchObject({ burntWei });
    for (const each of [blobBaseFee, nextBlobBaseFee, blobGasUsed, excessBlobGas])
      expect(each === null).toBe(!hasBlobs);
    const { blobBasePrice } = GasCurrent.parse(await service.read(PATHS.gasCurrent));
    if (chainId !== 4_444_444) expect(blobBasePrice === null).toBe(!hasBlobs);
  },
);

test('latest is the head, and the fee after it is the one that gas/current names', async () => {
  const service = unchanged();
  const latest = await readBlock(service, 'latest');
  expect(latest).toMatchObject({ blockNumber: HEAD, confirmations: 1 });
  const current = (await service.read(PATHS.gasCurrent)) as { nextBasePrice: number };
  expect(latest.nextBaseFeePerGas).toBe(current.nextBasePrice);
});

test('a price that its receipt does not state is computed; of a fee in another coin none is known in wei', async () => {
  const source = new ScriptedSource(makeBlocks(0, HEAD));
  const block = makeBlock(500);
  const feeCurrency = '0x765de816845861e75a25fca122bb6898b8b1282a';
  const receipt = { effectiveGasPrice: null };
  const legacy = { type: 0, gasPrice: block.baseFeePerGas + 3n * GWEI, maxFeePerGas: null } as const;
  const other = { type: 0x7b, feeCurrency, maxFeePerGas: null, maxPriorityFeePerGas: null } as const;
  const all = [
    makeIncluded(block, 0),
    makeIncluded(block, 1, { receipt }),
    makeIncluded(block, 2, { receipt, transaction: { ...legacy, maxPriorityFeePerGas: null } }),
    makeIncluded(block, 3, { receipt: { effectiveGasPrice: 7n }, transaction: other }),
  ];
  source.transactions.set(500, all);
  const service = await following(source);
  const read = async (index: number) =>
    TxMetrics.parse(await service.read(txAt(transactionHash(500, index))));
  const tips = (await Promise.all([0, 1, 2, 3].map(read))).map(({ priorityFeePerGas, costWei, tipRank }) => ({
    ...{ priorityFeePerGas, costWei, tipRank },
  }));
  const paid = (tip: bigint) => String(21_000n * (block.baseFeePerGas + tip));
  expect(tips).toEqual([
    { priorityFeePerGas: 1e9, costWei: paid(GWEI), tipRank: expect.any(Number) },
    { priorityFeePerGas: 1e9, costWei: paid(GWEI), tipRank: expect.any(Number) },
    { priorityFeePerGas: 3e9, costWei: paid(3n * GWEI), tipRank: expect.any(Number) },
    { priorityFeePerGas: null, costWei: null, tipRank: null },
  ]);
  expect(await read(3)).toMatchObject({ feeCurrency, effectiveGasPrice: null, costUsd: null });
  expect((await read(0)).feeCurrency).toBeNull();
});

test('what only completes an answer holds it up for two seconds at most', async () => {
  const source = new ScriptedSource(makeBlocks(0, HEAD).map((block) => ({ ...block, tips: null })));
  const included = makeIncluded(makeBlock(500), 0);
  source.transactions.set(500, [included, makeIncluded(makeBlock(500), 1)]);
  const service = await following(source);
  const read = source.transactionsOf.bind(source);
  const slow = Promise.withResolvers<void>();
  const blocks = source.blocks.bind(source);
  source.transactionsOf = async (block) => {
    await slow.promise;
    return read(block);
  };
  source.blocks = (from, to) => (from === 500 ? new Promise<never>(() => {}) : blocks(from, to));
  const [told, tx] = await Promise.all([
    readBlock(service, 500),
    service.read(txAt(included.transaction.hash)).then((body) => TxMetrics.parse(body)),
  ]);
  expect(told).toMatchObject({ blockNumber: 500, tips: null, transactionCount: 2 });
  expect(tx).toMatchObject({ status: 'SUCCESS', blockTransactionCount: 2, tipRank: null });
  slow.resolve();
  await waitFor(() => source.asked.transactionsOf === 1);
  expect(TxMetrics.parse(await service.read(txAt(included.transaction.hash))).tipRank).toBe(0.5);
  expect(source.asked.transactionsOf).toBe(1);
});

test('a block that the node has pruned is told from the store; one that nobody has is not found', async () => {
  const source = new ScriptedSource(makeBlocks(0, HEAD));
  const service = await following(source, 86_400);
  await waitFor(async () => {
    const response = await service.get(`${PATHS.baseFee}?from=${iso(0)}&bucket=block&size=1`);
    return response.ok && ((await response.json()) as { total: number }).total === HEAD + 1;
  });
  source.pastBegins = 900;
  const stored = {
    hash: blockHash(10),
    baseFeePerGas: Number(makeBlock(10).baseFeePerGas),
    nextBaseFeePerGas: Number(makeBlock(11).baseFeePerGas),
    transactionCount: null,
    feeRecipient: null,
  };
  expect(await readBlock(service, 10)).toMatchObject(stored);
  // Some nodes refuse to speak of what they have pruned.
  const block = source.block.bind(source);
  source.block = async () => {
    throw new ChainError('pruned', 'pruned history unavailable');
  };
  expect(await readBlock(service, 10)).toMatchObject(stored);
  // Any other refusal says nothing of the block: it may be over in a moment.
  source.block = async () => {
    throw new ChainError('rejected', 'database is busy');
  };
  for (const number of [10, HEAD + 1]) {
    expect((await refused(await service.get(blockAt(number)), 503)).message).toContain('database is busy');
  }
  source.block = block;
  const ahead = await refused(await service.get(blockAt(HEAD + 1)), 404);
  expect(ahead).toMatchObject({ errorCode: 'not_found' });
  expect(ahead.message).toContain(`the head is block ${HEAD}`);
});

test('a block before everything that is stored is refused with where history begins', async () => {
  const source = new ScriptedSource(makeBlocks(500, HEAD));
  source.pastBegins = 500;
  const service = await following(source);
  const body = await refused(await service.get(blockAt(3)), 404);
  expect(body.message).toMatch(/block 3, and stored history begins at block (5|6|7)\d\d/);
});

test('a recording tells blocks from their fees and says of transactions that it holds none', async () => {
  const service = await following(new ScriptedSource(makeBlocks(900, HEAD), { kind: 'replay' }));
  const block = makeBlock(990);
  expect(await readBlock(service, 990)).toMatchObject({
    blockNumber: 990,
    baseFeePerGas: Number(block.baseFeePerGas),
    nextBaseFeePerGas: Number(makeBlock(991).baseFeePerGas),
    gasUsedRatio: block.gasUsedRatio,
    gasUsed: Number(block.gasUsed),
    transactionCount: null,
    blobGasUsed: null,
    burntWei: null,
    feeRecipient: null,
  });
  for (const path of [txAt(transactionHash(990, 0)), PATHS.txs]) {
    expect((await refused(await service.get(path), 404)).message).toMatch(/holds no transactions.*--rpc/);
  }
});

test('without a stored child the next base fee is the node’s own, and by the rule where it says none', async () => {
  const source = new ScriptedSource(
    makeBlocks(0, HEAD).map((block) => ({
      ...block,
      nextBaseFee: makeBlock(block.number + 1).baseFeePerGas,
    })),
  );
  const service = await following(source);
  expect((await readBlock(service, 500)).nextBaseFeePerGas).toBe(Number(makeBlock(501).baseFeePerGas));
  // The node has it, the service has not heard of it yet.
  const ahead = makeBlock(HEAD + 1, { gasUsed: 20_000_000n, gasLimit: 30_000_000n });
  source.jump(ahead);
  const { baseFeePerGas } = ahead;
  expect(await readBlock(service, HEAD + 1)).toMatchObject({
    confirmations: 1,
    nextBaseFeePerGas: Number(
      nextBaseFee({ baseFeePerGas, gasUsed: 20_000_000n, gasLimit: 30_000_000n }, ETHEREUM_FEE_RULE),
    ),
  });
});

test('blobs and a rollup’s data fee are part of the cost; a failed one is told as reverted', async () => {
  const tx = TxMetrics.parse(await unchanged().read(txAt(transactionHash(COSTLY, 0))));
  expect(tx).toMatchObject({
    status: 'REVERTED',
    type: 3,
    to: null,
    selector: null,
    blobCount: 2,
    maxFeePerBlobGas: 7,
    costWei: String(21_000n * (makeBlock(COSTLY).baseFeePerGas + GWEI) + 262_144n * 5n + 11n),
  });
});

test('a price beyond what a JSON number holds is null, amounts stay exact', async () => {
  expect(TxMetrics.parse(await unchanged().read(txAt(transactionHash(DEAR, 0))))).toMatchObject({
    maxFeePerGas: null,
    effectiveGasPrice: null,
    value: String(LARGEST),
    costWei: String(21_000n * DEAR_PRICE),
  });
});

test('transactions come newest first, in pages that join to the whole window, which is asked for by its echo', async () => {
  const service = unchanged();
  const first = await readTxs(service, '?size=70');
  expect(first).toMatchObject({
    chainId: 1,
    bucket: 'block',
    from: iso(HEAD - 99),
    page: 0,
    size: 70,
    total: 300,
  });
  const rows = [...first.data];
  for (let page = 1; page < 5; page += 1) {
    const next = await readTxs(service, `?from=${first.from}&to=${first.to}&size=70&page=${page}`);
    expect(next).toMatchObject({ from: first.from, to: first.to, total: 300, page });
    rows.push(...next.data);
  }
  const expected = makeBlocks(HEAD - 99, HEAD).flatMap(({ number }) =>
    [0, 1, 2].map((index) => transactionHash(number, index)),
  );
  expect(rows.map((row) => row.hash)).toEqual(expected.toReversed());
  expect(rows[0]).toEqual({
    timestamp: iso(HEAD),
    blockNumber: HEAD,
    transactionIndex: 2,
    hash: transactionHash(HEAD, 2),
    status: 'SUCCESS',
    type: 2,
    from: '0x00000000000000000000000000000000000000aa',
    to: '0x00000000000000000000000000000000000000bb',
    value: '1000000000000000',
    gasUsed: 21_000,
    effectiveGasPrice: Number(makeBlock(HEAD).baseFeePerGas + 2n * GWEI),
    priorityFeePerGas: 2e9,
    costWei: String(21_000n * (makeBlock(HEAD).baseFeePerGas + 2n * GWEI)),
  });
});

test('a page asks for the transactions of its own blocks only; what was asked for once is not asked for again', async () => {
  const source = chainWithTransactions();
  const service = await following(source);
  await readTxs(service, '?size=6&page=3');
  expect(source.asked).toMatchObject({ block: 100, transactionsOf: 2 });
  await Promise.all([readTxs(service, '?size=7&page=2'), readTxs(service, '?size=7&page=2')]);
  expect(source.asked).toMatchObject({ block: 100, transactionsOf: 4 });
});

test('of a window of more than 100 blocks the newest 100 are told, and where they begin', async () => {
  const service = unchanged();
  const whole = await readTxs(service, `?from=${iso(HEAD - 99)}`);
  expect(whole.total).toBe(300);
  expect(await readTxs(service, `?from=${iso(HEAD - 400)}`)).toEqual(whole);
  const part = await readTxs(service, `?from=${iso(950)}&to=${iso(951)}`);
  expect(part).toMatchObject({ total: 6, from: iso(950), to: iso(951) });
  const empty = await readTxs(
    service,
    `?from=${new Date(Date.parse(iso(950)) + 1_000).toISOString()}&to=${new Date(Date.parse(iso(950)) + 9_000).toISOString()}`,
  );
  expect(empty).toMatchObject({ total: 0, data: [] });
});

test.each([30, -30])('with a store %d s off, the chain’s times say what a window holds', async (offSec) => {
  const service = await following(chainWithGuessedTimes(960, offSec));
  for (const [first, last] of [
    [930, 939],
    [931, 940],
    [955, 965],
  ] as const) {
    const { data, total } = await readTxs(service, `?from=${iso(first)}&to=${iso(last)}&size=500`);
    expect(total).toBe(3 * (last - first + 1));
    expect([data.at(-1)?.blockNumber, data[0]?.blockNumber]).toEqual([first, last]);
    expect(data[0]?.timestamp).toBe(iso(last));
  }
});

/** As from a deep page of fees: blocks up to `last` have no hashes, and their times are guessed, `offSec` off. */
function chainWithGuessedTimes(last: number, offSec: number): ScriptedSource {
  const source = chainWithTransactions();
  const whole = source.blocks.bind(source);
  source.blocks = async (from, to) =>
    (await whole(from, to)).map((block) =>
      block.number > last
        ? block
        : { ...block, hash: null, parentHash: null, timestamp: block.timestamp + offSec },
    );
  return source;
}

test('where the store is far off the end of a window is found in a few requests', async () => {
  const source = chainWithGuessedTimes(990, -1_800);
  const service = await following(source);
  const { total, data } = await readTxs(service, `?from=${iso(935)}&to=${iso(939)}`);
  expect([total, data[0]?.blockNumber]).toEqual([15, 939]);
  // The window's blocks are at most 101 more.
  expect(source.asked.block).toBeLessThan(101 + 20);
});

test('a transaction waits in the pool, is included, and is gone with the block that a reorg takes away', async () => {
  const source = new ScriptedSource(makeBlocks(900, HEAD));
  const service = await following(source);
  const block = makeBlock(HEAD + 1);
  const included = makeIncluded(block, 0);
  const path = txAt(included.transaction.hash);
  const read = async () => TxMetrics.parse(await service.read(path));
  source.pool.push({ ...included.transaction, blockNumber: null, blockHash: null });
  expect(await read()).toMatchObject({
    status: 'PENDING',
    blockNumber: null,
    confirmations: 0,
    costWei: null,
  });
  source.pool.pop();
  source.transactions.set(HEAD + 1, [included]);
  source.mine(block);
  const told = { status: 'SUCCESS', blockNumber: HEAD + 1, confirmations: 1, tipRank: null };
  await waitFor(async () => (await service.current()).blockNumber === HEAD + 1);
  expect(await read()).toMatchObject(told);
  source.reorg(HEAD, [makeBlock(HEAD + 1, { hash: blockHash(HEAD + 1, 1) })]);
  await waitFor(async () => (await service.get(path)).status === 404);
  expect(await refused(await service.get(path), 404)).toMatchObject({ errorCode: 'not_found' });
});

test('after a reorg a window holds the transactions that are now in it', async () => {
  const source = chainWithTransactions();
  const service = await following(source);
  await readTxs(service);
  const replaced = makeBlock(HEAD, { hash: blockHash(HEAD, 1) });
  source.reorg(HEAD - 1, [replaced]);
  const only = makeIncluded(replaced, 9);
  source.transactions.set(HEAD, [only]);
  await waitFor(async () => (await readTxs(service)).data[0]?.hash === only.transaction.hash);
  expect((await readTxs(service)).total).toBe(298);
});

test('a block that a started-over node lacks is a matter of the node while that is away, not of a reorg', async () => {
  const source = chainWithTransactions();
  const service = await following(source);
  // It answers again, from a chain of its own, before it is followed again.
  source.pastBegins = HEAD + 1;
  const newest = `${PATHS.txs}?from=${iso(990)}`;
  expect((await refused(await service.get(newest), 503)).message).toMatch(
    /^block \d+ is being replaced by another/,
  );
  source.emit({ type: 'down', reason: '127.0.0.1:8545 cannot be reached', retryAt: Date.now() + 60_000 });
  await waitFor(() => service.condition().failure !== null);
  for (const path of [newest, PATHS.txs]) {
    expect((await refused(await service.get(path), 503)).message).toMatch(
      /^block \d+ cannot be read now: 127\.0\.0\.1:8545 cannot be reached$/,
    );
  }
});
