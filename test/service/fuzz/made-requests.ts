import fc from 'fast-check';
import { BASE_PATH, PATHS } from '../../../src/contract/routes.ts';
import { alertRequests } from './alert-requests.ts';

/** How the bytes of one request reach the server. */
export type Manner = 'whole' | 'in pieces' | 'half-closed' | 'aborted' | 'stalled' | 'then garbage';

export interface MadeRequest {
  readonly method: string;
  /** The route whose schema an answer must match. */
  readonly route: keyof typeof PATHS | null;
  readonly bytes: Buffer;
  readonly manner: Manner;
  /** Nobody can say where its body ends, so nothing more goes over its connection. */
  readonly isLast: boolean;
}

export interface Keys {
  readonly key: string;
  readonly slowKey: string;
  /** An alert of `key`. */
  readonly alertId: string;
}

/** A stream does not end. */
const ROUTES = (Object.keys(PATHS) as (keyof typeof PATHS)[]).filter((route) => route !== 'gasStream');
const HASH = `0x${'ab'.repeat(32)}`;

const nonsense = fc.oneof(
  fc.string({ unit: 'binary-ascii', maxLength: 40 }),
  fc.constantFrom(
    '%',
    '%zz',
    '%00',
    '%E0%A4%A',
    '%ff%fe',
    '..',
    '../..',
    '//',
    '%2e%2e%2f',
    '*',
    ';',
    '\\',
    '{number}',
  ),
  fc.constantFrom('NaN', '-1', '1e999', '0x', HASH, '9007199254740993', 'latest', '__proto__', 'constructor'),
  fc.constantFrom("' or 1=1 --", '<script>', '\u00e9', '\ud83d\udca5', '𝒳', '\u202e'),
);

/** What may stand in a request line: Node's parser takes nothing else, which is fuzzed on its own below. */
const inLine = (text: string) =>
  text.replace(/[\u0000-\u0020\u007f-\uffff]/g, (c) => encodeURIComponent(c.isWellFormed() ? c : '?'));

const parameter = fc.constantFrom(
  'from',
  'to',
  'bucket',
  'page',
  'size',
  'percentile',
  'timeFrame',
  'targetGwei',
  'deadlineSec',
  'x',
  '',
);
const value = fc.oneof(
  fc.constantFrom(
    '1h',
    '24h',
    '30d',
    'block',
    '1m',
    '5m',
    '1d',
    'p95',
    '0',
    '1',
    '500',
    '501',
    '0.05',
    '1000000.000000001',
    '604800',
    '2026-01-31T12:00:00Z',
  ),
  fc.constantFrom('0001-01-01T00:00:00Z', '9999-12-31T23:59:59Z', '2026-02-30T00:00:00Z'),
  fc
    .date({ noInvalidDate: true, min: new Date(0), max: new Date('2100-01-01') })
    .map((date) => date.toISOString()),
  nonsense,
);
const someQuery = fc
  .array(fc.tuple(parameter, value), { maxLength: 4 })
  .map((pairs) =>
    pairs.length === 0 ? '' : `?${pairs.map(([name, text]) => `${inLine(name)}=${inLine(text)}`).join('&')}`,
  );

const query = fc.oneof(fc.constant(''), someQuery);

const target = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.tuple(fc.constantFrom(...ROUTES), nonsense, query).map(([route, part, end]) => {
      const isWhole = !PATHS[route].includes('{');
      const path = PATHS[route].replace('{hash}', HASH).replaceAll(/\{\w+\}/g, () => inLine(part));
      return { route: isWhole ? route : null, path: BASE_PATH + path + end };
    }),
  },
  {
    weight: 3,
    arbitrary: fc
      .tuple(fc.array(nonsense, { maxLength: 5 }), query, fc.boolean())
      .map(([parts, end, inV1]) => ({
        route: null,
        path: `${inV1 ? BASE_PATH : ''}/${parts.map(inLine).join('/')}${end}`,
      })),
  },
  {
    weight: 1,
    arbitrary: fc
      .constantFrom(
        '/',
        '/healthz',
        '/readyz',
        '/metrics',
        '/api-playground/openapi.json',
        '/api-playground/',
        '*',
        'http://[',
        'http://x/be/api/v1/gas/current',
        `/${'a'.repeat(5_000)}`,
        `/?${'b'.repeat(20_000)}`,
      )
      .map((path) => ({ route: null, path })),
  },
);

const headerValue = fc.oneof(
  nonsense.map((text) => text.replace(/[^\u0020-\u007e\u0080-\u00ff]/g, '')),
  fc.constantFrom(
    'gzip',
    'gzip;q=0, *',
    'br, *;q=0.5',
    'GZIP ; q = 1',
    ',,,',
    '*',
    'W/"x"',
    '"',
    'W/"a", "b"',
    'application/json',
  ),
);
const header = fc
  .tuple(
    fc.constantFrom(
      'Accept',
      'Accept-Encoding',
      'If-None-Match',
      'Content-Type',
      'Range',
      'Cookie',
      'Authorization',
      'X-Forwarded-Host',
      'If-Modified-Since',
      'X-HTTP-Method-Override',
      'Origin',
      'Access-Control-Request-Method',
    ),
    headerValue,
  )
  .map(([name, text]) => `${name}: ${text}`);
const anyHeader = fc.oneof(
  { weight: 8, arbitrary: header },
  { weight: 1, arbitrary: fc.constantFrom('If-None-Match: *', 'Accept-Encoding: gzip') },
);

/** Headers that change how the message itself is read. */
const framing = fc.constantFrom(
  'Expect: 100-continue',
  'Expect: miracles',
  'Transfer-Encoding: chunked',
  'Transfer-Encoding: gzip, chunked',
  'Content-Length: 5',
  'Content-Length: 5\r\nContent-Length: 6',
  'Content-Length: -1',
  'Content-Length: 999999999',
  'Content-Length: 300000',
  'Upgrade: websocket\r\nConnection: Upgrade',
  'Connection: close',
  'Host: two\r\nHost: hosts',
  'Host: a b/c',
  'no colon',
  ' folded: header',
  'Bad\u0000Name: x',
  `X-Big: ${'x'.repeat(20_000)}`,
  Array.from({ length: 300 }, (_, i) => `X-${i}: y`).join('\r\n'),
);

const method = fc.oneof(
  { weight: 10, arbitrary: fc.constant('GET') },
  { weight: 3, arbitrary: fc.constantFrom('HEAD', 'POST', 'PUT', 'DELETE', 'OPTIONS') },
  {
    weight: 1,
    arbitrary: fc.constantFrom('PATCH', 'TRACE', 'CONNECT', 'PROPFIND', 'QUERY', 'get', 'FOO', 'G\u00c9T'),
  },
);

const body = fc.oneof(
  { weight: 3, arbitrary: fc.constant(null) },
  {
    weight: 1,
    arbitrary: fc.oneof(
      fc.json(),
      fc.string(),
      fc.constantFrom('{', '{"status":"DISABLED"}', 'x'.repeat(100_000), '\u0000'),
    ),
  },
);

const manner: fc.Arbitrary<Manner> = fc.oneof(
  { weight: 300, arbitrary: fc.constant<Manner>('whole') },
  { weight: 15, arbitrary: fc.constantFrom<Manner>('in pieces', 'half-closed', 'aborted', 'then garbage') },
  { weight: 1, arbitrary: fc.constant<Manner>('stalled') },
);

/** Requests from good to hopeless. */
export function madeRequests({ key, slowKey, alertId }: Keys): fc.Arbitrary<MadeRequest> {
  const keyHeader = fc.oneof(
    { weight: 12, arbitrary: fc.constant([`x-api-key: ${key}`]) },
    { weight: 1, arbitrary: fc.constant([`x-api-key: ${slowKey}`]) },
    { weight: 1, arbitrary: fc.constant([]) },
    { weight: 1, arbitrary: fc.constant([`x-api-key: ${key}`, `x-api-key: ${slowKey}`]) },
    { weight: 1, arbitrary: headerValue.map((text) => [`x-api-key: ${text}`]) },
    { weight: 1, arbitrary: fc.nat(50).map((at) => [`x-api-key: ${key.slice(0, at)}x${key.slice(at + 1)}`]) },
  );
  const odd = fc.oneof(
    { weight: 15, arbitrary: fc.constant<string | null>(null) },
    { weight: 1, arbitrary: framing },
  );
  const headers = fc.array(anyHeader, { maxLength: 3 });
  const any = fc
    .record({ method, target, headers, body })
    .map(({ target, ...rest }) => ({ ...rest, ...target }));
  const asked = fc.oneof({ weight: 4, arbitrary: any }, { weight: 1, arbitrary: alertRequests(alertId) });
  return fc
    .record({ asked, keyHeader, odd, manner })
    .map(({ asked: { method, route, path, headers, body }, keyHeader, odd, manner }) => {
      const length = body === null || odd !== null ? [] : [`Content-Length: ${Buffer.byteLength(body)}`];
      const lines = [`${method} ${path} HTTP/1.1`, 'Host: localhost', ...keyHeader, ...headers, ...length];
      if (odd !== null) lines.push(odd);
      const head = Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1');
      return {
        method,
        route,
        bytes: Buffer.concat([
          head,
          typeof body === 'string' ? Buffer.from(body) : (body ?? Buffer.alloc(0)),
        ]),
        manner,
        isLast: odd !== null || manner !== 'whole' || !/^[A-Z]+$/.test(method),
      };
    });
}
