import { bareHex, isSignedShape } from '../core/transactions/signed-text.ts';
import { normalKey } from './aliases.ts';
import { parseJson } from './values.ts';

/** What services call a signed transaction, or the signature alone. */
const SECRET_NAME = /^(raw|signed|serialized|txhex$|sig(natures?)?$|[rs]$)/;
/** What a transaction does is no secret, though it stands in the signed bytes too. */
const PLAIN_NAME = /^(to|from|data|input|calldata|value|hash)$/;
/** Shorter runs are addresses, selectors and numbers. */
const HEX_RUN = /(?:0x)?[\da-f]{48,}/gi;
/** Fewer bytes than any signed transaction has. */
const SHORTEST_SIGNED = 70;
const HIDDEN = '(signed bytes)';

/**
 * The text of a response without anything that could be broadcast: fields that hold signed bytes or signatures, whatever
 * hex is a whole signed transaction, and pieces of what was `sent` itself. A text without such things stays as it is.
 */
export function withoutSigned(text: string, sent: string | null = null): string {
  const plain = sent === null ? null : bareHex(sent);
  const body = parseJson(text);
  const shown = JSON.stringify(body, (name, value: unknown) => shownValue(normalKey(name), value, plain));
  return withoutWhole(shown === JSON.stringify(body) ? text : shown, plain);
}

/** The same for any other response: only what is a whole signed transaction. */
export function withoutWhole(text: string, sent: string | null = null): string {
  return text.replace(HEX_RUN, (run) => (holdsSigned(run, sent) ? HIDDEN : run));
}

function shownValue(name: string, value: unknown, sent: string | null): unknown {
  const isText = typeof value === 'string';
  if (SECRET_NAME.test(name) && ((isText && value !== '') || Array.isArray(value))) return HIDDEN;
  if (isByteList(value)) return HIDDEN;
  if (!isText || PLAIN_NAME.test(name)) return value;
  return value.replace(HEX_RUN, (run) => (sent?.includes(bareHex(run)) ? HIDDEN : run));
}

/** Bytes as a list of numbers, the way Node writes its buffers as JSON. */
const isByteList = (value: unknown) =>
  Array.isArray(value) && value.length >= SHORTEST_SIGNED && value.every((one) => typeof one === 'number');

function holdsSigned(run: string, sent: string | null): boolean {
  const hex = bareHex(run);
  return (sent !== null && sent !== '' && hex.includes(sent)) || isSignedShape(hex);
}
