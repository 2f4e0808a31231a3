import { bareHex, isSignedShape } from '../core/transactions/signed-text.ts';
import { normalKey } from './aliases.ts';
import { isRecord, parseJson } from './values.ts';

/** What services call a signed transaction, or the signature alone. */
const SECRET_NAMES: ReadonlySet<string> = new Set([
  'signedtransaction',
  'signedtx',
  'signedrawtransaction',
  'signedpayload',
  'signeddata',
  'signedhex',
  'signed',
  'rawtransaction',
  'rawsignedtransaction',
  'rawsignedtx',
  'rawtx',
  'rawhex',
  'raw',
  'txhex',
  'serialized',
  'serializedtransaction',
  'serializedtx',
  'signature',
  'signatures',
  'sig',
  'r',
  's',
]);
/** What a transaction does is no secret, though it stands in the signed bytes too. */
const PLAIN_NAMES: ReadonlySet<string> = new Set([
  'to',
  'from',
  'data',
  'input',
  'calldata',
  'value',
  'hash',
]);

const HIDDEN = '(signed bytes)';

/** Fewer bytes than any signed transaction has. */
const SHORTEST_SIGNED = 70;

/**
 * The text of a response without anything that could be broadcast: fields that hold signed bytes or signatures, whatever
 * hex is a whole signed transaction, and pieces of what was `sent` itself. A text without such things stays as it is.
 */
export function withoutSigned(text: string, sent: string | null = null): string {
  const plain = sent === null ? null : bareHex(sent);
  const body = parseJson(text);
  const shown = hide(body, '', plain);
  return withoutWhole(shown === body ? text : JSON.stringify(shown), plain);
}

/** The same for any other response: only what is a whole signed transaction. */
export function withoutWhole(text: string, sent: string | null = null): string {
  return replaceHexRuns(text, (run) => (holdsSigned(run, sent) ? HIDDEN : run));
}

/** The very `value` where there is nothing to hide in it: most responses are long, and need no copy. */
function hide(value: unknown, name: string, sent: string | null): unknown {
  const isSecret =
    SECRET_NAMES.has(name) && ((typeof value === 'string' && value !== '') || Array.isArray(value));
  if (isSecret || isByteList(value)) return HIDDEN;
  if (typeof value === 'string') {
    const isPlain = PLAIN_NAMES.has(name);
    return replaceHexRuns(value, (run) =>
      holdsSigned(run, sent) || (!isPlain && isPieceOf(run, sent)) ? HIDDEN : run,
    );
  }
  if (Array.isArray(value)) {
    const shown = value.map((one) => hide(one, name, sent));
    return shown.some((one, place) => one !== value[place]) ? shown : value;
  }
  if (!isRecord(value)) return value;
  const all = Object.entries(value);
  const changed = all
    .map(([key, one]) => [key, hide(one, normalKey(key), sent)] as const)
    .filter(([, one], place) => one !== all[place]?.[1]);
  return changed.length === 0 ? value : Object.fromEntries([...all, ...changed]);
}

/** Bytes as a list of numbers, the way Node writes its buffers as JSON. */
const isByteList = (value: unknown) =>
  Array.isArray(value) && value.length >= SHORTEST_SIGNED && value.every((one) => typeof one === 'number');

function holdsSigned(run: string, sent: string | null): boolean {
  const hex = bareHex(run);
  return (sent !== null && sent !== '' && hex.includes(sent)) || isSignedShape(hex);
}

const isPieceOf = (run: string, sent: string | null) => sent?.includes(bareHex(run)) ?? false;

/** Shorter runs are addresses, selectors and numbers. */
const LEAST_DIGITS = 48;

/**
 * `text` with each run of 48 hex digits and more, and a `0x` before it, replaced by what `replace` makes of it. Looks at
 * every 48th character only until one is a digit: every response is searched for signed bytes, and has next to none.
 */
export function replaceHexRuns(text: string, replace: (run: string) => string): string {
  let replaced = '';
  let done = 0;
  for (let at = LEAST_DIGITS - 1; at < text.length; at += LEAST_DIGITS) {
    if (!isDigit(text, at)) continue;
    let from = at;
    while (from > done && isDigit(text, from - 1)) from--;
    while (at + 1 < text.length && isDigit(text, at + 1)) at++;
    const to = at + 1;
    if (to - from >= LEAST_DIGITS) {
      const start = from - 2 >= done && /^0x$/i.test(text.slice(from - 2, from)) ? from - 2 : from;
      replaced += text.slice(done, start) + replace(text.slice(start, to));
      done = to;
    }
    // Whatever begins after it has its 48th digit no sooner than 48 characters on.
    at = to;
  }
  return done === 0 ? text : replaced + text.slice(done);
}

function isDigit(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  return (code >= 0x30 && code <= 0x39) || ((code | 0x20) >= 0x61 && (code | 0x20) <= 0x66);
}
