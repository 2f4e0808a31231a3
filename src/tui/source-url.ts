export type UrlCheck =
  | { readonly ok: true; readonly url: string }
  | { readonly ok: false; readonly message: string };

const PROTOCOLS = ['http:', 'https:', 'ws:', 'wss:'];

/** Checks a URL while it is typed: one line that says what is missing. */
export function checkSourceUrl(text: string): UrlCheck {
  const trimmed = text.trim();
  if (trimmed === '')
    return { ok: false, message: 'for example http://127.0.0.1:8545 or https://gas.example.com' };
  if (!/^[a-z]+:\/\//i.test(trimmed))
    return { ok: false, message: 'begin with http://, https://, ws:// or wss://' };
  const url = URL.canParse(trimmed) ? new URL(trimmed) : null;
  if (url === null || url.hostname === '') return { ok: false, message: 'this is not a whole URL yet' };
  if (!PROTOCOLS.includes(url.protocol)) {
    return { ok: false, message: 'only http, https, ws and wss are understood' };
  }
  return { ok: true, url: trimmed };
}
