import { createHmac } from 'node:crypto';

export const SIGNATURE_HEADER = 'X-Gastop-Signature';
export const IDEMPOTENCY_HEADER = 'Idempotency-Key';

/** `t=<Unix seconds>,v1=<hex>`: HMAC-SHA256 of `<t>.<body>`, so that neither can be changed nor an old one sent again. */
export function sign(body: string, secret: string, timestampSec: number): string {
  const mac = createHmac('sha256', secret).update(`${timestampSec}.${body}`).digest('hex');
  return `t=${timestampSec},v1=${mac}`;
}
