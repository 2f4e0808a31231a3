import { ALERT_CHANNELS } from '../../../contract/choices.ts';
import { createEmailNotifier, type SmtpSettings } from './email.ts';
import { delivered, type Notifiers } from './notifier.ts';
import { type ResolveHost, resolveHost, type WebAccess } from './safe-http.ts';
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
  /** Whether prices are made up: every channel is there, and nothing leaves over any. */
  readonly isSimulated?: boolean;
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

const SIMULATED: Notifiers = Object.fromEntries(
  ALERT_CHANNELS.map((channel) => [channel, { deliver: async () => delivered('simulated') }]),
);

/** The notifiers that the settings allow for: WEBHOOK and SLACK always. Nothing is connected before it is needed. */
export function createNotifiers(
  settings: NotifierSettings,
  surroundings: NotifierSurroundings = {},
): Notifiers {
  const { smtp, telegram, allowPrivateTargets } = settings;
  if (settings.isSimulated) return SIMULATED;
  const { now = Date.now, resolve = resolveHost, ...rest } = surroundings;
  const access: WebAccess = { ...rest, allowPrivateTargets, resolve };
  return {
    WEBHOOK: createWebhookNotifier({ access, now }),
    SLACK: createSlackNotifier({ access, now }),
    ...(smtp === null ? {} : { EMAIL: createEmailNotifier(smtp) }),
    ...(telegram === null ? {} : { TELEGRAM: createTelegramNotifier({ settings: telegram, access, now }) }),
  };
}
