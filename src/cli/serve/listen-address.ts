import { isIP } from 'node:net';
import { parseServiceUrl } from '../../client/service-url.ts';
import { BASE_PATH } from '../../contract/routes.ts';
import { checked } from '../checked.ts';
import { CliError, usageError } from '../cli-error.ts';
import { EXIT } from '../exit-code.ts';

export interface ListenAddress {
  readonly host: string;
  readonly port: number;
  /** What others call the service by; `null` where that is the address itself. */
  readonly baseUrl: URL | null;
}

/** Where `gastop serve` listens. @throws CliError (usage) with one line. */
export function listenAddress(flags: {
  readonly host: string;
  readonly port: string;
  readonly baseUrl?: string;
}): ListenAddress {
  const { baseUrl } = flags;
  return {
    host: checked('--host', () => parseHost(flags.host)),
    port: checked('--port', () => parsePort(flags.port)),
    baseUrl:
      baseUrl === undefined ? null : checked('--base-url', () => parseServiceUrl(baseUrl, 'leave it out')),
  };
}

function parseHost(text: string): string {
  const host = text.trim().replace(/^\[(.*)\]$/, '$1');
  const isName = /^(?=.{1,253}$)[a-z\d]([a-z\d-]*[a-z\d])?(\.[a-z\d]([a-z\d-]*[a-z\d])?)*$/i.test(host);
  // Four numbers that are no address would be looked up as a name.
  if (isIP(host) === 0 && (!isName || /^[\d.]+$/.test(host))) {
    throw new RangeError(`"${text}" is not an address to listen on; for example 127.0.0.1, ::1 or 0.0.0.0`);
  }
  return host;
}

function parsePort(text: string): number {
  const port = /^\d{1,5}$/.test(text.trim()) ? Number(text) : Number.NaN;
  if (!(port <= 65_535)) throw new RangeError(`"${text}" is not a port; a number from 0 to 65535`);
  return port;
}

/** `http://127.0.0.1:8787/be/api/v1`, or the same below the base URL. */
export function servedUrl({ host, baseUrl }: ListenAddress, port: number): string {
  const name = isIP(host) === 6 ? `[${host}]` : host;
  const root = baseUrl === null ? `http://${name}:${port}` : baseUrl.origin + prefixOf(baseUrl);
  return root + BASE_PATH;
}

/** The base URL's path without a slash at its end. */
export const prefixOf = (baseUrl: URL | null) => baseUrl?.pathname.replace(/\/+$/, '') ?? '';

/** Why nothing can listen there, as one line. */
export function listenError(error: unknown, { host, port }: ListenAddress): unknown {
  const code = error instanceof Error && 'code' in error ? error.code : null;
  switch (code) {
    case 'EADDRINUSE':
      return new CliError(
        EXIT.failed,
        `port ${port} is in use; name another with --port, 0 takes a free one`,
      );
    case 'EACCES':
      return new CliError(EXIT.failed, `port ${port} needs more rights than you have; name one from 1024 on`);
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
    case 'EINVAL':
    case 'EAFNOSUPPORT':
      return usageError(
        `this computer has no address ${host}; --host 127.0.0.1 is itself, 0.0.0.0 all it has`,
      );
    default:
      return error;
  }
}
