import { bareHex, isSignedShape } from '../../core/transactions/signed-shape.ts';
import { normalKey } from './answer.ts';
import { isRecord, parseJson } from './json.ts';

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

const HEX_RUN = /(?:0x)?[0-9a-f]{48,}/gi;
/** Fewer bytes than any signed transaction has. */
const SHORTEST_SIGNED = 70;

/**
 * The text of an answer without anything that could be broadcast: fields that hold signed bytes or signatures, whatever
 * hex is a whole signed transaction, and pieces of what was `sent` itself. A text without such things stays as it is.
 */
export function withoutSigned(text: string, sent: string | null = null): string {
  const plain = sent === null ? null : bareHex(sent);
  const body = parseJson(text);
  const hidden = { any: false };
  const shown = isRecord(body) || Array.isArray(body) ? hide(body, '', plain, hidden) : null;
  return withoutWhole(hidden.any ? JSON.stringify(shown) : text, plain);
}

/** The same for any answer, of which nobody expects such things: only what is a whole signed transaction. */
export function withoutWhole(text: string, sent: string | null = null): string {
  return text.replace(HEX_RUN, (run) => (holdsSigned(run, sent) ? HIDDEN : run));
}

function hide(value: unknown, name: string, sent: string | null, hidden: { any: boolean }): unknown {
  const isSecret =
    SECRET_NAMES.has(name) && ((typeof value === 'string' && value !== '') || Array.isArray(value));
  if (isSecret || isByteList(value)) {
    hidden.any = true;
    return HIDDEN;
  }
  if (typeof value === 'string') {
    const isPlain = PLAIN_NAMES.has(name);
    const clean = value.replace(HEX_RUN, (run) =>
      holdsSigned(run, sent) || (!isPlain && isPieceOf(run, sent)) ? HIDDEN : run,
    );
    if (clean !== value) hidden.any = true;
    return clean;
  }
  if (Array.isArray(value)) return value.map((one) => hide(one, name, sent, hidden));
  if (!isRecord(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, one]) => [key, hide(one, normalKey(key), sent, hidden)]),
  );
}

/** Bytes as a list of numbers, the way Node writes its buffers as JSON. */
const isByteList = (value: unknown) =>
  Array.isArray(value) && value.length >= SHORTEST_SIGNED && value.every((one) => typeof one === 'number');

function holdsSigned(run: string, sent: string | null): boolean {
  const hex = bareHex(run);
  return (sent !== null && sent !== '' && hex.includes(sent)) || isSignedShape(hex);
}

const isPieceOf = (run: string, sent: string | null) => sent?.includes(bareHex(run)) ?? false;
