import * as z from 'zod';
import { AlertDetails, AlertList, AlertSavings } from '../../contract/alerts.ts';
import { RateLimits, StatsChart, StatsCurrent, StatsMarket, Summary } from '../../contract/dashboard.ts';
import { BlockMetrics, TxMetrics, TxsMetrics } from '../../contract/explorer.ts';
import { GasCurrent, GasRecommendation, GasTrend } from '../../contract/gas.ts';
import { BaseFeeMetrics, GasUsedRatioMetrics, PriorityFeeMetrics } from '../../contract/metrics.ts';
import { PATHS } from '../../contract/routes.ts';
import type { FieldDescription } from '../openapi.ts';
import { isRecord } from '../reading/json.ts';
import { schemaFields } from './schema-fields.ts';

const MOST_BEYOND = 60;

const ANSWERS = new Map<string, z.ZodType>([
  [PATHS.alerts, AlertList],
  [PATHS.alert, AlertDetails],
  [PATHS.alertSavings, AlertSavings],
  [PATHS.gasCurrent, GasCurrent],
  [PATHS.gasTrend, GasTrend],
  [PATHS.gasRecommendation, GasRecommendation],
  [PATHS.statsCurrent, StatsCurrent],
  [PATHS.statsChart, StatsChart],
  [PATHS.statsMarket, StatsMarket],
  [PATHS.rateLimits, RateLimits],
  [PATHS.summary, Summary],
  [PATHS.baseFee, BaseFeeMetrics],
  [PATHS.priorityFee, PriorityFeeMetrics],
  [PATHS.gasUsedRatio, GasUsedRatioMetrics],
  [PATHS.block, BlockMetrics],
  [PATHS.tx, TxMetrics],
  [PATHS.txs, TxsMetrics],
]);

const known = new Map<string, ReadonlySet<string>>();

/** Of a route's described fields those that v1 does not have; empty where this version knows no v1 answer. */
export function fieldsBeyond(path: string, fields: readonly FieldDescription[]): readonly FieldDescription[] {
  const ours = contractFields(path);
  if (ours === null) return [];
  return fields
    .map((field) => ({ ...field, path: withoutEnvelope(field.path) }))
    .filter((field) => field.path !== '' && !ours.has(normal(field.path)))
    .slice(0, MOST_BEYOND);
}

function contractFields(path: string): ReadonlySet<string> | null {
  const answer = ANSWERS.get(path);
  if (answer === undefined) return null;
  const before = known.get(path);
  if (before !== undefined) return before;
  const schema: unknown = z.toJSONSchema(answer, { unrepresentable: 'any' });
  const fields = isRecord(schema) ? schemaFields(schema, schema) : [];
  const names = new Set(fields.map((field) => normal(withoutEnvelope(field.path))));
  known.set(path, names);
  return names;
}

/** What services put around what they mean is no field of its own. */
function withoutEnvelope(path: string): string {
  return path.replace(/^(\[\]\.?)*((data|result|items|content)(\[\])*(\.|$))*/, '');
}

/** `next_base_price` and `nextBasePrice` are one name. */
function normal(path: string): string {
  return path.toLowerCase().replaceAll(/[_-]/g, '');
}
