import { createEmailNotifier, type SmtpSettings } from './email.ts';
import type { Notifiers } from './notifier.ts';
import { createHostResolver, type ResolveHost, type WebAccess } from './safe-http.ts';
import { createSlackNotifier } from './slack.ts';
import { createTelegramNotifier, type TelegramSettings } from './telegram.ts';
import { createWebhookNotifier } from './webhook.ts';

export interface NotifierSettings {
  /** `null`: no mails. */
  readonly smtp: SmtpSettings | null;
  /** `null`: no Telegram. */
  readonly telegram: TelegramSettings | null;
  /** Whether webhooks may go to private addresses, and without TLS. */
  readonly allowPrivateTargets: boolean;
}

interface NotifierSurroundings {
  /** ms since epoch. */
  readonly now?: () => number;
  readonly resolve?: ResolveHost;
  /** Which addresses are private; `isForbiddenAddress` where nothing is said. */
  readonly isForbidden?: (address: string) => boolean;
  /** Root certificates to trust instead of the usual ones, PEM. */
  readonly ca?: string;
}

/** The notifiers that the settings allow for: WEBHOOK and SLACK always. Nothing is connected before it is needed. */
export function createNotifiers(
  settings: NotifierSettings,
  surroundings: NotifierSurroundings = {},
): Notifiers {
  const { smtp, telegram, allowPrivateTargets } = settings;
  const { now = Date.now, resolve = createHostResolver(), ...rest } = surroundings;
  const access: WebAccess = { ...rest, allowPrivateTargets, resolve };
  return {
    WEBHOOK: createWebhookNotifier({ access, now }),
    SLACK: createSlackNotifier({ access, now }),
    ...(smtp === null ? {} : { EMAIL: createEmailNotifier(smtp) }),
    ...(telegram === null ? {} : { TELEGRAM: createTelegramNotifier({ settings: telegram, access, now }) }),
  };
}
