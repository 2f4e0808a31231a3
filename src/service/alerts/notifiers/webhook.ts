import { createHmac } from 'node:crypto';
import type { AlertMessage } from '../../../core/alerts/alert-rule.ts';
import { cleanText } from '../../../core/text.ts';
import { gweiString } from '../../../core/units.ts';
import { sentNote } from './message.ts';
import {
  delivered,
  gone,
  JSON_HEADERS,
  laterAfter,
  type Notifier,
  secretsOf,
  statusWords,
  webNotifier,
} from './notifier.ts';
import { sendRequest, type WebAccess } from './safe-http.ts';

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

export interface WebhookOptions {
  readonly access: WebAccess;
  readonly now: () => number;
}

/** Posts signed JSON. 2xx: delivered; 410: never again; everything else is retried. */
export const createWebhookNotifier = ({ access, now }: WebhookOptions): Notifier =>
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
    if (response.status >= 200 && response.status < 300) return delivered(words);
    return response.status === 410 ? gone(words) : laterAfter(response, words, now());
  });

/** The webhook's body, documented in docs/WEBHOOKS.md. Fields may be added, but never changed or removed. */
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
