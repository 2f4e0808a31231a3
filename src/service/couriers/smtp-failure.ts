import { cleanText } from '../../core/clean-text.ts';
import { later, never } from './attempts.ts';
import { connectionWords } from './connection-words.ts';
import type { Attempt } from './courier.ts';
import type { SmtpSettings } from './smtp-settings.ts';

const LONGEST_WORDS = 160;

/** What nodemailer says of a failure (`nodemailer/lib/errors`). */
interface SmtpFailure {
  readonly code: string;
  /** What Node called it, where it was the connection. */
  readonly originalCode: string | null;
  readonly command: string;
  /** The server's answer and its code; 0: it gave none. */
  readonly response: string;
  readonly responseCode: number;
}

/**
 * What an SMTP server's refusal means. For this recipient or this mail for good (5xx): never. For now (4xx), or
 * because of the operator's settings, which may be put right within the day: later.
 */
export function judgeSmtpFailure(error: unknown, settings: SmtpSettings, recipient: string): Attempt {
  const failure = read(error);
  const { code, command, responseCode } = failure;
  const words = serverWords(failure.response, settings, recipient);
  switch (code) {
    case 'EAUTH':
      // Its words are not repeated: servers there are that say what they were sent.
      return later(
        `the mail server does not take this user and password${responseCode === 0 ? '' : ` (${responseCode})`}; check the smtp settings`,
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
      return responseCode >= 500 ? never(words) : later(words === '' ? 'the mail server refused it' : words);
    case 'ETIMEDOUT':
      return later('the mail server did not answer in time');
    case 'EDNS':
      return later('the mail server was not found by its name');
    default:
      return later(words === '' ? `mail server: ${connectionWords(underlying(error, failure))}` : words);
  }
}

/** The server's words on one line, without whatever of the login and the recipient they repeat. */
export function serverWords(response: string, { password, user }: SmtpSettings, recipient: string): string {
  const secrets =
    password === null
      ? []
      : [password, encoded(password), encoded(`\0${user ?? ''}\0${password}`)].filter(
          ({ length }) => length > 0,
        );
  const shown = secrets.reduce((text, secret) => text.replaceAll(secret, '…'), response);
  const unaddressed = shown.replaceAll(recipient, '…');
  // Servers there are that say their code in their words again.
  const once = unaddressed.trimStart().replace(/^(\d{3} )\1+/, '$1');
  return cleanText(once, LONGEST_WORDS).trim();
}

const encoded = (text: string) => Buffer.from(text).toString('base64');

function read(error: unknown): SmtpFailure {
  const told =
    typeof error === 'object' && error !== null ? (error as Readonly<Record<string, unknown>>) : {};
  const text = (value: unknown) => (typeof value === 'string' ? value : '');
  return {
    code: text(told.code),
    originalCode: text(told.originalCode) || null,
    command: text(told.command),
    response: text(told.response),
    responseCode: typeof told.responseCode === 'number' ? told.responseCode : 0,
  };
}

function underlying(error: unknown, { originalCode }: SmtpFailure): unknown {
  return originalCode === null ? error : Object.assign(new Error('connection'), { code: originalCode });
}
