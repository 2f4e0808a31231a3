import { createHmac } from 'node:crypto';
import * as z from 'zod';
import { ALERT_CHANNELS, type AlertChannel } from '../../../contract/alert-channels.ts';
import type { AlertMessage } from '../../../core/alerts/alert-rule.ts';
import { cleanText } from '../../../core/text.ts';
import { gweiString } from '../../../core/units.ts';
import { createEmailNotifier, type SmtpSettings } from './email.ts';
import { alertText, sentNote } from './message.ts';
import { delivered, gone, later, type Notifier, type Notifiers, never } from './notifier.ts';
import { resolveHost, type WebAccess, webNotifier } from './safe-http.ts';

export interface TelegramSettings {
  /** The bot's token; sent only to `apiUrl`. */
  readonly token: string;
  /** Base URL of the bot API, such as `https://api.telegram.org`. */
  readonly apiUrl: URL;
}

export interface NotifierSettings {
  readonly smtp: SmtpSettings | null;
  readonly telegram: TelegramSettings | null;
  readonly allowPrivateTargets: boolean;
  /** With simulated prices every channel exists, and none sends anything. */
  readonly isSimulated?: boolean;
}

const SIMULATED: Notifier = { deliver: async () => delivered('simulated') };

/** The notifiers that the settings allow. Nothing connects before its first use. */
export function createNotifiers(
  { smtp, telegram, allowPrivateTargets, isSimulated }: NotifierSettings,
  surroundings: Partial<WebAccess> = {},
): Notifiers {
  if (isSimulated) return Object.fromEntries(ALERT_CHANNELS.map((channel) => [channel, SIMULATED]));
  const web = { now: Date.now, resolve: resolveHost, ...surroundings, allowPrivateTargets };
  const all: Record<Exclude<AlertChannel, 'TERMINAL'>, Notifier | null> = {
    EMAIL: smtp && createEmailNotifier(smtp),
    WEBHOOK: createWebhookNotifier(web),
    SLACK: createSlackNotifier(web),
    TELEGRAM: telegram && createTelegramNotifier(telegram, web),
  };
  return Object.fromEntries(Object.entries(all).flatMap(([name, one]) => (one ? [[name, one]] : [])));
}

/**
 * `t=<Unix seconds>,v1=<hex>`: HMAC-SHA256 of `<t>.<body>`, so that neither can be changed, nor an old request
 * replayed. One `v1` per secret.
 */
export function sign(body: string, secrets: readonly string[], timestampSec: number): string {
  const macs = secrets.map((secret) =>
    createHmac('sha256', secret).update(`${timestampSec}.${body}`).digest('hex'),
  );
  return [`t=${timestampSec}`, ...macs.map((mac) => `v1=${mac}`)].join(',');
}

/** Posts signed JSON. 2xx: delivered; 410: never again; everything else is retried. */
const createWebhookNotifier = (web: WebAccess): Notifier =>
  webNotifier(
    web,
    ({ id, target, message, signingSecrets }) => {
      const body = webhookBody(message);
      const signature = sign(body, signingSecrets, Math.floor(web.now() / 1_000));
      const headers = { Accept: '*/*', 'Idempotency-Key': id, 'X-Gastop-Signature': signature };
      return { url: target, headers, body };
    },
    ({ status }, words) => (status === 410 ? gone(words) : null),
  );

/** The webhook's body, documented in docs/WEBHOOKS.md. Fields may be added, but never changed or removed. */
export function webhookBody(message: AlertMessage): string {
  const { threshold, rule = null, price } = message;
  return JSON.stringify({
    type: 'alert.fired',
    eventId: message.eventId,
    alertId: message.alertId,
    triggerCount: message.triggerCount,
    chainId: message.chainId,
    chainName: cleanText(message.chainName),
    source: message.sourceKind,
    gasSpeed: message.lane.toUpperCase(),
    condition: message.condition,
    thresholdGwei: Number(gweiString(BigInt(threshold))),
    priceGwei: Number(gweiString(BigInt(price))),
    rule,
    thresholdWei: threshold,
    priceWei: price,
    blockNumber: message.blockNumber,
    blockTimestamp: new Date(message.blockTimestamp * 1_000).toISOString(),
    note: sentNote(message.note),
  });
}

/** https://api.slack.com/changelog/2016-05-17-changes-to-errors-for-incoming-webhooks */
const GONE_AT_SLACK =
  /^(no_(service|service_id|active_hooks|team)|team_disabled|invalid_(token|payload)|channel_(not_found|is_archived)|action_prohibited|posting_to_general_channel_denied)$/;

/** A proxy may answer 404 while its server restarts: only Slack's own texts count. They end this delivery alone. */
const createSlackNotifier = (web: WebAccess): Notifier =>
  webNotifier(
    web,
    ({ message, target }) => ({ url: target, body: slackBody(message) }),
    ({ status, text }, words) =>
      status >= 300 && status < 500 && GONE_AT_SLACK.test(text.trim()) ? never(words) : null,
  );

/**
 * Without formatting, so that the note appears as written. With `&`, `<` and `>` escaped it contains no mention, link
 * or date for Slack; compatible services also read names after `@`, so a separator follows it.
 */
function slackBody(message: AlertMessage): string {
  const text = alertText(message)
    .plain.replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll(/(?<!\w)@(?=\w)/g, '@\u2060');
  return JSON.stringify({
    text,
    mrkdwn: false,
    parse: 'none',
    link_names: false,
    unfurl_links: false,
    unfurl_media: false,
  });
}

/** The used part of the bot API's response (https://core.telegram.org/bots/api#making-requests). */
const BotReply = z.object({
  ok: z.boolean(),
  description: z.string().optional(),
  parameters: z
    .object({ retry_after: z.number().min(0).optional(), migrate_to_chat_id: z.number().optional() })
    .optional(),
});

/** Sends as a bot. The operator chooses the API's address, so it may be private. */
function createTelegramNotifier({ token, apiUrl }: TelegramSettings, web: WebAccess): Notifier {
  const url = `${apiUrl.href.replace(/\/+$/, '')}/bot${token}/sendMessage`;
  return webNotifier(
    { ...web, allowPrivateTargets: true },
    ({ target, message }) => {
      const [, chat = target, topic] = /^(-\d+)_(\d+)$/.exec(target) ?? [];
      const body = JSON.stringify({
        chat_id: chat,
        text: alertText(message).plain,
        link_preview_options: { is_disabled: true },
        ...(topic !== undefined && { message_thread_id: Number(topic) }),
      });
      return { url, body, secrets: [token], read: (text) => readReply(text)?.description ?? '' };
    },
    ({ status, text }, words) => {
      const reply = readReply(text);
      if (reply?.ok === true && status === 200) return delivered(words);
      // A group gets a new id when it becomes a supergroup.
      const moved = reply?.parameters?.migrate_to_chat_id;
      if (moved !== undefined) return never(`the chat has another id now: ${moved}`);
      if (status < 300) return later('the response is not from the bot API; check the telegram settings');
      if (reply !== null && (status === 400 || status === 403)) return never(words);
      if (reply !== null && (status === 401 || status === 404)) {
        return later(`the bot API does not know the bot: its token is wrong or was revoked (${status})`);
      }
      const retryAfter = reply?.parameters?.retry_after;
      return retryAfter === undefined ? null : later(words, retryAfter);
    },
  );
}

/** `null` when another service responds. */
function readReply(text: string): z.infer<typeof BotReply> | null {
  try {
    return BotReply.parse(JSON.parse(text));
  } catch {
    return null;
  }
}
