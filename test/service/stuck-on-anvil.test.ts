import type { PrivateKeyAccount } from 'viem/accounts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createRpcSource } from '../../src/chain/rpc-source.ts';
import { TxMetrics } from '../../src/contract/metrics.ts';
import type { Pending } from '../../src/contract/pending.ts';
import { PATHS } from '../../src/contract/routes.ts';
import type { Hex } from '../../src/core/block.ts';
import { type Anvil, startAnvil } from '../helpers/anvil.ts';
import { fund, GWEI } from '../helpers/auto-tx-rig.ts';
import { type RunningService, startTestService } from '../helpers/service.ts';

type ToSign = NonNullable<Pending['replacement']>;
type Fields = Readonly<Record<string, unknown>>;

const RECEIVER = `0x${'aa'.repeat(20)}` as const;
const CHAIN_ID = 31_337;

let anvil: Anvil;
let service: RunningService;
let source: ReturnType<typeof createRpcSource>;

beforeAll(async () => {
  anvil = await startAnvil({ baseFee: 2n * GWEI, noMining: true });
  await anvil.mine(30);
  source = createRpcSource({ urls: [anvil.url], requestTimeoutMs: 60_000 });
  service = await startTestService({ source });
  await service.ready;
});
afterAll(async () => {
  await service.stop();
  source.close();
  await anvil.stop();
});

const TYPES = ['legacy', 'eip2930', 'eip1559', 'eip4844', 'eip7702'];

async function sign(account: PrivateKeyAccount, type: number, fields: Fields): Promise<Hex> {
  const delegation = { chainId: CHAIN_ID, contractAddress: RECEIVER, nonce: 9 };
  const extras =
    type === 4
      ? { authorizationList: [await account.signAuthorization(delegation)] }
      : type === 1
        ? { accessList: [] }
        : {};
  const common = { chainId: CHAIN_ID, nonce: 0, to: RECEIVER, value: 1n, gas: 100_000n };
  return account.signTransaction({ ...common, ...extras, ...fields, type: TYPES[type] } as never);
}

function signSaid(account: PrivateKeyAccount, said: ToSign, content: Fields): Promise<Hex> {
  const [cap, tip] = [BigInt(said.maxFeePerGas ?? 0), BigInt(said.maxPriorityFeePerGas ?? 0)];
  const fees = said.type < 2 ? { gasPrice: cap } : { maxFeePerGas: cap, maxPriorityFeePerGas: tip };
  const { nonce, gasLimit } = said;
  return sign(account, said.type, { ...content, nonce, gas: BigInt(gasLimit), ...fees });
}

const send = async (raw: Hex) => (await anvil.rpc('eth_sendRawTransaction', [raw])) as Hex;

async function pendingOf(hash: Hex): Promise<Pending> {
  const { pending } = TxMetrics.parse(await service.read(PATHS.tx.replace('{hash}', hash)));
  if (pending === null) throw new Error('it is not pending');
  return pending;
}

/** Mined, for no more than was said. */
async function expectMined(hash: Hex, said: ToSign): Promise<void> {
  const receipt = (await anvil.rpc('eth_getTransactionReceipt', [hash])) as Readonly<
    Record<string, Hex>
  > | null;
  expect(receipt, `${hash} is mined`).not.toBeNull();
  const paid = BigInt(receipt?.gasUsed ?? 0) * BigInt(receipt?.effectiveGasPrice ?? 0);
  expect(paid).toBeLessThanOrEqual(BigInt(said.costWei));
}

const bid = { maxFeePerGas: 3n * GWEI, maxPriorityFeePerGas: GWEI };

describe('on anvil, which hides its pool, a transaction that waits', () => {
  it.each([
    ['replacement', 0, { gasPrice: 4n * GWEI + 7n }],
    ['cancellation', 0, { gasPrice: 4n * GWEI + 7n }],
    ['replacement', 1, { gasPrice: 3n * GWEI }],
    ['replacement', 2, bid],
    ['cancellation', 2, bid],
    ['replacement', 4, bid],
    ['cancellation', 4, bid],
  ] as const)('is mined as its %s says at the first try, of type %i', async (remedy, type, fees) => {
    const account = await fund(anvil);
    const hash = await send(await sign(account, type, fees));
    const said = (await pendingOf(hash))[remedy];
    if (said === null) throw new Error('nothing is said');
    const content = remedy === 'cancellation' ? { to: account.address, value: 0n } : {};
    const made = await send(await signSaid(account, said, content));
    await anvil.mine();
    await expectMined(made, said);
    expect(await anvil.rpc('eth_getTransactionReceipt', [hash])).toBeNull();
  });

  it('behind a gap is mined once it is filled as is said, nonce after nonce', async () => {
    const account = await fund(anvil);
    const hash = await send(await sign(account, 2, { ...bid, nonce: 2 }));
    const first = await pendingOf(hash);
    expect(first.before.map(({ state }) => state)).toEqual(['missing', 'unknown']);
    expect(first.reason).toContain('others may be, too');
    for (const nonce of [0, 1]) {
      const { before } = await pendingOf(hash);
      const said = before.find((each) => each.nonce === nonce)?.sign;
      if (said == null) throw new Error('nothing is said');
      const made = await send(await signSaid(account, said, { to: account.address, value: 0n }));
      await anvil.mine();
      await expectMined(made, said);
      const { number } = (await anvil.rpc('eth_getBlockByNumber', ['latest', false])) as { number: Hex };
      await expect.poll(async () => (await service.current()).blockNumber).toBe(Number(number));
    }
    expect(await anvil.rpc('eth_getTransactionReceipt', [hash])).not.toBeNull();
  });

  it('behind one whose fees the node hides says that this one is to be looked up first', async () => {
    const account = await fund(anvil);
    await send(await sign(account, 2, bid));
    const pending = await pendingOf(await send(await sign(account, 2, { ...bid, nonce: 1 })));
    expect(pending.before).toMatchObject([{ nonce: 0, state: 'hidden', sign: null }]);
    expect(pending.causes[0]).toMatchObject({ code: 'earlier_pending' });
    await anvil.mine();
  });
});
