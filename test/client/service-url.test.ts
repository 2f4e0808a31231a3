import { describe, expect, it } from 'vitest';
import { isPlain } from '../../src/client/service-url.ts';

describe('what is sent to a service', () => {
  it.each([
    ...['http://localhost:8787', 'http://127.0.0.1:8787', 'http://127.8.0.1', 'http://[::1]:8787'],
    ...['http://gas.localhost:8787', 'http://localhost.:8787', 'https://gas.example.org', 'https://10.0.0.1'],
  ])('stays on this machine, or is encrypted, at %s', (url) => {
    expect(isPlain(new URL(url))).toBe(false);
  });

  it.each([
    ...['http://gas.example.org', 'http://10.0.0.1:8787', 'http://[::2]:8787', 'http://0.0.0.0:8787'],
    ...['http://localhost.example.org', 'http://127.0.0.1.example.org', 'http://mylocalhost:8787'],
  ])('can be read by others at %s', (url) => {
    expect(isPlain(new URL(url))).toBe(true);
  });
});
