import fc from 'fast-check';
import { expect, it } from 'vitest';
import { formatCount } from '../../../src/core/units.ts';
import { readLookup } from '../../../src/tui/app/finder.tsx';
import { anyCharacter } from '../../helpers/any-character.ts';
import { rounds } from '../../helpers/rounds.ts';

const HEAD = 24_337_604;
const look = (typed: string, noTransactions: string | null = null) =>
  readLookup(typed, HEAD, noTransactions, () => false);
const problem = (typed: string) => {
  const read = look(typed);
  return read.kind === 'wrong' ? read.problem : read;
};
const HASH = `0x${'ab12'.repeat(16)}`;

it.each([
  '24337604',
  ' 24337604 ',
  '24,337,604',
  '24.337.604',
  '24 337 604',
  '24_337_604',
  "24'337'604",
  '24\u202f337\u202f604',
  '#24337604',
  '# 24,337,604',
  '0x1735cc4',
  '0X1735CC4',
  'latest',
])('takes %j for the block it means', (typed) => {
  expect(look(typed)).toEqual({ kind: 'found', place: { kind: 'block', number: HEAD } });
});

it('takes every number up to the head, written in any of its ways', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: HEAD }), (number) => {
      const found = { kind: 'found', place: { kind: 'block', number } };
      for (const typed of [String(number), formatCount(number), `#${number}`, `0x${number.toString(16)}`]) {
        expect(look(typed)).toEqual(found);
      }
    }),
    { seed: 3, numRuns: rounds(500) },
  );
});

it('never throws and never finds a block that cannot be, whatever is typed', () => {
  fc.assert(
    fc.property(fc.string({ unit: anyCharacter, maxLength: 90 }), (typed) => {
      const read = look(typed);
      if (read.kind === 'found' && read.place.kind === 'block') {
        expect(read.place.number).toBeGreaterThanOrEqual(0);
        expect(read.place.number).toBeLessThanOrEqual(HEAD);
      }
      if (read.kind === 'wrong') expect(read.problem).not.toMatch(/\n/);
    }),
    { seed: 3, numRuns: rounds(2_000) },
  );
});

it.each([HASH, HASH.toUpperCase().replace('0X', '0x'), HASH.slice(2), ` ${HASH} `])(
  'takes %j for a transaction',
  (typed) => {
    expect(look(typed)).toEqual({ kind: 'found', place: { kind: 'tx', hash: HASH } });
  },
);

it('says in one line what is wrong', () => {
  for (const typed of ['24,33', '24,337.604', '0x', '0x12g4', '1735cc4', 'vitalik.eth', '-5']) {
    expect(problem(typed)).toMatch(
      /^type a block \(24,337,604\) or a transaction hash \(0x and 64 digits\)$/,
    );
  }
  expect(problem('24337605')).toBe('the newest block is 24,337,604');
  expect(problem('9'.repeat(30))).toContain('no chain is that long');
  expect(problem(HASH.slice(0, -1))).toBe('a transaction hash has 64 digits after 0x, this has 63');
  expect(problem(`${HASH}0`)).toBe('a transaction hash has 64 digits after 0x, this has 65');
  expect(problem(`0x${'a'.repeat(40)}`)).toContain('this is an address');
});

it('is nothing yet while nothing is typed', () => {
  expect(look('  ')).toEqual({ kind: 'nothing' });
});

it('of a transaction says where there are none', () => {
  const read = look(HASH, 'a recording holds no transactions');
  expect(read).toEqual({ kind: 'wrong', problem: 'a recording holds no transactions' });
});

it('beyond the head is asked for where the service does not say what its head is', () => {
  expect(readLookup('99999999', null, null, () => false)).toMatchObject({
    kind: 'found',
  });
});
