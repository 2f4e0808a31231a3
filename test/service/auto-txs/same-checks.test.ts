import { privateKeyToAccount } from 'viem/accounts';
import { afterAll, beforeAll, expect, it } from 'vitest';
import * as z from 'zod';
import { orderOf, preflightAutoTx } from '../../../src/client/auto-tx-preflight.ts';
import { createGasClient } from '../../../src/client/client.ts';
import { AutoTxDetails } from '../../../src/contract/auto-txs.ts';
import { PATHS } from '../../../src/contract/routes.ts';
import { changedOrder, type OrderChange } from '../../../src/core/auto-txs/order.ts';
import { decodeTransaction } from '../../../src/core/transactions/decode-transaction.ts';
import { gweiString } from '../../../src/core/units.ts';
import { respondOverHttp } from '../../../src/mcp/server.ts';
import { type Anvil, startAnvil } from '../../helpers/anvil.ts';
import { type AutoTxRig, startRig } from '../../helpers/auto-tx-rig.ts';
import { waitFor } from '../../helpers/wait-for.ts';

const GWEI = 1_000_000_000n;
const TO = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8';

let anvil: Anvil;
let rig: AutoTxRig;
beforeAll(async () => {
  anvil = await startAnvil({ chainId: 31_337, noMining: true });
  rig = await startRig({ urls: [anvil.url] });
  await waitFor(async () => (await rig.service.current()).nativeUsd === 2_000, { what: 'the coin price' });
});
afterAll(async () => {
  await rig?.stop();
  await anvil?.stop();
});

let senders = 0;
/** Of a sender of its own. */
async function signed(signing: object, balance: bigint) {
  senders += 1;
  const account = privateKeyToAccount(`0x${senders.toString(16).padStart(64, '7')}`);
  await anvil.rpc('anvil_setBalance', [account.address, `0x${balance.toString(16)}`]);
  return account.signTransaction({
    ...{ type: 'eip1559', chainId: 31_337, nonce: 0, to: TO, value: 10n ** 16n, gas: 21_000n },
    ...{ maxFeePerGas: 100n * GWEI, maxPriorityFeePerGas: GWEI },
    ...signing,
  } as never);
}

const LEGACY = { type: 'legacy', maxFeePerGas: undefined, maxPriorityFeePerGas: undefined };

it.each<[string, OrderChange, object, bigint]>([
  ['with a target below its lane', { target: 1n }, {}, 10n ** 18n],
  [
    'with a target that is reached',
    { target: 90n * GWEI, lane: 'fast' },
    { maxFeePerGas: GWEI / 2n, maxPriorityFeePerGas: 1n },
    10n ** 18n,
  ],
  ['that is strict', { target: GWEI + 1n, isStrict: true }, {}, 10n ** 18n],
  ['that pays far above its target', { target: GWEI / 10n }, { maxPriorityFeePerGas: 5n * GWEI }, 10n ** 18n],
  [
    'whose cap is below the base fee',
    { target: 3n },
    { maxFeePerGas: 5n, maxPriorityFeePerGas: 1n },
    10n ** 18n,
  ],
  ['with a gas price', { target: 3n }, { ...LEGACY, gasPrice: 2n * GWEI }, 10n ** 18n],
  ['without a chain', { target: 3n }, { ...LEGACY, gasPrice: 2n * GWEI, chainId: undefined }, 10n ** 18n],
  ['whose sender lacks the value', { target: 3n }, {}, 10n ** 15n],
  ['with a gap before it', { target: 3n }, { nonce: 4 }, 10n ** 18n],
  ['that expires', { target: 3n, expiresAt: Date.now() + 219_600_000 }, {}, 10n ** 18n],
  ['that makes a contract', { target: 3n }, { to: null, data: '0x600160025560', gas: 90_000n }, 10n ** 18n],
  ['limited in dollars', { maxCost: { maxCostUsd: 0.5 } }, {}, 10n ** 18n],
  ['limited to a share of its value', { maxCost: { maxShareOfValueRatio: 0.001 } }, {}, 10n ** 18n],
])(
  'a transaction %s is checked before it is scheduled as its service checks it',
  async (_, change, signing, balance) => {
    const raw = await signed(signing, balance);
    const client = createGasClient({ url: 'http://gastop.internal', fetch: rig.service.fetch, isOwn: true });
    const order = changedOrder(orderOf(null), change, true);
    const toCheck = { transaction: decodeTransaction(raw), order };
    const { checks } = await preflightAutoTx(client, toCheck, Date.now());
    const { target, maxCost, lane, isStrict, expiresAt } = change;
    const body = {
      signedTransaction: raw,
      ...(target !== undefined && { targetGasPriceGwei: Number(gweiString(target)) }),
      ...(maxCost && { threshold: maxCost }),
      ...(lane && { gasSpeed: lane.toUpperCase() }),
      ...(isStrict && { strictTargetPrice: true }),
      ...(expiresAt && { expiresAt: new Date(expiresAt).toISOString() }),
    };
    const response = await rig.service.ask(PATHS.autoTxs, { method: 'POST', body });
    const made = AutoTxDetails.parse(await response.json());
    expect(checks).toEqual(made.checks);
  },
);

const ToolResult = z.object({
  result: z.object({
    structuredContent: z.object({ checks: z.array(z.object({ name: z.string(), message: z.string() })) }),
  }),
});

it.each<[string, string, object]>([
  ['$0.50', 'in dollars', { maxCostUsd: 0.5 }],
  ['2%', 'to a share of its value', { maxShareOfValueRatio: 0.02 }],
  ['0.1%', 'to a small share of its value', { maxShareOfValueRatio: 0.001 }],
])(
  'an agent gets the same checks of a transaction limited to %s (%s) as its service makes',
  async (maxCost, _, threshold) => {
    const raw = await signed({ gas: 100_000n }, 10n ** 18n);
    const client = createGasClient({ url: 'http://gastop.internal', fetch: rig.service.fetch, isOwn: true });
    const call = {
      ...{ jsonrpc: '2.0', id: 1, method: 'tools/call' },
      params: { name: 'check_signed_transaction', arguments: { signedTransaction: raw, maxCost } },
    };
    const request = new Request('http://gastop.internal/mcp', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(call),
    });
    const answer = await respondOverHttp(request, call, {
      ...{ version: '1', allowWrites: false, writesNeed: 'nothing' },
      open: async () => client,
      describeError: String,
    });
    const { checks } = ToolResult.parse(await answer.json()).result.structuredContent;
    const body = { signedTransaction: raw, threshold };
    const response = await rig.service.ask(PATHS.autoTxs, { method: 'POST', body });
    const made = AutoTxDetails.parse(await response.json());
    expect(checks).toEqual(made.checks.map(({ name, message }) => ({ name, message })));
  },
);
