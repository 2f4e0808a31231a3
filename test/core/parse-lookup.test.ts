import { describe, expect, it } from 'vitest';
import { parseBlockNumber, parseTxHash } from '../../src/cli/commands/explorer.ts';
import { parseLookup } from '../../src/core/parse-lookup.ts';
import { readLookup } from '../../src/tui/app/finder.tsx';

const HASH = `0x${'ab12'.repeat(16)}`;
const ANYWHERE = [null, null, () => false] as const;

describe('a block or transaction is written in one way for the commands and for the monitor', () => {
  it.each([
    '24337604',
    '24,337,604',
    '24.337.604',
    "24'337'604",
    '24\u202f337\u202f604',
    '24_337_604',
    '# 24 337 604',
    '0X1735CC4',
  ])('%j', (typed) => {
    const block = { kind: 'block', number: 24_337_604 };
    expect(parseLookup(typed)).toEqual(block);
    expect(parseBlockNumber(typed)).toBe(24_337_604);
    expect(readLookup(typed, ...ANYWHERE)).toEqual({ kind: 'found', place: block });
  });

  it.each([HASH, HASH.slice(2), HASH.toUpperCase(), ` ${HASH}\n`])('%j', (typed) => {
    expect(parseTxHash(typed)).toBe(HASH);
    expect(readLookup(typed, ...ANYWHERE)).toEqual({ kind: 'found', place: { kind: 'tx', hash: HASH } });
  });

  it.each(['latest', 'HEAD', ' Latest '])('%j', (typed) => {
    expect(parseBlockNumber(typed)).toBe('latest');
    expect(readLookup(typed, 7, null, () => false)).toMatchObject({ place: { number: 7 } });
  });

  it('or is refused with the same words', () => {
    for (const typed of [
      '24,33',
      '#',
      '1\u001b[2J',
      '0x',
      '1.5',
      'decade',
      '-1',
      '9'.repeat(17),
      `0x${'a'.repeat(40)}`,
    ]) {
      const sought = parseLookup(typed);
      const problem = sought.kind === 'wrong' ? sought.problem : 'none';
      expect(readLookup(typed, ...ANYWHERE)).toEqual({ kind: 'wrong', problem });
      expect(() => parseBlockNumber(typed)).toThrow(problem);
      expect(() => parseTxHash(typed)).toThrow(problem);
    }
  });
});
