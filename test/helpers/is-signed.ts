import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Received } from './receiver.ts';

/** Whether `secret` signed exactly this request within the last five minutes, as a receiver finds out by the README. */
export function isSigned({ headers, body }: Received, secret: string): boolean {
  const signature = /^t=(\d+),v1=([0-9a-f]{64})$/.exec(String(headers['x-gastop-signature']));
  if (signature === null) return false;
  const [, time = '', hex = ''] = signature;
  const wanted = createHmac('sha256', secret).update(`${time}.${body}`).digest();
  return (
    timingSafeEqual(wanted, Buffer.from(hex, 'hex')) && Math.abs(Date.now() / 1_000 - Number(time)) < 300
  );
}
