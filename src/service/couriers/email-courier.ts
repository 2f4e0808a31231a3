import { ANY_SERVICE, refuseTarget } from '../../contract/alert-targets.ts';
import { isLoopback } from '../is-loopback.ts';
import { alertHtml } from './alert-html.ts';
import { alertText } from './alert-text.ts';
import { delivered, later, never } from './attempts.ts';
import type { Attempt, Courier, Parcel } from './courier.ts';
import { judgeSmtpFailure, serverWords } from './smtp-failure.ts';
import type { SmtpSettings } from './smtp-settings.ts';

/** Mail servers make senders wait on purpose, before the greeting and after the message; an early end doubles the mail. */
const DEADLINE_MS = 30_000;

/**
 * Sends mails through one SMTP server. TLS is required, and its certificate checked, unless the server is on this
 * machine or the settings say otherwise: then TLS is taken where it is offered. Each try of a parcel carries the same
 * Message-ID, so that a mail that came twice is seen as one.
 */
export function createEmailCourier(settings: SmtpSettings): Courier {
  return {
    deadlineMs: DEADLINE_MS,
    async deliver(parcel, signal) {
      // One address and nothing else, whatever wrote it: it goes into a command and a header.
      if (refuseTarget('EMAIL', parcel.target, ANY_SERVICE) !== null) return never('not an email address');
      try {
        return await send(settings, parcel, signal);
      } catch (error) {
        return signal.aborted ? later('no answer in time') : judgeSmtpFailure(error, settings, parcel.target);
      }
    },
  };
}

async function send(settings: SmtpSettings, parcel: Parcel, signal: AbortSignal): Promise<Attempt> {
  const { createTransport } = await import('nodemailer');
  const { host, port, secure, user, password, from } = settings;
  const requireTls = settings.requireTls ?? !isLoopback(host);
  const transport = createTransport({
    host,
    port,
    secure,
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
  });
  const { subject, plain } = alertText(parcel.message);
  const info = await transport.sendMail({
    from,
    // As an object it is taken for one address, never for a list.
    to: { name: '', address: parcel.target },
    subject,
    text: `${plain}\n`,
    html: alertHtml(parcel.message),
    messageId: messageId(parcel.id, from),
    headers: { 'Auto-Submitted': 'auto-generated', 'X-Auto-Response-Suppress': 'All' },
    signal,
  });
  return delivered(serverWords(info.response, settings, parcel.target));
}

/** In the sender's domain, as RFC 5322 recommends. */
function messageId(parcelId: string, from: string): string {
  const domain = /@([^@<>\s]+)>?\s*$/.exec(from)?.[1] ?? 'gastop.invalid';
  return `<${parcelId.replace(/[^\w.-]/g, '_')}@${domain}>`;
}
