import type { AlertMessage } from '../../../core/alerts/alert-rule.ts';
import { alertText } from './message.ts';
import {
  delivered,
  JSON_HEADERS,
  laterAfter,
  type Notifier,
  never,
  secretsOf,
  statusWords,
  webNotifier,
} from './notifier.ts';
import { sendRequest } from './safe-http.ts';
import type { WebhookOptions } from './webhook.ts';

/** What Slack says of a webhook that will not come back by itself, by https://api.slack.com/changelog/2016-05-17-changes-to-errors-for-incoming-webhooks. */
const FINAL: ReadonlyMap<string, string> = new Map([
  ['no_service', 'the webhook was removed or disabled'],
  ['no_service_id', 'the webhook was removed or disabled'],
  ['no_active_hooks', 'the webhook was removed or disabled'],
  ['no_team', 'the workspace is gone'],
  ['team_disabled', 'the workspace is disabled'],
  ['invalid_token', 'the webhook is not known; was its URL copied whole?'],
  ['channel_not_found', 'the channel is gone'],
  ['channel_is_archived', 'the channel is archived'],
  ['action_prohibited', 'an administrator has forbidden it'],
  ['posting_to_general_channel_denied', 'an administrator has forbidden it'],
  ['invalid_payload', 'it does not take such messages'],
]);

/**
 * Posts to an incoming webhook of Slack or of what speaks like it. A webhook that is gone for good ends this delivery
 * and not the alert, which may have other channels; a bare 404 is what many a proxy says while its server restarts, so
 * that only Slack's own words count.
 */
export const createSlackNotifier = ({ access, now }: WebhookOptions): Notifier =>
  webNotifier(async ({ message, target }, signal) => {
    const request = { url: target, headers: JSON_HEADERS, body: slackBody(message) };
    const answer = await sendRequest(request, access, signal);
    const words = statusWords(answer, secretsOf(target));
    if (answer.status >= 200 && answer.status < 300) return delivered(words);
    const said = answer.status < 500 ? FINAL.get(answer.text.trim()) : undefined;
    if (said !== undefined) return never(`${answer.status} ${answer.text.trim()}: ${said}`);
    return laterAfter(answer, words, now());
  });

/**
 * Without formatting, so that the note is shown as it was written. `&`, `<` and `>` escaped there is no mention, link or
 * date of Slack's; a name after `@` is one for others that speak Slack's format, unless something stands between.
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
