import { cleanText } from '../../core/clean-text.ts';
import { isRecord, type JsonRecord } from './json.ts';

const LONGEST_MESSAGE = 300;
const MOST_DETAILS = 50;
/** Where services say what is wrong, field by field. */
const DETAIL_LISTS = ['details', 'errors', 'issues', 'violations', 'detail'] as const;

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
  const listed = Array.isArray(record.message) ? record.message : [];
  const message = [
    record.message,
    listed.filter((one) => typeof one === 'string').join('; '),
    inner.message,
    record.error,
    isRecord(row) ? row.error : undefined,
    record.detail,
    record.title,
  ].find((text) => typeof text === 'string' && text !== '');
  const errorCode = [record.errorCode, inner.code, record.code].find((code) => typeof code === 'string');
  return {
    errorCode: line(errorCode),
    message: line(message),
    details: DETAIL_LISTS.flatMap((name) => detailsOf(record[name] ?? inner[name])).slice(0, MOST_DETAILS),
  };
}

/** A list of details, or a record of the fields with what is wrong with each. */
function detailsOf(value: unknown): ErrorWords['details'] {
  if (isRecord(value)) {
    return Object.entries(value)
      .slice(0, MOST_DETAILS)
      .flatMap(([path, said]) => detail(line(path), Array.isArray(said) ? said[0] : said));
  }
  if (!Array.isArray(value)) return [];
  return value.slice(0, MOST_DETAILS).flatMap((row: unknown) => {
    if (!isRecord(row)) return [];
    return detail(pathOf(row), row.message ?? row.msg ?? row.defaultMessage ?? row.error ?? row.detail);
  });
}

function detail(path: string, said: unknown): ErrorWords['details'] {
  const message = line(said);
  return message === '' ? [] : [{ path, message }];
}

/** `thresholdGwei` stands as a text or in parts, some of which only say where in the request it was. */
function pathOf(row: JsonRecord): string {
  const place = row.path ?? row.field ?? row.loc ?? row.param ?? row.property ?? row.pointer;
  if (!Array.isArray(place)) return line(place);
  return line(place.filter((part) => part !== 'body' && part !== 'query').join('.'));
}

function line(text: unknown): string {
  return typeof text === 'string' ? cleanText(text, LONGEST_MESSAGE).trim() : '';
}
