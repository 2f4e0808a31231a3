import { PATHS } from '../contract/routes.ts';
import { bareHex, isSignedShape } from '../core/transactions/signed-text.ts';
import { isRecord, normalKey, parseJson } from './values.ts';

/** Services' names for a signed transaction, or the signature alone. */
const SECRET_NAME = /^(raw|signed|serialized|txhex$|sig(natures?)?$|[rs]$)/;
/** These fields are no secret, though the signed bytes contain them too. */
const PLAIN_NAME = /^(to|from|data|input|calldata|value|hash)$/;
const HEX_RUN = /(?:0x)?[\da-f]{48,}/gi;
const SHORTEST_SIGNED = 70;
const HIDDEN = '(signed bytes)';

/** Without the key and signed transactions; on routes of auto-txs also without signatures and pieces of the sent one. */
export function redacted(text: string, endpoint: string, apiKey: string | null, body: unknown): string {
  let shown = apiKey === null || apiKey.length < 8 ? text : text.replaceAll(apiKey, '(key)');
  const signed = isRecord(body) ? body.signedTransaction : null;
  const sent = typeof signed === 'string' ? bareHex(signed) : null;
  if (endpoint.startsWith(PATHS.autoTxs)) {
    const json = parseJson(shown);
    const safe = JSON.stringify(json, (name, value: unknown) => shownValue(normalKey(name), value, sent));
    if (safe !== JSON.stringify(json)) shown = safe;
  }
  return shown.replace(HEX_RUN, (run) => (holdsSigned(run, sent) ? HIDDEN : run));
}

function shownValue(name: string, value: unknown, sent: string | null): unknown {
  const isText = typeof value === 'string';
  if (SECRET_NAME.test(name) && ((isText && value !== '') || Array.isArray(value))) return HIDDEN;
  if (isByteList(value)) return HIDDEN;
  if (!isText || PLAIN_NAME.test(name)) return value;
  return value.replace(HEX_RUN, (run) => (sent?.includes(bareHex(run)) ? HIDDEN : run));
}

const isByteList = (value: unknown) =>
  Array.isArray(value) && value.length >= SHORTEST_SIGNED && value.every((one) => typeof one === 'number');

function holdsSigned(run: string, sent: string | null): boolean {
  const hex = bareHex(run);
  return (sent !== null && sent !== '' && hex.includes(sent)) || isSignedShape(hex);
}
