import { BlockList, isIP } from 'node:net';
import { hostname } from 'node:os';
import { CHANNELS } from '../../contract/alert-channels.ts';
import type { TargetRules } from '../../contract/alert-targets.ts';
import type { NotifierSettings } from './notifiers/notifiers.ts';

const missingChannels = (settings: NotifierSettings) =>
  CHANNELS.flatMap(({ name, setUp }) =>
    setUp === undefined || settings.isSimulated || settings[setUp.setting]
      ? []
      : [[name, setUp.how] as const],
  );

/** One line for each channel that is not set up, with the settings that enable it. */
export const setUpLines = (settings: NotifierSettings): readonly string[] =>
  missingChannels(settings).map(([name, how]) => `${name} is not set up: set ${how}`);

export function targetRules(settings: NotifierSettings): TargetRules {
  // What to set is for the operator: the log and `gastop doctor` name it.
  const words = (name: string) => `${name} is not set up on this service: deliveries wait until it is`;
  return {
    missing: Object.fromEntries(missingChannels(settings).map(([name]) => [name, words(name)])),
    refuseUrl: (url) => {
      const target = readWebTarget(url, settings);
      return typeof target === 'string' ? target : null;
    },
  };
}

/**
 * IPv4 addresses that are not public: the entries of IANA's special-purpose registry (RFC 6890) that are not globally
 * reachable, multicast (RFC 5771), the relays of 6to4 (RFC 7526). Cloud metadata lies in link-local (169.254.169.254),
 * in shared space (100.100.100.200), in 192.0.0.0/24 – and, for Azure, at one address that looks public.
 */
const FORBIDDEN_V4 = blockList(
  'ipv4',
  `0.0.0.0/8 10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 168.63.129.16/32 169.254.0.0/16 172.16.0.0/12
  192.0.0.0/24 192.0.2.0/24 192.88.99.0/24 192.168.0.0/16 198.18.0.0/15 198.51.100.0/24 203.0.113.0/24 224.0.0.0/4
  240.0.0.0/4`,
);

/**
 * Only 2000::/3 is global unicast (RFC 4291), so that loopback, unique local, link-local, multicast and the local
 * NAT64 prefix are outside already. Not global within it: protocol assignments with Teredo and ORCHID (RFC 2928), documentation
 * (RFC 3849, RFC 9637) and 6to4, which reaches IPv4 (RFC 7526).
 */
const GLOBAL_V6 = blockList('ipv6', '2000::/3');
const FORBIDDEN_V6 = blockList('ipv6', '2001::/23 2001:db8::/32 2002::/16 3fff::/20');

/** IPv6 prefixes with an IPv4 address in the last 32 bits: mapped (RFC 4291), and NAT64's well-known one (RFC 6052). */
const CARRIES_V4 = blockList('ipv6', '::ffff:0:0/96 64:ff9b::/96');

function blockList(family: 'ipv4' | 'ipv6', subnets: string): BlockList {
  const list = new BlockList();
  for (const subnet of subnets.split(/\s+/)) {
    const [net = '', prefix] = subnet.split('/');
    list.addSubnet(net, Number(prefix), family);
  }
  return list;
}

/**
 * Whether messages must not go to an IP address: private, loopback, link-local, shared, multicast,
 * reserved, for documentation, a cloud's metadata, in any form of IPv6. A text that is no IP address is forbidden too.
 */
export function isForbiddenAddress(address: string): boolean {
  const [bare = ''] = address.split('%');
  switch (isIP(bare)) {
    case 4:
      return FORBIDDEN_V4.check(bare, 'ipv4');
    case 6:
      if (CARRIES_V4.check(bare, 'ipv6')) return isForbiddenAddress(lastFourBytes(bare));
      return !GLOBAL_V6.check(bare, 'ipv6') || FORBIDDEN_V6.check(bare, 'ipv6');
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

export interface TargetPolicy {
  /** Whether the operator allows private addresses and plain HTTP. */
  readonly allowPrivateTargets: boolean;
  /** Which addresses are private; default {@link isForbiddenAddress}. Tests have only private ones. */
  readonly isForbidden?: (address: string) => boolean;
}

/** Names that mean this machine (RFC 6761) or this network, whatever a resolver says. */
const LOCAL_NAME = /(?:^|\.)(?:localhost|local|internal|home\.arpa|localdomain)$/;

function isLocalName(host: string): boolean {
  const name = host.replace(/\.+$/, '');
  return LOCAL_NAME.test(name) || name === hostname().toLowerCase();
}

/**
 * The URL that messages may be sent to, or why they may not, as the end of a sentence about the target: `must …`. Judged by its
 * text; the addresses of its name are checked at connect time ({@link guardedLookup}). `URL` normalises decimal, octal and
 * hexadecimal addresses.
 */
export function readWebTarget(text: string, policy: TargetPolicy): URL | string {
  const { allowPrivateTargets, isForbidden = isForbiddenAddress } = policy;
  const url = URL.parse(text);
  if (url === null) return 'must be a URL, as https://example.org/hook';
  if (url.username !== '' || url.password !== '') return 'must have no user name or password in it';
  const host = hostOf(url);
  const isHttp = url.protocol === 'http:';
  const isPrivate = isIP(host) === 0 ? isLocalName(host) : isForbidden(host);
  if (!allowPrivateTargets && isPrivate && (isHttp || url.protocol === 'https:')) {
    return `must not be on this machine or in a private network (${host}); the operator can allow it with --allow-private-targets`;
  }
  if (url.protocol !== 'https:' && !(allowPrivateTargets && isHttp)) {
    return allowPrivateTargets ? 'must begin with https:// or http://' : 'must begin with https://';
  }
  return url.port === '0' ? 'must not have port 0' : url;
}

/** The host as sockets take it: IPv6 without brackets. */
export function hostOf(url: URL): string {
  return url.hostname.replace(/^\[|\]$/g, '');
}
