import { expect, test } from 'vitest';
import { TransactionMemory } from '../../../src/chain/rpc/transaction-memory.ts';
import { makeBlock } from '../../helpers/chain-blocks.ts';
import { makeIncluded } from '../../helpers/made-transactions.ts';

const withData = (bytes: number) => [
  makeIncluded(makeBlock(1), 0, { transaction: { data: `0x${'00'.repeat(bytes)}` } }),
];

test('what was asked for longest ago is forgotten first', () => {
  const memory = new TransactionMemory(300_000);
  for (const key of ['a', 'b']) memory.put(key, withData(60_000));
  expect(memory.get('a')).not.toBeNull();
  memory.put('c', withData(60_000));
  expect(['a', 'b', 'c'].map((key) => memory.get(key) !== null)).toEqual([true, false, true]);
});

test('what is put twice counts once', () => {
  const memory = new TransactionMemory(300_000);
  for (const key of ['a', 'b', 'b', 'b']) memory.put(key, withData(60_000));
  expect(memory.get('a')).not.toBeNull();
});

test('what is larger than the whole memory is not kept, and leaves room for the next', () => {
  const memory = new TransactionMemory(300_000);
  memory.put('large', withData(200_000));
  expect(memory.get('large')).toBeNull();
  memory.put('a', withData(60_000));
  expect(memory.get('a')).not.toBeNull();
});

test('many small transactions count too', () => {
  const memory = new TransactionMemory(300_000);
  const many = Array.from({ length: 150 }, (_, index) => makeIncluded(makeBlock(1), index));
  for (const key of ['a', 'b']) memory.put(key, many);
  expect(memory.get('a')).toBeNull();
  expect(memory.get('b')).toHaveLength(150);
});
