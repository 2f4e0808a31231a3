import { describe, expect, it } from 'vitest';
import { isPlain, parseServiceUrl, v1Root } from '../../src/client/http.ts';
import { retryAfterSec } from '../../src/core/retry-after.ts';

describe('the URL of a service', () => {
  it.each([
    ['https://gas.example.org', 'https://gas.example.org/be/api/v1'],
    [' https://gas.example.org/ ', 'https://gas.example.org/be/api/v1'],
    ['http://127.0.0.1:8787/be/api/v1', 'http://127.0.0.1:8787/be/api/v1'],
    ['http://[::1]:8787/be/api/v1//', 'http://[::1]:8787/be/api/v1'],
    ['https://example.org/a/b/', 'https://example.org/a/b/be/api/v1'],
  ])('%j leads to %s', (text, root) => {
    expect(v1Root(parseServiceUrl(text))).toBe(root);
  });

  it.each([
    ['', 'not a URL'],
    ['gas.example.org', 'begin it with https:// or http://'],
    ['gas.example.org:8443/x', 'begin it with https:// or http://'],
    ['ftp://gas.example.org', 'ftp:// cannot be asked; use http:// or https://'],
    ['https://user:s3cret@gas.example.org', 'the key goes into apiKey'],
    ['https://gas.example.org?key=s3cret', 'the key goes into apiKey'],
    ['http://', 'not a URL'],
    ['http://a b', 'not a URL'],
  ])('%j is refused in one line that tells what would do', (text, words) => {
    const parse = () => parseServiceUrl(text);
    expect(parse).toThrow(RangeError);
    expect(parse).toThrow(words);
    expect(parse).not.toThrow(/s3cret|\n/);
  });
});

it.each([
  ['http://gas.example.org', true],
  ['http://192.168.1.7:8787', true],
  ['http://127.0.0.1.example.org', true],
  ['https://gas.example.org', false],
  ['http://127.0.0.1:8787', false],
  ['http://localhost:8787', false],
  ['http://[::1]:8787', false],
])('whether others on the way to %s can read what is sent: %s', (url, expected) => {
  expect(isPlain(new URL(url))).toBe(expected);
});

describe('Retry-After', () => {
  const now = Date.UTC(2026, 0, 20, 12);
  it.each([
    ['30', 30],
    ['0', 0],
    ['1.2', 2],
    ['Tue, 20 Jan 2026 12:01:30 GMT', 90],
    ['Tue, 20 Jan 2026 11:00:00 GMT', 0],
    ['172800', 172_800],
    ['7776000', 7_776_000],
    ['999999999999', 1_000_000_000],
    ['-5', null],
    ['soon', null],
    ['', null],
    [null, null],
  ])('%j is %j seconds', (header, seconds) => {
    expect(retryAfterSec(header, now)).toBe(seconds);
  });
});
