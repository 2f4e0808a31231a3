import type { V1Route } from '../../../src/contract/routes.ts';
import { type AlertWorld, NEW_ALERT } from './alert-world.ts';

/** Bodies that a route takes; none where it takes no body. */
export function goodBodies({ method, path }: V1Route, { fired }: AlertWorld): object[] {
  switch (`${method} ${path}`) {
    case 'post /alerts': {
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
      return [{ deliveryId: `${fired}.1.webhook` }];
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

const BAD_FIELDS: Readonly<Record<string, readonly (readonly [string, unknown])[]>> = {
  'post /alerts': [
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
export function badBodies(route: V1Route, world: AlertWorld): BadBody[] {
  const [good] = goodBodies(route, world);
  if (good === undefined) return [];
  const fields = BAD_FIELDS[`${route.method} ${route.path}`] ?? [];
  return [
    ...fields.map(([field, value]) => ({ body: JSON.stringify({ ...good, [field]: value }), names: field })),
    ...['', '{', '[]', 'null', '7'].map((body) => ({ body })),
    { body: JSON.stringify(good), type: 'text/plain' },
  ];
}
