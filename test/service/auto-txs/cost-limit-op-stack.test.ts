import type { PrivateKeyAccount } from 'viem/accounts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { AutoTxDetails } from '../../../src/contract/auto-txs.ts';
import { PATHS } from '../../../src/contract/routes.ts';
import type { Hex } from '../../../src/core/block.ts';
import { chainProfile } from '../../../src/core/chains.ts';
import { type Anvil, startAnvil } from '../../helpers/anvil.ts';
import { type AutoTxRig, fund, sign, startRig } from '../../helpers/auto-tx-rig.ts';
import { L1_VALUES, type L1Values, putPredeploys, setL1Values } from '../../helpers/op-stack.ts';
import { feedCode } from '../../helpers/price-feed.ts';
import { waitFor } from '../../helpers/wait-for.ts';

const COIN_USD = 2_500;
/** $0.05 of it. */
const LIMIT_WEI = 20_000_000_000_000n;
const TIP = 1_000_000n;
/** About a cent for a transfer. */
const DEAR_L1: L1Values = { ...L1_VALUES, baseFee: 500_000_000_000n };

/**
 * The chain's own feed, its own oracle, and its own base fees, which fall by a 250th with each empty block. What anvil took for
 * L1 its receipts leave out: the balance tells.
 */
describe('at most $0.05 in all on an OP-stack chain', () => {
  let anvil: Anvil;
  let rig: AutoTxRig;

  beforeAll(async () => {
    anvil = await startAnvil({ chainId: 10, noMining: true, args: ['--network', 'optimism'] });
    await putPredeploys(anvil, 'isthmus');
    const answer = BigInt(COIN_USD) * 10n ** 8n;
    const code = feedCode(answer, Math.floor(Date.now() / 1_000));
    await anvil.rpc('anvil_setCode', [chainProfile(10).usdFeed?.address, code]);
    await setL1(DEAR_L1);
    rig = await startRig({ urls: [anvil.url], hasOwnFeed: true });
    await waitFor(async () => (await current()).nativeUsd === COIN_USD, { what: 'the price of the feed' });
  });
  afterAll(async () => {
    await rig?.stop();
    await anvil?.stop();
  });

  interface Current {
    readonly blockNumber: number;
    readonly nextBasePrice: number;
    readonly nativeUsd: number | null;
  }
  const current = async () => (await rig.service.read(PATHS.gasCurrent)) as Current;

  async function setL1(values: L1Values): Promise<void> {
    await anvil.rpc('evm_setAutomine', [true]);
    await setL1Values(anvil, values, 'isthmus');
    await anvil.rpc('evm_setAutomine', [false]);
  }

  async function place(account: PrivateKeyAccount, signing: object, body: object): Promise<AutoTxDetails> {
    const signedTransaction = await sign(account, { chainId: 10, ...signing });
    const response = await rig.service.ask(PATHS.autoTxs, {
      method: 'POST',
      body: { signedTransaction, ...body },
    });
    const answer: unknown = await response.json();
    expect(response.status, JSON.stringify(answer)).toBe(201);
    return AutoTxDetails.parse(answer);
  }
  const read = async (id: string) =>
    AutoTxDetails.parse(await rig.service.read(PATHS.autoTx.replace('{id}', id)));

  const balanceOf = async (address: Hex) =>
    BigInt(String(await anvil.rpc('eth_getBalance', [address, 'latest'])));
  const baseFeeOf = async (block: number) => {
    const header = await anvil.rpc('eth_getBlockByNumber', [`0x${block.toString(16)}`, false]);
    return BigInt((header as { baseFeePerGas: Hex }).baseFeePerGas);
  };
  async function mine(): Promise<Current> {
    await anvil.mine();
    const head = Number(await anvil.rpc('eth_blockNumber'));
    await rig.seen(head);
    return current();
  }

  it('goes out in the first block whose receipt shows that it did cost so, L1 included', async () => {
    const account = await fund(anvil);
    const signing = { value: 5n, maxFeePerGas: 10n ** 11n, maxPriorityFeePerGas: TIP };
    await mine();
    const made = await place(account, signing, { threshold: { maxCostUsd: 0.05 } });
    expect(made).toMatchObject({
      threshold: { maxCostUsd: 0.05 },
      thresholdReason: null,
      strictTargetPrice: true,
    });
    const price = Math.round((made.effectiveThresholdGwei ?? 0) * 1e9);
    const l1 = LIMIT_WEI - 21_000n * BigInt(price);
    expect(Number(l1)).toBeGreaterThan(3e12);
    const before = await balanceOf(account.address);

    // Three blocks above it, and on from there.
    await anvil.setNextBaseFee(BigInt(Math.round(price * 1.013)));
    const began = (await mine()).blockNumber;
    for (let head = await current(); ; head = await mine()) {
      const willCost = 21_000n * (BigInt(head.nextBasePrice) + TIP) + l1;
      if (willCost > LIMIT_WEI) continue;
      await rig.sent(made.id);
      await mine();
      break;
    }
    await rig.mined(made.id);
    const { inclusion } = (await rig.kept(made.id)).state;
    const block = inclusion?.blockNumber ?? 0;
    const paid = before - (await balanceOf(account.address)) - 5n;
    expect(paid).toBeLessThanOrEqual(LIMIT_WEI);
    const l1Paid = paid - 21_000n * (inclusion?.effectiveGasPrice ?? 0n);
    expect(Number(l1Paid)).toBeGreaterThan(3e12);
    expect(block - began).toBeGreaterThan(2);
    for (let earlier = began; earlier < block; earlier += 1) {
      const cost = 21_000n * ((await baseFeeOf(earlier)) + TIP) + l1Paid;
      expect(cost, `block ${earlier} of ${began} to ${block}`).toBeGreaterThan(LIMIT_WEI);
    }
  });

  it('waits with a fixed gas price until L1 is cheap enough, and follows L1 as that doubles', async () => {
    const account = await fund(anvil);
    // It pays 0.8 gwei in any block: $0.042, and L1.
    await anvil.setNextBaseFee(500_000_000n);
    await mine();
    const signing = {
      type: 'legacy',
      gasPrice: 800_000_000n,
      maxFeePerGas: undefined,
      maxPriorityFeePerGas: undefined,
    };
    const made = await place(account, signing, { threshold: { maxCostUsd: 0.05 } });
    expect(made.type).toBe(0);
    const l1At = async () => LIMIT_WEI - 21_000n * (await rig.kept(made.id)).order.target;
    const once = await l1At();
    await setL1({ ...DEAR_L1, baseFee: DEAR_L1.baseFee * 2n });
    await mine();
    await waitFor(async () => Math.abs(Number(await l1At()) / Number(2n * once) - 1) < 0.001, {
      what: 'twice L1',
    });
    expect((await read(made.id)).status).toBe('PENDING');
    const before = await balanceOf(account.address);
    await setL1(L1_VALUES);
    await mine();
    await rig.sent(made.id);
    await mine();
    await rig.mined(made.id);
    const paid = before - (await balanceOf(account.address)) - 1n;
    expect(paid).toBeGreaterThan(16_800_000_000_000n);
    expect(paid).toBeLessThanOrEqual(LIMIT_WEI);
    expect(rig.errors).toEqual([]);
  });
});
