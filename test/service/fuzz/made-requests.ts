import fc, { type Arbitrary } from 'fast-check';
import { BASE_PATH, PATHS } from '../../../src/contract/routes.ts';
import { anyCharacter } from '../../helpers/any-character.ts';

export type Manner = 'whole' | 'in pieces' | 'half-closed' | 'aborted' | 'stalled' | 'then garbage';

export interface MadeRequest {
  readonly method: string;
  readonly route: keyof typeof PATHS | null;
  readonly bytes: Buffer;
  readonly manner: Manner;
  /** Where its body ends is unclear, so nothing more goes over its connection. */
  readonly isLast: boolean;
}

export interface Keys {
  readonly key: string;
  readonly slowKey: string;
  readonly alertId: string;
}

interface Asked {
  readonly method: string;
  readonly route: keyof typeof PATHS | null;
  readonly path: string;
  readonly headers: readonly string[];
  readonly body: Buffer | null;
}

const among = (words: string) => fc.constantFrom(...words.split(' '));
const mostly = <T>(weight: number, usual: Arbitrary<T>, ...rare: Arbitrary<T>[]) =>
  fc.oneof({ weight, arbitrary: usual }, ...rare.map((arbitrary) => ({ weight: 1, arbitrary })));

const HASH = `0x${'ab'.repeat(32)}`;
const nonsense = fc.oneof(
  fc.string({ unit: 'binary-ascii', maxLength: 40 }),
  among('% %zz %00 %E0%A4%A %ff%fe .. ../.. // %2e%2e%2f * ; \\ {number} <script> \u00e9 \u{1f4a5} 𝒳 \u202e'),
  among(`NaN -1 1e999 0x ${HASH} 9007199254740993 latest __proto__ constructor '--`),
);
/** What may stand in a request line: Node's parser takes nothing else. */
const inLine = (text: string) =>
  text.replace(/[\u0000-\u0020\u007f-\uffff]/g, (c) => encodeURIComponent(c.isWellFormed() ? c : '?'));

const value = fc.oneof(
  among('1h 24h 30d block 1m 5m 1d p95 0 1 500 501 0.05 1000000.000000001 604800 2026-01-31T12:00:00Z'),
  among('0001-01-01T00:00:00Z 9999-12-31T23:59:59Z 2026-02-30T00:00:00Z'),
  fc
    .date({ noInvalidDate: true, min: new Date(0), max: new Date('2100-01-01') })
    .map((at) => at.toISOString()),
  nonsense,
);
const parameter = among('from to bucket page size percentile timeFrame targetGwei deadlineSec x ');
const someQuery = fc
  .array(fc.tuple(parameter, value), { maxLength: 4 })
  .map((pairs) => pairs.map(([name, text]) => `${inLine(name)}=${inLine(text)}`).join('&'))
  .map((pairs) => (pairs === '' ? '' : `?${pairs}`));
const query = fc.oneof(fc.constant(''), someQuery);

const ROUTES = (Object.keys(PATHS) as (keyof typeof PATHS)[]).filter((route) => route !== 'gasStream');
const target: Arbitrary<Pick<Asked, 'route' | 'path'>> = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.tuple(fc.constantFrom(...ROUTES), nonsense, query).map(([route, part, end]) => {
      const path = PATHS[route].replace('{hash}', HASH).replaceAll(/\{\w+\}/g, () => inLine(part));
      return { route: PATHS[route].includes('{') ? null : route, path: BASE_PATH + path + end };
    }),
  },
  {
    weight: 3,
    arbitrary: fc
      .tuple(fc.constantFrom('', BASE_PATH), fc.array(nonsense, { maxLength: 5 }), query)
      .map(([base, parts, end]) => ({ route: null, path: `${base}/${parts.map(inLine).join('/')}${end}` })),
  },
  {
    weight: 1,
    arbitrary: fc
      .oneof(
        among('/ /healthz /readyz /metrics /api-playground/openapi.json /api-playground/ * http://['),
        fc.constantFrom('http://x/be/api/v1/gas/current', `/${'a'.repeat(5_000)}`, `/?${'b'.repeat(20_000)}`),
      )
      .map((path) => ({ route: null, path })),
  },
);

const headerValue = fc.oneof(
  nonsense.map((text) => text.replace(/[^\u0020-\u007e\u0080-\u00ff]/g, '')),
  among('gzip gzip;q=0,* br,*;q=0.5 GZIP;q=1 ,,, * W/"x" " W/"a","b" application/json'),
);
const headerName = fc.oneof(
  among('Accept Accept-Encoding If-None-Match Content-Type Range Cookie Authorization If-Modified-Since'),
  among('X-Forwarded-Host X-HTTP-Method-Override Origin Access-Control-Request-Method'),
);
const header = fc.tuple(headerName, headerValue).map(([name, text]) => `${name}: ${text}`);
const headers = fc.array(mostly(8, header, fc.constantFrom('If-None-Match: *', 'Accept-Encoding: gzip')), {
  maxLength: 3,
});

/** Headers that change how the message itself is read. */
const framing = fc.constantFrom(
  'Expect: 100-continue',
  'Expect: miracles',
  'Transfer-Encoding: chunked',
  'Transfer-Encoding: gzip, chunked',
  'Content-Length: 5\r\nContent-Length: 6',
  'Content-Length: -1',
  'Content-Length: 999999999',
  'Content-Length: 300000',
  'Upgrade: websocket\r\nConnection: Upgrade',
  'Connection: close',
  'Host: two\r\nHost: hosts',
  'no colon',
  ' folded: header',
  'Bad\u0000Name: x',
  `X-Big: ${'x'.repeat(20_000)}`,
  Array.from({ length: 300 }, (_, i) => `X-${i}: y`).join('\r\n'),
);

const anyRequest: Arbitrary<Asked> = fc
  .record({
    method: fc.oneof(
      { weight: 10, arbitrary: fc.constant('GET') },
      { weight: 3, arbitrary: among('HEAD POST PUT DELETE OPTIONS') },
      { weight: 1, arbitrary: among('PATCH TRACE CONNECT PROPFIND QUERY get FOO G\u00c9T') },
    ),
    target,
    headers,
    body: mostly<string | null>(
      3,
      fc.constant(null),
      fc.oneof(fc.json(), fc.string(), fc.constantFrom('{', '{"status":"DISABLED"}', 'x'.repeat(100_000))),
    ),
  })
  .map(({ target, body, ...rest }) => ({
    ...rest,
    ...target,
    body: body === null ? null : Buffer.from(body),
  }));

/** Nothing of it is ever sent anywhere: the names lead nowhere. */
const GOOD = {
  thresholdGwei: 0.000000001,
  gasSpeed: 'FAST',
  condition: 'LESS_THAN',
  cooldownMs: 86_400_000,
  disableOnce: true,
  method: 'SLACK',
  channels: ['SLACK', 'TERMINAL', 'WEBHOOK'],
  to: 'https://slack.invalid/hook',
  targets: { WEBHOOK: 'https://receiver.invalid/hook' },
  note: 'deploy now',
  hysteresisGwei: 0.5,
  confirmBlocks: 3,
};
const anything = fc.oneof(
  fc.constantFrom(0, -0, 1e-9, 1e-10, 1e6, 1_000_000.000000001, 2 ** 53, 1e308),
  fc.double(),
  fc.string({ unit: anyCharacter }),
  fc.constantFrom('😀'.repeat(500), 'x'.repeat(501), 'é'.repeat(60_000), `${'a.'.repeat(2_000)}@example.org`),
  fc.constantFrom('\u0000', '\ud800', '\u001b]0;title\u0007', 'gas@example.org\r\nBcc: all@example.org'),
  among('https://127.0.0.1 https://[::1]:443/ https://0x7f.1/ https://user:pass@receiver.invalid file:///x'),
  among('EMAIL WEBHOOK SLACK TELEGRAM TERMINAL PENDING DISABLED SLOW @gas_news https:// javascript:alert(1)'),
  fc.jsonValue({ maxDepth: 4 }),
);
const field = mostly(
  6,
  fc.constantFrom(...Object.keys(GOOD)),
  among('__proto__ constructor toString hasOwnProperty id owner status '),
);
/** A good alert with a few fields made up, as text: an object could not hold `__proto__`. */
const alert = fc.array(fc.tuple(field, anything), { maxLength: 3 }).map((changes) => {
  const fields = new Map<string, unknown>([...Object.entries(GOOD), ...changes]);
  return `{${[...fields].map(([name, value]) => `${JSON.stringify(name)}:${JSON.stringify(value)}`).join(',')}}`;
});
const list = fc
  .array(fc.oneof(among('EMAIL WEBHOOK SLACK TELEGRAM TERMINAL'), anything), { maxLength: 8 })
  .map((channels) => JSON.stringify({ ...GOOD, method: undefined, channels }));
const repeated = fc
  .tuple(among('[ {"a": [{"thresholdGwei": " {"channels":[ \\u0000 [],'), fc.integer({ min: 1, max: 40_000 }))
  .map(([part, times]) => part.repeat(times).slice(0, 30_000));
const text = mostly(
  6,
  mostly(2, alert, list),
  fc.json(),
  repeated,
  anything.map((status) => JSON.stringify({ status })),
  anything.map((deliveryId) => JSON.stringify({ deliveryId })),
  fc.constantFrom('{"status":"DISABLED"}', '{"status":"PENDING"}', '', '{', 'null', '{"a":1e999}'),
);
const alertBody = mostly(
  8,
  text.map((said) => Buffer.from(said)),
  text.map((said) => Buffer.from(said, 'utf16le')),
  text.map((said) => Buffer.from(`\ufeff${said}`)),
  fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes)),
);
const contentType = mostly(
  4,
  fc.constant('Content-Type: application/json'),
  fc.constantFrom(
    'Content-Type: APPLICATION/JSON;charset=UTF-8',
    'Content-Type: application/json; charset=utf-16',
    'Content-Type: multipart/form-data; boundary=x',
    'Content-Type: ',
    'X-No-Content-Type: at all',
    'Content-Type: application/json\r\nContent-Encoding: gzip',
  ),
);
const ALERT_ROUTES = fc.constantFrom<readonly [string, keyof typeof PATHS]>(
  ['POST', 'alerts'],
  ['PUT', 'alertStatus'],
  ['PUT', 'alert'],
  ['POST', 'alertRedeliver'],
  ['GET', 'alertSavings'],
  ['PUT', 'alerts'],
);

/** Requests to the alert routes, with bodies from good to hopeless; none deletes `alertId`. */
function alertRequest(alertId: string): Arbitrary<Asked> {
  const odd = fc.oneof(among("none %00 %ff ..%2f.. * '-- %f0%9f%98%80"), fc.constant('a'.repeat(3_000)));
  const asked = mostly<readonly [readonly [string, keyof typeof PATHS], string]>(
    12,
    fc.tuple(ALERT_ROUTES, mostly(5, fc.constant(alertId), odd)),
    odd.map((id) => [['DELETE', 'alert'], id] as const),
  );
  return fc.tuple(asked, contentType, alertBody).map(([[[method, route], id], type, body]) => ({
    method,
    route,
    path: BASE_PATH + PATHS[route].replace('{id}', id),
    headers: [type],
    body,
  }));
}

const manner: Arbitrary<Manner> = fc.oneof(
  { weight: 300, arbitrary: fc.constant<Manner>('whole') },
  { weight: 15, arbitrary: fc.constantFrom<Manner>('in pieces', 'half-closed', 'aborted', 'then garbage') },
  { weight: 1, arbitrary: fc.constant<Manner>('stalled') },
);

export function madeRequests({ key, slowKey, alertId }: Keys): Arbitrary<MadeRequest> {
  const keys = mostly<readonly string[]>(
    12,
    fc.constant([key]),
    fc.constantFrom([slowKey], [], [key, slowKey]),
    headerValue.map((text) => [text]),
    fc.nat(50).map((at) => [`${key.slice(0, at)}x${key.slice(at + 1)}`]),
  );
  return fc
    .record({
      asked: mostly(4, anyRequest, alertRequest(alertId)),
      keys,
      odd: mostly<string | null>(15, fc.constant(null), framing),
      manner,
    })
    .map(({ asked: { method, route, path, headers, body }, keys, odd, manner }) => {
      const length = body === null ? [] : [`Content-Length: ${body.length}`];
      const keyHeaders = keys.map((text) => `x-api-key: ${text}`);
      const last = odd === null ? length : [odd];
      const lines = [`${method} ${path} HTTP/1.1`, 'Host: localhost', ...keyHeaders, ...headers, ...last];
      const head = Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1');
      return {
        method,
        route,
        bytes: Buffer.concat([head, body ?? Buffer.alloc(0)]),
        manner,
        isLast: odd !== null || manner !== 'whole' || !/^[A-Z]+$/.test(method),
      };
    });
}
