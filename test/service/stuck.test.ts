import { commitmentToVersionedHash } from 'viem';
import { generatePrivateKey, type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createRpcSource } from '../../src/chain/rpc-source.ts';
import { createGasClient } from '../../src/client/client.ts';
import { GasRecommendation } from '../../src/contract/advice.ts';
import { AutoTxDetails } from '../../src/contract/auto-txs.ts';
import { TxMetrics } from '../../src/contract/metrics.ts';
import type { Pending } from '../../src/contract/pending.ts';
import { PATHS } from '../../src/contract/routes.ts';
import type { Hex } from '../../src/core/block.ts';
import { decodeTransaction } from '../../src/core/transactions/decode-transaction.ts';
import { nativeString } from '../../src/core/units.ts';
import { transaction } from '../../src/mcp/transaction-tools.ts';
import { fixedPrice } from '../helpers/fixed-price.ts';
import { mineFrom, type PoolChain, type PoolNode, poolChain, startPoolNode } from '../helpers/pool-node.ts';
import { createScriptedChain } from '../helpers/scripted-chain.ts';
import { type RunningService, startTestService } from '../helpers/service.ts';
import { waitFor } from '../helpers/wait-for.ts';

const GWEI = 1_000_000_000n;
const ETHER = 10n ** 18n;
const CHAIN_ID = 31_337;
const TIP = 2n * GWEI;
const RECEIVER = `0x${'aa'.repeat(20)}` as const;
/** Enough for a forecast of ten minutes. */
const LENGTH = 1_000;
/** What Average promises. */
const WITHIN_BLOCKS = 3;

type ToSign = NonNullable<Pending['replacement']>;
type Fields = Readonly<Record<string, unknown>>;

let state: PoolChain;
let nodes: readonly [open: PoolNode, hidden: PoolNode];
let service: RunningService;
let source: ReturnType<typeof createRpcSource>;

beforeAll(async () => {
  const startedAt = Math.floor(Date.now() / 1_000) - LENGTH * 12;
  const chain = createScriptedChain({ chainId: CHAIN_ID, length: LENGTH, baseFee: 10n * GWEI, startedAt });
  state = poolChain(chain);
  nodes = [await startPoolNode(state), await startPoolNode(state, { hidesPool: true })];
  source = createRpcSource({ urls: nodes.map(({ url }) => url), requestTimeoutMs: 60_000 });
  service = await startTestService({ source, priceFeed: fixedPrice(2_000) });
  await service.ready;
});
afterAll(async () => {
  await service.stop();
  source.close();
  await Promise.all(nodes.map((node) => node.stop()));
});

function fund(wei = ETHER): PrivateKeyAccount {
  const account = privateKeyToAccount(generatePrivateKey());
  state.balances.set(account.address.toLowerCase(), wei);
  return account;
}

const blobFields = (count: number) => {
  const made = Array.from({ length: count }, (_, index) => {
    const commitment: Hex = `0x${(index + 1).toString(16).padStart(96, '0')}`;
    return { blob: `0x${'00'.repeat(131_072)}` as Hex, commitment, proof: commitment };
  });
  return {
    blobVersionedHashes: made.map(({ commitment }) => commitmentToVersionedHash({ commitment })),
    sidecars: made,
  };
};

/** Signs what `fields` say; blobs and delegations come with what they need. */
async function sign(account: PrivateKeyAccount, type: number, fields: Fields): Promise<Hex> {
  const { blobCount = 1, ...rest } = fields as { blobCount?: number };
  const common = { chainId: CHAIN_ID, nonce: 0, to: RECEIVER, value: 1n, gas: 21_000n, ...rest };
  const extras: Fields =
    type === 3
      ? blobFields(blobCount)
      : type === 4
        ? {
            authorizationList: [
              await account.signAuthorization({ chainId: CHAIN_ID, contractAddress: RECEIVER, nonce: 9 }),
            ],
          }
        : {};
  const name = ['legacy', 'eip2930', 'eip1559', 'eip4844', 'eip7702'][type];
  const accessList = type === 1 ? { accessList: [] } : {};
  return account.signTransaction({ ...common, ...extras, ...accessList, type: name } as never);
}

const bid = (cap: bigint, tip: bigint) => ({ maxFeePerGas: cap, maxPriorityFeePerGas: tip });

/** Signs exactly what was said. */
function signSaid(account: PrivateKeyAccount, said: ToSign, content: Fields): Promise<Hex> {
  const cap = BigInt(said.maxFeePerGas ?? 0);
  const fees =
    said.type < 2
      ? { gasPrice: cap }
      : {
          ...bid(cap, BigInt(said.maxPriorityFeePerGas ?? 0)),
          ...(said.maxFeePerBlobGas === null ? {} : { maxFeePerBlobGas: BigInt(said.maxFeePerBlobGas) }),
        };
  const { nonce, gasLimit, blobCount } = said;
  return sign(account, said.type, { ...content, nonce, gas: BigInt(gasLimit), blobCount, ...fees });
}

/** Once the service knows the newest block. */
async function pendingOf(hash: Hex): Promise<Pending> {
  await waitFor(async () => {
    const current = (await (await service.get(PATHS.gasCurrent)).json()) as { blockNumber?: number };
    return current.blockNumber === state.chain.head().number;
  });
  const response = await service.get(PATHS.tx.replace('{hash}', hash));
  const { pending } = TxMetrics.parse(await response.json());
  if (pending === null) throw new Error('it is not pending');
  return pending;
}

/** Sends `raw`, which the node takes at the first try. */
function send(raw: Hex, [node] = nodes): Hex {
  const reply = node.send(raw);
  expect(reply).toEqual({ result: decodeTransaction(raw).hash });
  return decodeTransaction(raw).hash;
}

/** Mines what Average promises, and one block of them or the other has it, for no more than was said. */
function expectMined(raws: readonly (readonly [raw: Hex, said: ToSign | null])[]): void {
  for (let count = 0; count < WITHIN_BLOCKS; count += 1) mineFrom(state, nodes, TIP);
  for (const [raw, said] of raws) {
    const { hash } = decodeTransaction(raw);
    const found = state.mined.get(hash);
    expect(found, `${hash} is mined`).toBeDefined();
    if (said !== null) expect(found?.cost).toBeLessThanOrEqual(BigInt(said.costWei));
  }
}

interface Case {
  readonly name: string;
  readonly type: number;
  readonly fields: Fields;
  readonly code: string;
  readonly remedy: 'replacement' | 'cancellation';
}

const gas = 100_000n;
const CASES: readonly Case[] = [
  ['whose max fee is below the base fee', 2, bid(5n * GWEI, GWEI), 'cap_below_base', 'replacement'],
  ['whose max fee is below the base fee', 2, bid(5n * GWEI, GWEI), 'cap_below_base', 'cancellation'],
  ['whose tip is too low', 2, bid(50n * GWEI, 1n), 'tip_too_low', 'replacement'],
  ['whose tip is too low', 2, bid(50n * GWEI, GWEI), 'tip_too_low', 'cancellation'],
  ['without a tip', 2, bid(50n * GWEI, 0n), 'tip_too_low', 'replacement'],
  ['with fees of a few wei', 2, bid(9n, 3n), 'cap_below_base', 'replacement'],
  ['with a low gas price', 0, { gasPrice: 3n * GWEI + 7n }, 'cap_below_base', 'replacement'],
  ['with a low gas price', 0, { gasPrice: 3n * GWEI }, 'cap_below_base', 'cancellation'],
  ['with an access list', 1, { gasPrice: 4n * GWEI }, 'cap_below_base', 'replacement'],
  ['with a delegation', 4, { ...bid(5n * GWEI, GWEI), gas }, 'cap_below_base', 'replacement'],
  ['with a delegation', 4, { ...bid(50n * GWEI, 5n), gas }, 'tip_too_low', 'cancellation'],
  [
    'with a blob fee that is too low',
    3,
    { ...bid(50n * GWEI, 3n * GWEI), maxFeePerBlobGas: 9n },
    'blob_cap_below_base',
    'replacement',
  ],
  ['with blobs', 3, { ...bid(5n * GWEI, GWEI), maxFeePerBlobGas: 900n }, 'cap_below_base', 'cancellation'],
  [
    'with two blobs',
    3,
    { ...bid(40n * GWEI, GWEI), maxFeePerBlobGas: 900n, blobCount: 2 },
    'tip_too_low',
    'cancellation',
  ],
].map(([name, type, fields, code, remedy]) => ({ name, type, fields, code, remedy }) as Case);

describe('a stuck transaction', () => {
  it.each(CASES)('$name is freed by the $remedy that is said, at the first try', async (made) => {
    const account = fund();
    const hash = send(await sign(account, made.type, made.fields));
    const pending = await pendingOf(hash);
    expect(pending.causes.map(({ code }) => code)).toContain(made.code);
    const said = pending[made.remedy];
    if (said === null) throw new Error('nothing is said');
    const isCancelled = made.remedy === 'cancellation';
    const raw = await signSaid(account, said, isCancelled ? { to: account.address, value: 0n } : {});
    send(raw);
    expectMined([[raw, said]]);
    expect(state.mined.has(hash)).toBe(false);
  });

  it.each([1, 3])('behind a gap of %i nonces is freed by filling it', async (gap) => {
    const account = fund();
    const raw = await sign(account, 2, { ...bid(100n * GWEI, 3n * GWEI), nonce: gap });
    const pending = await pendingOf(send(raw));
    expect(pending.causes[0]).toMatchObject({
      code: 'nonce_gap',
      message: expect.stringContaining('missing'),
    });
    expect(pending.before.map(({ nonce, state }) => [nonce, state])).toEqual(
      Array.from({ length: gap }, (_, nonce) => [nonce, 'missing']),
    );
    const fills = await freeBefore(account, pending, {});
    expectMined([...fills, [raw, null]]);
  });

  it('behind another one that is stuck is freed by freeing that one', async () => {
    const account = fund();
    const first = send(await sign(account, 2, bid(4n * GWEI, GWEI)));
    const raw = await sign(account, 2, { ...bid(100n * GWEI, 3n * GWEI), nonce: 1 });
    const pending = await pendingOf(send(raw));
    expect(pending.causes[0]).toMatchObject({
      code: 'earlier_pending',
      message: expect.stringContaining(first),
    });
    expect(pending.before).toMatchObject([{ nonce: 0, state: 'stuck', hash: first }]);
    expectMined([...(await freeBefore(account, pending, {})), [raw, null]]);
  });

  it('behind a stuck one and a gap is freed by what is said of each', async () => {
    const account = fund();
    send(await sign(account, 2, bid(4n * GWEI, GWEI)));
    const raw = await sign(account, 2, { ...bid(100n * GWEI, 3n * GWEI), nonce: 2 });
    const pending = await pendingOf(send(raw));
    expect(pending.before.map(({ state }) => state)).toEqual(['stuck', 'missing']);
    expectMined([...(await freeBefore(account, pending, {})), [raw, null]]);
  });

  it('that the balance does not cover any more is freed by cancelling it', async () => {
    const account = fund();
    const value = ETHER / 2n;
    const hash = send(await sign(account, 2, { ...bid(5n * GWEI, GWEI), value }));
    state.balances.set(account.address.toLowerCase(), ETHER / 10n);
    const pending = await pendingOf(hash);
    expect(pending.causes[0]).toMatchObject({
      code: 'insufficient_balance',
      message: expect.stringContaining('lacks 0.4'),
    });
    expect(BigInt(pending.replacement?.missingWei ?? 0)).toBeGreaterThan(ETHER / 10n);
    expect(pending.cancellation?.missingWei).toBe('0');
    const said = pending.cancellation;
    if (said === null) throw new Error('nothing is said');
    const raw = await signSaid(account, said, { to: account.address, value: 0n });
    send(raw);
    expectMined([[raw, said]]);
  });

  it('that another pool has a dearer rival of is freed by fees above both', async () => {
    const account = fund();
    const hash = send(await sign(account, 2, bid(5n * GWEI, GWEI)));
    // The second node, which hides its pool, has it; the first one has the rival.
    const [open, hidden] = nodes;
    const own = open.pool.get(hash);
    if (own === undefined) throw new Error('it is in the first pool');
    open.pool.delete(hash);
    hidden.pool.set(hash, own);
    const rival = send(await sign(account, 2, bid(8n * GWEI, 4n * GWEI)));
    const pending = await pendingOf(hash);
    const codes = pending.causes.map(({ code }) => code);
    expect(codes).toEqual(expect.arrayContaining(['cap_below_base', 'rival', 'not_shared']));
    expect(pending).toMatchObject({ nodesAsked: 2, nodesPending: 1 });
    expect(pending.causes.find(({ code }) => code === 'rival')?.message).toContain(rival);
    const said = pending.replacement;
    if (said === null) throw new Error('nothing is said');
    const raw = await signSaid(account, said, {});
    send(raw);
    expect(hidden.send(raw)).toEqual({ result: decodeTransaction(raw).hash });
    expectMined([[raw, said]]);
  });

  it('whose nonce another one has used needs nothing signed', async () => {
    const account = fund();
    const old = await sign(account, 2, bid(5n * GWEI, GWEI));
    const hash = send(old);
    const [, hidden] = nodes;
    const other = await sign(account, 2, { ...bid(100n * GWEI, 4n * GWEI), value: 2n });
    send(other, [hidden, hidden]);
    expectMined([[other, null]]);
    const pending = await pendingOf(hash);
    expect(pending).toMatchObject({ replacement: null, cancellation: null, before: [] });
    expect(pending.causes.map(({ code }) => code)).toEqual(['nonce_used']);
  });

  it('that pays enough is said to be on its way, in as many pools as have it', async () => {
    const account = fund();
    const raw = await sign(account, 2, bid(100n * GWEI, 3n * GWEI));
    send(raw);
    nodes[1].send(raw);
    const pending = await pendingOf(decodeTransaction(raw).hash);
    expect(pending).toMatchObject({ nodesAsked: 2, nodesPending: 2 });
    expect(pending.causes.map(({ code }) => code)).toEqual(['payable']);
    expectMined([[raw, null]]);
  });
});

describe('the details of a submitted auto-tx', () => {
  it('say the same, also when no node shows it', async () => {
    const account = fund();
    const raw = await sign(account, 2, bid(90n * GWEI, 1n));
    const body = { signedTransaction: raw, targetGasPriceGwei: 1_000, gasSpeed: 'AVERAGE' };
    const created = await service.ask(PATHS.autoTxs, { method: 'POST', body });
    const { id } = (await created.json()) as { id: string };
    const details = async () =>
      AutoTxDetails.parse(await (await service.get(PATHS.autoTx.replace('{id}', id))).json());
    await waitFor(async () => {
      mineFrom(state, nodes, TIP);
      return (await details()).status === 'SUBMITTED';
    });
    const { hash } = decodeTransaction(raw);
    await waitFor(async () => nodes.every(({ pool }) => pool.has(hash)));
    const shown = await pendingOf(hash);
    const { pending } = await details();
    expect(pending).toEqual(shown);
    expect(pending?.causes.map(({ code }) => code)).toEqual(['tip_too_low']);
    for (const { pool } of nodes) pool.delete(hash);
    const hidden = (await details()).pending;
    expect(hidden?.causes.map(({ code }) => code)).toEqual(['tip_too_low', 'not_shared']);
    expect(hidden?.replacement).toEqual(shown.replacement);
    const said = hidden?.replacement;
    if (said == null) throw new Error('nothing is said');
    const replacement = await signSaid(account, said, {});
    send(replacement);
    expectMined([[replacement, said]]);
  });
});

/** Signs and sends what frees the nonces before it. */
async function freeBefore(account: PrivateKeyAccount, pending: Pending, content: Fields) {
  const made: [Hex, ToSign][] = [];
  for (const { state: kind, sign: said } of pending.before) {
    if (said === null) throw new Error('nothing is said');
    const fill = { to: account.address, value: 0n };
    const raw = await signSaid(account, said, kind === 'missing' ? fill : content);
    send(raw);
    made.push([raw, said]);
  }
  return made;
}

it.each([6, 11, 12.5])(
  'with a cap of %d gwei is as likely included as the forecast of that price says',
  async (gwei) => {
    const account = fund();
    const cap = BigInt(gwei * 1e9);
    const { probabilities } = await pendingOf(send(await sign(account, 2, bid(cap, 3n * GWEI))));
    expect(probabilities[0]?.probability).toEqual(expect.any(Number));
    for (const { withinSec, probability } of probabilities) {
      const forecast = await service.read(
        `${PATHS.gasRecommendation}?targetGwei=${gwei}&deadlineSec=${withinSec}`,
      );
      expect(probability).toBe(GasRecommendation.parse(forecast).reach?.probability);
    }
  },
);

it('has no likelihood while not its price alone holds it back', async () => {
  const raw = await sign(fund(), 2, { ...bid(6n * GWEI, 3n * GWEI), nonce: 1 });
  const { probabilities, probabilityReason } = await pendingOf(send(raw));
  expect(probabilities.map(({ probability }) => probability)).toEqual([null, null, null]);
  expect(probabilityReason).toContain('not its price alone');
});

it('is told to agents with the same numbers, in wei', async () => {
  const account = fund();
  const hash = send(await sign(account, 2, bid(5n * GWEI, GWEI)));
  const { replacement, cancellation, causes } = await pendingOf(hash);
  const client = createGasClient({ url: 'http://gastop.internal', fetch: service.fetch, isOwn: true });
  const { signal } = new AbortController();
  const told = await transaction.call({ hash }, async () => ({ client, signal, now: Date.now }));
  expect(told).toMatchObject({ status: 'PENDING', pending: { causes } });
  const { pending } = told as { pending: Readonly<Record<'replacement' | 'cancellation', object>> };
  for (const [name, said] of Object.entries({ replacement, cancellation })) {
    expect(pending[name as 'replacement']).toMatchObject({
      maxFeePerGasWei: said?.maxFeePerGas,
      maxPriorityFeePerGasWei: said?.maxPriorityFeePerGas,
      gasLimit: said?.gasLimit,
      nonce: said?.nonce,
      mostCoins: nativeString(BigInt(said?.costWei ?? 0)),
    });
  }
});

it('of which no node knows anything is not found, with what that may mean', async () => {
  const response = await service.get(PATHS.tx.replace('{hash}', `0x${'12'.repeat(32)}`));
  expect(response.status).toBe(404);
  expect(((await response.json()) as { message: string }).message).toContain('Private relays');
});

it('says the fees for the lane that is asked for', async () => {
  const account = fund();
  const hash = send(await sign(account, 2, bid(5n * GWEI, GWEI)));
  await waitFor(async () => (await pendingOf(hash)).replacement !== null);
  const capFor = async (lane: string) => {
    const response = await service.get(`${PATHS.tx.replace('{hash}', hash)}?gasSpeed=${lane}`);
    return TxMetrics.parse(await response.json()).pending?.replacement?.maxFeePerGas ?? 0;
  };
  expect(await capFor('FAST')).toBeGreaterThanOrEqual(await capFor('SLOW'));
  expect((await service.get(`${PATHS.tx.replace('{hash}', hash)}?gasSpeed=QUICK`)).status).toBe(400);
});
