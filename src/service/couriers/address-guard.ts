import { BlockList, isIP } from 'node:net';

/**
 * IPv4 that is not for everybody: the entries of IANA's special-purpose registry (RFC 6890) that are not globally
 * reachable, multicast (RFC 5771), the relays of 6to4 (RFC 7526). Cloud metadata lies in link-local (169.254.169.254),
 * in shared space (100.100.100.200), in 192.0.0.0/24 – and, for Azure, at one address that looks public.
 */
const FORBIDDEN_V4: readonly (readonly [string, number])[] = [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['168.63.129.16', 32],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 4],
  ['240.0.0.0', 4],
];

/**
 * Only 2000::/3 is global unicast (RFC 4291), so that loopback, unique local, link-local, multicast and the local
 * NAT64 prefix are outside already. Of it not: protocol assignments with Teredo and ORCHID (RFC 2928), documentation
 * (RFC 3849, RFC 9637) and 6to4, which reaches IPv4 (RFC 7526).
 */
const GLOBAL_V6: readonly [string, number] = ['2000::', 3];
const FORBIDDEN_V6: readonly (readonly [string, number])[] = [
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['3fff::', 20],
];

/** IPv6 that stands for the IPv4 address in its last 32 bits: mapped (RFC 4291), and NAT64's well-known (RFC 6052). */
const CARRIES_V4: readonly (readonly [string, number])[] = [
  ['::ffff:0:0', 96],
  ['64:ff9b::', 96],
];

const forbiddenV4 = blockList('ipv4', FORBIDDEN_V4);
const forbiddenV6 = blockList('ipv6', FORBIDDEN_V6);
const globalV6 = blockList('ipv6', [GLOBAL_V6]);
const carriesV4 = blockList('ipv6', CARRIES_V4);

function blockList(family: 'ipv4' | 'ipv6', subnets: readonly (readonly [string, number])[]): BlockList {
  const list = new BlockList();
  for (const [net, prefix] of subnets) list.addSubnet(net, prefix, family);
  return list;
}

/**
 * Whether an IP address is one that messages must not go to: private, loopback, link-local, shared, multicast,
 * reserved, for documentation, a cloud's metadata, in any form of IPv6. What is no IP address is forbidden too.
 */
export function isForbiddenAddress(address: string): boolean {
  const [bare = ''] = address.split('%');
  switch (isIP(bare)) {
    case 4:
      return forbiddenV4.check(bare, 'ipv4');
    case 6:
      if (carriesV4.check(bare, 'ipv6')) return isForbiddenAddress(lastFourBytes(bare));
      return !globalV6.check(bare, 'ipv6') || forbiddenV6.check(bare, 'ipv6');
    default:
      return true;
  }
}

/** The IPv4 address at the end of an IPv6 one, which `URL` writes in its one canonical form. */
function lastFourBytes(address: string): string {
  const canonical = new URL(`http://[${address}]`).hostname.slice(1, -1);
  const [low = '', high = ''] = canonical.split(':').toReversed();
  const value = (Number.parseInt(high || '0', 16) << 16) | Number.parseInt(low || '0', 16);
  return [24, 16, 8, 0].map((shift) => (value >>> shift) & 0xff).join('.');
}
