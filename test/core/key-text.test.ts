import fc from 'fast-check';
import { expect, test } from 'vitest';
import { withoutKeys, withoutSecrets } from '../../src/core/key-text.ts';
import { createKey, createKeyId } from '../../src/service/keys/api-keys.ts';

test('of a key in any text only its id stays, however often the text is cleaned', () => {
  fc.assert(
    fc.property(fc.string(), fc.string(), fc.boolean(), (before, after, capitals) => {
      const id = createKeyId();
      const { text } = createKey(id);
      const said = withoutKeys(`${before} ${capitals ? text.toUpperCase() : text} ${after}`);
      expect(said.toLowerCase()).not.toContain((text.split('_')[2] ?? '').toLowerCase());
      expect(said.toLowerCase()).toContain(`gastop_${id}_…`);
      expect(withoutKeys(said)).toBe(said);
    }),
  );
});

test.each([
  'set GASTOP_API_KEY or GASTOP_CONFIG, GASTOP_DEBUG=1',
  'gastop_0123456789 is an id',
  'gastop keys create',
])('%s holds no key', (text) => {
  expect(withoutKeys(text)).toBe(text);
});

test('a secret is removed in plain and URL-encoded form; a word too short to be one stays', () => {
  expect(withoutSecrets('https://x/?k=a%2Bbcd&l=a+bcd on', ['a+bcd', 'on'])).toBe('https://x/?k=…&l=… on');
});
