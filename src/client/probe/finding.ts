import type { RouteGroup, V1Route } from '../../contract/routes.ts';
import type { ClientErrorCode } from '../client-error.ts';
import type { ConnectionFinding } from './connection.ts';
import type { AnswerReading } from './judge-answer.ts';

/** What became of the question to one read route. */
export type RouteOutcome =
  /** Understood; how well stands in the reading. */
  | 'understood'
  /** Something came that cannot be used: not JSON, or without a field that must be there. */
  | 'unreadable'
  /** 404, 405, 501: the service has no such route. */
  | 'not-offered'
  /** 401, 403 or 429. */
  | 'refused'
  /** Any other status that is no success. */
  | 'failed'
  | 'unreachable'
  /** There was nothing to ask with; the note says what. */
  | 'skipped'
  /** An earlier answer ended the asking; the note says why. */
  | 'not-asked';

export interface RouteFinding {
  readonly path: V1Route['path'];
  readonly group: RouteGroup;
  readonly outcome: RouteOutcome;
  /** Why, where it was not understood. */
  readonly code: ClientErrorCode | null;
  /** The path and query that were asked. */
  readonly asked: string | null;
  readonly status: number | null;
  /** From the question to the last byte. */
  readonly latencyMs: number | null;
  /** Of the body, unpacked, in UTF-8. */
  readonly bytes: number | null;
  /** One clean line: why it was skipped, refused, or could not be read. */
  readonly note: string | null;
  readonly reading: AnswerReading | null;
}

/** Difference of the service's clock to ours, from a `Date` header. */
export interface ClockFinding {
  /** Positive: the service's clock is ahead. */
  readonly skewSec: number;
  /** The header counts whole seconds, and nobody knows when in the round trip it was written. */
  readonly uncertaintySec: number;
}

export interface DescriptionFinding {
  readonly title: string | null;
  readonly version: string | null;
  readonly routes: number;
}

/** All that was found out about one service. Texts in it are clean single lines; the key is in none. */
export interface ServiceFinding {
  /** `null`: the service runs in this process. */
  readonly connection: ConnectionFinding | null;
  readonly clock: ClockFinding | null;
  /** Age of the newest block by our clock; `null` where blocks have none: a recording, or a service that says none. */
  readonly headAgeSec: number | null;
  readonly snapshot: {
    readonly chainId: number | null;
    readonly blockNumber: number | null;
    readonly source: string;
    readonly sourceKind: 'rpc' | 'replay' | 'simulated' | 'service';
    readonly stale: boolean;
    readonly problem: string | null;
    /** slow ≤ average ≤ fast */
    readonly inOrder: boolean;
    readonly updateFrequencySec: number | null;
  } | null;
  /** `honoured`: a second question with `If-None-Match` got 304. `unknown`: the answer had changed meanwhile. */
  readonly etag: 'honoured' | 'ignored' | 'none' | 'unknown';
  /** `content-encoding` by how many answers had it. */
  readonly encodings: Readonly<Record<string, number>>;
  readonly rateLimitHeaders: Readonly<Record<string, string>>;
  readonly quota: { readonly dailyLimit: number | null; readonly remainingToday: number | null } | null;
  /** The service's OpenAPI document; `null`: none was found, or it was not looked for. */
  readonly description: DescriptionFinding | null;
  readonly routes: readonly RouteFinding[];
}
