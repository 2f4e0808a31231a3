import { chmodSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { ConfigFile, LoadedConfig } from '../../src/cli/config-file.ts';
import { resolveSettings } from '../../src/cli/settings.ts';
import { temporaryFile } from '../helpers/service.ts';
import { runMain } from './captured-io.ts';

const file = (content: ConfigFile): LoadedConfig => ({ path: '/c.json', content, warning: null });
const TOKEN = '123456789:AAtokentokentokentoken';

async function configured(content: object, mode = 0o600): Promise<string> {
  const path = await temporaryFile('gastop.json');
  writeFileSync(path, JSON.stringify(content));
  chmodSync(path, mode);
  return path;
}

const row = (stdout: string, name: string): string =>
  stdout
    .split('\n')
    .find((line) => line.startsWith(`${name} `))
    ?.replace(/ {2,}/g, ' | ') ?? '';

describe('the mail server', () => {
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

describe('private targets', () => {
  it('are refused unless a flag, the environment or the config file allows them', () => {
    const allowed = (flag: boolean | undefined, env: string | undefined, config: boolean | undefined) =>
      resolveSettings(
        flag === undefined ? {} : { allowPrivateTargets: flag },
        env === undefined ? {} : { GASTOP_ALLOW_PRIVATE_TARGETS: env },
        file(config === undefined ? {} : { allowPrivateTargets: config }),
      ).allowPrivateTargets;
    expect(allowed(undefined, undefined, undefined)).toEqual({ value: false, from: 'default' });
    expect(allowed(true, '0', false)).toEqual({ value: true, from: '--allow-private-targets' });
    expect(allowed(undefined, '1', false)).toEqual({ value: true, from: 'GASTOP_ALLOW_PRIVATE_TARGETS' });
    expect(allowed(undefined, undefined, true)).toEqual({ value: true, from: 'config file' });
  });
});

describe('gastop config', () => {
  it('shows what is set up for alerts and where it came from, never a password or token', async () => {
    const config = await configured({
      smtp: { host: 'mail.example.org', user: 'me', password: 'hunter22', from: 'gas@example.org' },
      telegram: { token: TOKEN, apiUrl: 'https://bots.example:8443/x' },
    });
    const { stdout, stderr } = await runMain(['config', '--config', config, '--allow-private-targets']);
    expect(stderr).toBe('');
    expect(row(stdout, 'mail')).toBe(
      'mail | smtp://mail.example.org:587, as me, password set, from gas@example.org | config file',
    );
    expect(row(stdout, 'telegram')).toBe('telegram | token set, asks bots.example:8443 | config file');
    expect(row(stdout, 'private targets')).toBe('private targets | allowed | --allow-private-targets');
    expect(stdout).not.toMatch(/hunter22|AAtoken/);
  });

  it.each([
    [{ smtp: { host: 'mail.example.org', prot: 25 } }, '"smtp.prot" is not a setting'],
    [{ smtp: { host: 'mail.example.org', port: 0 } }, '"smtp.port" must be at least 1'],
    [{ smtp: 'hunter22' }, '"smtp" must be a JSON object'],
    [{ telegram: {} }, '"telegram.token" is missing'],
    [{ allowPrivateTargets: 'hunter22' }, '"allowPrivateTargets" must be true or false'],
  ])('%j is refused in one line that says what would do', async (content, message) => {
    const { exitCode, stderr } = await runMain(['config', '--config', await configured(content)]);
    expect([exitCode, stderr.trim().split('\n').length]).toEqual([2, 1]);
    expect(stderr).toContain(message);
    expect(stderr).not.toContain('hunter22');
  });

  it.skipIf(process.platform === 'win32').each([
    [{ smtp: { host: 'a.example', from: 'a@a.example', password: 'hunter22' } }, 'a password'],
    [{ telegram: { token: TOKEN } }, 'a token'],
    [{ rpc: ['http://127.0.0.1:8545', 'https://node.example/v3/0123456789abcdef0123'] }, 'the key of a node'],
    [{ rpc: 'wss://me:hunter22@node.example' }, 'the key of a node'],
  ])('warns where others on the machine can read %j', async (content, what) => {
    const open = await runMain(['config', '--config', await configured(content, 0o644)]);
    expect(open.stderr).toContain(
      `holds ${what} and others on this machine can read it; run chmod 600 on it`,
    );
    expect((await runMain(['config', '--config', await configured(content)])).stderr).toBe('');
  });
});
