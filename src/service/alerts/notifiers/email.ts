import { domainToASCII } from 'node:url';
import type { Options as ConnectionOptions } from 'nodemailer/lib/smtp-connection';
import * as z from 'zod';
import { isAddress } from '../../../contract/alert-channels.ts';
import { isLoopback } from '../../../core/loopback.ts';
import { cleanText } from '../../../core/text.ts';
import { alertHtml, alertText } from './message.ts';
import {
  type Attempt,
  connectionWords,
  delivered,
  later,
  type Notification,
  type Notifier,
  never,
} from './notifier.ts';

export interface SmtpSettings {
  readonly host: string;
  readonly port: number;
  /** TLS from the first byte; without it the connection is upgraded (STARTTLS). */
  readonly secure: boolean;
  readonly user: string | null;
  readonly password: string | null;
  /** An address, optionally with a name: `gastop <gas@example.org>`. */
  readonly from: string;
  /** The name in EHLO. Default: the sender's domain. */
  readonly name?: string;
  /** Whether TLS with a valid certificate is required. Default: unless the server is on this machine. */
  readonly requireTls?: boolean;
  /** Root certificates to trust instead of the default ones, PEM. */
  readonly ca?: string;
}

const LONGEST_WORDS = 160;

/** nodemailer's errors (`nodemailer/lib/errors`). */
const SmtpFailure = z.object({
  code: z.string().catch(''),
  /** Node's error code, for connection errors. */
  originalCode: z.string().catch(''),
  command: z.string().catch(''),
  /** The server's response and its code; 0: none. */
  response: z.string().catch(''),
  responseCode: z.number().catch(0),
});

/** 5xx: `never`. 4xx, or a fault of the operator's settings, which may be corrected within the day: `later`. */
function judgeSmtpFailure(error: unknown, settings: SmtpSettings, recipient: string): Attempt {
  const { code, originalCode, command, response, responseCode } = SmtpFailure.parse(Object(error));
  const words = serverWords(response, settings, recipient);
  const connection = connectionWords({ code: originalCode || code });
  switch (code) {
    case 'EAUTH':
      // Leaves out the server's text: some servers repeat the credentials.
      return later(
        `the mail server does not take this user and password (${responseCode}); check the smtp settings`,
      );
    case 'ETLS':
      return later(
        responseCode === 0
          ? `no TLS with the mail server: ${connectionWords(error)}`
          : 'the mail server offers no TLS (STARTTLS), which is required',
      );
    case 'EENVELOPE':
    case 'EMESSAGE':
      if (command === 'MAIL FROM') return later(`the mail server does not take the sender: ${words}`);
      return responseCode >= 500 ? never(words) : later(words || 'the mail server refused it');
    default:
      return later(words || `mail server: ${connection}`);
  }
}

export function serverWords(response: string, { password, user }: SmtpSettings, recipient: string): string {
  const encoded = (text: string) => Buffer.from(text).toString('base64');
  const secrets = password ? [password, encoded(password), encoded(`\0${user ?? ''}\0${password}`)] : [];
  const shown = [...secrets, recipient].reduce((text, secret) => text.replaceAll(secret, '…'), response);
  // Some servers repeat their code in the text.
  return cleanText(shown.trimStart().replace(/^(\d{3} )\1+/, '$1'), LONGEST_WORDS).trim();
}

/** Mail servers delay senders on purpose; ending early would send the mail twice. */
const DEADLINE_MS = 30_000;

/** TLS with a valid certificate is required, unless the server is on this machine or the settings allow plain text. */
export function createEmailNotifier(settings: SmtpSettings): Notifier {
  return {
    deadlineMs: DEADLINE_MS,
    async deliver(notification, signal) {
      // Exactly one address: it becomes part of a command and a header.
      if (!isAddress(notification.target)) return never('not an email address');
      try {
        return await send(settings, notification, signal);
      } catch (error) {
        return signal.aborted
          ? later('no response in time')
          : judgeSmtpFailure(error, settings, notification.target);
      }
    },
  };
}

async function send(
  settings: SmtpSettings,
  notification: Notification,
  signal: AbortSignal,
): Promise<Attempt> {
  const { createTransport } = await import('nodemailer');
  const { host, port, secure, user, password, from } = settings;
  const name = settings.name ?? senderDomain(from);
  const requireTls = settings.requireTls ?? !isLoopback(host);
  const options = {
    host,
    port,
    secure,
    // Strict relays refuse the address of this machine, which nodemailer would give.
    ...(name === null ? {} : { name }),
    requireTLS: requireTls && !secure,
    opportunisticTLS: !requireTls,
    tls: { rejectUnauthorized: requireTls, ...(settings.ca === undefined ? {} : { ca: settings.ca }) },
    ...(user === null ? {} : { auth: { user, pass: password ?? '' } }),
    connectionTimeout: DEADLINE_MS,
    greetingTimeout: DEADLINE_MS,
    socketTimeout: DEADLINE_MS,
    maxResponseSize: 65_536,
    disableFileAccess: true,
    disableUrlAccess: true,
  };
  // A domain goes out in ASCII, a name before the @ cannot.
  const isBeyondAscii = [
    from.slice(0, from.lastIndexOf('@')).replace(/^.*</s, ''),
    notification.target.replace(/@.*/, ''),
  ].some((name) => /[^\x00-\x7f]/.test(name));
  if (isBeyondAscii && !(await offersUtf8(options)))
    return never('the mail server takes no address with letters beyond ASCII (it offers no SMTPUTF8)');
  const transport = createTransport(options);
  const { subject, plain } = alertText(notification.message);
  const info = await transport.sendMail({
    from,
    // As an object it is one address, never a list.
    to: { name: '', address: notification.target },
    subject,
    text: `${plain}\n`,
    html: alertHtml(notification.message),
    messageId: messageId(notification.id, from),
    headers: { 'Auto-Submitted': 'auto-generated', 'X-Auto-Response-Suppress': 'All' },
    signal,
  });
  return delivered(serverWords(info.response, settings, notification.target));
}

/** Nodemailer sends such an address all the same, which servers take, cut or lose. */
async function offersUtf8(options: ConnectionOptions): Promise<boolean> {
  const { default: SMTPConnection } = await import('nodemailer/lib/smtp-connection');
  const connection = new SMTPConnection(options);
  try {
    await new Promise<void>((resolve, reject) => {
      connection.on('error', reject);
      connection.connect((error) => (error ? reject(error) : resolve()));
    });
    return /^250[ -]SMTPUTF8\b/im.test(String(connection.lastServerResponse));
  } finally {
    connection.close();
  }
}

/** The same for every attempt, so that mail programs recognise duplicates (RFC 5322). */
function messageId(notificationId: string, from: string): string {
  const domain = senderDomain(from) ?? 'gastop.invalid';
  return `<${notificationId.replace(/[^\w.-]/g, '_')}@${domain}>`;
}

/** In ASCII (punycode), as in every header. */
const senderDomain = (from: string): string | null =>
  domainToASCII(/@([^@<>\s]+)>?\s*$/.exec(from)?.[1] ?? '') || null;
