import { usageError } from './cli-error.ts';

/** Runs `parse`; a `RangeError`, which says what would do, becomes a usage error that names the setting. */
export function checked<Value>(setting: string, parse: () => Value): Value {
  try {
    return parse();
  } catch (error) {
    if (error instanceof RangeError) throw usageError(`${setting}: ${error.message}`);
    throw error;
  }
}
