import * as z from 'zod';
import { ownValue } from '../core/own-value.ts';

/** `smtp` of the config file. */
export const SmtpConfig = z.strictObject({
  host: z.string().regex(/^[^\s/@]+$/),
  port: z.int().min(1).max(65_535).optional(),
  secure: z.boolean().optional(),
  user: z.string().min(1).optional(),
  password: z.string().min(1).optional(),
  from: z.string().min(1).optional(),
  requireTls: z.boolean().optional(),
});

/** `telegram` of the config file. */
export const TelegramConfig = z.strictObject({ token: z.string().min(1), apiUrl: z.string().optional() });

const WANTED: Readonly<Record<string, string>> = {
  smtp: 'an object of host, from and perhaps port, secure, user, password and requireTls, such as { "host": "mail.example.org", "from": "gas@example.org" }',
  'smtp.host': 'the name of a mail server, such as "mail.example.org"',
  'smtp.port': 'a whole number from 1 to 65535',
  'smtp.secure': 'true (TLS from the first byte) or false (upgraded by STARTTLS)',
  'smtp.user': 'a text',
  'smtp.password': 'a text',
  'smtp.from': 'an address, such as "gas@example.org"',
  'smtp.requireTls': 'true or false; without it, TLS is required unless the server is on this machine',
  telegram: 'an object of token and perhaps apiUrl, such as { "token": "123456789:AA…" }',
  'telegram.token': 'a text; @BotFather gives one',
  'telegram.apiUrl': 'a URL',
};

/** What should stand at `path`, which begins with `smtp` or `telegram`. */
export function wantedOfDelivery(path: readonly string[]): string {
  return ownValue(WANTED, path.join('.')) ?? ownValue(WANTED, path[0] ?? '') ?? 'left away';
}
