import type { V1Route } from '../../../src/contract/routes.ts';
import { type AlertWorld, type AutoTxWorld, NEW_ALERT, NEW_DRAFT } from './world.ts';

export interface Things {
  readonly alerts: AlertWorld;
  readonly autoTxs: AutoTxWorld;
}

export function goodBodies({ method, path }: V1Route, { alerts, autoTxs }: Things): object[] {
  switch (`${method} ${path}`) {
    case 'post /alerts':
    case 'put /alerts/{id}': {
      const { thresholdGwei, gasSpeed, condition } = NEW_ALERT;
      return [
        NEW_ALERT,
        { thresholdGwei, gasSpeed, condition, channels: ['TERMINAL'] },
        {
          ...NEW_ALERT,
          thresholdGwei: 0.000000001,
          condition: 'GREATER_THAN',
          channels: ['TERMINAL', 'SLACK'],
          method: 'SLACK',
          cooldownMs: 0,
          disableOnce: true,
          confirmBlocks: 1_000,
          note: '😀'.repeat(500),
        },
      ];
    }
    case 'put /alerts/{id}/status':
      return [{ status: 'DISABLED' }, { status: 'DISABLED' }, { status: 'PENDING' }];
    case 'post /alerts/{id}/redeliver':
      return [{ deliveryId: `${alerts.fired}.1.webhook` }];
    case 'post /auto-txs':
      return [
        NEW_DRAFT,
        { ...NEW_DRAFT, to: null, data: '0x6000', value: '0', note: '😀'.repeat(500) },
        ...autoTxs.signed.map((signedTransaction, index) => ({
          signedTransaction,
          targetGasPriceGwei: NEW_DRAFT.targetGasPriceGwei,
          gasSpeed: (['SLOW', 'AVERAGE', 'FAST'] as const)[index],
          strictTargetPrice: index === 1,
          expiresAt: new Date(Date.now() + 365 * 86_400_000).toISOString(),
        })),
      ];
    case 'put /auto-txs/{id}':
      return [
        { targetGasPriceGwei: 1.000000002, gasSpeed: 'SLOW', note: 'later' },
        { status: 'DISABLED' },
        { status: 'DISABLED', strictTargetPrice: true },
        { status: 'PENDING', expiresAt: null },
      ];
    default:
      return [];
  }
}

/** A body that is refused, and the field that must be named; none where no field is at fault. */
export interface BadBody {
  readonly body: string;
  readonly type?: string;
  readonly names?: string;
}

/** Bodies that a route must refuse with the field's name, or with words alone where they are no bodies at all. */
export function badBodies(route: V1Route, world: Things): BadBody[] {
  const [good] = goodBodies(route, world);
  if (good === undefined) return [];
  // No field takes an object; what each takes is shown by the tests of its check.
  const fields = [...Object.keys(good), 'unheardOf'];
  return [
    ...fields.map((field) => ({ body: JSON.stringify({ ...good, [field]: {} }), names: field })),
    ...['', '{', '[]', 'null', '7'].map((body) => ({ body })),
    { body: JSON.stringify(good), type: 'text/plain' },
  ];
}
