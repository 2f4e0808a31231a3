/** The released version, inserted by the build. */
export const VERSION: string = process.env.GASTOP_VERSION ?? '0.0.0-source';
export const BASE_PATH = '/be/api/v1';
export const API_KEY_HEADER = 'x-api-key';
/** Path of the live OpenAPI description, beside the v1 base path. */
export const PLAYGROUND_PATH = '/api-playground';
export const OPENAPI_PATH = `${PLAYGROUND_PATH}/openapi.json`;
export const MCP_PATH = '/mcp';

/** Paths in OpenAPI's syntax: a parameter is `{name}`. */
export const PATHS = {
  gasCurrent: '/gas/current',
  gasStream: '/gas/stream',
  gasTrend: '/gas/trend',
  gasRecommendation: '/gas/recommendation',
  gasEstimate: '/gas/estimate',
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
  chainRules: '/chain/rules',
  compatBlocknative: '/compat/blocknative/gasprices/blockprices',
  compatMetamask: '/compat/metamask/networks/{chainId}/suggestedGasFees',
  compatEtherscan: '/compat/etherscan/api',
  compatEtherscanV2: '/compat/etherscan/v2/api',
} as const;

export const ROUTE_GROUPS = ['gas', 'alerts', 'auto-txs', 'dashboard', 'metrics'] as const;
export type RouteGroup = (typeof ROUTE_GROUPS)[number];

export interface V1Route {
  readonly method: 'get' | 'post' | 'put' | 'delete';
  readonly path: (typeof PATHS)[keyof typeof PATHS];
  readonly group: RouteGroup;
}

/** Routes in the shape of other services, which take the key where their clients put it. */
export const isCompat = (path: string): boolean => path.startsWith('/compat/');

export const isEtherscan = (path: string): boolean => path.startsWith('/compat/etherscan/');

/** The group of `/alerts/{id}` is `alerts`. */
export const groupOf = (path: string): RouteGroup =>
  ROUTE_GROUPS.find((group) => path.startsWith(`/${group}`)) ?? 'gas';

const routes = (method: V1Route['method'], ...paths: readonly V1Route['path'][]) =>
  paths.map((path): V1Route => ({ method, path, group: groupOf(path) }));

/** In the order of the OpenAPI document. */
export const V1_ROUTES: readonly V1Route[] = [
  ...routes('get', PATHS.gasCurrent, PATHS.gasTrend, PATHS.gasRecommendation, PATHS.alerts, PATHS.alert),
  ...routes('post', PATHS.alerts),
  ...routes('put', PATHS.alertStatus),
  ...routes('delete', PATHS.alert),
  ...routes('get', PATHS.alertSavings, PATHS.autoTxs, PATHS.autoTx),
  ...routes('post', PATHS.autoTxs),
  ...routes('put', PATHS.autoTx),
  ...routes('post', PATHS.autoTxCancel),
  ...routes('delete', PATHS.autoTx),
  ...routes('get', PATHS.statsCurrent, PATHS.statsChart, PATHS.statsMarket, PATHS.rateLimits, PATHS.summary),
  ...routes('get', PATHS.baseFee, PATHS.priorityFee, PATHS.gasUsedRatio, PATHS.block, PATHS.tx, PATHS.txs),
];

/** Routes of this service beyond v1; other services lack them. */
export const ADDED_ROUTES: readonly V1Route[] = [
  ...routes('get', PATHS.gasStream, PATHS.autoTxAccount, PATHS.chainRules),
  ...routes('get', PATHS.compatBlocknative, PATHS.compatMetamask),
  ...routes('get', PATHS.compatEtherscan, PATHS.compatEtherscanV2),
  ...routes('put', PATHS.alert),
  ...routes('post', PATHS.signingSecret, PATHS.alertRedeliver, PATHS.gasEstimate),
];
