/** An own property of a record by a key from outside, which may be `constructor` or another inherited name. */
export function ownValue<Value>(record: Readonly<Record<string, Value>>, word: string): Value | undefined {
  return Object.hasOwn(record, word) ? record[word] : undefined;
}
