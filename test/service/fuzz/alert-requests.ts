import fc from 'fast-check';
import { BASE_PATH, PATHS } from '../../../src/contract/routes.ts';
import { anyCharacter } from '../../helpers/any-character.ts';

/** A question to an alert route, with a body from good to hopeless. */
export interface AlertRequest {
  readonly method: string;
  readonly route: keyof typeof PATHS;
  readonly path: string;
  readonly headers: readonly string[];
  readonly body: Buffer;
}

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

const number = fc.oneof(
  fc.double(),
  fc.integer(),
  fc.constantFrom(0, -0, 1e-9, 1e-10, 1e6, 1_000_000.000000001, 2 ** 53, 1e308, 0.1 + 0.2),
);
const text = fc.oneof(
  fc.string({ unit: anyCharacter }),
  fc.constantFrom(
    '',
    '\u0000',
    '\ud800',
    '😀'.repeat(500),
    'x'.repeat(501),
    'é'.repeat(60_000),
    '\u001b]0;title\u0007',
    "'; drop table alerts; --",
    'gas@example.org\r\nBcc: all@example.org',
    `${'a.'.repeat(2_000)}@example.org`,
    `a@${'b-'.repeat(120)}c`,
  ),
  fc.constantFrom(
    'https://receiver.invalid/hook',
    'http://receiver.invalid',
    'https://127.0.0.1',
    'https://[::1]:443/',
    'https://0x7f.1/',
    'https://user:pass@receiver.invalid',
    'file:///etc/passwd',
    'javascript:alert(1)',
    'https://',
    `https://receiver.invalid/${'%20'.repeat(600)}`,
    'https://\u3000receiver.invalid',
  ),
  fc.constantFrom(
    'EMAIL',
    'WEBHOOK',
    'SLACK',
    'TELEGRAM',
    'TERMINAL',
    'PENDING',
    'DISABLED',
    'SLOW',
    '@gas_news',
  ),
);
const anything = fc.oneof(number, text, fc.boolean(), fc.constant(null), fc.jsonValue({ maxDepth: 4 }));
const field = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom(...Object.keys(GOOD)) },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      '__proto__',
      'constructor',
      'toString',
      'hasOwnProperty',
      'id',
      'owner',
      'status',
      '',
    ),
  },
);

/** A good alert with a few fields made up, as text: an object could not hold `__proto__`. */
const alert = fc.array(fc.tuple(field, anything), { maxLength: 3 }).map((changes) => {
  const fields = new Map<string, unknown>([...Object.entries(GOOD), ...changes]);
  return `{${[...fields].map(([name, value]) => `${JSON.stringify(name)}:${JSON.stringify(value)}`).join(',')}}`;
});

const list = fc
  .array(fc.oneof(fc.constantFrom('EMAIL', 'WEBHOOK', 'SLACK', 'TELEGRAM', 'TERMINAL'), anything), {
    maxLength: 8,
  })
  .map((channels) => JSON.stringify({ ...GOOD, method: undefined, channels }));

const repeated = fc
  .tuple(
    fc.constantFrom('[', '{"a":', '[{"thresholdGwei":', '"', '{"channels":[', '\\u0000', ' ', '[],'),
    fc.integer({ min: 1, max: 40_000 }),
  )
  .map(([part, times]) => part.repeat(times).slice(0, 30_000));

const many = fc
  .integer({ min: 1, max: 15_000 })
  .map((count) => JSON.stringify({ channels: Array.from({ length: count }, (_, at) => at % 7) }));

const words = fc.oneof(
  { weight: 4, arbitrary: alert },
  { weight: 2, arbitrary: list },
  { weight: 1, arbitrary: fc.json() },
  { weight: 1, arbitrary: repeated },
  { weight: 1, arbitrary: many },
  {
    weight: 2,
    arbitrary: anything.map((status) => JSON.stringify({ status })),
  },
  { weight: 1, arbitrary: anything.map((deliveryId) => JSON.stringify({ deliveryId })) },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      '{"status":"DISABLED"}',
      '{"status":"PENDING"}',
      '',
      '{',
      'null',
      '{"a":1e999}',
    ),
  },
);

const body = fc.oneof(
  { weight: 8, arbitrary: words.map((said) => Buffer.from(said)) },
  {
    weight: 1,
    arbitrary: fc
      .tuple(words, fc.constantFrom<BufferEncoding>('latin1', 'utf16le'))
      .map(([said, encoding]) => Buffer.from(said, encoding)),
  },
  { weight: 1, arbitrary: fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes)) },
  { weight: 1, arbitrary: words.map((said) => Buffer.from(`\ufeff${said}`)) },
);

const type = fc.oneof(
  { weight: 8, arbitrary: fc.constant('Content-Type: application/json') },
  {
    weight: 2,
    arbitrary: fc.constantFrom(
      'Content-Type: APPLICATION/JSON;charset=UTF-8',
      'Content-Type: application/json; charset=utf-16',
      'Content-Type: text/plain',
      'Content-Type: multipart/form-data; boundary=x',
      'Content-Type: application/json, text/plain',
      'Content-Type: ',
      'X-No-Content-Type: at all',
      'Content-Type: application/json\r\nContent-Encoding: gzip',
    ),
  },
);

/** Questions to the alert routes; `alertId` is an alert that is there, until one of them deletes it. */
export function alertRequests(alertId: string): fc.Arbitrary<AlertRequest> {
  const id = fc.oneof(
    { weight: 5, arbitrary: fc.constant(alertId) },
    {
      weight: 1,
      arbitrary: fc.constantFrom(
        'none',
        '%00',
        '%ff',
        '..%2f..',
        '*',
        "'--",
        '%f0%9f%98%80',
        'a'.repeat(3_000),
      ),
    },
  );
  const asked = fc.oneof(
    {
      weight: 5,
      arbitrary: fc.constantFrom(
        ['POST', 'alerts'] as const,
        ['PUT', 'alertStatus'] as const,
        ['PUT', 'alert'] as const,
        ['POST', 'alertRedeliver'] as const,
      ),
    },
    {
      weight: 1,
      arbitrary: fc.constantFrom(
        ['GET', 'alerts'] as const,
        ['GET', 'alert'] as const,
        ['GET', 'alertSavings'] as const,
        ['PUT', 'alerts'] as const,
      ),
    },
  );
  const deletion = id
    .filter((each) => each !== alertId)
    .map((each) => ({ asked: ['DELETE', 'alert'] as const, id: each }));
  return fc
    .tuple(
      fc.oneof({ weight: 12, arbitrary: fc.record({ asked, id }) }, { weight: 1, arbitrary: deletion }),
      type,
      body,
    )
    .map(([{ asked, id }, type, body]) => ({
      method: asked[0],
      route: asked[1],
      path: BASE_PATH + PATHS[asked[1]].replace('{id}', id),
      headers: [type],
      body,
    }));
}
