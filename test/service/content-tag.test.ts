import fc from 'fast-check';
import { expect, test } from 'vitest';
import { contentTag } from '../../src/service/http/content-tag.ts';

test('a tag is a weak one that a header can carry, and the same for the same text', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      expect(contentTag(text)).toMatch(/^W\/"[0-9a-f]{16}"$/);
      expect(contentTag(`${text}`)).toBe(contentTag(text));
    }),
  );
});

test('texts that differ in one place, in the order of their parts or in length have other tags', () => {
  fc.assert(
    fc.property(fc.string(), fc.string(), fc.string({ minLength: 1 }), (before, after, more) => {
      const text = `${before}1${after}`;
      expect(contentTag(`${before}2${after}`)).not.toBe(contentTag(text));
      expect(contentTag(`${text}${more}`)).not.toBe(contentTag(text));
      const turned = `${after}|${before}`;
      if (turned !== `${before}|${after}`)
        expect(contentTag(turned)).not.toBe(contentTag(`${before}|${after}`));
    }),
  );
});

test('a hundred thousand answers that differ in their numbers alone have as many tags', () => {
  const answer = (block: number) =>
    JSON.stringify({ blockNumber: block, price: String(block ** 2), seen: -block });
  const tags = new Set(Array.from({ length: 100_000 }, (_, block) => contentTag(answer(block))));
  expect(tags.size).toBe(100_000);
});
