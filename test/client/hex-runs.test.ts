import fc from 'fast-check';
import { expect, it } from 'vitest';
import { replaceHexRuns } from '../../src/client/secrets.ts';
import { rounds } from '../helpers/rounds.ts';

const RUN = /(?:0x)?[0-9a-f]{48,}/gi;
const marked = (run: string) => `<${run}>`;

it('long runs of hex digits are found wherever a search of every character finds them', () => {
  const piece = fc.oneof(
    fc.string({ unit: fc.constantFrom(...'0123456789abcdefABCDEF'), minLength: 40, maxLength: 60 }),
    fc.string({ unit: fc.constantFrom(...'0123456789abcdefABCDEF'), maxLength: 150 }),
    fc.constantFrom('0x', '0X', 'x', '"', ' ', 'g', '@', '`', '/', ':', '…', 'é', 'Ａ'),
    fc.string({ maxLength: 5 }),
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
      const text = pieces.join('');
      expect(replaceHexRuns(text, marked)).toBe(text.replace(RUN, marked));
    }),
    { numRuns: rounds(2_000) },
  );
});
