import * as z from 'zod';
import { alertText } from './message.ts';
import {
  type Attempt,
  delivered,
  JSON_HEADERS,
  later,
  laterAfter,
  type Notifier,
  never,
  statusWords,
  webNotifier,
} from './notifier.ts';
import { sendRequest, type WebAccess, type WebResponse } from './safe-http.ts';
import type { WebhookOptions } from './webhook.ts';

export interface TelegramSettings {
  /** The bot's token; sent only to `apiUrl`. */
  readonly token: string;
  /** Base URL of the bot API, such as `https://api.telegram.org`. */
  readonly apiUrl: URL;
}

interface TelegramOptions extends WebhookOptions {
  readonly settings: TelegramSettings;
}

/** The used part of the bot API's response (https://core.telegram.org/bots/api#making-requests). */
const BotReply = z.object({
  ok: z.boolean(),
  description: z.string().optional(),
  parameters: z
    .object({ retry_after: z.number().min(0).optional(), migrate_to_chat_id: z.number().optional() })
    .optional(),
});
type BotReply = z.infer<typeof BotReply>;

/** Sends as a bot. The operator chooses the API's address, so it may be private. */
export function createTelegramNotifier({ settings, access, now }: TelegramOptions): Notifier {
  const { token, apiUrl } = settings;
  const url = `${apiUrl.href.replace(/\/+$/, '')}/bot${token}/sendMessage`;
  const trusted: WebAccess = { ...access, allowPrivateTargets: true };

  const send = async (
    chatId: string,
    text: string,
    signal: AbortSignal,
  ): Promise<Attempt | { chat: string }> => {
    const body = JSON.stringify({ chat_id: chatId, text, link_preview_options: { is_disabled: true } });
    // Follows no redirects: the token is in the path, and no other server may see it.
    const response = await sendRequest({ url, headers: JSON_HEADERS, body, redirects: 0 }, trusted, signal);
    return judge(response);
  };

  const judge = (response: WebResponse): Attempt | { chat: string } => {
    const reply = readReply(response.text);
    const words = statusWords({ ...response, text: reply?.description ?? '' }, [token]);
    if (reply?.ok === true && response.status === 200) return delivered(words);
    const chat = reply?.parameters?.migrate_to_chat_id;
    if (chat !== undefined) return { chat: String(chat) };
    if (reply === null || response.status < 300) {
      return response.status < 300
        ? later('the response is not from the bot API; check the telegram settings')
        : laterAfter(response, words, now());
    }
    const asked = reply.parameters?.retry_after;
    switch (response.status) {
      case 400:
      case 403:
        return never(words);
      case 401:
      case 404:
        return later(
          `the bot API does not know the bot: its token is wrong or was revoked (${response.status})`,
        );
      default:
        return {
          ...laterAfter(response, words, now()),
          ...(asked !== undefined && { retryAfterSec: asked }),
        };
    }
  };

  return webNotifier(async ({ target, message }, signal) => {
    const text = alertText(message).plain;
    const first = await send(target, text, signal);
    if ('outcome' in first) return first;
    // A group gets a new id when it becomes a supergroup.
    const second = await send(first.chat, text, signal);
    return 'outcome' in second ? second : never('the chat has moved twice');
  });
}

/** `null` when another service responds. */
function readReply(text: string): BotReply | null {
  try {
    return BotReply.parse(JSON.parse(text));
  } catch {
    return null;
  }
}
