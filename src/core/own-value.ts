/** What a record holds under a word from outside: `constructor` and its like are in every object, and mean nothing. */
export function ownValue<Value>(record: Readonly<Record<string, Value>>, word: string): Value | undefined {
  return Object.hasOwn(record, word) ? record[word] : undefined;
}
