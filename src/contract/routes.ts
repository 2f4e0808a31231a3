/** The released version, inserted by the build. */
export const VERSION: string = process.env.GASTOP_VERSION ?? '0.0.0-source';

/** The v1 base path; prefix of every route below. */
export const BASE_PATH = '/be/api/v1';

export const API_KEY_HEADER = 'x-api-key';

/** Path of the live OpenAPI description, beside the v1 base path. */
export const PLAYGROUND_PATH = '/api-playground';
export const OPENAPI_PATH = `${PLAYGROUND_PATH}/openapi.json`;

/** Path for MCP clients, beside the v1 base path. */
export const MCP_PATH = '/mcp';

/** Paths in OpenAPI's syntax: a parameter is `{name}`. */
export const PATHS = {
  gasCurrent: '/gas/current',
  gasStream: '/gas/stream',
  gasTrend: '/gas/trend',
  gasRecommendation: '/gas/recommendation',
  alerts: '/alerts',
  alert: '/alerts/{id}',
  alertStatus: '/alerts/{id}/status',
  alertSavings: '/alerts/{id}/savings',
  alertRedeliver: '/alerts/{id}/redeliver',
  signingSecret: '/alerts/signing-secret/rotate',
  autoTxs: '/auto-txs',
  autoTx: '/auto-txs/{id}',
  autoTxCancel: '/auto-txs/{id}/cancel',
  autoTxAccount: '/auto-txs/accounts/{address}',
  statsCurrent: '/dashboard/stats/current',
  statsChart: '/dashboard/stats/chart',
  statsMarket: '/dashboard/stats/market',
  rateLimits: '/dashboard/rate-limits',
  summary: '/dashboard/summary',
  baseFee: '/metrics/base-fee',
  priorityFee: '/metrics/priority-fee',
  gasUsedRatio: '/metrics/gas-used-ratio',
  block: '/metrics/block/{number}',
  tx: '/metrics/tx/{hash}',
  txs: '/metrics/txs',
} as const;

export const ROUTE_GROUPS = ['gas', 'alerts', 'auto-txs', 'dashboard', 'metrics'] as const;
export type RouteGroup = (typeof ROUTE_GROUPS)[number];

export interface V1Route {
  readonly method: 'get' | 'post' | 'put' | 'delete';
  readonly path: (typeof PATHS)[keyof typeof PATHS];
  readonly group: RouteGroup;
}

const route = (group: RouteGroup, method: V1Route['method'], path: V1Route['path']): V1Route => ({
  method,
  path,
  group,
});

export const V1_ROUTES: readonly V1Route[] = [
  route('gas', 'get', PATHS.gasCurrent),
  route('gas', 'get', PATHS.gasTrend),
  route('gas', 'get', PATHS.gasRecommendation),
  route('alerts', 'get', PATHS.alerts),
  route('alerts', 'get', PATHS.alert),
  route('alerts', 'post', PATHS.alerts),
  route('alerts', 'put', PATHS.alertStatus),
  route('alerts', 'delete', PATHS.alert),
  route('alerts', 'get', PATHS.alertSavings),
  route('auto-txs', 'get', PATHS.autoTxs),
  route('auto-txs', 'get', PATHS.autoTx),
  route('auto-txs', 'post', PATHS.autoTxs),
  route('auto-txs', 'put', PATHS.autoTx),
  route('auto-txs', 'post', PATHS.autoTxCancel),
  route('auto-txs', 'delete', PATHS.autoTx),
  route('dashboard', 'get', PATHS.statsCurrent),
  route('dashboard', 'get', PATHS.statsChart),
  route('dashboard', 'get', PATHS.statsMarket),
  route('dashboard', 'get', PATHS.rateLimits),
  route('dashboard', 'get', PATHS.summary),
  route('metrics', 'get', PATHS.baseFee),
  route('metrics', 'get', PATHS.priorityFee),
  route('metrics', 'get', PATHS.gasUsedRatio),
  route('metrics', 'get', PATHS.block),
  route('metrics', 'get', PATHS.tx),
  route('metrics', 'get', PATHS.txs),
];

/** Routes of this service beyond v1; other services lack them. */
export const ADDED_ROUTES: readonly V1Route[] = [
  route('gas', 'get', PATHS.gasStream),
  route('alerts', 'put', PATHS.alert),
  route('alerts', 'post', PATHS.signingSecret),
  route('alerts', 'post', PATHS.alertRedeliver),
  route('auto-txs', 'get', PATHS.autoTxAccount),
];
