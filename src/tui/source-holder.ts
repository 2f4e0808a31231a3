import type { MonitorSource } from './monitor-source.ts';

export type SourceState =
  | { readonly kind: 'opening'; readonly id: number; readonly since: number }
  | { readonly kind: 'open'; readonly id: number; readonly since: number; readonly source: MonitorSource }
  | { readonly kind: 'failed'; readonly id: number; readonly since: number; readonly error: Error };

/** Owns the source: at most one is open, and whatever was opened is closed. */
export class SourceHolder {
  readonly #now: () => number;
  readonly #listeners = new Set<() => void>();
  #state: SourceState;
  #closing: Promise<void> = Promise.resolve();
  #ended = false;
  #duties: (() => Promise<void>)[] = [];

  constructor(now: () => number) {
    this.#now = now;
    this.#state = { kind: 'opening', id: 0, since: now() };
  }

  readonly read = (): SourceState => this.#state;

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  /** Closes what is open, then opens another; the last call wins. */
  async open(ask: () => Promise<MonitorSource>): Promise<void> {
    const id = this.#state.id + 1;
    const since = this.#now();
    const before = this.#state;
    this.#set({ kind: 'opening', id, since });
    this.#closeLater(before);
    await this.#closing;
    try {
      const source = await ask();
      const opened: SourceState = { kind: 'open', id, since, source };
      if (this.#state.id === id && !this.#ended) this.#set(opened);
      else this.#closeLater(opened);
    } catch (cause) {
      const error = cause instanceof Error ? cause : new Error(String(cause));
      if (this.#state.id === id && !this.#ended) this.#set({ kind: 'failed', id, since, error });
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
