/** A service over real nodes with auto-txs in its database: what tests of the engine and of its commands begin with. */
import { randomUUID } from 'node:crypto';
import { generatePrivateKey, type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts';
import { createRpcSource } from '../../src/chain/rpc-source.ts';
import { PATHS } from '../../src/contract/routes.ts';
import { type AutoTxOrder, NEW_ORDER } from '../../src/core/auto-txs/order.ts';
import { NEW_PENDING } from '../../src/core/auto-txs/state-machine.ts';
import type { StoredAutoTx } from '../../src/core/auto-txs/stored-auto-tx.ts';
import type { Hex } from '../../src/core/block.ts';
import { decodeTransaction } from '../../src/core/transactions/decode-transaction.ts';
import { AutoTxStore } from '../../src/store/auto-txs.ts';
import type { Anvil } from './anvil.ts';
import { fixedPrice } from './fixed-price.ts';
import { openDatabase } from './open-database.ts';
import { startTestService } from './service.ts';
import { waitFor } from './wait-for.ts';

export const GWEI = 1_000_000_000n;
const CHAIN_ID = 31_337;
const RECEIVER = '0x00000000000000000000000000000000000000aa';

export interface Signing {
  readonly nonce?: number;
  readonly to?: Hex;
  readonly value?: bigint;
  readonly data?: Hex;
  readonly gas?: bigint;
  readonly maxFeePerGas?: bigint;
  readonly maxPriorityFeePerGas?: bigint;
  readonly chainId?: number;
}

export function sign(
  account: Pick<PrivateKeyAccount, 'signTransaction'>,
  signing: Signing = {},
): Promise<Hex> {
  return account.signTransaction({
    type: 'eip1559',
    chainId: CHAIN_ID,
    nonce: 0,
    to: RECEIVER,
    value: 1n,
    gas: 21_000n,
    maxFeePerGas: 500n * GWEI,
    maxPriorityFeePerGas: GWEI,
    ...signing,
  });
}

export async function fund(anvil: Anvil, ether = 10n): Promise<PrivateKeyAccount> {
  const account = privateKeyToAccount(generatePrivateKey());
  await setBalance(anvil, account.address, ether * 10n ** 18n);
  return account;
}

export async function setBalance(anvil: Anvil, address: Hex, wei: bigint): Promise<void> {
  await anvil.rpc('anvil_setBalance', [address, `0x${wei.toString(16)}`]);
}

/** Mines a block with this base fee. The next block, with nothing in this one, is expected to ask for an eighth less. */
export async function mineAt(anvil: Anvil, gwei: bigint | number): Promise<void> {
  await anvil.setNextBaseFee(BigInt(Math.round(Number(gwei) * 1e9)));
  await anvil.mine();
}

/** An auto-tx as the service keeps it, of what `account` signed; strict, unless told. */
export function keptOf(signed: Hex, order: Partial<AutoTxOrder> = {}): StoredAutoTx {
  const { to, value, data, ...rest } = decodeTransaction(signed);
  const now = Date.now();
  return {
    id: randomUUID(),
    owner: '',
    chainId: CHAIN_ID,
    order: { ...NEW_ORDER, target: 20n * GWEI, isStrict: true, ...order },
    note: '',
    to,
    value,
    data,
    signed: rest,
    state: NEW_PENDING,
    checks: [],
    checkedAt: null,
    createdAt: now,
    updatedAt: now,
    priceAtCreation: 60n * GWEI,
    dayMeanPrice: null,
    nativeUsd: null,
  };
}

export interface RigOptions {
  readonly urls: readonly string[];
  readonly confirmations?: number;
  readonly database?: string;
  readonly requestTimeoutMs?: number;
  readonly senderMs?: number;
  /** The coin's price is read from the chain's own feed, and else $2,000. */
  readonly hasOwnFeed?: boolean;
}

export type AutoTxRig = Awaited<ReturnType<typeof startRig>>;

export async function startRig(options: RigOptions) {
  const database = await openDatabase(options.database ?? ':memory:');
  const store = new AutoTxStore(database);
  const { urls, requestTimeoutMs = 60_000 } = options;
  const source = createRpcSource({ urls, requestTimeoutMs });
  let ahead = 0;
  const service = await startTestService({
    source,
    database,
    ...(options.hasOwnFeed ? {} : { priceFeed: fixedPrice(2_000) }),
    wallNow: () => Date.now() + ahead,
    ...(options.senderMs === undefined ? {} : { senderMs: options.senderMs }),
    ...(options.confirmations === undefined ? {} : { confirmations: options.confirmations }),
  });
  await service.ready;
  const kept = async (id: string) => {
    const found = await store.find('', id);
    if (found === null) throw new Error(`there is no auto-tx ${id}`);
    return found;
  };
  const timeline = async (id: string) => [...(await store.timeline(id))].reverse();
  return {
    store,
    service,
    source,
    errors: service.errors,
    kept,
    timeline,
    place: async (signed: Hex, order?: Partial<AutoTxOrder>) => {
      const autoTx = keptOf(signed, order);
      const created = await store.create(autoTx, Buffer.from(signed.slice(2), 'hex'), 1_000);
      if (created.kind !== 'created') throw new Error(created.kind);
      return autoTx.id;
    },
    until: (id: string, status: StoredAutoTx['state']['status']) =>
      waitFor(
        async () => {
          const found = await kept(id);
          if (found.state.status === status) return found;
          throw new Error(`it is ${JSON.stringify({ ...found.state, inclusion: undefined })}`);
        },
        { what: `${status}` },
      ),
    sent: (id: string) => waitFor(async () => (await kept(id)).state.sentAt !== null, { what: 'sent' }),
    mined: (id: string) => waitFor(async () => (await kept(id)).state.inclusion !== null, { what: 'mined' }),
    kinds: async (id: string): Promise<readonly string[]> => (await timeline(id)).map(({ kind }) => kind),
    seen: async (number: number) => {
      await waitFor(async () => {
        const response = await service.get(PATHS.gasCurrent);
        const { blockNumber } = (await response.json()) as { blockNumber?: number };
        return blockNumber !== undefined && blockNumber >= number;
      });
    },
    pass: (ms: number) => {
      ahead += ms;
    },
    stop: async () => {
      await service.stop();
      source.close();
    },
  };
}
