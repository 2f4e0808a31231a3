import { type AutoTxOrder, NEW_ORDER } from '../../../src/core/auto-txs/order.ts';
import {
  type AutoTxEvent,
  type AutoTxState,
  type Inclusion,
  NEW_DRAFT,
  NEW_PENDING,
} from '../../../src/core/auto-txs/state-machine.ts';
import { type AutoTxStep, type StoredAutoTx, stepStored } from '../../../src/core/auto-txs/stored-auto-tx.ts';
import { toAutoTxRow } from '../../../src/store/auto-tx-rows.ts';
import { blockHash } from '../../helpers/chain-blocks.ts';

export const NOW = 1_800_000_000_000;
export const GWEI = 1_000_000_000n;

export const sender = (place: number) => `0x${String(place).padStart(40, 'Ab')}` as const;
const hash = (id: string) => `0x${Buffer.from(id).toString('hex').padStart(64, '0')}` as const;

interface Given {
  readonly order?: Partial<AutoTxOrder>;
  readonly signed?: Partial<NonNullable<StoredAutoTx['signed']>>;
  readonly state?: Partial<AutoTxState>;
}

export function storedAutoTx(
  id: string,
  { order, signed, state, ...more }: Given & Partial<Omit<StoredAutoTx, keyof Given>> = {},
): StoredAutoTx {
  return {
    id,
    owner: '',
    chainId: 1,
    order: { ...NEW_ORDER, target: 10n * GWEI, ...order },
    note: '',
    to: sender(7),
    value: 1n,
    data: '0x',
    signed: {
      type: 2,
      hash: hash(id),
      chainId: 1,
      from: sender(1),
      nonce: 0,
      gasLimit: 21_000n,
      gasPrice: null,
      maxFeePerGas: 20n * GWEI,
      maxPriorityFeePerGas: GWEI,
      maxFeePerBlobGas: null,
      blobCount: 0,
      compressedSize: null,
      parts: {
        ...{ zeroBytes: 0, otherBytes: 0, accessedAddresses: 0, accessedKeys: 0, authorizations: 0 },
        ...{ blobs: 0, creates: false, isToSelf: false, hasValue: true },
      },
      ...signed,
    },
    state: { ...NEW_PENDING, ...state },
    checks: [],
    checkedAt: null,
    createdAt: NOW,
    updatedAt: NOW,
    priceAtCreation: null,
    dayMeanPrice: null,
    nativeUsd: null,
    ...more,
  };
}

export const draftAutoTx = (id: string, more: Partial<StoredAutoTx> = {}): StoredAutoTx => ({
  ...storedAutoTx(id),
  signed: null,
  state: NEW_DRAFT,
  ...more,
});

export const bytesOf = (id: string) => new TextEncoder().encode(`signed bytes of ${id}: do not repeat them`);

export const includedIn = (blockNumber: number, more: Partial<Inclusion> = {}): Inclusion => ({
  blockNumber,
  blockHash: blockHash(blockNumber),
  outcome: 'success',
  gasUsed: 21_000n,
  effectiveGasPrice: 9n * GWEI,
  otherFees: 0n,
  minedAt: NOW + blockNumber * 12_000,
  ...more,
});

export function stepped(
  kept: StoredAutoTx,
  event: AutoTxEvent,
  { at = NOW, confirmations = 1 }: { readonly at?: number; readonly confirmations?: number } = {},
): AutoTxStep | null {
  return stepStored(kept, event, { confirmations, now: at });
}

/** As a program before `0015-unseen` and `0016-gas-parts` has stored it. */
export function olderRow(autoTx: StoredAutoTx) {
  const row = { ...toAutoTxRow(autoTx), unseen: autoTx.state.resends, intrinsic_gas: 21_000 };
  const newer = ['resends', 'unseen_since', 'resend_at', 'gas_parts', 'max_cost', 'estimated_gas'];
  const newest = ['effective_since', 'threshold_reason', 'compressed_size'];
  return Object.fromEntries(
    Object.entries(row).filter(([column]) => ![...newer, ...newest].includes(column)),
  );
}
