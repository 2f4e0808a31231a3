/** The v1 base path; every route below stands behind it. */
export const BASE_PATH = '/be/api/v1';

/** Header that carries the key. */
export const API_KEY_HEADER = 'x-api-key';

export const PATHS = {
  gasCurrent: '/gas/current',
  gasTrend: '/gas/trend',
  gasRecommendation: '/gas/recommendation',
  statsCurrent: '/dashboard/stats/current',
  statsChart: '/dashboard/stats/chart',
  statsMarket: '/dashboard/stats/market',
  baseFee: '/metrics/base-fee',
  priorityFee: '/metrics/priority-fee',
  gasUsedRatio: '/metrics/gas-used-ratio',
} as const;
