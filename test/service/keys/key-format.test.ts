import fc from 'fast-check';
import { expect, test } from 'vitest';
import { KEY_PREFIX } from '../../../src/core/key-text.ts';
import { createKey, createKeyId, hashKey, readKey } from '../../../src/service/keys/api-keys.ts';
import { anyCharacter } from '../../helpers/any-character.ts';
import { rounds } from '../../helpers/rounds.ts';

const newKey = () => createKey(createKeyId()).text;
const keys = fc.constant(null).map(newKey);
const letter = fc.constantFrom(...'0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_- .é\n');

test('a key that was made is read again, with its id', () => {
  for (let count = 0; count < 1_000; count += 1) {
    const key = createKey(createKeyId());
    expect(key.text).toMatch(/^gastop_[0-9a-z]{10}_[0-9A-Za-z]{27}_[0-9A-Za-z]{6}$/);
    expect(readKey(key.text)).toEqual(key);
  }
});

test('no two keys are the same, nor their ids, nor the keys of one id', () => {
  const made = Array.from({ length: 2_000 }, () => createKey(createKeyId()));
  expect(new Set(made.map(({ id }) => id)).size).toBe(2_000);
  const id = createKeyId();
  expect(new Set(Array.from({ length: 2_000 }, () => createKey(id).text)).size).toBe(2_000);
});

test('any one wrong character is seen', () => {
  fc.assert(
    fc.property(keys, fc.nat(), letter, (key, at, other) => {
      const place = at % key.length;
      fc.pre(key.charAt(place) !== other);
      expect(readKey(key.slice(0, place) + other + key.slice(place + 1))).toBeNull();
    }),
    { numRuns: rounds(5_000) },
  );
});

test('whatever is no key is not read as one', () => {
  fc.assert(
    fc.property(fc.string({ unit: anyCharacter }), (text) => {
      expect(readKey(text)).toBeNull();
      expect(readKey(KEY_PREFIX + text)).toBeNull();
    }),
  );
});

test('what is kept of a key is its SHA-256', () => {
  // printf abc | sha256sum
  expect(hashKey({ id: '', text: 'abc' }).toString('hex')).toBe(
    'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad',
  );
});
