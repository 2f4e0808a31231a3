import { isIP, type LookupFunction } from 'node:net';
import { isForbiddenAddress } from './address-guard.ts';
import type { ResolveHost } from './resolve-host.ts';
import type { TargetPolicy } from './web-target.ts';

/** A name leads where messages must not go. */
export class ForbiddenAddress extends Error {
  override readonly name = 'ForbiddenAddress';

  /** Which one is not said: whoever has a key is not to learn what names mean within the network. */
  constructor(hostname: string) {
    super(`${hostname} leads to a private address`);
  }
}

/**
 * What a socket asks for addresses: it connects to these and to no others, so that a name which means something else a
 * moment later changes nothing. One forbidden address among several is enough to refuse the name.
 */
export function guardedLookup(resolve: ResolveHost, policy: TargetPolicy): LookupFunction {
  const { allowPrivateTargets, isForbidden = isForbiddenAddress } = policy;
  return (hostname, options, callback) => {
    resolve(hostname).then(
      (addresses) => {
        if (!allowPrivateTargets && addresses.some(isForbidden)) {
          return callback(new ForbiddenAddress(hostname), '');
        }
        const found = addresses.map((address) => ({ address, family: isIP(address) }));
        const [first] = found;
        if (first === undefined) return callback(notFound(hostname), '');
        if (options.all) callback(null, found);
        else callback(null, first.address, first.family);
      },
      (error: unknown) => callback(error instanceof Error ? error : notFound(hostname), ''),
    );
  };
}

function notFound(hostname: string): NodeJS.ErrnoException {
  return Object.assign(new Error(`${hostname} has no address`), { code: 'ENOTFOUND' });
}
