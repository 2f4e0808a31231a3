import type { Context } from 'hono';
import type { z } from 'zod';
import type { RateLimits } from '../../../contract/dashboard.ts';
import { NoParameters } from '../../../contract/queries.ts';
import { groupOf, type V1Route } from '../../../contract/routes.ts';
import type { AlertService } from '../../alerts/alert-service.ts';
import type { AutoTxService } from '../../auto-txs/auto-tx-service.ts';
import type { Condition } from '../../condition.ts';
import type { IngestedChain } from '../../follow/ingested-chain.ts';
import type { Lookups } from '../../lookups.ts';
import type { ChainPublisher } from '../../published-chain.ts';
import type { Gate } from '../auth.ts';
import type { GasStreams } from '../gas-streams.ts';

/** A route as data: what the OpenAPI document says of it, its parameters, and what handles it. */
interface RouteSpec<Params extends z.ZodObject, Query extends z.ZodObject, Returned extends z.ZodType> {
  readonly summary: string;
  readonly description?: string;
  /** Default: none. */
  readonly params?: Params;
  /** Default: none. */
  readonly query?: Query;
  /** A JSON body, which the handler checks. */
  readonly body?: { readonly schema: z.ZodType; readonly example: object };
  /** Default: 200, without `response` 204. */
  readonly status?: 200 | 201 | 202;
  /** What a success means; default: the summary. */
  readonly success?: string;
  /** Schema of the response, or of each event of a stream. */
  readonly response?: Returned;
  readonly isStream?: boolean;
  /** When it refuses, by status; those that every route has are added. */
  readonly refusals?: Readonly<Partial<Record<400 | 404 | 409 | 413 | 503, string>>>;
  /** Returns the body of the response, or a whole response. */
  handle(
    request: AdmittedRequest & { readonly params: z.output<Params>; readonly query: z.output<Query> },
  ): z.output<Returned> | Response | Promise<z.output<Returned> | Response>;
}

export const NEEDS_CHAIN = { 503: 'The chain source is down and the request needs it' };

export interface AdmittedRequest {
  readonly c: Context;
  /** The key's public id, empty when no key is needed. */
  readonly owner: string;
  readonly limits?: RateLimits | undefined;
  readonly body?: unknown;
  /** Aborts when nobody waits for the response any more. */
  readonly signal: AbortSignal;
}

/** What routes are handled by. */
export interface RouteParts {
  readonly publisher: ChainPublisher;
  readonly chain: Pick<IngestedChain, 'recommendation' | 'reachProbability'>;
  readonly lookups: Lookups;
  readonly condition: () => Condition;
  readonly gate: Gate;
  readonly streams: GasStreams;
  readonly alerts: AlertService;
  readonly autoTxs: AutoTxService;
}

export interface Route extends V1Route {
  readonly spec: RouteSpec<z.ZodObject, z.ZodObject, z.ZodType<object | undefined>> &
    Readonly<Record<'params' | 'query', z.ZodObject>>;
}

export const route = <
  Returned extends z.ZodType<object | undefined>,
  Params extends z.ZodObject = typeof NoParameters,
  Query extends z.ZodObject = typeof NoParameters,
>(
  method: V1Route['method'],
  path: V1Route['path'],
  spec: RouteSpec<Params, Query, Returned>,
): Route => ({
  method,
  path,
  group: groupOf(path),
  spec: { params: NoParameters, query: NoParameters, ...spec },
});
