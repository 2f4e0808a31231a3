import type { JsonRecord } from './json.ts';
import { type FeeUnit, readFee } from './values.ts';

/** Of a list of any length; what the first rows lack the others will. */
const MOST_ROWS = 500;

export interface FieldReading {
  /** The name it stood under; `null`: under none of those looked for. */
  readonly key: string | null;
  /** Its value could be read. */
  readonly sound: boolean;
}

/**
 * What was looked for in one answer and what came of it, for who judges the answer itself. Paths are the
 * contract's, with a list's rows folded into one: `lanes.slow.price`, `data[].timestamp`.
 */
export class ReadingTrace {
  readonly #fields = new Map<string, FieldReading>();
  readonly #records = new Map<string, Set<JsonRecord>>();
  readonly #envelopes = new Set<string>();
  readonly #guessed = { wei: new Set<string>(), gwei: new Set<string>() };

  /** In a list a field counts as read if it was in any row. */
  field(path: string, key: string | null, sound: boolean): void {
    const place = folded(path);
    const before = this.#fields.get(place);
    if (before === undefined || (!before.sound && key !== null)) this.#fields.set(place, { key, sound });
  }

  /** A fee whose name does not say what it counts: its size decided. */
  fee(path: string, value: unknown, unit: FeeUnit, fee: bigint | null): void {
    if (unit !== 'guess' || fee === null) return;
    const asWei = readFee(value, 'wei');
    // Nothing was guessed where the text names its unit, is hex, or is zero.
    if (asWei === readFee(value, 'gwei')) return;
    this.#guessed[fee === asWei ? 'wei' : 'gwei'].add(folded(path));
  }

  record(path: string, record: JsonRecord): void {
    const place = folded(path);
    const same = this.#records.get(place);
    if (same === undefined) this.#records.set(place, new Set([record]));
    else if (same.size < MOST_ROWS) same.add(record);
  }

  envelope(key: string): void {
    this.#envelopes.add(key);
  }

  fieldAt(path: string): FieldReading | undefined {
    return this.#fields.get(path);
  }

  /** The names that were read in the record at `path`. */
  keysReadAt(path: string): readonly string[] {
    const within = path === '' ? '' : `${path}.`;
    return [...this.#fields].flatMap(([place, { key }]) =>
      key !== null && place.startsWith(within) && !place.slice(within.length).includes('.') ? [key] : [],
    );
  }

  recordsAt(path: string): readonly JsonRecord[] {
    return [...(this.#records.get(path) ?? [])];
  }

  /** What the answer was wrapped in, outermost first. */
  get envelopes(): readonly string[] {
    return [...this.#envelopes];
  }

  /** Which fees were taken for wei and which for gwei, by their size alone. */
  get guessed(): { readonly wei: readonly string[]; readonly gwei: readonly string[] } {
    return { wei: [...this.#guessed.wei], gwei: [...this.#guessed.gwei] };
  }
}

function folded(path: string): string {
  return path.replaceAll(/\[\d+\]/g, '[]');
}
