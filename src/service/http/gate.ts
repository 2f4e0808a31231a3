import type { RateLimits } from '../../contract/dashboard.ts';
import type { RouteGroup } from '../../contract/routes.ts';

/** Who was let in. */
export interface Admission {
  /** The key's public id, for logs; `null` where no key is needed. */
  readonly keyId: string | null;
}

/** Decides who may ask v1, and how often. */
export interface Gate {
  /**
   * Counts one request of `key`, or refuses it. The count is durable when this resolves.
   * @throws {ApiFailure} `api_key_missing`, `api_key_invalid`, `api_key_revoked`, `plan_forbidden` or
   * `rate_limit_exceeded` with `Retry-After`; `upstream_unavailable` while keys cannot be read or counts not be kept.
   */
  admit(request: { readonly key: string | null; readonly group: RouteGroup }): Promise<Admission>;
  /**
   * What `key` may still ask. Itself it is checked like any other request, but not counted; `onAdmitted` is told whose
   * it is. @throws like {@link admit}
   */
  limits(key: string | null, onAdmitted?: (admission: Admission) => void): Promise<RateLimits>;
  /** Those of the keys, by their ids, that were revoked or are gone; left out where no key is needed. @throws {StoreError} */
  withdrawn?(keyIds: readonly string[]): Promise<readonly string[]>;
}
