import type { ErrorCode } from '../../contract/api-error.ts';

/** What is learned of one request while it is answered, for log and metrics. Passed to the app as its `env`. */
export class RequestRecord {
  /** The route's template, never what was typed: `/be/api/v1/metrics/block/{number}`. */
  route: string | null = null;
  /** The key's public id; never the key. */
  keyId: string | null = null;
  errorCode: ErrorCode | null = null;
  /** Length of the body; `null` while that is not known. */
  bytes: number | null = null;

  /** What is known until now, apart from what the app may still add. */
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
