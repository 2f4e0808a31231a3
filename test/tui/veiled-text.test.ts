import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { graphemes } from '../../src/core/text.ts';
import { keyFinder, veilUrl } from '../../src/tui/app/source.ts';

describe('a key', () => {
  it('is found by its first letters, wherever it stands', () => {
    const isKey = keyFinder(null);
    for (const text of ['gastop_0', ' gastop_abc', 'GASTOP_API_KEY=gastop_7', 'x-api-key: gastop_a']) {
      expect(isKey(text)).toBe(true);
    }
    for (const text of ['24337604', '0xab', '', 'gastop']) expect(isKey(text)).toBe(false);
  });

  it('of another service is found as soon as it may be the one of the session', () => {
    const isKey = keyFinder('7fb1c0de7fb1c0de7fb1c0de');
    for (const text of [
      '7fb1c0de',
      '7fb1c0de7fb1',
      ' 7fb1c0de7fb1c0de7fb1c0de ',
      'key=7fb1c0de7fb1c0de7fb1c0de',
    ]) {
      expect(isKey(text)).toBe(true);
    }
    for (const text of ['7fb1c0d', '17fb1c0de', '']) expect(isKey(text)).toBe(false);
  });
});

describe('an address being typed', () => {
  it.each([
    ['https://gas.example.com:8443/v1', 'https://gas.example.com:8443/v1'],
    ['http://[::1]:8545', 'http://[::1]:8545'],
    ['https://user:pass@host/x', 'https://•••••••••@host/x'],
    ['https://user:pas', 'https://user:•••'],
    ['user:pass@host', '•••••••••@host'],
    ['https://rpc.example/v3/0123456789abcdef0123', `https://rpc.example/v3/${'•'.repeat(20)}`],
    ['https://h/?key=abc', 'https://h/••••••••'],
    ['https://h/#abc', 'https://h/••••'],
    ['gastop_abcdef', '•••••••••••••'],
  ])('%s is drawn as %s', (text, drawn) => expect(veilUrl(text)).toBe(drawn));

  it('keeps its length, so that the cursor stands where it is', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (text) => {
        expect(graphemes(veilUrl(text))).toHaveLength(graphemes(text).length);
      }),
    );
  });
});
