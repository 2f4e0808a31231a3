import { graphemes } from '../core/graphemes.ts';
import { looksLikeKey } from '../core/key-prefix.ts';
import type { Theme } from './theme.ts';

/** A part of a key this long is more than chance. */
const PART_OF_KEY = 8;
/** As long as the keys that nodes have in their paths; names of networks are shorter. */
const KEY_IN_PATH = /(?<=\/)[\w-]{16,}/g;

/** Tells whether a text is, holds or begins to be a key, gastop's own or the one that the session uses. */
export function keyFinder(apiKey: string | null): (text: string) => boolean {
  const key = apiKey?.trim() ?? '';
  return (text) => {
    const typed = text.trim();
    if (looksLikeKey(typed)) return true;
    if (key === '') return false;
    return typed.includes(key) || (typed.length >= PART_OF_KEY && key.startsWith(typed));
  };
}

/** Nothing of a text but how long it is. */
export function veilAll(text: string, { glyph }: Theme): string {
  return glyph.bullet.repeat(graphemes(text).length);
}

/** An address without what gives access: user and password, keys in its path, all that follows a `?` or `#`. */
export function veilUrl(text: string, theme: Theme): string {
  if (looksLikeKey(text)) return veilAll(text, theme);
  const hide = (secret: string) => veilAll(secret, theme);
  const [, start = '', authority = '', path = '', query = ''] =
    /^(\s*(?:[a-z][\w+.-]*:\/\/)?)([^/?#]*)([^?#]*)(.*)$/isu.exec(text) ?? [];
  return start + veilAuthority(authority, hide) + path.replace(KEY_IN_PATH, hide) + hide(query);
}

function veilAuthority(authority: string, hide: (secret: string) => string): string {
  const at = authority.lastIndexOf('@');
  if (at >= 0) return hide(authority.slice(0, at)) + authority.slice(at);
  // Before the `@` is there: what follows a colon and is no port is a password.
  const colon = authority.startsWith('[') ? -1 : authority.indexOf(':');
  const isPort = /^\d{0,5}$/.test(authority.slice(colon + 1));
  return colon < 0 || isPort ? authority : authority.slice(0, colon + 1) + hide(authority.slice(colon + 1));
}
