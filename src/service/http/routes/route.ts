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
import { wrongParameters } from '../errors.ts';
import type { GasStreams } from '../gas-streams.ts';

/** A route as data: what the OpenAPI document says of it, and how its parameters are read. */
interface RouteSpec<Params extends z.ZodObject, Query extends z.ZodObject, Returned extends z.ZodType> {
  readonly summary: string;
  readonly description?: string;
  readonly params?: Params;
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
  readonly spec: Omit<RouteSpec<z.ZodObject, z.ZodObject, z.ZodType>, 'handle'>;
  readonly handle: (request: AdmittedRequest) => Promise<object | undefined>;
}

export function route<
  Returned extends z.ZodType<object | undefined>,
  Params extends z.ZodObject = typeof NoParameters,
  Query extends z.ZodObject = typeof NoParameters,
>(method: V1Route['method'], path: V1Route['path'], spec: RouteSpec<Params, Query, Returned>): Route {
  const known: V1Route = { method, path, group: groupOf(path) };
  return {
    ...known,
    spec,
    handle: async (request) => {
      const { req } = request.c;
      // A parameter that is given more than once is a list, which no schema takes.
      const given = Object.entries(req.queries()).map(([name, all]) => [name, all.length > 1 ? all : all[0]]);
      const query = readParameters(spec.query ?? NoParameters, Object.fromEntries(given));
      const params = readParameters(spec.params ?? NoParameters, req.param());
      return spec.handle({
        ...request,
        query: query as z.output<Query>,
        params: params as z.output<Params>,
      });
    },
  };
}

/** @throws {ApiFailure} `validation_failed`, with each wrong and each unknown parameter by name. */
function readParameters(schema: z.ZodObject, given: Readonly<Record<string, unknown>>) {
  const parsed = schema.safeParse(given);
  if (!parsed.success) throw wrongParameters(parsed.error, given);
  return parsed.data;
}
