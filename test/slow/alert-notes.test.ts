/** What a note may hold, on every way that it takes: mail, webhook, screen and desktop. */
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runMain } from '../cli/captured-io.ts';
import { type AlertParts, come, openAlertParts } from '../e2e/alert-parts.ts';
import { isSigned } from '../helpers/is-signed.ts';

let parts: AlertParts;

beforeAll(async () => {
  parts = await openAlertParts();
});

afterAll(() => parts?.close());

const NOTES = {
  header: 'gas is cheap\r\nBcc: victim@example.org\r\n\r\n<b>new body</b>',
  html: '<script>alert(1)</script><img src=x onerror=alert(2)> "a" & \'b\'',
  ansi: 'red \u001b[31mRED\u001b[0m \u001b]0;owned\u0007\u009b2J back\u0008\u0008\u0008 end',
  long: '0123456789'.repeat(50),
  emoji: 'deploy 🚀🚀 👩‍💻 é ü 日本 👍🏽',
};

describe('a note of any kind is harmless and right', () => {
  const made = new Map<string, string>();
  const secrets = new Map<string, string>();
  const mailOf = (name: string) =>
    come(`mail ${name}`, () => parts.mailbox.taken.find(({ to }) => to.includes(`${name}@example.org`)));
  const hookOf = async (name: string) => {
    const hook = await come(`webhook ${name}`, () =>
      parts.receiver.received.find(({ body }) => JSON.parse(body).alertId === made.get(name)),
    );
    expect(isSigned(hook, secrets.get(name) ?? '')).toBe(true);
    return JSON.parse(hook.body);
  };

  it('when it comes from elsewhere on the same database', async () => {
    const { home } = parts.monitor;
    const env = {
      XDG_DATA_HOME: join(home, '.local/share'),
      XDG_CONFIG_HOME: join(home, '.config'),
      ...parts.mailSettings,
    };
    const create = async (body: object) => {
      const argv = ['alerts', 'create', '-', '--json', '--rpc', parts.node.url, '--allow-private-targets'];
      return runMain(argv, { home, env, input: JSON.stringify(body) });
    };
    const alert = {
      thresholdGwei: 5,
      gasSpeed: 'AVERAGE',
      condition: 'LESS_THAN',
      method: 'EMAIL',
      channels: ['EMAIL', 'WEBHOOK', 'TERMINAL'],
      targets: { WEBHOOK: parts.receiver.url },
    };
    for (const name of ['header', 'html', 'ansi', 'long', 'emoji'] as const) {
      const rule = name === 'ansi' ? { condition: 'GREATER_THAN', thresholdGwei: 500 } : {};
      const { exitCode, stdout, stderr } = await create({
        ...alert,
        ...rule,
        to: `${name}@example.org`,
        note: NOTES[name],
      });
      expect(exitCode, stderr).toBe(0);
      const body = JSON.parse(stdout) as { id: string; signingSecret: string };
      made.set(name, body.id);
      secrets.set(name, body.signingSecret);
    }
    const injected = await create({ ...alert, to: 'a@example.org\r\nBcc: victim@example.org', note: '' });
    expect(injected.exitCode).not.toBe(0);
    expect(injected.stderr).toMatch(/\bto must/);
    await parts.monitor.press('3');
    await parts.monitor.waitFor('Alerts 5');
  });

  it('those that fire with one block are counted in one line', async () => {
    await parts.mine(2n);
    await parts.monitor.waitFor(
      (rows) => rows.at(-2)?.startsWith(' ● 4 alerts fired: Average below 5 gwei') === true,
    );
  });

  it('a line break adds no header, no recipient and no body to a mail', async () => {
    const { to, raw, mail } = await mailOf('header');
    expect(to).toEqual(['header@example.org']);
    expect(mail.bcc).toBeUndefined();
    expect(raw.split('\r\n\r\n')[0]).not.toMatch(/^bcc:/im);
    expect(mail.subject).not.toContain('cheap');
    expect(mail.text).toContain('gas is cheap\nBcc: victim@example.org\n\n<b>new body</b>\n');
    expect(mail.html).toContain('&lt;b&gt;new body&lt;/b&gt;');
    expect(parts.mailbox.taken.flatMap(({ to: all }) => all)).not.toContain('victim@example.org');
    expect((await hookOf('header')).note).toBe('gas is cheap\nBcc: victim@example.org\n\n<b>new body</b>');
  });

  it('HTML is shown as it was written', async () => {
    const { mail } = await mailOf('html');
    expect(mail.text).toContain(NOTES.html);
    expect(mail.html).not.toMatch(/<script|<img/);
    expect(mail.html).toContain('&lt;script&gt;alert(1)&lt;/script&gt;&lt;img src=x onerror=alert(2)&gt;');
    expect((await hookOf('html')).note).toBe(NOTES.html);
  });

  it('what acts on a terminal is taken out, on its way to the desktop too', async () => {
    await parts.mine(900n);
    const rows = await parts.monitor.waitFor((lines) =>
      / ● Average above 500 gwei: /.test(lines.at(-2) ?? ''),
    );
    const said = rows.at(-2)?.slice(3).trimEnd() ?? '';
    expect(said).toMatch(/^Average above 500 gwei: \d+ · red RED {2}back end$/);
    expect(parts.monitor.output()).toContain(`\u001b]777;notify;gastop;${said}\u0007`);
    expect(parts.monitor.output()).not.toMatch(/owned|\u009b/);
    const { raw, mail } = await mailOf('ansi');
    const words = 'red RED  back end';
    expect(mail.text).toContain(`\n\n${words}\n\n`);
    expect(mail.html).toContain(`>${words}</p>`);
    expect(raw).not.toMatch(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f]/);
    expect((await hookOf('ansi')).note).toBe(words);
  });

  it('500 characters and emoji arrive whole', async () => {
    expect((await mailOf('long')).mail.text).toContain(NOTES.long);
    expect((await hookOf('long')).note).toBe(NOTES.long);
    const { mail } = await mailOf('emoji');
    expect(mail.text).toContain(`\n\n${NOTES.emoji}\n\n`);
    expect(mail.html).toContain(`>${NOTES.emoji}</p>`);
    expect((await hookOf('emoji')).note).toBe(NOTES.emoji);
  });

  it('on the screen each stays in its place, and the terminal is as it was', async () => {
    parts.monitor.resize(140, 40);
    const rows = await parts.monitor.waitFor((lines) => lines.some((line) => line.includes('deploy 🚀')));
    expect(rows.filter((row) => row.includes('Average < 5 gwei'))).toHaveLength(4);
    const list = rows.join('\n');
    expect(list).toContain('red RED  back end');
    expect(list).toContain('<script>alert(1)</script>');
    expect(list).toMatch(/gas is cheap +Bcc: victim/);
    expect(list).toMatch(/0123456789.*…/);
    // What joins an emoji is not drawn: terminals disagree on how wide one is. All after it is in its place.
    expect(list).toMatch(/deploy 🚀🚀 👩💻 é ü 日本 👍🏽/u);
    expect(rows.some((row) => row.includes('\u200d'))).toBe(false);
    await parts.monitor.press('q');
    expect((await parts.monitor.waitForExit()).exitCode).toBe(0);
    expect(parts.monitor.leftovers()).toEqual([]);
  });
});
