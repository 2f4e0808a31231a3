/** What shorter parts of an address hold is seldom a key and often a word (`v3`, `rpc`). */
const SHORTEST_SEGMENT = 8;
const SHORTEST_VALUE = 4;

/**
 * A function that takes out of a text whatever of `url` may be a key: long path segments, query values, user and
 * password, as they are written in the address or decoded. Nodes repeat them ("Cannot POST /v3/…").
 */
export function createRedaction(url: URL): (text: string) => string {
  const segments = url.pathname.split('/').filter((each) => each.length >= SHORTEST_SEGMENT);
  // A query without `=` is a name alone, and then that is the key.
  const query = [...url.searchParams].map(([name, value]) => (value === '' ? name : value));
  const written = url.search
    .slice(1)
    .split('&')
    .map((pair) => pair.slice(pair.indexOf('=') + 1));
  const credentials = [url.username, url.password];
  const basic = Buffer.from(credentials.map(decoded).join(':')).toString('base64');
  const short = [...query, ...written, ...credentials, url.username === '' ? '' : basic].filter(
    (each) => each.length >= SHORTEST_VALUE,
  );
  const secrets = new Set([...segments, ...short].flatMap((each) => [each, decoded(each)]));
  if (secrets.size === 0) return (text) => text;
  // The longest first: one may hold another.
  const sorted = [...secrets].sort((a, b) => b.length - a.length);
  const pattern = new RegExp(sorted.map(escaped).join('|'), 'gi');
  return (text) => text.replace(pattern, '(key)');
}

function escaped(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&');
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
