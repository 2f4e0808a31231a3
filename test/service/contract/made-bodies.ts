import type { V1Route } from '../../../src/contract/routes.ts';
import { type AlertWorld, NEW_ALERT } from './alert-world.ts';
import { type AutoTxWorld, NEW_DRAFT } from './auto-tx-world.ts';

/** What bodies may name. */
export interface Things {
  readonly alerts: AlertWorld;
  readonly autoTxs: AutoTxWorld;
}

/** Bodies that a route takes; none where it takes no body. */
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

const BAD_ALERT_FIELDS = [
  ...[0, -1, 1_000_001, 0.0000000001, '5', null].map((value) => ['thresholdGwei', value] as const),
  ...['average', 'FASTEST', 1, null].map((value) => ['gasSpeed', value] as const),
  ...['BELOW', null].map((value) => ['condition', value] as const),
  ...[-1, 2_592_000_001, 1.5, '1h'].map((value) => ['cooldownMs', value] as const),
  ...['yes', 1].map((value) => ['disableOnce', value] as const),
  ...['EMAIL', 'PIGEON'].map((value) => ['method', value] as const),
  ...[[], 'WEBHOOK', {}].map((value) => ['channels', value] as const),
  ...['', 'receiver', 'http://receiver.invalid', 'https://127.0.0.1/', 'https://a:b@receiver.invalid'].map(
    (value) => ['to', value] as const,
  ),
  ...['x'.repeat(501), 5].map((value) => ['note', value] as const),
  ...[-1, 1_000_001].map((value) => ['hysteresisGwei', value] as const),
  ...[0, 1_001, 1.5].map((value) => ['confirmBlocks', value] as const),
  ['owner', ''],
] as const;

const BAD_FIELDS: Readonly<Record<string, readonly (readonly [string, unknown])[]>> = {
  'post /alerts': BAD_ALERT_FIELDS,
  'put /alerts/{id}': BAD_ALERT_FIELDS,
  'post /auto-txs': [
    ...[0, -1, 1_000_001, 0.0000000001, '5', null].map((value) => ['targetGasPriceGwei', value] as const),
    ...['average', null].map((value) => ['gasSpeed', value] as const),
    ...['yes', 1].map((value) => ['strictTargetPrice', value] as const),
    ...['0x', 'vitalik.eth', '0x7e5F4552091A69125d5DfCb7b8C2659029395Bdf', undefined].map(
      (value) => ['to', value] as const,
    ),
    ...['1.5', '-1', 1, (2n ** 256n).toString()].map((value) => ['value', value] as const),
    ...['0x1', '00', '0xzz'].map((value) => ['data', value] as const),
    ...['tomorrow', '2001-01-01T00:00:00Z', '2999-01-01T00:00:00Z', 5].map(
      (value) => ['expiresAt', value] as const,
    ),
    ...['', '0x', '0x02', 'no hex', 7].map((value) => ['signedTransaction', value] as const),
    ['note', 'x'.repeat(501)],
    ['privateKey', ''],
  ],
  'put /auto-txs/{id}': [
    ['targetGasPriceGwei', 0],
    ['status', 'SUBMITTED'],
    ['expiresAt', '2001-01-01T00:00:00Z'],
    ['signedTransaction', '0x02'],
    ['value', '1.5'],
    ['owner', ''],
  ],
  'put /alerts/{id}/status': [
    ['status', 'PAUSED'],
    ['status', undefined],
    ['reason', 'none'],
  ],
  'post /alerts/{id}/redeliver': [
    ['deliveryId', ''],
    ['deliveryId', 7],
    ['deliveryId', undefined],
    ['to', 'somebody'],
  ],
};

/** Bodies that a route must refuse with the field's name, or with words alone where they are no bodies at all. */
export function badBodies(route: V1Route, world: Things): BadBody[] {
  const [good] = goodBodies(route, world);
  if (good === undefined) return [];
  const fields = BAD_FIELDS[`${route.method} ${route.path}`] ?? [];
  return [
    ...fields.map(([field, value]) => ({ body: JSON.stringify({ ...good, [field]: value }), names: field })),
    ...['', '{', '[]', 'null', '7'].map((body) => ({ body })),
    { body: JSON.stringify(good), type: 'text/plain' },
  ];
}
