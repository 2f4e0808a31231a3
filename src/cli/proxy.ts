import type { Io } from './io.ts';

/** In the order in which they count: what is asked of gastop's sources is https nearly always. */
const VARIABLES = ['https_proxy', 'HTTPS_PROXY', 'http_proxy', 'HTTP_PROXY'] as const;
/** What runs on this machine is never asked through another one; `fetch` compares IPv6 with its brackets, `http` without. */
const LOOPBACK = 'localhost,127.0.0.1,::1,[::1]';

type Env = Io['env'];

/**
 * Has what is asked over HTTP go through the proxy that the environment names, as curl and npm do; `no_proxy` holds.
 * Deliveries of alerts never do: the addresses that they go to are looked at first.
 * Answers what stands in the way, `null`: nothing, or no proxy is named.
 */
export function goThroughProxy(env: Env): string | null {
  const proxy = namedProxy(env);
  // Node has set it up itself.
  if (proxy === null || env.NODE_USE_ENV_PROXY === '1') return null;
  // Loaded for this alone: most people have no proxy.
  const http = process.getBuiltinModule('node:http');
  const of = (lower: string) => env[lower] || env[lower.toUpperCase()] || undefined;
  if (typeof http.setGlobalProxyFromEnv !== 'function')
    return `${proxy.name} is not used by this Node.js; set NODE_USE_ENV_PROXY=1 or use Node.js 24.14 or newer`;
  try {
    http.setGlobalProxyFromEnv({
      http_proxy: withScheme(of('http_proxy')),
      https_proxy: withScheme(of('https_proxy')),
      no_proxy: [of('no_proxy'), LOOPBACK].filter((part) => part !== undefined).join(','),
    });
    return null;
  } catch {
    return `${proxy.name} is not used: it is no address of a proxy, such as http://proxy.example.org:3128`;
  }
}

/** For who wonders why nothing answers: through what it was asked. A password in the address is not said. */
export function proxyNote(env: Env): string | null {
  const proxy = namedProxy(env);
  if (proxy === null) return null;
  const host = URL.parse(withScheme(proxy.value) ?? '')?.host;
  return host ? `asked through the proxy ${host}, which ${proxy.name} names` : null;
}

function namedProxy(env: Env): { readonly name: string; readonly value: string } | null {
  for (const name of VARIABLES) {
    const value = env[name];
    if (value) return { name, value };
  }
  return null;
}

const withScheme = (address: string | undefined): string | undefined =>
  address === undefined || address.includes('://') ? address : `http://${address}`;
