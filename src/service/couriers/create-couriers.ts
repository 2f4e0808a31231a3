import type { Couriers } from './courier.ts';
import { createEmailCourier } from './email-courier.ts';
import { createHostResolver, type ResolveHost } from './resolve-host.ts';
import type { WebAccess } from './send-request.ts';
import { createSlackCourier } from './slack-courier.ts';
import type { SmtpSettings } from './smtp-settings.ts';
import { createTelegramCourier, type TelegramSettings } from './telegram-courier.ts';
import { createWebhookCourier } from './webhook-courier.ts';

export interface CourierSettings {
  /** `null`: no mails. */
  readonly smtp: SmtpSettings | null;
  /** `null`: no Telegram. */
  readonly telegram: TelegramSettings | null;
  /** Whether webhooks may go to private addresses, and without TLS. */
  readonly allowPrivateTargets: boolean;
}

export interface CourierSurroundings {
  /** ms since epoch. */
  readonly now?: () => number;
  readonly resolve?: ResolveHost;
  /** Which addresses are private; `address-guard.ts` knows where nothing is said. */
  readonly isForbidden?: (address: string) => boolean;
  /** Root certificates to trust instead of the usual ones, PEM. */
  readonly ca?: string;
}

/** The couriers that the settings allow for: WEBHOOK and SLACK always. Nothing is connected before it is needed. */
export function createCouriers(settings: CourierSettings, surroundings: CourierSurroundings = {}): Couriers {
  const { smtp, telegram, allowPrivateTargets } = settings;
  const { now = Date.now, resolve = createHostResolver(), ...rest } = surroundings;
  const access: WebAccess = { ...rest, allowPrivateTargets, resolve };
  return {
    WEBHOOK: createWebhookCourier({ access, now }),
    SLACK: createSlackCourier({ access, now }),
    ...(smtp === null ? {} : { EMAIL: createEmailCourier(smtp) }),
    ...(telegram === null ? {} : { TELEGRAM: createTelegramCourier({ settings: telegram, access, now }) }),
  };
}
