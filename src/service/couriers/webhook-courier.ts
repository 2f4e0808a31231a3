import type { AlertMessage } from '../../core/alerts/kept-alert.ts';
import { cleanText } from '../../core/clean-text.ts';
import { gweiString } from '../../core/units.ts';

import { sentNote } from './alert-text.ts';
import { delivered, gone, laterAfter, secretsOf, statusWords, unanswered } from './attempts.ts';

import type { Courier } from './courier.ts';
import { sendRequest, type WebAccess } from './send-request.ts';
import { IDEMPOTENCY_HEADER, SIGNATURE_HEADER, sign } from './signature.ts';
import { USER_AGENT } from './user-agent.ts';

export interface WebhookOptions {
  readonly access: WebAccess;
  /** ms since epoch. */
  readonly now: () => number;
}

/** Posts signed JSON. 2xx is delivered, 410 means never again, everything else is tried again. */
export function createWebhookCourier({ access, now }: WebhookOptions): Courier {
  return {
    async deliver(parcel, signal) {
      const body = webhookBody(parcel.message);
      const headers = {
        'Content-Type': 'application/json',
        Accept: '*/*',
        'User-Agent': USER_AGENT,
        [IDEMPOTENCY_HEADER]: parcel.id,
        [SIGNATURE_HEADER]: sign(body, parcel.signingSecret, Math.floor(now() / 1_000)),
      };
      try {
        const answer = await sendRequest({ url: parcel.target, headers, body }, access, signal);
        const words = statusWords(answer, secretsOf(parcel.target));
        if (answer.status >= 200 && answer.status < 300) return delivered(words);
        if (answer.status === 410) return gone(words);
        return laterAfter(answer, words, now());
      } catch (error) {
        return unanswered(error, signal);
      }
    },
  };
}

/** What a webhook is sent; docs/WEBHOOKS.md says what each field means. Fields are added, never changed or taken away. */
export function webhookBody(message: AlertMessage): string {
  const { threshold, price } = message;
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
    thresholdWei: threshold,
    priceWei: price,
    blockNumber: message.blockNumber,
    blockTimestamp: new Date(message.blockTimestamp * 1_000).toISOString(),
    note: sentNote(message.note),
  });
}
