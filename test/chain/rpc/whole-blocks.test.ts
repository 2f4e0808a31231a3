import { createHash } from 'node:crypto';
import { privateKeyToAccount } from 'viem/accounts';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ChainBlock, IncludedTransaction } from '../../../src/chain/chain-source.ts';
import { createRpcSource, type RpcSource } from '../../../src/chain/rpc-source.ts';
import type { Hex } from '../../../src/core/block.ts';
import { type Anvil, startAnvil } from '../../helpers/anvil.ts';

type Raw = Record<string, string | null>;

/** The first of anvil's own accounts, whose key it prints at every start. */
const signer = privateKeyToAccount('0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80');
const RECEIVER = '0x00000000000000000000000000000000000000bb';
/** Init code that ends at once: a contract without code. And one that reverts whatever it is called with. */
const EMPTY_CONTRACT = '0x00';
const REVERTING_CONTRACT = '0x6005600c60003960056000f360006000fd';
/** A blob of zeros is committed to by the point at infinity, and proven by it. */
const INFINITY: Hex = `0x${'c0'.padEnd(96, '0')}`;
const ZERO_BLOB: Hex = `0x${'00'.repeat(131_072)}`;
const ZERO_BLOB_HASH: Hex = `0x01${createHash('sha256').update(INFINITY.slice(2), 'hex').digest('hex').slice(2)}`;

const GWEI = 1_000_000_000n;
const hex = (value: number | bigint): Hex => `0x${value.toString(16)}`;

let anvil: Anvil;
let source: RpcSource;
let mined: { block: ChainBlock; included: readonly IncludedTransaction[] };

beforeAll(async () => {
  anvil = await startAnvil({
    noMining: true,
    baseFee: 1_000_000_000,
    args: ['--hardfork', 'cancun', '--order', 'fifo'],
  });
  source = createRpcSource({ urls: [anvil.url], requestTimeoutMs: 60_000 });
  await anvil.rpc('anvil_setCoinbase', ['0x00000000000000000000000000000000000000fe']);
  const [from] = await anvil.accounts();
  const send = (transaction: object) => anvil.rpc('eth_sendTransaction', [{ from, ...transaction }]);
  await send({ data: REVERTING_CONTRACT, gas: hex(200_000) });
  await anvil.mine();
  const deployed = (await source.block(1))?.transactionHashes[0] ?? '0x';
  const { contractAddress } = (await anvil.rpc('eth_getTransactionReceipt', [deployed])) as Raw;

  await send({ to: RECEIVER, value: '0x1', gas: hex(21_000), gasPrice: hex(5n * GWEI) });
  await send({
    to: RECEIVER,
    value: hex(10n ** 18n),
    gas: hex(21_000),
    maxFeePerGas: hex(9n * GWEI),
    maxPriorityFeePerGas: hex(2n * GWEI),
  });
  await send({
    to: contractAddress,
    data: '0xdeadbeef',
    gas: hex(60_000),
    maxFeePerGas: hex(3n * GWEI),
    maxPriorityFeePerGas: hex(3n * GWEI),
  });
  await send({ data: EMPTY_CONTRACT, gas: hex(100_000), gasPrice: hex(4n * GWEI) });
  const signed = await signer.signTransaction({
    type: 'eip4844',
    chainId: 31_337,
    nonce: 5,
    to: RECEIVER,
    gas: 21_000n,
    maxFeePerGas: 9n * GWEI,
    maxPriorityFeePerGas: GWEI,
    maxFeePerBlobGas: 7n,
    blobVersionedHashes: [ZERO_BLOB_HASH, ZERO_BLOB_HASH],
    sidecars: [
      { blob: ZERO_BLOB, commitment: INFINITY, proof: INFINITY },
      { blob: ZERO_BLOB, commitment: INFINITY, proof: INFINITY },
    ],
  });
  await source.sendRawTransaction(signed);
  await anvil.mine();

  const block = await source.block(2);
  const included = block && (await source.transactionsOf(block));
  if (!block || !included) throw new Error('the node has no block 2');
  mined = { block, included };
});

afterAll(async () => {
  source.close();
  await anvil.stop();
});

describe('a block of a real node', () => {
  test('tells legacy, fee-market, reverted, creating and blob transactions apart', () => {
    const { baseFeePerGas } = mined.block;
    const seen = mined.included.map(({ transaction, receipt }) => ({
      type: transaction.type,
      status: receipt.status,
      creates: transaction.to === null,
      tip: receipt.effectiveGasPrice - baseFeePerGas,
      blobFee: receipt.blobFee,
    }));
    const plain = { status: 'success', creates: false, blobFee: 0n };
    expect(seen).toEqual([
      { ...plain, type: 0, tip: 5n * GWEI - baseFeePerGas },
      { ...plain, type: 2, tip: 2n * GWEI },
      { ...plain, type: 2, status: 'reverted', tip: 3n * GWEI - baseFeePerGas },
      { ...plain, type: 0, creates: true, tip: 4n * GWEI - baseFeePerGas },
      { ...plain, type: 3, tip: GWEI, blobFee: 2n * 131_072n },
    ]);
  });

  test('that is empty has no transactions; one that is not there yet is null', async () => {
    const genesis = await source.block(0);
    expect(genesis?.transactionHashes).toEqual([]);
    expect(genesis && (await source.transactionsOf(genesis))).toEqual([]);
    expect(await source.block(1_000_000)).toBeNull();
    expect(await source.transactionsOf({ number: 1_000_000, hash: mined.block.hash })).toBeNull();
  });

  test('that was reorganised away has no transactions any more, not those of the block in its place', async () => {
    await anvil.reorg(1);
    const replaced = await source.block(2);
    expect(replaced?.hash).not.toBe(mined.block.hash);
    expect(await source.transactionsOf(mined.block)).toBeNull();
    expect(replaced && (await source.transactionsOf(replaced))).toHaveLength(
      replaced?.transactionHashes.length ?? -1,
    );
  });
});
