import { isAddress } from '../contract/alert-targets.ts';
import type { SmtpSettings } from '../service/couriers/smtp-settings.ts';
import type { TelegramSettings } from '../service/couriers/telegram-courier.ts';
import type { Delivery } from '../service/service-options.ts';
import { checked } from './checked.ts';
import { usageError } from './cli-error.ts';
import type { ConfigFile } from './config-schema.ts';
import type { Setting } from './settings.ts';

/** What alerts need to reach people. `null`: that channel is not set up. */
export interface DeliverySettings {
  readonly smtp: Setting<SmtpSettings | null>;
  readonly telegram: Setting<TelegramSettings | null>;
  /** Whether webhooks may go to addresses of this machine and of private networks. */
  readonly allowPrivateTargets: Setting<boolean>;
}

type Env = Readonly<Record<string, string | undefined>>;

const FILE = 'config file';
const NONE = { value: null, from: 'default' } as const;
const TELEGRAM_API = 'https://api.telegram.org';
/** Message submission (RFC 6409), and with TLS from the first byte (RFC 8314). */
const SUBMISSION_PORT = 587;
const SUBMISSIONS_PORT = 465;

/** @throws CliError with one line that repeats no value: each may be a password. */
export function smtpSettings(env: Env, file: ConfigFile): Setting<SmtpSettings | null> {
  const from = env.GASTOP_SMTP_FROM?.trim() || undefined;
  const url = env.GASTOP_SMTP_URL?.trim() || undefined;
  if (url !== undefined) {
    const server = checked('GASTOP_SMTP_URL', () => parseSmtpUrl(url));
    const sender = from ?? file.smtp?.from ?? addressOf(server.user);
    if (sender === undefined)
      throw usageError('GASTOP_SMTP_URL needs GASTOP_SMTP_FROM: the address that alerts come from');
    const name = from === undefined ? 'GASTOP_SMTP_URL' : 'GASTOP_SMTP_FROM';
    return { value: { ...server, from: checked(name, () => parseSender(sender)) }, from: 'GASTOP_SMTP_URL' };
  }
  if (file.smtp === undefined) return NONE;
  const { host, port, secure, user, password, requireTls } = file.smtp;
  const sender = from ?? file.smtp.from ?? addressOf(user ?? null);
  if (sender === undefined)
    throw usageError(`${FILE}, smtp: "from" is missing: the address that alerts come from`);
  const isSecure = secure ?? port === SUBMISSIONS_PORT;
  return {
    value: {
      host,
      port: port ?? (isSecure ? SUBMISSIONS_PORT : SUBMISSION_PORT),
      secure: isSecure,
      user: user ?? null,
      password: password ?? null,
      from: checked(from === undefined ? `${FILE}, smtp.from` : 'GASTOP_SMTP_FROM', () =>
        parseSender(sender),
      ),
      ...(requireTls === undefined ? {} : { requireTls }),
    },
    from: from === undefined ? FILE : `${FILE}, GASTOP_SMTP_FROM`,
  };
}

/** @throws CliError with one line that repeats no token. */
export function telegramSettings(env: Env, file: ConfigFile): Setting<TelegramSettings | null> {
  const fromEnv = env.GASTOP_TELEGRAM_TOKEN?.trim() || undefined;
  const token = fromEnv ?? file.telegram?.token;
  if (token === undefined) return NONE;
  const name = fromEnv === undefined ? `${FILE}, telegram.token` : 'GASTOP_TELEGRAM_TOKEN';
  const apiFromEnv = env.GASTOP_TELEGRAM_API?.trim() || undefined;
  const apiName = apiFromEnv === undefined ? `${FILE}, telegram.apiUrl` : 'GASTOP_TELEGRAM_API';
  return {
    value: {
      token: checked(name, () => parseTelegramToken(token)),
      apiUrl: checked(apiName, () => parseApiUrl(apiFromEnv ?? file.telegram?.apiUrl ?? TELEGRAM_API)),
    },
    from: fromEnv === undefined ? FILE : name,
  };
}

/** `smtp://user:password@mail.example.org:587`; `smtps://` is TLS from the first byte. */
function parseSmtpUrl(text: string): Omit<SmtpSettings, 'from'> {
  if (!URL.canParse(text)) throw new RangeError(NOT_SMTP);
  const { protocol, hostname, port, username, password, pathname, search, hash } = new URL(text);
  if (protocol !== 'smtp:' && protocol !== 'smtps:') throw new RangeError(NOT_SMTP);
  // A slash, ? or # in a password ends the host too early: that must not send it to a name server.
  if (hostname === '' || (pathname !== '' && pathname !== '/') || search !== '' || hash !== '')
    throw new RangeError(NOT_SMTP);
  const secure = protocol === 'smtps:';
  return {
    host: hostname.replace(/^\[(.*)\]$/, '$1'),
    port: port === '' ? (secure ? SUBMISSIONS_PORT : SUBMISSION_PORT) : Number(port),
    secure,
    user: decoded(username),
    password: decoded(password),
  };
}

const NOT_SMTP =
  'not a mail server; write smtps://USER:PASSWORD@mail.example.org, with @ / ? # : and % in either as %40 %2F %3F %23 %3A %25';

function decoded(text: string): string | null {
  if (text === '') return null;
  try {
    return decodeURIComponent(text);
  } catch {
    throw new RangeError(NOT_SMTP);
  }
}

function parseSender(text: string): string {
  const address = /^[^<>\r\n]*<([^<>]+)>$/.exec(text.trim())?.[1] ?? text.trim();
  // Whatever else would end the header and begin another.
  if (!isAddress(address) || /\p{Cc}/u.test(text))
    throw new RangeError('not an address to send from; write gas@example.org or "gastop <gas@example.org>"');
  return text.trim();
}

const addressOf = (user: string | null) => (user !== null && isAddress(user) ? user : undefined);

function parseTelegramToken(text: string): string {
  if (!/^\d{1,20}:[\w-]{8,128}$/.test(text))
    throw new RangeError('not a bot token; @BotFather gives one such as 123456789:AA…');
  return text;
}

function parseApiUrl(text: string): URL {
  if (!URL.canParse(text)) throw new RangeError(`not a URL; by default it is ${TELEGRAM_API}`);
  const url = new URL(text);
  const isPlain = url.username === '' && url.password === '' && url.search === '' && url.hash === '';
  if ((url.protocol !== 'https:' && url.protocol !== 'http:') || !isPlain)
    throw new RangeError(
      `must be a bare http(s) address; by default it is ${TELEGRAM_API}, and the token stands elsewhere`,
    );
  return url;
}

/** What alerts are delivered with. */
export const deliveryOf = ({ smtp, telegram, allowPrivateTargets }: DeliverySettings): Delivery => ({
  smtp: smtp.value,
  telegram: telegram.value,
  allowPrivateTargets: allowPrivateTargets.value,
});
