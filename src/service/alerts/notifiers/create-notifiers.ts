import { ALERT_CHANNELS } from '../../../contract/choices.ts';
import { createEmailNotifier, type SmtpSettings } from './email.ts';
import { delivered, type Notifiers } from './notifier.ts';
import { resolveHost, type WebAccess } from './safe-http.ts';
import {
  createSlackNotifier,
  createTelegramNotifier,
  createWebhookNotifier,
  type TelegramSettings,
} from './web-notifiers.ts';

export interface NotifierSettings {
  readonly smtp: SmtpSettings | null;
  readonly telegram: TelegramSettings | null;
  readonly allowPrivateTargets: boolean;
  /** With simulated prices every channel exists, and none sends anything. */
  readonly isSimulated?: boolean;
}

type NotifierSurroundings = Partial<Omit<WebAccess, 'allowPrivateTargets'>> & {
  readonly now?: () => number;
};

const SIMULATED: Notifiers = Object.fromEntries(
  ALERT_CHANNELS.map((channel) => [channel, { deliver: async () => delivered('simulated') }]),
);

/** The notifiers that the settings allow: WEBHOOK and SLACK always. Nothing connects before its first use. */
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
