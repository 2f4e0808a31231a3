import type * as z from 'zod';
import { valueAt } from '../contract/field-problems.ts';
import { cleanText } from '../core/text.ts';
import { ClientError, errorWords, LONGEST_RAW } from './errors.ts';
import { harmless, isRecord, isWebPage, parseJson } from './values.ts';
import { inWireForm, type Renaming } from './wire-form.ts';

const SUCCESS_CODE = /^(ok|success|succeeded|0|2\d\d)$/i;
/** Returned once, to the alert's creator, and never shown otherwise. */
const SIGNING_SECRET = /whsec_[\w+/=-]+/g;

interface ResponseContext {
  readonly endpoint: string;
  readonly host: string;
  readonly isOwn?: boolean;
  readonly renaming?: Renaming;
}

/** Compiling a schema takes longer than reading the few responses of a command by it. */
const AS_IT_IS = { jitless: true };

export type WireResponse = ReturnType<typeof parseResponse>;

export function parseResponse(text: string, schema: z.ZodObject, context: ResponseContext) {
  const parsed = parseJson(text);
  if (parsed === undefined) throw unreadable(notJson(text, context), null, text, context);
  const body = harmless(parsed);
  // Further fields are a newer release's: every price is still in wei, however small.
  const isExact =
    context.isOwn === true ||
    (schema.safeParse(body, AS_IT_IS).error?.issues ?? []).every(({ code }) => code === 'unrecognized_keys');
  return { body, isExact, wire: isExact ? body : inWireForm(schema, body, context.renaming) };
}

/** @throws ClientError `unreadable`; `server` or `invalid` for an error despite its status */
export function viewOf<View>(
  { body, isExact, wire }: WireResponse,
  view: z.ZodType<View>,
  text: string,
  context: ResponseContext,
): View {
  // An error with an empty list is an error.
  const lists = isRecord(wire) ? [wire.items, wire.data, wire.points] : [];
  if (!isExact && lists.some((list) => Array.isArray(list) && list.length === 0))
    throwIfRefused(body, context);
  const { data, error } = view.safeParse(wire, AS_IT_IS);
  if (error === undefined) return data;
  throwIfRefused(body, context);
  const path = error.issues[0]?.path ?? [];
  const field = pathText(path);
  const fault = valueAt(wire, path) == null ? `has no ${field}` : `has a ${field} that makes no sense`;
  const message = `the response of ${context.host} to ${context.endpoint} ${fault}`;
  throw unreadable(message, field, text, context);
}

/** `lanes.slow.price`, `points[0].timestamp` */
export function pathText(path: readonly PropertyKey[]): string {
  return path
    .map((part) => (typeof part === 'number' ? `[${part}]` : `.${String(part)}`))
    .join('')
    .replace(/^\./, '');
}

/** Some services send errors with status 200, and refuse a window with `data: [{ error }]`. */
export function throwIfRefused(body: unknown, { endpoint }: Pick<ResponseContext, 'endpoint'>): void {
  if (!isRecord(body)) return;
  const { errorCode, message } = errorWords(body);
  const { error, success, data } = body;
  if (Array.isArray(data) && data.length === 1 && isRecord(data[0]) && typeof data[0].error === 'string') {
    throw new ClientError('invalid', `the service did not accept the request: ${message}`, {
      endpoint,
      details: [{ path: '', message }],
    });
  }
  const isDone = success === true || SUCCESS_CODE.test(errorCode);
  const isRefused = errorCode !== '' || (error ?? false) !== false || success === false;
  if (message === '' || isDone || !isRefused) return;
  throw new ClientError('server', `the service responded with an error: ${message}`, { endpoint });
}

function unreadable(
  message: string,
  field: string | null,
  text: string,
  { endpoint }: ResponseContext,
): ClientError {
  const raw = cleanText(text, LONGEST_RAW).replace(SIGNING_SECRET, '(secret)');
  return new ClientError('unreadable', message, { endpoint, field, raw });
}

function notJson(text: string, { endpoint, host }: ResponseContext): string {
  if (/^\s*[[{]/.test(text)) return `the response of ${host} to ${endpoint} is broken off or not JSON`;
  const what = isWebPage(text)
    ? 'a web page: a login or proxy, or not the address of a v1 service'
    : `${text.trim() === '' ? 'nothing' : 'something that is not JSON'}; check the URL`;
  return `${host} responded to ${endpoint} with ${what}`;
}
