import { createHmac } from 'node:crypto';
import { STATUS_CODES } from 'node:http';
import * as z from 'zod';
import { VERSION } from '../../../contract/routes.ts';
import type { AlertMessage } from '../../../core/alerts/alert-rule.ts';
import { retryAfterSec } from '../../../core/retry-after.ts';
import { cleanText } from '../../../core/text.ts';
import { gweiString } from '../../../core/units.ts';
import { alertText, sentNote } from './message.ts';
import { type Attempt, connectionWords, delivered, gone, later, type Notifier, never } from './notifier.ts';
import { RequestRefused, sendRequest, type WebAccess, type WebResponse } from './safe-http.ts';

const JSON_HEADERS = { 'Content-Type': 'application/json', 'User-Agent': `gastop/${VERSION}` };

const SIGNATURE_HEADER = 'X-Gastop-Signature';
const IDEMPOTENCY_HEADER = 'Idempotency-Key';

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

interface WebOptions {
  readonly access: WebAccess;
  readonly now: () => number;
}

/** Posts signed JSON. 2xx: delivered; 410: never again; everything else is retried. */
export const createWebhookNotifier = ({ access, now }: WebOptions): Notifier =>
  webNotifier(async ({ id, target, message, signingSecrets }, signal) => {
    const body = webhookBody(message);
    const headers = {
      ...JSON_HEADERS,
      Accept: '*/*',
      [IDEMPOTENCY_HEADER]: id,
      [SIGNATURE_HEADER]: sign(body, signingSecrets, Math.floor(now() / 1_000)),
    };
    const response = await sendRequest({ url: target, headers, body }, access, signal);
    const words = statusWords(response, secretsOf(target));
    return response.status === 410 ? gone(words) : byStatus(response, words, now());
  });

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
export const createSlackNotifier = ({ access, now }: WebOptions): Notifier =>
  webNotifier(async ({ message, target }, signal) => {
    const request = { url: target, headers: JSON_HEADERS, body: slackBody(message) };
    const response = await sendRequest(request, access, signal);
    const words = statusWords(response, secretsOf(target));
    const isFinal = response.status >= 300 && GONE_AT_SLACK.test(response.text.trim());
    return isFinal && response.status < 500 ? never(words) : byStatus(response, words, now());
  });

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

export interface TelegramSettings {
  /** The bot's token; sent only to `apiUrl`. */
  readonly token: string;
  /** Base URL of the bot API, such as `https://api.telegram.org`. */
  readonly apiUrl: URL;
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
export function createTelegramNotifier(
  { token, apiUrl }: TelegramSettings,
  { access, now }: WebOptions,
): Notifier {
  const url = `${apiUrl.href.replace(/\/+$/, '')}/bot${token}/sendMessage`;
  const trusted: WebAccess = { ...access, allowPrivateTargets: true };

  return webNotifier(async ({ target, message }, signal) => {
    const text = alertText(message).plain;
    const [, chat = target, topic] = /^(-\d+)_(\d+)$/.exec(target) ?? [];
    const body = JSON.stringify({
      ...{ chat_id: chat, text, link_preview_options: { is_disabled: true } },
      ...(topic !== undefined && { message_thread_id: Number(topic) }),
    });
    const response = await sendRequest({ url, headers: JSON_HEADERS, body }, trusted, signal);
    const reply = readReply(response.text);
    const words = statusWords({ ...response, text: reply?.description ?? '' }, [token]);
    const { status } = response;
    if (reply?.ok === true && status === 200) return delivered(words);
    // A group gets a new id when it becomes a supergroup.
    const moved = reply?.parameters?.migrate_to_chat_id;
    if (moved !== undefined) return never(`the chat has another id now: ${moved}`);
    if (status < 300) return later('the response is not from the bot API; check the telegram settings');
    if (reply !== null && (status === 400 || status === 403)) return never(words);
    if (reply !== null && (status === 401 || status === 404)) {
      return later(`the bot API does not know the bot: its token is wrong or was revoked (${status})`);
    }
    const asked = reply?.parameters?.retry_after;
    return { ...byStatus(response, words, now()), ...(asked !== undefined && { retryAfterSec: asked }) };
  });
}

/** `null` when another service responds. */
function readReply(text: string): z.infer<typeof BotReply> | null {
  try {
    return BotReply.parse(JSON.parse(text));
  } catch {
    return null;
  }
}

/** A notifier over HTTP; its attempt may reject as its request does. */
const webNotifier = (attempt: Notifier['deliver']): Notifier => ({
  deliver: (notification, signal) =>
    attempt(notification, signal).catch((error: unknown) =>
      later(
        signal.aborted && !(error instanceof RequestRefused) ? 'no response in time' : connectionWords(error),
      ),
    ),
});

/** 2xx: delivered; else retried, after the `Retry-After` of the response. @param now ms since epoch */
function byStatus({ status, retryAfter }: WebResponse, words: string, now: number): Attempt {
  if (status >= 200 && status < 300) return delivered(words);
  return later(words, retryAfterSec(retryAfter ?? null, now));
}

/** An HTTP status as text, with the beginning of the body without `secrets`: servers repeat unknown paths. */
function statusWords({ status, text, movedTo }: WebResponse, secrets: readonly string[]): string {
  const words = STATUS_CODES[status];
  const line = words === undefined ? String(status) : `${status} ${words}`;
  if (status >= 300 && status < 400) {
    return movedTo === null ? `${line} without a Location` : `${line}: moved to ${movedTo}`;
  }
  const shown = secrets.reduce((rest, secret) => rest.replaceAll(secret, '…'), text);
  const excerpt = cleanText(shown, LONGEST_EXCERPT).trim();
  return excerpt === '' || /^</.test(excerpt) ? line : `${line}: ${excerpt}`;
}

const LONGEST_EXCERPT = 120;
const SHORTEST_TOKEN = 8;

/** The parts of a webhook's URL that may be secret: path and query, whole and in parts. */
function secretsOf(target: string): string[] {
  const url = URL.parse(target);
  if (url === null) return [];
  const { pathname, search } = url;
  const parts = pathname.split('/').filter(({ length }) => length >= SHORTEST_TOKEN);
  const whole = [`${pathname}${search}`, pathname, search, search.slice(1)];
  const secrets = [...whole, ...parts, ...url.searchParams.values()];
  const decoded = secrets.map((secret) => new URLSearchParams(`x=${secret}`).get('x') ?? '');
  return [...secrets, ...decoded].filter(({ length }) => length > 1);
}
