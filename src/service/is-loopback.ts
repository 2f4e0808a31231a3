import { isIP } from 'node:net';

/**
 * Whether a host is this machine: its connections cannot be intercepted, and its mail server seldom has a
 * certificate.
 */
export function isLoopback(host: string): boolean {
  if (isIP(host) === 4) return host.startsWith('127.');
  return host === '::1' || /^(?:.+\.)?localhost\.?$/i.test(host);
}
