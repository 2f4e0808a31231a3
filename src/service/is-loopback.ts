import { isIP } from 'node:net';

/** Whether a host is this machine: its connections cannot be intercepted. */
export function isLoopback(host: string): boolean {
  if (isIP(host) === 4) return host.startsWith('127.');
  return host === '::1' || /^(?:.+\.)?localhost\.?$/i.test(host);
}
