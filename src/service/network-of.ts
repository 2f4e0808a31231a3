import { isIPv6 } from 'node:net';

/** What limits by address count as one: an owner of one IPv6 address has its /64 as well. */
export function networkOf(address: string): string {
  if (!isIPv6(address) || address.startsWith('::ffff:')) return address;
  const [front = '', back] = address.split('::');
  const groups = front === '' ? [] : front.split(':');
  const missing = back === undefined ? 0 : 8 - groups.length - (back === '' ? 0 : back.split(':').length);
  return [...groups, ...Array(missing).fill('0'), ...(back?.split(':') ?? [])].slice(0, 4).join(':');
}
