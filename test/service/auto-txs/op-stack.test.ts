import type { PrivateKeyAccount } from 'viem/accounts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { AutoTxAccount, AutoTxDetails } from '../../../src/contract/auto-txs.ts';
import { StatsMarket } from '../../../src/contract/dashboard.ts';
import { GasEstimate } from '../../../src/contract/estimate.ts';
import { PATHS } from '../../../src/contract/routes.ts';
import type { Hex } from '../../../src/core/block.ts';
import { dataFee } from '../../../src/core/data-fee.ts';
import { decodeTransaction } from '../../../src/core/transactions/decode-transaction.ts';
import { type Anvil, startAnvil } from '../../helpers/anvil.ts';
import { type AutoTxRig, fund, type Signing, setBalance, sign, startRig } from '../../helpers/auto-tx-rig.ts';
import { L1_VALUES, putPredeploys, setL1Values } from '../../helpers/op-stack.ts';
import { waitFor } from '../../helpers/wait-for.ts';

const TO = '0x70997970c51812dc3a010c7d01b50e0d17dc79c8';
const CAP = 10n ** 10n;
const word = (hex: string) => hex.padStart(64, '0');
const TOKEN_CALL: Hex = `0xa9059cbb${word(TO.slice(2))}${word('75bcd15')}`;
/** The call of the published sample, and whom it calls: an account without code here. */
const ROUTER = '0x68b3465833fb72a70ecdf485e0e4c7bd8665fc45';
const SWAP_CALL: Hex = `0x04e45aaf${word('0b2c639c533813f4aa9d7837caf62653d097ff85')}${word('4200000000000000000000000000000000000006')}${word('1f4')}${word(TO.slice(2))}${word('75bcd15')}${word('7acf501b718115')}${word('0')}`;

/** Anvil charges as the chain does: what is said of a cost beforehand is what leaves the account. */
describe('on an OP-stack chain', () => {
  let anvil: Anvil;
  let rig: AutoTxRig;

  beforeAll(async () => {
    anvil = await startAnvil({ chainId: 10, blockTime: 1, args: ['--network', 'optimism'] });
    await putPredeploys(anvil, 'isthmus');
    const operator = { operatorFeeScalar: 2_000_000, operatorFeeConstant: 777n };
    await setL1Values(anvil, { ...L1_VALUES, ...operator }, 'isthmus');
    rig = await startRig({ urls: [anvil.url] });
  });
  afterAll(async () => {
    await rig?.stop();
    await anvil?.stop();
  });

  const balanceOf = async (address: Hex) =>
    BigInt(String(await anvil.rpc('eth_getBalance', [address, 'latest'])));
  const signed = (account: PrivateKeyAccount, signing: Signing) =>
    sign(account, { chainId: 10, to: TO, maxFeePerGas: CAP, maxPriorityFeePerGas: 1_000_000n, ...signing });
  async function saidOf(raw: Hex, gas: bigint): Promise<bigint> {
    const { from, compressedSize } = decodeTransaction(raw);
    const { dataFees } = AutoTxAccount.parse(
      await rig.service.read(PATHS.autoTxAccount.replace('{address}', from)),
    );
    if (dataFees === null) throw new Error('the service does not tell the fees');
    const [rate, operatorPerMillionGas, operatorConstant] = [
      BigInt(dataFees.rate),
      BigInt(dataFees.operatorPerMillionGas),
      BigInt(dataFees.operatorConstant),
    ];
    return dataFee({ rate, operatorPerMillionGas, operatorConstant }, compressedSize ?? 0, gas);
  }

  it.each<[string, string, Signing]>([
    ['a transfer', 'ETH transfer', { value: 12_345n, gas: 21_000n }],
    ['an ERC-20 transfer', 'ERC-20 transfer', { data: TOKEN_CALL, gas: 65_000n }],
    ['a swap', 'Swap', { to: ROUTER, data: SWAP_CALL, gas: 184_000n }],
  ])('%s takes what usual work and the form say', async (_, name, signing) => {
    const account = await fund(anvil);
    const raw = await signed(account, signing);
    const before = await balanceOf(account.address);
    const hash = await anvil.rpc('eth_sendRawTransaction', [raw]);
    const read = async () =>
      (await anvil.rpc('eth_getTransactionReceipt', [hash])) as Record<
        'gasUsed' | 'effectiveGasPrice',
        Hex
      > | null;
    const receipt = (await waitFor(read)) ?? { gasUsed: '0x0', effectiveGasPrice: '0x0' };
    const gasUsed = BigInt(receipt.gasUsed);
    const spent = before - (await balanceOf(account.address)) - (signing.value ?? 1n);
    const beside = spent - gasUsed * BigInt(receipt.effectiveGasPrice);
    // What is scaled from the fee of the least size may be a few wei more, and never less.
    const above = Number((await saidOf(raw, gasUsed)) - beside);
    expect(above).toBeGreaterThanOrEqual(0);
    expect(above).toBeLessThan(name === 'Swap' ? 5 : 1);
    const market = StatsMarket.parse(await rig.service.read(PATHS.statsMarket));
    const action = market.actions.find((each) => each.name === name);
    // The operator's part goes by the gas, of which an account without code uses less.
    const operator = 2n * BigInt(action?.gas ?? 0) - 2n * gasUsed;
    const said = BigInt(action?.dataFee?.wei ?? 0) - operator;
    if (name === 'Swap') expect(Math.abs(Number(said) / Number(beside) - 1)).toBeLessThan(0.05);
    else expect(said).toBe(beside);
    const { to = TO, data = '0x', value = 1n } = signing;
    const body = { from: account.address, to, data, value: value.toString() };
    const asked = await rig.service.ask(PATHS.gasEstimate, { method: 'POST', body });
    const estimate = GasEstimate.parse(await asked.json());
    const estimated = BigInt(estimate.dataFeeWei ?? 0) - 2n * (BigInt(estimate.gas) - gasUsed);
    // Its prices and nonce, which are not known beforehand, may be a few bytes longer or shorter.
    expect(Math.abs(Number(estimated) / Number(beside) - 1)).toBeLessThan(0.06);
    if (gasUsed === 21_000n) {
      const price = (BigInt(action?.average.wei ?? 0) - BigInt(action?.dataFee?.wei ?? 0)) / 21_000n;
      expect(spent).toBe(
        BigInt(action?.average.wei ?? 0) + 21_000n * (BigInt(receipt.effectiveGasPrice) - price),
      );
    }
  });

  it.each([
    ['its target', { targetGasPriceGwei: 0.0002 }],
    ['its lane', { gasSpeed: 'FAST' }],
    ['its expiry', { expiresAt: null }],
  ])('says the L1 fee of an auto-tx as at its creation when %s changes', async (_, change) => {
    const account = await fund(anvil);
    const raw = await signed(account, { value: 5n, gas: 21_000n });
    const l1Of = async (response: Promise<Response>) => {
      const { id, checks } = AutoTxDetails.parse(await (await response).json());
      const { result, message } = checks.find(({ name }) => name === 'balance') ?? {};
      return { id, result, l1: /the L1 fee of [\d.]+ ETH/.exec(message ?? '')?.[0] };
    };
    const expiresAt = new Date(Date.now() + 3_600_000).toISOString();
    const creation = { signedTransaction: raw, targetGasPriceGwei: 0.0001, expiresAt };
    const made = await l1Of(rig.service.ask(PATHS.autoTxs, { method: 'POST', body: creation }));
    expect(made).toMatchObject({ result: 'pass', l1: expect.any(String) });
    const path = PATHS.autoTx.replace('{id}', made.id);
    expect(await l1Of(rig.service.ask(path, { method: 'PUT', body: change }))).toEqual(made);
  });

  it('an auto-tx whose account lacks the L1 fee alone waits for it, and is mined with it', async () => {
    const account = await fund(anvil);
    const raw = await signed(account, { value: 5n, gas: 21_000n });
    const withoutL1 = 5n + 21_000n * CAP;
    await setBalance(anvil, account.address, withoutL1);
    const lacks = await saidOf(raw, 21_000n);
    const response = await rig.service.get(PATHS.autoTxs, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ signedTransaction: raw, targetGasPriceGwei: 1_000 }),
    });
    const made = AutoTxDetails.parse(await response.json());
    expect(made.checks.find(({ name }) => name === 'balance')).toMatchObject({ result: 'wait', ok: false });
    const message = `it waits: lacks ${lacks.toLocaleString('en')} wei of L1 fee`;
    expect(made.checks.find(({ name }) => name === 'balance')?.message).toContain(message);
    await waitFor(async () => (await rig.kept(made.id)).state.hold?.message.startsWith(message));
    await setBalance(anvil, account.address, withoutL1 + lacks);
    rig.pass(60_000);
    const { state } = await rig.until(made.id, 'EXECUTED');
    const { gasUsed = 0n, effectiveGasPrice = 0n } = state.inclusion ?? {};
    expect(await balanceOf(account.address)).toBe(withoutL1 - 5n - gasUsed * effectiveGasPrice);
  });
});
