import { describe, expect, it } from 'vitest';
import { describeRules, forkChip } from '../../src/client/views/chain.ts';
import type { ChainRules } from '../../src/core/chain-rules.ts';

const AT = 1_791_294_816;
const DAY = 86_400;
const BPO2 = { target: 14, max: 21, baseFeeUpdateFraction: 11_684_671 };
const ruledBefore = (kind: 'amsterdam' | 'blobs' | 'unknown', blobSchedule = BPO2): ChainRules => ({
  ...{ rules: 'osaka', source: 'header', since: 1_767_747_671, blobSchedule: BPO2 },
  next: { at: AT, kind, blobSchedule },
});
const after: ChainRules = {
  ...{ rules: 'amsterdam', source: 'header', since: AT, next: null, blobSchedule: BPO2 },
};

describe('the chip of a fork', () => {
  it.each([
    ['amsterdam', 15 * DAY, null],
    ['amsterdam', 14 * DAY, 'Amsterdam in 14d'],
    ['amsterdam', 3_600, 'Amsterdam in 1h'],
    ['amsterdam', 0, 'Amsterdam with the next block'],
    ['blobs', 90_000, 'blob fork in 1d01h'],
    ['unknown', 60, 'unknown fork in 1m'],
  ] as const)('says of %s %i s before it: %s', (kind, sec, chip) => {
    expect(forkChip(ruledBefore(kind), (AT - sec) * 1_000)).toBe(chip);
  });

  it.each([
    [0, 'Amsterdam since 0s'],
    [5 * 3_600, 'Amsterdam since 5h'],
    [DAY, 'Amsterdam since 1d'],
    [DAY + 1, null],
  ])('stays for a day: after %i s it says %s', (sec, chip) => {
    expect(forkChip(after, (AT + sec) * 1_000)).toBe(chip);
  });

  it('is not there where nothing is scheduled, or nobody says when the rules began', () => {
    expect(forkChip({ ...after, since: null }, AT * 1_000)).toBeNull();
    expect(forkChip({ ...ruledBefore('blobs'), next: null }, AT * 1_000)).toBeNull();
  });
});

describe('the rules in words', () => {
  const words = (rules: ChainRules) => Object.fromEntries(describeRules(rules, (AT - 7_200) * 1_000));

  it.each([
    ['amsterdam', 'Amsterdam on 6 Oct 2026 13:53 UTC, in 2h'],
    ['blobs', 'another number of blobs on 6 Oct 2026 13:53 UTC, in 2h'],
    ['unknown', 'rules that are not known here on 6 Oct 2026 13:53 UTC, in 2h'],
  ] as const)('name a fork of the kind %s with its time', (kind, next) => {
    expect(words(ruledBefore(kind))).toMatchObject({ 'next fork': next, 'blobs then': null });
  });

  it('say what the blobs are then where that changes', () => {
    expect(words(ruledBefore('blobs', { ...BPO2, target: 21, max: 32 }))).toMatchObject({
      blobs: '14 a block wanted, 21 at most',
      'blobs then': '21 a block wanted, 32 at most',
    });
  });

  it.each([
    [{ ...after }, /^those of Amsterdam, by the header of the newest block, since 6 Oct 2026/],
    [{ ...after, rules: 'own', source: 'none', since: null }, /^the chain's own$/],
    [{ ...after, rules: 'unknown', source: 'header', since: null }, /^not known here, by the header/],
  ] as const)('say whose hold: %#', (rules, gasRules) => {
    expect(words(rules)['gas rules']).toMatch(gasRules);
  });
});
