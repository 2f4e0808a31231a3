/** Prefix of every API key of gastop, by which people and scanners for leaked secrets recognise it. */
export const KEY_PREFIX = 'gastop_';

const KEY_BEGINNING = new RegExp(`${KEY_PREFIX}[0-9A-Za-z]`, 'i');

/** Whether a text contains an API key or the beginning of one. */
export function looksLikeKey(text: string): boolean {
  return KEY_BEGINNING.test(text);
}

/** Why a header cannot carry a key of any service; `null`: it can. */
export const keyProblem = (key: string): string | null =>
  /^[\x21-\x7e]+$/.test(key)
    ? null
    : 'a key has no spaces, line breaks or letters beyond ASCII; copy it again';

/** Letters of the id that follows the prefix. */
export const KEY_ID_LENGTH = 10;

/** Long enough to hold a part of a secret, and no setting such as GASTOP_CONFIG. The id is matched whole or not at all. */
const KEY_LIKE = new RegExp(
  `(?!GASTOP_[A-Z_]+(?![0-9A-Za-z_%-]))[gG][aA][sS][tT][oO][pP]_(?=(?<id>[0-9A-Za-z]{1,${KEY_ID_LENGTH}}))\\k<id>_?[0-9A-Za-z_%-]{4,}`,
  'g',
);

/** Shorter secrets occur in ordinary words. */
const SHORTEST_SECRET = 4;

/** Removes the secrets of API keys from a text; their ids stay. */
export function withoutKeys(text: string): string {
  return text.includes('_') ? text.replace(KEY_LIKE, `${KEY_PREFIX}$<id>_…`) : text;
}

/** Removes `secrets`, plain and URL-encoded, and the secrets of API keys from a text. */
export function withoutSecrets(text: string, secrets: Iterable<string>): string {
  let clean = withoutKeys(text);
  for (const secret of secrets) {
    if (secret.length < SHORTEST_SECRET) continue;
    for (const form of [secret, encodeURIComponent(secret.toWellFormed())])
      clean = clean.replaceAll(form, '…');
  }
  return clean;
}

/** Whether URLs of nodes contain a user name, a password, or a provider's key: a long word in the path or query. */
export const holdsKey = (urls: string) => /\/\/[^/\s]*@|[/=?][\w-]{20,}/.test(urls);
