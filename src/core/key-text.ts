/** Every key of gastop begins so: it is recognised wherever it turns up, by people and by scanners for leaked secrets. */
export const KEY_PREFIX = 'gastop_';

const KEY_BEGINNING = new RegExp(`${KEY_PREFIX}[0-9A-Za-z]`, 'i');

/** Whether a text holds a key of gastop or the beginning of one. */
export function looksLikeKey(text: string): boolean {
  return KEY_BEGINNING.test(text);
}

/** Letters of the id that follows the prefix. */
export const KEY_ID_LENGTH = 10;

/**
 * Anything that begins like a key, in whatever case, and is long enough to hold some of its secret; not the name of a
 * setting, such as GASTOP_CONFIG. The id is taken whole or not at all.
 */
const KEY_LIKE = new RegExp(
  `(?!GASTOP_[A-Z_]+(?![0-9A-Za-z_%-]))[gG][aA][sS][tT][oO][pP]_(?=(?<id>[0-9A-Za-z]{1,${KEY_ID_LENGTH}}))\\k<id>_?[0-9A-Za-z_%-]{4,}`,
  'g',
);

/** Shorter ones are found in ordinary words. */
const SHORTEST_SECRET = 4;

/** Takes the secrets of gastop's keys out of a text, whatever it is; their ids stay. */
export function withoutKeys(text: string): string {
  return text.includes('_') ? text.replace(KEY_LIKE, `${KEY_PREFIX}$<id>_…`) : text;
}

/** Takes `secrets`, as they are and as they stand in a URL, and the secrets of gastop's keys out of a text. */
export function withoutSecrets(text: string, secrets: Iterable<string>): string {
  let clean = withoutKeys(text);
  for (const secret of secrets) {
    if (secret.length < SHORTEST_SECRET) continue;
    for (const form of [secret, encodeURIComponent(secret.toWellFormed())])
      clean = clean.replaceAll(form, '…');
  }
  return clean;
}
