import { isIP } from 'node:net';
import { isForbiddenAddress } from './address-guard.ts';

export interface TargetPolicy {
  /** The operator lets messages go to private addresses, and without TLS. */
  readonly allowPrivateTargets: boolean;
  /** Which addresses are private; a test, which has no others, says so itself. */
  readonly isForbidden?: (address: string) => boolean;
}

export type WebTarget =
  | { readonly ok: true; readonly url: URL }
  /** Why not, as the end of a sentence about the target: `must …`. */
  | { readonly ok: false; readonly problem: string };

/** Names that mean this machine (RFC 6761) or this network, whatever a resolver says. */
const LOCAL_NAME = /(?:^|\.)(?:localhost|local|internal|home\.arpa|localdomain)\.?$/;

const refused = (problem: string): WebTarget => ({ ok: false, problem });

/**
 * Whether messages may be sent to a URL, by what it says itself; what its name leads to is seen when it is sent
 * (`guarded-lookup.ts`). `URL` has one spelling for an address, so that decimal, octal and hexadecimal ones are seen.
 */
export function readWebTarget(text: string, policy: TargetPolicy): WebTarget {
  const { allowPrivateTargets, isForbidden = isForbiddenAddress } = policy;
  const url = URL.parse(text);
  if (url === null) return refused('must be a URL, as https://example.org/hook');
  if (url.protocol !== 'https:' && !(allowPrivateTargets && url.protocol === 'http:')) {
    return refused(allowPrivateTargets ? 'must begin with https:// or http://' : 'must begin with https://');
  }
  if (url.username !== '' || url.password !== '') return refused('must have no user name or password in it');
  if (url.port === '0') return refused('must not have port 0');
  if (allowPrivateTargets) return { ok: true, url };
  const host = hostOf(url);
  if (isIP(host) === 0 ? LOCAL_NAME.test(host) : isForbidden(host)) {
    return refused(
      `must not be on this machine or in a private network (${host}); the operator can allow it with --allow-private-targets`,
    );
  }
  return { ok: true, url };
}

/** The host as sockets take it: IPv6 without brackets. */
export function hostOf(url: URL): string {
  return url.hostname.replace(/^\[|\]$/g, '');
}
