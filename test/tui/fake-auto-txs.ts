import { ClientError } from '../../src/client/errors.ts';
import type { GasClient } from '../../src/client/gas-client.ts';
import type {
  AutoTxChange,
  AutoTxDetailsView,
  AutoTxView,
  NewAutoTx,
} from '../../src/client/views/auto-txs.ts';

const NOW = Date.UTC(2026, 0, 5, 12, 0, 0);
const GWEI = 1_000_000_000;

export function autoTxView(changed: Partial<AutoTxView> = {}): AutoTxView {
  return {
    ...{ id: 'tx-1', status: 'PENDING', target: 40_000_000n, gasSpeed: 'AVERAGE', isStrict: false },
    ...{ note: '', expiresAt: null, chainId: 1, type: 2 },
    from: '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266',
    to: '0x70997970C51812dc3A010C7d01b50e0d17dc79C8',
    value: 10n ** 16n,
    ...{ data: '0x', nonce: 7, gasLimit: 21_000n, maxFeePerGas: 60_000_000n },
    ...{ maxPriorityFeePerGas: 1_000_000n, gasPrice: null, hash: `0x${'ab'.repeat(32)}` },
    checks: [{ name: 'nonce', result: 'pass', ok: true, code: null, message: 'nonce 7 is the next one' }],
    checkedAt: NOW - 3_600_000,
    createdAt: NOW - 3_600_000,
    updatedAt: NOW - 3_600_000,
    ...{ submittedAt: null, executedAt: null, blockNumber: null, gasUsed: null, effectiveGasPrice: null },
    ...{ costWei: null, costUsd: null, savedWei: null, atCreation: null, dayMean: null, failure: null },
    ...{
      hold: null,
      attempts: 0,
      unseenSince: null,
      resends: 0,
      resendAt: null,
      mayBeMined: false,
      confirmations: null,
      confirmationsNeeded: 12,
    },
    ...{ maxCost: null, effectiveSince: null, thresholdReason: null },
    ...{ reachProbability: 0.81, reachWithinSec: 86_400, keyId: null },
    ...changed,
  };
}

const conflict = (message: string) =>
  new ClientError('conflict', message, { endpoint: '/auto-txs/{id}', status: 409 });

export type AutoTxMethods = Pick<
  GasClient,
  'autoTxs' | 'autoTx' | 'createAutoTx' | 'updateAutoTx' | 'cancelAutoTx' | 'deleteAutoTx' | 'autoTxAccount'
>;

export function fakeAutoTxs(initial: readonly AutoTxView[] = []): AutoTxMethods {
  const kept = new Map(initial.map((each) => [each.id, each]));
  let made = 0;
  const find = (id: string): AutoTxView => {
    const found = kept.get(id);
    if (found === undefined) {
      const endpoint = `/auto-txs/${id}`;
      throw new ClientError('not-found', 'there is no such auto-tx', { endpoint, status: 404 });
    }
    return found;
  };
  const change = (id: string, changed: Partial<AutoTxView>): AutoTxView => {
    const next = { ...find(id), ...changed };
    kept.set(id, next);
    return next;
  };
  return {
    autoTxs: async () => ({ items: [...kept.values()], total: kept.size, unreadable: 0 }),
    autoTx: async (id): Promise<AutoTxDetailsView> => ({
      ...find(id),
      pending: null,
      timeline: [{ at: NOW - 3_600_000, kind: 'CREATED', blockNumber: null, message: 'it was scheduled' }],
    }),
    createAutoTx: async (autoTx: NewAutoTx) => {
      made += 1;
      const view = autoTxView({
        id: `made-${made}`,
        status: autoTx.signedTransaction === undefined ? 'DRAFT' : 'PENDING',
        target: BigInt(Math.round((autoTx.targetGasPriceGwei ?? 0) * GWEI)),
        maxCost: autoTx.threshold ?? null,
        gasSpeed: autoTx.gasSpeed ?? 'AVERAGE',
        isStrict: autoTx.strictTargetPrice ?? false,
        note: autoTx.note ?? '',
      });
      kept.set(view.id, view);
      return view;
    },
    updateAutoTx: async (id, { status, note, targetGasPriceGwei }: AutoTxChange) =>
      change(id, {
        ...(status === undefined ? {} : { status }),
        ...(note === undefined ? {} : { note }),
        ...(targetGasPriceGwei == null ? {} : { target: BigInt(Math.round(targetGasPriceGwei * GWEI)) }),
      }),
    cancelAutoTx: async (id) => {
      if (find(id).status === 'SUBMITTED') throw conflict('it was sent already');
      return change(id, { status: 'CANCELLED' });
    },
    deleteAutoTx: async (id) => {
      if (find(id).status === 'PENDING') throw conflict('cancel it first');
      kept.delete(id);
    },
    autoTxAccount: async () => ({
      chainId: 1,
      nonce: 7,
      pendingNonce: 7,
      balance: 10n ** 18n,
      waiting: [],
      dataFees: null,
      dataFeesReason: null,
      code: null,
      blockGasLimit: null,
    }),
  };
}
