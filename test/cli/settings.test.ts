import { describe, expect, it } from 'vitest';
import type { ConfigFile, LoadedConfig } from '../../src/cli/config-file.ts';
import { PUBLIC_NODES } from '../../src/cli/known-chains.ts';
import { resolveSettings } from '../../src/cli/settings.ts';

const file = (content: ConfigFile): LoadedConfig => ({ path: '/c.json', content, warning: null });

describe('where a setting comes from', () => {
  it('how many blocks make an auto-tx final is said by a flag, the environment, the file, or the chain', () => {
    const env = { GASTOP_CONFIRMATIONS: '3' };
    const config = file({ confirmations: '4' });
    const said = (
      flags: { confirmations?: string },
      from: Record<string, string>,
      content: typeof config | null,
    ) => resolveSettings(flags, from, content).confirmations;
    expect(said({ confirmations: '2' }, env, config)).toEqual({ value: 2, from: '--confirmations' });
    expect(said({}, env, config)).toEqual({ value: 3, from: 'GASTOP_CONFIRMATIONS' });
    expect(said({}, {}, config)).toEqual({ value: 4, from: 'config file' });
    expect(said({}, {}, null)).toEqual({ value: null, from: 'default' });
    for (const confirmations of ['0', '-1', '1.5', '10001', 'all']) {
      expect(() => said({ confirmations }, {}, null)).toThrow(/a whole number from 1 to 10,000/);
    }
    expect(() => resolveSettings({ url: 'http://a.example', confirmations: '2' }, {}, null)).toThrow(
      /goes with --rpc/,
    );
  });

  it('is the flag before the environment before the config file', () => {
    const env = { GASTOP_URL: 'http://env.example', GASTOP_HISTORY: '2h' };
    const config = file({ url: 'http://file.example', history: '3h', ascii: true });
    const flagged = resolveSettings({ url: 'http://flag.example' }, env, config);
    expect(flagged.source).toMatchObject({ from: '--url', value: { url: new URL('http://flag.example') } });
    expect(flagged.historySec).toEqual({ value: 7_200, from: 'GASTOP_HISTORY' });
    const fromEnv = resolveSettings({}, env, config);
    expect(fromEnv.source).toMatchObject({
      from: 'GASTOP_URL',
      value: { url: new URL('http://env.example') },
    });
    const fromFile = resolveSettings({}, {}, config);
    expect(fromFile.source).toMatchObject({ value: { url: new URL('http://file.example') } });
    expect(fromFile.historySec).toEqual({ value: 10_800, from: 'config file' });
    expect(fromFile.ascii).toEqual({ value: true, from: 'config file' });
  });

  it.each(['localhost:8787', '127.0.0.1:8545', '[::1]:8545/rpc'])('takes %s as http', (text) => {
    expect(resolveSettings({ url: text }, {}, null).source.value).toMatchObject({
      url: new URL(`http://${text}`),
    });
    expect(resolveSettings({ rpc: [text] }, {}, null).source.value).toMatchObject({
      urls: [new URL(`http://${text}`)],
    });
    expect(() => resolveSettings({ url: `${text.slice(1)}.example` }, {}, null)).toThrow(/--url/);
  });

  it.each([
    [{ LANG: 'C' }, 'LANG=C'],
    [{ LC_ALL: 'POSIX', LANG: 'de_DE.UTF-8' }, 'LC_ALL=POSIX'],
    [{ LC_CTYPE: 'de_DE.ISO-8859-1' }, 'LC_CTYPE=de_DE.ISO-8859-1'],
    [{ LANG: 'ja_JP.eucJP@x' }, 'LANG=ja_JP.eucJP@x'],
    [{ TERM: 'linux', LANG: 'C.UTF-8' }, 'TERM=linux'],
    [{ LC_ALL: '', LANG: 'tr_TR.utf8' }, null],
    [{ LC_ALL: 'C.UTF-8', LANG: 'C' }, null],
    [{ LC_CTYPE: 'UTF-8' }, null],
    [{ LANG: 'ar' }, null],
    [{}, null],
  ])('a terminal that shows ASCII alone is known by its variables: %j', (env, from) => {
    const settled = from === null ? { value: false, from: 'default' } : { value: true, from };
    expect(resolveSettings({}, env, null).ascii).toEqual(settled);
    expect(resolveSettings({}, env, file({ ascii: false })).ascii).toEqual({
      value: false,
      from: 'config file',
    });
    expect(resolveSettings({}, { ...env, GASTOP_ASCII: 'off' }, null).ascii.value).toBe(false);
  });

  it('without any is public mainnet nodes and 30 days', () => {
    const settings = resolveSettings({}, {}, null);
    expect(settings.source).toEqual({
      value: { kind: 'rpc', urls: PUBLIC_NODES.map((url) => new URL(url)), isPublicDefault: true },
      from: 'default',
    });
    expect(settings.historySec.value).toBe(30 * 86_400);
  });

  it('a source named by a flag replaces one of another kind from below', () => {
    const settings = resolveSettings(
      { demo: true },
      { GASTOP_URL: 'http://env.example' },
      file({ rpc: 'ws://a' }),
    );
    expect(settings.source).toEqual({ value: { kind: 'simulated', seed: 1 }, from: '--demo' });
  });
});

describe('the key', () => {
  it('from the environment goes to whichever service was named', () => {
    const settings = resolveSettings({ url: 'http://a.example' }, { GASTOP_API_KEY: 'secret-key\n' }, null);
    expect(settings.source.value).toMatchObject({ apiKey: 'secret-key' });
  });

  it('from the config file is never sent to another service than the one named beside it', () => {
    const config = file({ url: 'https://mine.example', apiKey: 'secret-key' });
    expect(resolveSettings({}, {}, config).source.value).toMatchObject({ apiKey: 'secret-key' });
    expect(resolveSettings({ url: 'https://mine.example/be/api/v1' }, {}, config).source.value).toMatchObject(
      {
        apiKey: 'secret-key',
      },
    );
    const other = resolveSettings({ url: 'https://other.example' }, {}, config);
    expect(other.source.value).toMatchObject({ apiKey: null });
    expect(other.apiKey.from).toContain('mine.example');
    expect(resolveSettings({ url: 'http://mine.example' }, {}, config).source.value).toMatchObject({
      apiKey: null,
    });
  });

  it.each([
    ['--url', { url: 'https://any.example' }, {}],
    ['GASTOP_URL', {}, { GASTOP_URL: 'https://any.example' }],
  ])('from a config file that names no service is not used with %s, and says so', (_name, flags, env) => {
    const settings = resolveSettings(flags, env, file({ apiKey: 'secret-key' }));
    expect(settings.source.value).toMatchObject({ kind: 'hosted', apiKey: null });
    expect(settings.apiKey).toEqual({
      value: null,
      from: 'config file has one; without a url beside it, it is not used',
    });
  });
});
