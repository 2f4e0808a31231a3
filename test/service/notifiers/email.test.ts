import net from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { AlertMessage } from '../../../src/core/alerts/alert-rule.ts';
import {
  createEmailNotifier,
  type SmtpSettings,
  serverWords,
} from '../../../src/service/alerts/notifiers/email.ts';
import type { Attempt } from '../../../src/service/alerts/notifiers/notifier.ts';
import { messageOf } from '../../helpers/fired-alert.ts';
import { listen } from '../../helpers/listen.ts';
import { Refusal, smtpSettings, startMailServer } from '../../helpers/mail-server.ts';
import { certificate, closedPort } from '../../helpers/receiver.ts';

const PASSWORD = 'c0rrect horse/battery';
const TLS = { key: certificate('key'), cert: certificate('good') };
const WITH_TLS = { ...TLS, disabledCommands: [] };

interface Sending {
  readonly target?: string;
  readonly message?: Partial<AlertMessage>;
  readonly signal?: AbortSignal;
}

function send(settings: SmtpSettings, { target, message, signal }: Sending = {}): Promise<Attempt> {
  return createEmailNotifier(settings).deliver(
    {
      id: 'alr_1.1.email',
      target: target ?? 'me@receiver.test',
      message: messageOf('alr_1', message),
      signingSecrets: [],
    },
    signal ?? AbortSignal.timeout(30_000),
  );
}

const later = (answer: unknown) => ({ kind: 'later', answer, retryAfterSec: null });

describe('what a mail server is sent', () => {
  it.each([
    ['gas@sender.test', undefined, 'sender.test'],
    ['gastop <gas@bücher.example>', undefined, 'xn--bcher-kva.example'],
    ['gas@sender.test', 'relay.example.org', 'relay.example.org'],
  ])('is greeted by a full name: from %s with name %s as %s', async (from, name, greeted) => {
    const names: string[] = [];
    const { port } = await startMailServer({
      onMailFrom: (_, session, done) => {
        names.push(session.hostNameAppearsAs || '');
        done();
      },
    });
    expect(await send(smtpSettings(port, { from, ...(name !== undefined && { name }) }))).toMatchObject({
      kind: 'delivered',
    });
    expect(names).toEqual([greeted]);
  });

  it.each([
    ['gas@bücher.example', 'me@receiver.test'],
    ['gastop <gas@sender.test>', 'me@müller.example'],
    ['Gäs <gas@δοκιμή.example>', 'me@receiver.test'],
  ])('gets headers in ASCII alone: from %s to %s', async (from, target) => {
    const { port, taken } = await startMailServer();
    expect(await send(smtpSettings(port, { from }), { target })).toMatchObject({ kind: 'delivered' });
    const [headers = ''] = (taken[0]?.raw ?? '').split('\r\n\r\n');
    expect(headers).toMatch(/^Message-ID: <[\x21-\x7e]+>$/m);
    expect(headers).toMatch(/^[\r\n\x20-\x7e]+$/);
  });

  it.each([
    ['gas@sender.test', 'jörg@receiver.test'],
    ['gas@sender.test', '用户@receiver.test'],
    ['gäs@sender.test', 'me@receiver.test'],
  ])(
    'that offers no SMTPUTF8 gets no letters beyond ASCII, and one that does gets them: from %s to %s',
    async (from, target) => {
      const without = await startMailServer({ hideSMTPUTF8: true });
      expect(await send(smtpSettings(without.port, { from }), { target })).toMatchObject({
        kind: 'never',
        answer: expect.stringContaining('SMTPUTF8'),
      });
      expect(without.taken).toEqual([]);
      const { port, taken } = await startMailServer({ hideSMTPUTF8: false });
      expect(await send(smtpSettings(port, { from }), { target })).toMatchObject({ kind: 'delivered' });
      expect([taken[0]?.from, taken[0]?.to]).toEqual([from, [target]]);
    },
  );
});

describe('a mail', () => {
  it('tells in plain text and in HTML what fired', async () => {
    const server = await startMailServer();
    expect(await send(smtpSettings(server.port), { message: { note: 'deploy now' } })).toEqual({
      kind: 'delivered',
      answer: '250 queued as 4711',
      retryAfterSec: null,
    });
    const [got] = server.taken;
    expect(got).toMatchObject({ from: 'gas@sender.test', to: ['me@receiver.test'], user: null });
    expect(got?.mail.from).toEqual({ name: 'gastop', address: 'gas@sender.test' });
    expect(got?.mail.to).toEqual([{ name: '', address: 'me@receiver.test' }]);
    expect(got?.mail.subject).toBe('Ethereum gas 4.32 gwei, below 5 gwei (Average)');
    expect(got?.mail.text?.trim()).toBe(
      [
        'Average gas on Ethereum is at 4.32 gwei, below 5 gwei.',
        '',
        'deploy now',
        '',
        'Block 24,337,604, 2026-01-15 12:00:00 UTC',
        'Alert alr_1, fired for the first time',
      ].join('\n'),
    );
    expect(got?.mail.html).toContain('>Average gas on Ethereum is at 4.32 gwei, below 5 gwei.</p>');
    expect(got?.mail.html).toContain('<p dir="auto">deploy now</p>');
    expect(got?.mail.headers).toContainEqual(
      expect.objectContaining({ key: 'auto-submitted', value: 'auto-generated' }),
    );
  });

  it('carries the same Message-ID however often it is sent', async () => {
    const server = await startMailServer();
    await send(smtpSettings(server.port));
    await send(smtpSettings(server.port));
    expect(server.taken.map(({ mail }) => mail.messageId)).toEqual([
      '<alr_1.1.email@sender.test>',
      '<alr_1.1.email@sender.test>',
    ]);
  });

  it('has no header out of a note or a chain name, and nothing that acts on a terminal', async () => {
    const server = await startMailServer();
    const evil =
      '\r\nBcc: victim@receiver.test\r\n\r\n.\r\nMAIL FROM:<x@y.test>\r\n\u001b]0;owned\u0007\u001b[2J';
    await send(smtpSettings(server.port), { message: { note: evil, chainName: `Fork${evil}` } });
    const [got, ...more] = server.taken;
    expect(more).toEqual([]);
    expect(got?.to).toEqual(['me@receiver.test']);
    expect(got?.mail.headers.map(({ key }) => key)).not.toContain('bcc');
    expect(got?.mail.subject?.replace(/ +/g, ' ')).toBe(
      'Fork Bcc: victim@receiver.test . MAIL FROM:<x@y.test> gas 4.32 gwei, below 5 gwei (Average)',
    );
    expect(got?.mail.text).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f]/);
    expect(got?.mail.text).toContain('Bcc: victim@receiver.test');
    expect(got?.mail.text).toContain('\n.\n');
  });

  it('has 500 characters and emoji as they were written', async () => {
    const server = await startMailServer();
    const note = `${'👩🏽‍🚀'.repeat(120)}${'ש'.repeat(10)} ⛽️🏴󠁧󠁢󠁳󠁣󠁴󠁿 é`;
    await send(smtpSettings(server.port), { message: { note } });
    const [got] = server.taken;
    expect(got?.mail.text?.normalize()).toContain(note.normalize());
    expect(got?.mail.html).toContain(`<p dir="auto">${note}</p>`);
    for (const line of got?.raw.split('\r\n') ?? []) expect(line.length).toBeLessThanOrEqual(998);
  });

  it.each([
    ['simulated', '[SIMULATED] ', 'SIMULATED: made-up prices'],
    ['replay', '[REPLAY] ', 'REPLAY: recorded prices'],
  ] as const)('of %s prices says so first', async (sourceKind, badge, warning) => {
    const server = await startMailServer();
    await send(smtpSettings(server.port), { message: { sourceKind } });
    const [got] = server.taken;
    expect(got?.mail.subject?.startsWith(badge)).toBe(true);
    expect(got?.mail.text?.startsWith(warning)).toBe(true);
    expect(got?.mail.html).toMatch(
      new RegExp(`<body><div[^>]*>\n<p style="[^"]*background-color[^"]*">${warning}`),
    );
  });

  it.each([
    'me@receiver.test\r\nRCPT TO:<victim@receiver.test>',
    'me@receiver.test, victim@receiver.test',
    'me@receiver.test>\r\nBcc: victim@receiver.test',
    '"x" <me@receiver.test>',
    'me@receiver.test\u0000',
    '',
  ])('goes to nothing but one address: not to %j', async (target) => {
    const server = await startMailServer();
    expect(await send(smtpSettings(server.port), { target })).toMatchObject({ kind: 'never' });
    expect(server.taken).toEqual([]);
  });

  it('goes to addresses in other scripts where the server can', async () => {
    const server = await startMailServer();
    const attempt = await send(smtpSettings(server.port), { target: 'jérôme@receiver.test' });
    expect(attempt.kind).toBe('delivered');
    expect(server.taken[0]?.to).toEqual(['jérôme@receiver.test']);
  });
});

describe('the mail server', () => {
  it('is logged in to, over TLS from the first byte or upgraded', async () => {
    const onAuth: Parameters<typeof startMailServer>[0] = {
      ...WITH_TLS,
      authOptional: false,
      onAuth: ({ username, password }, _session, done) =>
        username === 'gas' && password === PASSWORD
          ? done(null, { user: 'gas' })
          : done(new Refusal(535, `wrong: ${username} ${password}`)),
    };
    const login = { user: 'gas', password: PASSWORD, requireTls: true, ca: certificate('ca') };
    for (const secure of [false, true]) {
      const server = await startMailServer({ ...onAuth, secure });
      expect(await send(smtpSettings(server.port, { ...login, secure }))).toMatchObject({
        kind: 'delivered',
      });
      expect(server.taken).toMatchObject([{ user: 'gas', isEncrypted: true }]);
    }
  });

  it('that does not take the password is tried again, and nobody reads the password', async () => {
    const server = await startMailServer({
      authOptional: false,
      allowInsecureAuth: true,
      onAuth: ({ username = '', password = '' }, _session, done) => {
        const plain = Buffer.from(`\0${username}\0${password}`).toString('base64');
        done(new Refusal(535, `no such login: ${username} ${password} ${plain}`));
      },
    });
    const attempt = await send(smtpSettings(server.port, { user: 'gas', password: PASSWORD }));
    expect(attempt).toEqual(
      later('the mail server does not take this user and password (535); check the smtp settings'),
    );
  });

  it('that repeats the password in another refusal has it taken out', async () => {
    const server = await startMailServer({
      allowInsecureAuth: true,
      onAuth: (_auth, _session, done) => done(null, { user: 'gas' }),
      onRcptTo: (_address, _session, done) => done(new Refusal(450, `hello ${PASSWORD}`)),
    });
    expect(await send(smtpSettings(server.port, { user: 'gas', password: PASSWORD }))).toEqual(
      later('450 hello …'),
    );
  });

  it('that repeats the login as it was sent, or the recipient, has them taken out', () => {
    const settings = smtpSettings(25, { user: 'gas', password: PASSWORD });
    const base64 = (text: string) => Buffer.from(text).toString('base64');
    const words = (response: string) => serverWords(response, settings, 'jane@receiver.test');
    expect(words(`535 no: ${base64(PASSWORD)}`)).toBe('535 no: …');
    expect(words(`535 no: ${base64(`\0gas\0${PASSWORD}`)}`)).toBe('535 no: …');
    expect(words('550 <jane@receiver.test>: unknown')).toBe('550 <…>: unknown');
  });

  it('that never greets is left at once when time is up', async () => {
    const closed = Promise.withResolvers<void>();
    const abort = new AbortController();
    const server = net.createServer((socket) => {
      socket.once('close', () => closed.resolve());
      socket.on('error', () => {});
      socket.resume();
      abort.abort();
    });
    const { port, stop } = await listen(server);
    onTestFinished(stop);
    expect(await send(smtpSettings(port), { signal: abort.signal })).toEqual(later('no response in time'));
    await closed.promise;
  });

  const refusing = (code: number, words: string) => new Refusal(code, words);
  it.each<[string, Parameters<typeof startMailServer>[0], string, string]>([
    [
      'the recipient for now',
      { onRcptTo: (_address, _session, done) => done(refusing(450, 'come back')) },
      'later',
      '450 come back',
    ],
    [
      'the recipient, repeating its code',
      { onRcptTo: (_address, _session, done) => done(refusing(550, '550 no such user')) },
      'never',
      '550 no such user',
    ],
    [
      'the sender, which the settings may put right',
      { onMailFrom: (_address, _session, done) => done(refusing(553, 'not your domain')) },
      'later',
      'the mail server does not take the sender: 553 not your domain',
    ],
    [
      'the mail itself',
      {
        onData: (stream, _session, done) => void stream.resume().once('end', () => done(refusing(554, 'no'))),
      },
      'never',
      '554 no',
    ],
  ])('that refuses %s has its words in the log', async (_, options, kind, answer) => {
    const server = await startMailServer(options);
    expect(await send(smtpSettings(server.port))).toEqual({ kind, answer, retryAfterSec: null });
  });

  it('that is down is tried again', async () => {
    expect(await send(smtpSettings(await closedPort()))).toEqual(later('mail server: connection refused'));
  });
});

describe('TLS to the mail server', () => {
  it('is required where the settings do not say otherwise: without it nothing is sent', async () => {
    const server = await startMailServer();
    expect(await send(smtpSettings(server.port, { requireTls: true }))).toEqual(
      later(expect.stringMatching(/TLS/)),
    );
    expect(server.taken).toEqual([]);
  });

  it.each(['self-signed', 'expired', 'other-host'] as const)(
    'with a certificate that does not hold (%s) is none',
    async (name) => {
      const cert = certificate(name);
      const strict = { requireTls: true, ca: certificate('ca') };
      for (const secure of [false, true]) {
        const server = await startMailServer({ ...WITH_TLS, cert, secure });
        expect(await send(smtpSettings(server.port, { ...strict, secure }))).toEqual(
          later(expect.stringContaining('certificate')),
        );
        expect(server.taken).toEqual([]);
      }
    },
  );

  it('on this machine is taken where it is offered, whatever its certificate', async () => {
    const server = await startMailServer({ ...WITH_TLS, cert: certificate('expired') });
    expect(await send(smtpSettings(server.port))).toMatchObject({ kind: 'delivered' });
    expect(server.taken).toMatchObject([{ isEncrypted: true }]);
  });
});
