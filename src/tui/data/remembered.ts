import { createContext, useContext, useMemo, useSyncExternalStore } from 'react';
import type * as z from 'zod';

/** By name; whoever reads one checks it. */
export type RememberedValues = Readonly<Record<string, unknown>>;

/** Where the monitor's memory outlives it. */
export interface RememberedFile {
  /** What is known of a source, this run's changes included; of all sources under `EVERYWHERE`. */
  readonly recall: (source: string) => RememberedValues;
  readonly keep: (source: string, name: string, value: unknown) => void;
}

/** What belongs to the person and the terminal, such as the mouse, is the same for every source. */
export const EVERYWHERE = 'everywhere';

const NOTHING: RememberedValues = {};

/** What the user has chosen on the screens: of the source that is open, and of none. */
export class Remembered {
  readonly #file: RememberedFile | null;
  readonly #listeners = new Set<() => void>();
  readonly #everywhere: Record<string, unknown>;
  /** What a flag or the environment says: it holds until a key says otherwise. */
  readonly #given: Record<string, unknown>;
  #source: string | null = null;
  #ofSource: Record<string, unknown> = {};

  constructor(file: RememberedFile | null = null, given: RememberedValues = NOTHING) {
    this.#file = file;
    this.#given = { ...given };
    this.#everywhere = { ...file?.recall(EVERYWHERE) };
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  /** Shows what is remembered of a source; what was chosen before it had a name counts as chosen for it. */
  open(source: string): void {
    if (source === this.#source) return;
    const chosen = this.#source === null ? this.#ofSource : NOTHING;
    this.#source = source;
    this.#ofSource = { ...this.#file?.recall(source), ...chosen };
    for (const [name, value] of Object.entries(chosen)) this.#file?.keep(source, name, value);
    this.#tell();
  }

  read(name: string, isEverywhere: boolean): unknown {
    return this.#given[name] ?? (isEverywhere ? this.#everywhere : this.#ofSource)[name];
  }

  set(name: string, value: unknown, isEverywhere: boolean): void {
    const values = isEverywhere ? this.#everywhere : this.#ofSource;
    values[name] = value;
    delete this.#given[name];
    const source = isEverywhere ? EVERYWHERE : this.#source;
    if (source !== null) this.#file?.keep(source, name, value);
    this.#tell();
  }

  #tell(): void {
    for (const listener of this.#listeners) listener();
  }
}

export const RememberedContext = createContext(new Remembered());

type Change<T> = T | ((before: T) => T);

/**
 * `useState` that the monitor remembers of each source, from one start to the next. `schema` checks what an older or a
 * newer gastop wrote: what it does not take counts as never chosen. Make it once, outside the component.
 */
export function useRemembered<T>(
  name: string,
  schema: z.ZodType<T>,
  initial: T,
  { isEverywhere = false }: { readonly isEverywhere?: boolean } = {},
): readonly [T, (change: Change<T>) => void] {
  const remembered = useContext(RememberedContext);
  const read = () => remembered.read(name, isEverywhere);
  const stored = useSyncExternalStore(remembered.subscribe, read);
  const parse = (value: unknown): T => {
    const { data } = schema.safeParse(value);
    return value === undefined || data === undefined ? initial : data;
  };
  // biome-ignore lint/correctness/useExhaustiveDependencies: an initial value made anew is the same one.
  const value = useMemo(() => parse(stored), [stored, schema]);
  const set = (change: Change<T>): void => {
    // The newest one: a key that is held down counts each time.
    const next = change instanceof Function ? change(parse(read())) : change;
    remembered.set(name, next, isEverywhere);
  };
  return [value, set];
}
