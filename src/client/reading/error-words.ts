import { cleanText } from '../../core/clean-text.ts';
import { isRecord } from './json.ts';

const LONGEST_MESSAGE = 300;
const MOST_DETAILS = 50;

/** What a service says about its refusal, in the v1 error body or what comes near it. */
export interface ErrorWords {
  readonly errorCode: string;
  readonly message: string;
  readonly details: readonly { readonly path: string; readonly message: string }[];
}

/** The words of an error body: v1's own, the metrics envelope with `data: [{ error }]`, or other services' habits. */
export function errorWords(body: unknown): ErrorWords {
  const record = isRecord(body) ? body : {};
  const inner = isRecord(record.error) ? record.error : {};
  const row: unknown = Array.isArray(record.data) ? record.data[0] : undefined;
  const message = [
    record.message,
    inner.message,
    record.error,
    isRecord(row) ? row.error : undefined,
    record.detail,
    record.title,
  ].find((text) => typeof text === 'string' && text !== '');
  const errorCode = [record.errorCode, inner.code, record.code].find((code) => typeof code === 'string');
  const details: readonly unknown[] = Array.isArray(record.details) ? record.details : [];
  return {
    errorCode: line(errorCode),
    message: line(message),
    details: details.slice(0, MOST_DETAILS).flatMap((detail) => {
      if (!isRecord(detail)) return [];
      const said = line(detail.message);
      return said === '' ? [] : [{ path: line(detail.path), message: said }];
    }),
  };
}

function line(text: unknown): string {
  return typeof text === 'string' ? cleanText(text, LONGEST_MESSAGE).trim() : '';
}
