import type { CommandContext, LoadedSettings } from './command.ts';
import { configFile, loadConfigFile } from './config-file.ts';
import type { Io } from './io.ts';
import { cleanLine, note } from './output.ts';
import { resolveSettings, type SourceFlags } from './settings.ts';

export function createContext(io: Io, flags: SourceFlags): CommandContext {
  const loadSettings = async (): Promise<LoadedSettings> => {
    const named = flags.config ?? (io.env.GASTOP_CONFIG?.trim() || undefined);
    const { home, platform } = io;
    const required = named !== undefined;
    const config = await loadConfigFile(named ?? configFile(io), { required, home, platform });
    const settings = resolveSettings(flags, io.env, config);
    const { kind } = settings.source.value;
    const { apiKey, url } = config.content ?? {};
    // A key that was not meant for this service is not sent.
    const isLoose = kind === 'hosted' && settings.apiKey.value === null && apiKey !== undefined && !url;
    const warnings = [
      config.warning,
      kind === 'rpc' || kind === 'hosted' ? goThroughProxy(io.env) : null,
      isLoose
        ? 'the key in the config file is not used, because no url stands beside it; add the url, or set GASTOP_API_KEY'
        : null,
    ];
    for (const warning of warnings) if (warning !== null) note(io, cleanLine(warning));
    const configFrom = flags.config !== undefined ? '--config' : required ? 'GASTOP_CONFIG' : 'default';
    return { settings, config, configFrom };
  };
  return { io, loadSettings };
}

/** In order of precedence: gastop's requests nearly always use https. */
const VARIABLES = ['https_proxy', 'HTTPS_PROXY', 'http_proxy', 'HTTP_PROXY'] as const;
/** Requests to this machine never use a proxy; `fetch` compares IPv6 with brackets, `http` without. */
const LOOPBACK = 'localhost,127.0.0.1,::1,[::1]';
type Env = Io['env'];

/** Uses the environment's proxy, as curl does; deliveries of alerts never do. Returns why it is not used, or `null`. */
function goThroughProxy(env: Env): string | null {
  const proxy = namedProxy(env);
  // Node has configured it itself.
  if (proxy === null || env.NODE_USE_ENV_PROXY === '1') return null;
  const http = process.getBuiltinModule('node:http');
  if (typeof http.setGlobalProxyFromEnv !== 'function')
    return `${proxy.name} is not used by this Node.js; set NODE_USE_ENV_PROXY=1 or use Node.js 24.14 or newer`;
  const of = (lower: string) => env[lower] || env[lower.toUpperCase()] || undefined;
  try {
    http.setGlobalProxyFromEnv({
      http_proxy: withHttp(of('http_proxy')),
      https_proxy: withHttp(of('https_proxy')),
      no_proxy: [of('no_proxy'), LOOPBACK].filter((part) => part !== undefined).join(','),
    });
    return null;
  } catch {
    return `${proxy.name} is not used: it is no address of a proxy, such as http://proxy.example.org:3128`;
  }
}

/** A hint when there is no response; `null` without a proxy. Hides a password in its address. */
export function proxyNote(env: Env): string | null {
  const proxy = namedProxy(env);
  const host = URL.parse(withHttp(proxy?.value) ?? '')?.host;
  return host ? `asked through the proxy ${host}, which ${proxy?.name} names` : null;
}

function namedProxy(env: Env) {
  const name = VARIABLES.find((each) => env[each]);
  return name === undefined ? null : { name, value: env[name] };
}

const withHttp = (address: string | undefined) =>
  address === undefined || address.includes('://') ? address : `http://${address}`;
