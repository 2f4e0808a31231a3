import PostalMime, { type Email } from 'postal-mime';
import { SMTPServer, type SMTPServerOptions } from 'smtp-server';
import { onTestFinished } from 'vitest';
import type { SmtpSettings } from '../../src/service/alerts/notifiers/email.ts';
import { listen } from './listen.ts';

export interface TakenMail {
  readonly from: string;
  readonly to: readonly string[];
  readonly raw: string;
  readonly mail: Email;
  readonly user: string | null;
  readonly isEncrypted: boolean;
}

export type MailServer = Awaited<ReturnType<typeof openMailServer>>;

export class Refusal extends Error {
  readonly responseCode: number;

  constructor(responseCode: number, message: string) {
    super(message);
    this.responseCode = responseCode;
  }
}

export const smtpSettings = (port: number, more: Partial<SmtpSettings> = {}): SmtpSettings => ({
  ...{ host: '127.0.0.1', port, secure: false, user: null, password: null },
  from: 'gastop <gas@sender.test>',
  ...more,
});

export async function startMailServer(options: SMTPServerOptions = {}, port = 0): Promise<MailServer> {
  const server = await openMailServer(options, port);
  onTestFinished(server.stop);
  return server;
}

/** A real mail server on 127.0.0.1 that keeps what it takes. */
export async function openMailServer(options: SMTPServerOptions = {}, port = 0) {
  const taken: TakenMail[] = [];
  const server = new SMTPServer({
    authOptional: true,
    disableReverseLookup: true,
    closeTimeout: 100,
    disabledCommands: ['STARTTLS'],
    logger: false,
    onData(stream, session, done) {
      const parts: Buffer[] = [];
      stream.on('data', (part: Buffer) => parts.push(part));
      stream.once('end', () => {
        const raw = Buffer.concat(parts).toString();
        const { mailFrom, rcptTo } = session.envelope;
        PostalMime.parse(raw).then((mail) => {
          taken.push({
            from: mailFrom === false ? '' : mailFrom.address,
            to: rcptTo.map(({ address }) => address),
            raw,
            mail,
            user: session.user ?? null,
            isEncrypted: session.secure,
          });
          done(null, 'queued as 4711');
        }, done);
      });
    },
    ...options,
  });
  server.on('error', () => {});
  const { port: bound } = await listen(server.server, port);
  const stop = () => new Promise<void>((resolve) => server.close(resolve));
  return { port: bound, taken, stop };
}
