import { describe, expect, it } from 'vitest';
import type { LoadedConfig } from '../../src/cli/config-file.ts';
import type { ConfigFile } from '../../src/cli/config-schema.ts';
import { PUBLIC_NODES } from '../../src/cli/known-chains.ts';
import { resolveSettings, type Settings } from '../../src/cli/settings.ts';
import type { SourceFlags } from '../../src/cli/settings-table.ts';
import { runMain } from './captured-io.ts';

const file = (content: ConfigFile): LoadedConfig => ({ path: '/c.json', content, warning: null });

const TOKEN = '123456789:AAtokentokentokentoken';

describe('where a setting comes from', () => {
  it.each<[keyof Settings, SourceFlags, string, string, ConfigFile, readonly unknown[]]>([
    [
      'confirmations',
      { confirmations: '2' },
      'GASTOP_CONFIRMATIONS',
      '3',
      { confirmations: '4' },
      [2, 3, 4, null],
    ],
    [
      'historySec',
      { history: '1h' },
      'GASTOP_HISTORY',
      '2h',
      { history: '3h' },
      [3_600, 7_200, 10_800, 2_592_000],
    ],
    [
      'patienceSec',
      { patience: '5m' },
      'GASTOP_PATIENCE',
      '6h',
      { patience: '1d' },
      [300, 21_600, 86_400, 3_600],
    ],
    ['ascii', { ascii: true }, 'GASTOP_ASCII', 'on', { ascii: true }, [true, true, true, false]],
    ['mouse', { mouse: true }, 'GASTOP_MOUSE', 'on', { mouse: true }, [true, true, true, false]],
    [
      'allowPrivateTargets',
      { allowPrivateTargets: true },
      'GASTOP_ALLOW_PRIVATE_TARGETS',
      '1',
      { allowPrivateTargets: true },
      [true, true, true, false],
    ],
  ])(
    '%s: the flag before the environment before the file',
    (name, flags, variable, text, content, values) => {
      const env = { [variable]: text };
      const config = file(content);
      const all = [
        resolveSettings(flags, env, config),
        resolveSettings({}, env, config),
        resolveSettings({}, {}, config),
        resolveSettings({}, {}, null),
      ].map((settings) => settings[name]);
      const flag = `--${variable.replace('GASTOP_', '').replaceAll('_', '-').toLowerCase()}`;
      const from = [flag, variable, 'config file', 'default'];
      expect(all).toEqual(values.map((value, place) => ({ value, from: from[place] })));
    },
  );

  it.each(['4m', '25h', '0', '90', 'soon', '-1h'])('refuses a patience of %s', (patience) => {
    expect(() => resolveSettings({ patience }, {}, null)).toThrow(/--patience: .*(5m to 24h|90m, 24h or 7d)/);
  });

  it('a source is named by a flag, the environment or the config file, in this order', () => {
    const env = { GASTOP_URL: 'http://env.example' };
    const config = file({ url: 'http://file.example' });
    const named = (host: string, from: string) => ({
      from,
      value: { url: new URL(`http://${host}.example`) },
    });
    expect(resolveSettings({ url: 'http://flag.example' }, env, config).source).toMatchObject(
      named('flag', '--url'),
    );
    expect(resolveSettings({}, env, config).source).toMatchObject(named('env', 'GASTOP_URL'));
    expect(resolveSettings({}, {}, config).source).toMatchObject(named('file', 'config file, url'));
  });

  it('the blocks that make an auto-tx final are 1 to 10,000, and go with a node', () => {
    for (const confirmations of ['0', '-1', '1.5', '10001', 'all']) {
      expect(() => resolveSettings({ confirmations }, {}, null)).toThrow(/a whole number from 1 to 10,000/);
    }
    const elsewhere = { url: 'http://a.example', confirmations: '2' };
    expect(() => resolveSettings(elsewhere, {}, null)).toThrow(/goes with --rpc/);
  });

  it.each([
    ...['localhost:8787', '127.0.0.1:8545', '[::1]:8545/rpc'],
    ...['gas.localhost:8787', 'LOCALHOST:8787/', 'localhost'],
  ])('takes %s as http', (text) => {
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
    expect(settings.source).toEqual({
      value: { kind: 'simulated', seed: 1, forkAfter: null },
      from: '--demo',
    });
  });
});

describe('the key', () => {
  it('from the environment goes to whichever service was named', () => {
    // Some services give signed tokens as keys.
    for (const key of ['secret-key', 'k', `ey${'J'.repeat(900)}.x`]) {
      const settings = resolveSettings({ url: 'http://a.example' }, { GASTOP_API_KEY: `${key}\n` }, null);
      expect(settings.source.value).toMatchObject({ apiKey: key });
    }
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

describe('the URL of a database', () => {
  it.each([
    ['sslmod=require', '"sslmod" in the URL is not known (did you mean sslmode?); taken are host, port'],
    ['sslMode=require', '(did you mean sslmode?)'],
    ['sslrootcrt=/ca.pem', '(did you mean sslrootcert?)'],
    ['ssl=true', '"ssl" in the URL is not known'],
    ['pgbouncer=true&sslmode=require', '"pgbouncer" in the URL is not known; taken are'],
    ['hunter22%23=1', 'a parameter of the URL is not known'],
    ['sslmode=required', 'sslmode in the URL must be one of disable, prefer, require'],
  ])('is refused with ?%s', async (query, expected) => {
    const env = { GASTOP_DATABASE_URL: `postgres://me:hunter2@db.example.org/gas?${query}` };
    const { exitCode, stderr } = await runMain(['config'], { env });
    expect(exitCode).toBe(2);
    expect(stderr).toContain(expected);
    expect(stderr).not.toContain('hunter2');
  });

  it.each([
    'postgres://me@db.example.org/gas?sslmode=require&channel_binding=require',
    'postgres://me:pw@/gas?host=/var/run/postgresql',
    'postgresql:///gas?host=/tmp&port=5433&options=-c%20search_path%3Dgas',
  ])('is taken: %s', async (url) => {
    const { exitCode } = await runMain(['config'], { env: { GASTOP_DATABASE_URL: url } });
    expect(exitCode).toBe(0);
  });
});

describe('the mail server', () => {
  it.each([
    ['smtp://mail.example.org:465', 465, true],
    ['SMTP://me%40example.org:p@mail.example.org:465/', 465, true],
    ['smtps://mail.example.org', 465, true],
    ['smtp://mail.example.org', 587, false],
    ['smtps://mail.example.org:587', 587, true],
  ])('is spoken to by TLS as its port says: %s', async (url, port, secure) => {
    const env = { GASTOP_SMTP_URL: url, GASTOP_SMTP_FROM: 'gas@example.org' };
    expect(resolveSettings({}, env, file({})).smtp.value).toMatchObject({ port, secure });
  });

  it('has the name that the config file gives, which is a full one', () => {
    const smtp = { host: 'mail.example.org', from: 'gas@example.org', name: 'gas.example.org' };
    expect(resolveSettings({}, {}, file({ smtp })).smtp.value).toMatchObject({ name: 'gas.example.org' });
  });

  it('comes from one URL in the environment, with what is special in it percent-encoded', () => {
    const env = {
      GASTOP_SMTP_URL: 'smtps://me%40example.org:p%2Fa%3Ass@mail.example.org',
      GASTOP_SMTP_FROM: 'gastop <gas@example.org>',
    };
    expect(resolveSettings({}, env, file({ smtp: { host: 'other.example' } })).smtp).toEqual({
      value: {
        host: 'mail.example.org',
        port: 465,
        secure: true,
        user: 'me@example.org',
        password: 'p/a:ss',
        from: 'gastop <gas@example.org>',
      },
      from: 'GASTOP_SMTP_URL',
    });
  });

  it('or from the config file; TLS follows from the port', () => {
    const smtp = (more: object) =>
      resolveSettings({}, {}, file({ smtp: { host: 'mail.example.org', from: 'a@example.org', ...more } }))
        .smtp;
    expect(smtp({})).toMatchObject({ value: { port: 587, secure: false, user: null }, from: 'config file' });
    expect(smtp({ port: 465 }).value).toMatchObject({ secure: true });
    expect(smtp({ secure: true }).value).toMatchObject({ port: 465 });
    expect(smtp({}).value).not.toHaveProperty('requireTls');
    expect(smtp({ requireTls: false }).value).toMatchObject({ requireTls: false });
    expect(smtp({ port: 2_525, secure: true }).value).toMatchObject({ port: 2_525, secure: true });
  });

  it.each([
    ['http://mail.example.org', 'GASTOP_SMTP_URL: not a mail server; '],
    ['hunter22', 'GASTOP_SMTP_URL: not a mail server; '],
    ['smtp://me:hunter22/3@mail.example.org', 'GASTOP_SMTP_URL: not a mail server; '],
    ['smtp://me:hunter22%@mail.example.org', 'GASTOP_SMTP_URL: not a mail server; '],
    ['smtp://me:hunter22@mail.example.org', 'GASTOP_SMTP_URL needs GASTOP_SMTP_FROM: '],
  ])('%s is refused in one line that does not repeat it', async (url, message) => {
    const { exitCode, stderr } = await runMain(['config'], { env: { GASTOP_SMTP_URL: url } });
    expect(exitCode).toBe(2);
    expect(stderr).toContain(message);
    expect(stderr.trim().split('\n')).toHaveLength(1);
    expect(stderr).not.toContain('hunter22');
  });

  it.each(['gas', 'a@b.example, c@d.example', 'x <a@b.example>\r\nBcc: c@d.example', '<>'])(
    '%j is no address to send from',
    async (from) => {
      const env = { GASTOP_SMTP_URL: 'smtp://mail.example.org', GASTOP_SMTP_FROM: from };
      const { exitCode, stderr } = await runMain(['config'], { env });
      expect([exitCode, stderr.trim().split('\n').length]).toEqual([2, 1]);
      expect(stderr).toContain('GASTOP_SMTP_FROM: not an address to send from');
    },
  );
});

describe('Telegram', () => {
  it('asks the public bot API unless another is named', () => {
    const settings = (env: Record<string, string>) => resolveSettings({}, env, null).telegram;
    expect(settings({})).toEqual({ value: null, from: 'default' });
    expect(settings({ GASTOP_TELEGRAM_TOKEN: `${TOKEN}\n` })).toEqual({
      value: { token: TOKEN, apiUrl: new URL('https://api.telegram.org') },
      from: 'GASTOP_TELEGRAM_TOKEN',
    });
    const own = { GASTOP_TELEGRAM_TOKEN: TOKEN, GASTOP_TELEGRAM_API: 'http://127.0.0.1:8081' };
    expect(settings(own).value?.apiUrl.href).toBe('http://127.0.0.1:8081/');
  });

  it.each<Record<string, string>>([
    { GASTOP_TELEGRAM_TOKEN: 'my-hunter22' },
    { GASTOP_TELEGRAM_TOKEN: TOKEN, GASTOP_TELEGRAM_API: 'api.telegram.org' },
    { GASTOP_TELEGRAM_TOKEN: TOKEN, GASTOP_TELEGRAM_API: 'https://hunter22:x@bots.example' },
  ])('%j is refused in one line that does not repeat it', async (env) => {
    const { exitCode, stderr } = await runMain(['config'], { env });
    expect([exitCode, stderr.trim().split('\n').length]).toEqual([2, 1]);
    expect(stderr).toMatch(/^gastop: GASTOP_TELEGRAM_/);
    expect(stderr).not.toMatch(/hunter22|AAtoken/);
  });
});
