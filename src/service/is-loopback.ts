import { isIP } from 'node:net';

/** Whether a host is this machine: nobody listens in between, and its mail server has seldom a certificate. */
export function isLoopback(host: string): boolean {
  if (isIP(host) === 4) return host.startsWith('127.');
  return host === '::1' || /^(?:.+\.)?localhost\.?$/i.test(host);
}
