import { createContext, useContext, useMemo, useSyncExternalStore } from 'react';
import type * as z from 'zod';

/** By name; the reader checks each. */
export type RememberedValues = Readonly<Record<string, unknown>>;

/** Where the monitor's memory outlives it. */
export interface RememberedFile {
  /** What was there of a source at the start; of all sources under {@link EVERYWHERE}. */
  readonly recall: (source: string) => RememberedValues;
  readonly keep: (source: string, name: string, value: unknown) => void;
  /** Tells, once, that nothing could be read or that nothing can be written. */
  readonly watch: (tell: (problem: string) => void) => void;
}

/** What belongs to the person and the terminal, such as the mouse, is the same for every source. */
export const EVERYWHERE = 'everywhere';

/** The name of a node's chain in the file. */
export const chainMemory = (chainId: number): string => `chain ${chainId}`;

interface RememberedOptions {
  readonly file?: RememberedFile | null;
  /** What a flag or the environment says: it holds until a key says otherwise. */
  readonly said?: RememberedValues;
  /** What the config file says, for what is not remembered. */
  readonly otherwise?: RememberedValues;
}

/** What the user has chosen on the screens: of the source that is open, and of none. */
export class Remembered {
  readonly #file: RememberedFile | null;
  readonly #otherwise: RememberedValues;
  readonly #listeners = new Set<() => void>();
  readonly #bySource = new Map<string, Record<string, unknown>>();
  readonly #said: Record<string, unknown>;
  #source: string | null = null;
  #ofSource: RememberedValues = {};
  /** Chosen while the chain of what is open is not known. */
  #early: Record<string, unknown> = {};

  constructor({ file = null, said = {}, otherwise = {} }: RememberedOptions = {}) {
    this.#file = file;
    this.#said = { ...said };
    this.#otherwise = otherwise;
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  /** Shows what is remembered of a source. `null`: its name is not known yet; what is chosen until then is for it. */
  open(source: string | null): void {
    if (source === this.#source) return;
    this.#source = source;
    if (source === null) return;
    const early = Object.entries(this.#early);
    this.#early = {};
    this.#ofSource = this.#valuesOf(source);
    for (const [name, value] of early) this.#keep(source, name, value);
    this.#tell();
  }

  read(name: string, isEverywhere: boolean): unknown {
    const values = isEverywhere ? this.#valuesOf(EVERYWHERE) : { ...this.#ofSource, ...this.#early };
    return [this.#said, values, this.#otherwise].find((each) => name in each)?.[name];
  }

  set(name: string, value: unknown, isEverywhere: boolean): void {
    delete this.#said[name];
    const source = isEverywhere ? EVERYWHERE : this.#source;
    if (source === null) this.#early[name] = value;
    else this.#keep(source, name, value);
    this.#tell();
  }

  watch(tell: (problem: string) => void): void {
    this.#file?.watch(tell);
  }

  #valuesOf(source: string): Record<string, unknown> {
    const values = this.#bySource.get(source) ?? { ...this.#file?.recall(source) };
    this.#bySource.set(source, values);
    return values;
  }

  #keep(source: string, name: string, value: unknown): void {
    this.#valuesOf(source)[name] = value;
    this.#file?.keep(source, name, value);
  }

  #tell(): void {
    for (const listener of this.#listeners) listener();
  }
}

export const RememberedContext = createContext(new Remembered());

export type Change<T> = T | ((before: T) => T);

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
  const orInitial = (data: T | undefined): T => (data === undefined ? initial : data);
  // The same object while what is stored is: `undefined` where nothing is, or another release wrote it.
  const known = useMemo(() => schema.safeParse(stored).data, [schema, stored]);
  const value = orInitial(known);
  const set = (change: Change<T>): void => {
    // The newest one: a key that is held down counts each time.
    const next = change instanceof Function ? change(orInitial(schema.safeParse(read()).data)) : change;
    remembered.set(name, next, isEverywhere);
  };
  return [value, set];
}
