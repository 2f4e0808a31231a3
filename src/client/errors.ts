import { cleanText } from '../core/text.ts';
import { isRecord } from './values.ts';

/**
 * `unreachable`: no response came: refused, reset, timed out, name not found. `key`: 401, missing, wrong or revoked.
 * `plan`: 403. `invalid`: 400, 413, 422. `conflict`: 409, the present state is against it. `quota`: 429. `unavailable`:
 * 503, the service responds, its chain does not. `unreadable`: the response lacks a required field. `server`: any other.
 */
export type ClientErrorCode =
  | ('unreachable' | 'key' | 'plan' | 'not-found' | 'invalid')
  | ('conflict' | 'quota' | 'unavailable' | 'server' | 'unreadable');

export const LONGEST_RAW = 2_000;
type OfError = 'code' | 'name' | 'message' | 'stack' | 'unsettled' | 'endpoint';

/** A failed v1 call. `message` is one clean line for people, without the key. */
export class ClientError extends Error {
  override readonly name = 'ClientError';
  readonly code!: ClientErrorCode;
  /** The v1 path that was requested, e.g. `/gas/current`. */
  readonly endpoint!: string;
  readonly status: number | null = null;
  /** The service's `Retry-After`. */
  readonly retryAfterSec: number | null = null;
  /** For `quota`: the limit, if known. */
  readonly limit: LimitKind | null = null;
  /** The service's error code, e.g. `api_key_revoked`. */
  readonly errorCode: string | null = null;
  /** The service's own details, e.g. one line per parameter or per node. */
  readonly details: readonly { readonly path: string; readonly message: string }[] = [];
  /** For `unreadable`: the missing or invalid field, e.g. `lanes.slow.price`. */
  readonly field: string | null = null;
  /** The beginning of the response without control characters, for the raw view; `null` without one. */
  readonly raw: string | null = null;
  /** A write without a readable response: it may have been done. Check before a retry. */
  readonly mayBeDone: boolean = false;

  constructor(
    code: ClientErrorCode,
    message: string,
    context: Pick<ClientError, 'endpoint'> & Partial<Omit<ClientError, OfError>>,
  ) {
    super(message, { cause: context.cause });
    Object.assign(this, context, { code });
  }

  /** The same error for a write that may have been done, with that in its message. @internal */
  unsettled(): ClientError {
    const message = `${this.message.replace(/[.;]$/, '')}; it may have been done all the same: look before trying again`;
    return new ClientError(this.code, message, { ...this, mayBeDone: true });
  }
}

/** A response, or why there is none. */
export type Asked<Told> =
  | { readonly found: Told; readonly error: null }
  | { readonly found: null; readonly error: ClientError };

const REFUSALS: readonly ClientErrorCode[] = ['invalid', 'not-found', 'plan', 'server', 'unreadable'];
/** Other routes may respond. */
const OF_ONE_ROUTE: readonly ClientErrorCode[] = [...REFUSALS, 'conflict', 'unavailable'];

/** A response that may fail with one of `codes`; default: the service refuses it, whenever it is requested. Other errors are thrown. */
export async function unlessRefused<Told>(response: Promise<Told>, codes = REFUSALS): Promise<Asked<Told>> {
  try {
    return { found: await response, error: null };
  } catch (error) {
    if (!(error instanceof ClientError) || !codes.includes(error.code)) throw error;
    return { found: null, error };
  }
}

/** An optional response: `null` when its route fails, which `onFailure` is told; the error when every route would. */
export async function ifTold<Told>(response: Promise<Told>, onFailure?: (error: ClientError) => void) {
  const { found, error } = await unlessRefused(response, OF_ONE_ROUTE);
  if (error !== null) onFailure?.(error);
  return found;
}

export type LimitKind = 'daily' | 'rate';

const LONGEST_MESSAGE = 300;
const MOST_DETAILS = 50;
export type ErrorWords = ReturnType<typeof errorWords>;

/** The texts of an error body: v1's, the metrics envelope with `data: [{ error }]`, or an `error` of either. */
export function errorWords(body: unknown) {
  const record = isRecord(body) ? body : {};
  const inner = isRecord(record.error) ? record.error : {};
  const row: unknown = Array.isArray(record.data) ? record.data[0] : undefined;
  const messages = [record.message, inner.message, record.error, isRecord(row) && row.error, record.title];
  const details = [record.details, record.errors]
    .flatMap((list): unknown[] => (Array.isArray(list) ? list.slice(0, MOST_DETAILS) : []))
    .filter(isRecord)
    .map(({ path, field, message }) => ({ path: line(path ?? field), message: line(message) }));
  return {
    errorCode: line([record.errorCode, inner.code, record.code].find((code) => typeof code === 'string')),
    message: messages.map(line).find((text) => text !== '') ?? '',
    details: details.filter(({ message }) => message !== ''),
  };
}

const line = (text: unknown): string =>
  typeof text === 'string' ? cleanText(text, LONGEST_MESSAGE).trim() : '';
