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

export interface TelegramSettings {
  /** Of the bot; it never leaves but to `apiUrl`. */
  readonly token: string;
  /** Base of the bot API, as `https://api.telegram.org`. */
  readonly apiUrl: URL;
}

interface TelegramOptions {
  readonly settings: TelegramSettings;
  readonly access: WebAccess;
  /** ms since epoch. */
  readonly now: () => number;
}

/** What the bot API answers (https://core.telegram.org/bots/api#making-requests), as far as it is needed. */
const Answer = z.object({
  ok: z.boolean(),
  description: z.string().optional(),
  parameters: z
    .object({ retry_after: z.number().min(0).optional(), migrate_to_chat_id: z.number().optional() })
    .optional(),
});
type Answer = z.infer<typeof Answer>;

/** Sends as a bot. Its API is the operator's choice, so that it may be on a private address. */
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
    // Elsewhere nobody is to see the token, which is in the path.
    const answer = await sendRequest({ url, headers: JSON_HEADERS, body, redirects: 0 }, trusted, signal);
    return judge(answer, [token]);
  };

  const judge = (answer: WebResponse, secrets: readonly string[]): Attempt | { chat: string } => {
    const said = readAnswer(answer.text);
    const words = statusWords({ ...answer, text: said?.description ?? '' }, secrets);
    if (said?.ok === true && answer.status === 200) return delivered(words);
    const chat = said?.parameters?.migrate_to_chat_id;
    if (chat !== undefined) return { chat: String(chat) };
    if (said === null || answer.status < 300) {
      return answer.status < 300
        ? later('the response is not from the bot API; check the telegram settings')
        : laterAfter(answer, words, now());
    }
    switch (answer.status) {
      case 400:
      case 403:
        return never(words);
      case 401:
      case 404:
        return later(
          `the bot API does not know the bot: its token is wrong or was revoked (${answer.status})`,
        );
      default:
        return { ...laterAfter(answer, words, now()), ...askedFor(said) };
    }
  };

  return webNotifier(async ({ target, message }, signal) => {
    const text = alertText(message).plain;
    const first = await send(target, text, signal);
    if ('outcome' in first) return first;
    // A group that has become a supergroup has another id from then on.
    const second = await send(first.chat, text, signal);
    return 'outcome' in second ? second : never('the chat has moved twice');
  });
}

function askedFor({ parameters }: Answer): Partial<Attempt> {
  const retryAfterSec = parameters?.retry_after;
  return retryAfterSec === undefined ? {} : { retryAfterSec };
}

/** `null`: something else answers there. */
function readAnswer(text: string): Answer | null {
  try {
    return Answer.parse(JSON.parse(text));
  } catch {
    return null;
  }
}
