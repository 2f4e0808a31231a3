import { expect, it } from 'vitest';
import { tipRankWords } from '../../src/core/tip-rank-words.ts';

it.each([
  [1, 5, 'above all 4 others of its block'],
  [0, 5, 'below all 4 others of its block'],
  [0, null, 'below all others of its block'],
  [1, 2, 'above the other of its block'],
  [0.5, 2, "above 50 % of its block's 1 other, ties counted half"],
  [0.9997, 2_001, "above 99 % of its block's 2,000 others, ties counted half"],
  [0.42, 212, "below 58 % of its block's 211 others, ties counted half"],
  [0.5, null, "above 50 % of its block's others, ties counted half"],
  [0.5, 1, 'alone in its block'],
])('where a tip stood in its block says of the share %d among %s transactions: %s', (rank, count, words) => {
  expect(tipRankWords(rank, count)).toBe(words);
});
