import { lookup, Resolver } from 'node:dns/promises';
import { isIP } from 'node:net';
import { OnceAtATime, sleep } from '../async.ts';

/** Every address that a name has now. Rejects with an error that has a `code` where there is none. */
export type ResolveHost = (hostname: string) => Promise<readonly string[]>;

export interface ResolverOptions {
  /** Name servers to ask, `address:port`; the system's where nobody says. */
  readonly servers?: readonly string[];
}

const QUERY_TIMEOUT_MS = 2_000;
const QUERY_TRIES = 2;
/** Once there are addresses of one kind, those of the other are waited for no longer. */
const OTHER_KIND_MS = 1_000;
/** The system's resolver takes a thread of the process for each question, of four, however long it hangs. */
const SYSTEM_AT_ONCE = 2;

/**
 * Asks the name servers without taking a thread; only a name they do not know goes to the system's resolver, which
 * knows hosts files and local names, a few at a time. So no receiver's dead name server holds up the others.
 */
export function createHostResolver({ servers }: ResolverOptions = {}): ResolveHost {
  const underWay = new OnceAtATime<string, readonly string[]>();
  const waiting: (() => void)[] = [];
  let asking = 0;
  const askSystem: ResolveHost = async (hostname) => {
    if (asking >= SYSTEM_AT_ONCE) await new Promise<void>((resolve) => waiting.push(resolve));
    else asking += 1;
    try {
      return (await lookup(hostname, { all: true })).map(({ address }) => address);
    } finally {
      const next = waiting.shift();
      if (next === undefined) asking -= 1;
      else next();
    }
  };
  const ask: ResolveHost = async (hostname) => {
    const found = hostname.includes('.') ? await askNameServers(hostname, servers) : [];
    return found.length > 0 ? found : askSystem(hostname);
  };
  return (hostname) => underWay.ask(hostname, () => ask(hostname));
}

/** A new resolver each time: it reads anew which servers there are, and machines change networks. */
async function askNameServers(
  hostname: string,
  servers: readonly string[] | undefined,
): Promise<readonly string[]> {
  const resolver = new Resolver({ timeout: QUERY_TIMEOUT_MS, tries: QUERY_TRIES });
  if (servers !== undefined) resolver.setServers(servers);
  const found = new Map<4 | 6, readonly string[]>();
  const ended = new AbortController();
  const ask = async (kind: 4 | 6, asked: Promise<readonly string[]>) => {
    const addresses = (await asked.catch(() => [])).filter((address) => isIP(address) !== 0);
    if (addresses.length > 0) found.set(kind, addresses);
  };
  const kinds = [ask(4, resolver.resolve4(hostname)), ask(6, resolver.resolve6(hostname))];
  const others = kinds.map(async (kind) => {
    await kind;
    // Some name servers never answer for the kind that they do not know.
    if (found.size > 0) await sleep(OTHER_KIND_MS, ended.signal);
    else await Promise.all(kinds);
  });
  await Promise.race([Promise.all(kinds), ...others]);
  ended.abort();
  resolver.cancel();
  return [...(found.get(4) ?? []), ...(found.get(6) ?? [])];
}
