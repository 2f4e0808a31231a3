import { privateKeyToAccount } from 'viem/accounts';
import { expect } from 'vitest';
import { AutoTxDetails } from '../../../src/contract/auto-txs.ts';
import { stepAutoTx } from '../../../src/core/auto-txs/state-machine.ts';
import { AUTO_TXS_PER_KEY } from '../../../src/service/auto-txs/auto-tx-service.ts';
import { AutoTxStore } from '../../../src/store/auto-txs.ts';
import type { Database } from '../../../src/store/database.ts';
import { repeatRow } from '../../helpers/repeat-row.ts';

/** The first of anvil's own accounts, by its published key. */
const ACCOUNT = privateKeyToAccount('0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80');
const CHAIN = 31_337;
/** Nonces that no transfer of the test comes to. */
const FIRST_NONCE = 1_000;

/** No price comes down to it, and it is above the tip that is signed. */
export const NEW_DRAFT = {
  to: '0x7E5F4552091A69125d5DfCb7b8C2659029395Bdf',
  value: '1',
  targetGasPriceGwei: 1.000000001,
};

/** Auto-txs in a running service. */
export interface AutoTxWorld {
  /** Signed, and waits. */
  readonly waiting: string;
  readonly draft: string;
  /** Failed for good. */
  readonly failed: string;
  /** Owns them. */
  readonly key: string;
  /** Owns as many as may be. */
  readonly fullKey: string;
  /** What was signed of the one that waits. */
  readonly taken: string;
  /** Signed, and handed over to nobody yet. */
  readonly signed: readonly string[];
  readonly address: string;
  /** Makes another draft of `key`. */
  create(): Promise<string>;
}

export async function prepareAutoTxs(
  root: string,
  keys: { readonly key: string; readonly fullKey: string },
  database: Database,
): Promise<AutoTxWorld> {
  const create = async (by: string, body: object = NEW_DRAFT) => {
    const response = await fetch(`${root}/auto-txs`, {
      method: 'POST',
      headers: { 'x-api-key': by, 'Content-Type': 'application/json' },
      body: JSON.stringify(body),
    });
    const answer: unknown = await response.json();
    expect(response.status, JSON.stringify(answer)).toBe(201);
    return AutoTxDetails.parse(answer).id;
  };
  const [taken, bad, ...signed] = await Promise.all([0, 1, 2, 3, 4].map(sign));
  const { targetGasPriceGwei } = NEW_DRAFT;
  const waiting = await create(keys.key, { targetGasPriceGwei, signedTransaction: taken });
  const failed = await create(keys.key, { targetGasPriceGwei, signedTransaction: bad });
  await fail(new AutoTxStore(database), failed);
  const draft = await create(keys.key);
  await repeatRow(database, 'auto_txs', { id: await create(keys.fullKey), count: AUTO_TXS_PER_KEY });
  return {
    ...keys,
    waiting,
    draft,
    failed,
    taken: taken ?? '',
    signed,
    address: ACCOUNT.address,
    create: () => create(keys.key),
  };
}

function sign(nonce: number): Promise<string> {
  return ACCOUNT.signTransaction({
    type: 'eip1559',
    chainId: CHAIN,
    nonce: FIRST_NONCE + nonce,
    to: NEW_DRAFT.to as `0x${string}`,
    value: 1n,
    gas: 21_000n,
    maxFeePerGas: 10n ** 12n,
    maxPriorityFeePerGas: 10n ** 9n,
  });
}

async function fail(store: AutoTxStore, id: string): Promise<void> {
  const obstacle = { code: 'refused', message: 'every node refuses it' };
  const facts = { nonce: FIRST_NONCE + 1, confirmations: 1, now: Date.now() };
  const decide: Parameters<AutoTxStore['change']>[1] = (kept) => {
    const next = stepAutoTx(kept.state, { type: 'refuse', obstacle }, facts);
    return next === null
      ? null
      : { autoTx: { ...kept, state: next.state }, notes: next.notes, at: facts.now };
  };
  expect(await store.change({ owner: '', id }, decide, 'owner')).not.toBeNull();
}
