import type { ErrorCode } from '../../contract/api-error.ts';

/** Facts about one request, collected while it is handled, for log and metrics. Passed to the app as its `env`. */
export class RequestRecord {
  /** The route's template, never the typed path: `/be/api/v1/metrics/block/{number}`. */
  route: string | null = null;
  /** The key's public id; never the key. */
  keyId: string | null = null;
  errorCode: ErrorCode | null = null;
  /** Length of the body; `null` while unknown. */
  bytes: number | null = null;

  /** The facts so far, independent of later changes by the app. */
  copy(): RequestRecord {
    const copy = new RequestRecord();
    copy.route = this.route;
    copy.keyId = this.keyId;
    return copy;
  }
}

export function recordOf(env: unknown): RequestRecord | null {
  return env instanceof RequestRecord ? env : null;
}
