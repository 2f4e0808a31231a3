import type { ErrorCode } from '../../contract/api-error.ts';

/** What is learned of one request while it is answered, for log and metrics. Handed to the app as its `env`. */
export class RequestRecord {
  /** The route's template, never what was typed: `/be/api/v1/metrics/block/{number}`. */
  route: string | null = null;
  /** The key's public id; never the key. */
  keyId: string | null = null;
  errorCode: ErrorCode | null = null;
  /** Length of an encoded answer, which has all its headers; `null` for any other. */
  bytes: number | null = null;
}

export function recordOf(env: unknown): RequestRecord | null {
  return env instanceof RequestRecord ? env : null;
}
