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

/**
 * Slack's errors for a webhook that is gone for good, see
 * https://api.slack.com/changelog/2016-05-17-changes-to-errors-for-incoming-webhooks.
 */
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
 * Posts to an incoming webhook of Slack or a compatible service. A webhook that is gone ends this delivery but not
 * the alert, which may have other channels. A plain 404 may come from a proxy while its server restarts, so only
 * Slack's own error texts count.
 */
export const createSlackNotifier = ({ access, now }: WebhookOptions): Notifier =>
  webNotifier(async ({ message, target }, signal) => {
    const request = { url: target, headers: JSON_HEADERS, body: slackBody(message) };
    const response = await sendRequest(request, access, signal);
    const words = statusWords(response, secretsOf(target));
    if (response.status >= 200 && response.status < 300) return delivered(words);
    const reason = response.status < 500 ? FINAL.get(response.text.trim()) : undefined;
    if (reason !== undefined) return never(`${response.status} ${response.text.trim()}: ${reason}`);
    return laterAfter(response, words, now());
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
