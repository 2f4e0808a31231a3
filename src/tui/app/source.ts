import type { GasClient } from '../../client/client.ts';
import { looksLikeKey } from '../../core/key-text.ts';
import { graphemes } from '../../core/text.ts';
import type { Badge } from '../chrome/status-bar.tsx';
import type { Theme } from '../ui/theme.ts';

/** Where the monitor's data comes from, ready to be asked. */
export interface MonitorSource {
  readonly client: GasClient;
  readonly name?: string;
  /** Shown until the first answer says the chain itself. */
  readonly chainName?: string;
  /** Recorded and simulated data say so on every screen. */
  readonly badge?: Badge;
  /** How often to ask, ms; default: what the service asks for. */
  readonly intervalMs?: number;
  /** With what the service is asked; a key is never drawn, wherever it is typed. */
  readonly reach?: { readonly url?: string; readonly apiKey?: string | null };
  /** The service runs in this process, so it is the contract itself; `null` or absent: it is elsewhere. */
  readonly embedded?: object | null;
  /** Gives back what the source holds; called once, at the end or before another source is opened. */
  readonly close?: () => void | Promise<void>;
}

export type SourceChoice = 'retry' | 'demo' | { readonly url: string };

/** `id`: which attempt to open a source it is. */
export type SourceState = { readonly id: number } & (
  | { readonly kind: 'opening' }
  | { readonly kind: 'open'; readonly source: MonitorSource }
  | { readonly kind: 'failed'; readonly error: Error }
);

/** Owns the source: at most one is open, and whatever was opened is closed. */
export class SourceHolder {
  readonly #listeners = new Set<() => void>();
  #state: SourceState = { kind: 'opening', id: 0 };
  #closing: Promise<void> = Promise.resolve();
  #ended = false;
  #duties: (() => Promise<void>)[] = [];

  readonly read = (): SourceState => this.#state;

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  /** Closes what is open, then opens another; the last call wins. */
  async open(ask: () => Promise<MonitorSource>): Promise<void> {
    const before = this.#state;
    const id = before.id + 1;
    const isWanted = () => this.#state.id === id && !this.#ended;
    this.#set({ kind: 'opening', id });
    this.#closeLater(before);
    await this.#closing;
    try {
      const opened: SourceState = { kind: 'open', id, source: await ask() };
      if (isWanted()) this.#set(opened);
      else this.#closeLater(opened);
    } catch (cause) {
      const error = cause instanceof Error ? cause : new Error(String(cause));
      if (isWanted()) this.#set({ kind: 'failed', id, error });
    }
  }

  /** Has `work` done before the source that is open now is closed. It must end by itself. */
  readonly beforeClosing = (work: () => Promise<void>): void => {
    this.#duties.push(work);
  };

  /** Nothing is opened any more; resolves when all is closed. */
  async end(): Promise<void> {
    this.#ended = true;
    this.#closeLater(this.#state);
    await this.#closing;
  }

  #closeLater(state: SourceState): void {
    if (state.kind !== 'open') return;
    const duties = this.#duties.splice(0);
    this.#closing = this.#closing.then(async () => {
      await Promise.allSettled(duties.map((work) => work()));
      // A source that cannot even be closed must not keep the next one from opening.
      await Promise.resolve(state.source.close?.()).catch(() => {});
    });
  }

  #set(state: SourceState): void {
    this.#state = state;
    for (const listener of this.#listeners) listener();
  }
}

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
