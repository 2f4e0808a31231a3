import type { GasClient } from '../../client/gas-client.ts';
import type { Badge } from '../../core/chain-status.ts';
import { looksLikeKey } from '../../core/key-text.ts';
import type { Playback } from '../../core/playback.ts';
import { graphemes } from '../../core/text.ts';

export interface MonitorSource {
  readonly client: GasClient;
  readonly name?: string;
  readonly chainName?: string;
  readonly badge?: Badge;
  readonly intervalMs?: number;
  /** URL and API key of the service; a key is never drawn, wherever it is typed. */
  readonly clientOptions?: { readonly url?: string; readonly apiKey?: string | null };
  /** The service in this process, which implements the contract itself; `null` or absent for a remote one. */
  readonly embedded?: object | null;
  /** Whether it forgets alerts and auto-txs when it ends. */
  readonly isEphemeral?: boolean;
  /** Of a recording. */
  readonly playback?: Playback | null;
  /** Its name in the memory of the monitor; `null` or absent: the chain that it turns out to be on. */
  readonly rememberedAs?: string | null;
  readonly close?: () => void | Promise<void>;
}

export type ChosenSource = 'retry' | 'demo' | { readonly url: string };

export type HeldSource = { readonly id: number } & (
  | { readonly kind: 'opening' }
  | { readonly kind: 'open'; readonly source: MonitorSource }
  | { readonly kind: 'failed'; readonly error: Error }
);

const NOTHING = async () => {};

/** Owns the source: at most one is open, and every opened one is closed. */
export class SourceHolder {
  readonly #listeners = new Set<() => void>();
  #state: HeldSource = { kind: 'opening', id: 0 };
  #closing: Promise<void> = Promise.resolve();
  #ended = false;
  #farewell: () => Promise<void> = NOTHING;

  readonly read = (): HeldSource => this.#state;

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
      const opened: HeldSource = { kind: 'open', id, source: await ask() };
      if (isWanted()) this.#set(opened);
      else this.#closeLater(opened);
    } catch (cause) {
      const error = cause instanceof Error ? cause : new Error(String(cause));
      if (isWanted()) this.#set({ kind: 'failed', id, error });
    }
  }

  /** Runs `work` before the open source is closed. It must end by itself. */
  readonly beforeClosing = (work: () => Promise<void>): void => {
    this.#farewell = work;
  };

  async end(): Promise<void> {
    this.#ended = true;
    this.#closeLater(this.#state);
    await this.#closing;
  }

  #closeLater(state: HeldSource): void {
    if (state.kind !== 'open') return;
    const farewell = this.#farewell;
    this.#farewell = NOTHING;
    this.#closing = this.#closing
      .then(farewell)
      .then(() => state.source.close?.())
      // A source that fails to close must not keep the next one from opening.
      .catch(() => {});
  }

  #set(state: HeldSource): void {
    this.#state = state;
    for (const listener of this.#listeners) listener();
  }
}

/** A shorter match may be chance. */
const PART_OF_KEY = 8;

export function keyFinder(apiKey: string | null): (text: string) => boolean {
  const key = apiKey?.trim() ?? '';
  return (text) => {
    const typed = text.trim();
    if (looksLikeKey(typed)) return true;
    return key !== '' && (typed.includes(key) || (typed.length >= PART_OF_KEY && key.startsWith(typed)));
  };
}

export const veilAll = (text: string): string => '•'.repeat(graphemes(text).length);

/** As long as keys in node URLs; names of networks are shorter. */
const KEY_IN_PATH = /(?<=\/)[\w-]{16,}/g;
/** Before the `@` is typed, text after a colon that is no port is a password. */
const USER_INFO = /^.*(?=@)|(?<=^[^[:]*:)(?!\d{0,5}$)[^@]*$/su;

/** A URL without its secrets: user and password, keys in its path, everything after `?` or `#`. */
export function veilUrl(text: string): string {
  if (looksLikeKey(text)) return veilAll(text);
  const [, start = '', authority = '', path = '', query = ''] =
    /^(\s*(?:[a-z][\w+.-]*:\/\/)?)([^/?#]*)([^?#]*)(.*)$/isu.exec(text) ?? [];
  return start + authority.replace(USER_INFO, veilAll) + path.replace(KEY_IN_PATH, veilAll) + veilAll(query);
}
