import { describe, expect, it } from 'vitest';
import { ALERT_CHANNELS, CHANNELS } from '../../src/contract/alert-channels.ts';
import {
  ANY_SERVICE,
  channelWarnings,
  methodOf,
  type TargetRules,
  targetsOf,
} from '../../src/contract/alert-targets.ts';
import { checkAlert } from '../../src/contract/alerts.ts';

const MAIL = {
  thresholdGwei: 5,
  gasSpeed: 'AVERAGE',
  condition: 'LESS_THAN',
  channels: ['EMAIL'],
  to: 'gas@example.org',
} as const;

const STRICT: TargetRules = {
  ...ANY_SERVICE,
  refuseUrl: (url) => (url.startsWith('https:') ? ANY_SERVICE.refuseUrl(url) : 'must begin with https://'),
};

function problems(body: unknown, rules = STRICT): string[] {
  const checked = checkAlert(body, rules);
  return checked.ok ? [] : checked.problems.map(({ path, message }) => `${path} ${message}`.trim());
}

const ONE_OF = `one of ${ALERT_CHANNELS.join(', ')}`;
const URL_CHANNELS = CHANNELS.flatMap(({ name, target }) => (target?.refuse === 'unless-url' ? [name] : []));
const withTarget = (channel: string, to: string) => ({ ...MAIL, channels: [channel], to });

describe('a new alert', () => {
  it('gets what is left out', () => {
    const value = { ...MAIL, cooldownMs: 3_600_000, disableOnce: false, note: '' };
    expect(checkAlert(MAIL, STRICT)).toEqual({
      ok: true,
      value: { ...value, hysteresisGwei: 0, confirmBlocks: 1 },
    });
  });

  it('is told everything that is wrong with it at once, by field', () => {
    const wrong = {
      ...{ thresholdGwei: 0, condition: 'BELOW', cooldownMs: 1.5, disableOnce: 'no', confirmBlocks: 1e20 },
      ...{ method: 'SLACK', channels: ['EMIAL', 'WEBHOOK', 'WEBHOOK'], speed: 'FAST' },
      ...{ targets: { WEBHOOK: 'http://example.org/hook' }, note: '😀'.repeat(501) },
    };
    expect(problems(wrong)).toEqual([
      'thresholdGwei must be above 0',
      'gasSpeed is missing: one of SLOW, AVERAGE, FAST, BLOB',
      'condition must be one of LESS_THAN, GREATER_THAN',
      'cooldownMs must be a whole number',
      'disableOnce must be true or false',
      `channels.0 must be ${ONE_OF}`,
      'note must have at most 500 characters',
      'confirmBlocks must be at most 1,000',
      'speed is not a field of this request',
      'channels.2 must name WEBHOOK only once',
      'targets.WEBHOOK must begin with https://',
      'to is missing: the URL of an incoming webhook',
    ]);
  });

  it.each([
    [
      { targets: { TERMINAL: 'x', WEBHOOK: 'https://a.example', FOO: 'x', SLACK: '' } },
      [
        'targets.FOO is not a field of this request',
        'targets.SLACK must not be empty',
        'targets.TERMINAL must be left out: TERMINAL is not in channels',
        'targets.WEBHOOK must be left out: WEBHOOK is not in channels',
      ],
    ],
    [{ to: 'a@example.org\r\nBcc: b@example.org' }, ['to must be one email address such as gas@example.org']],
    [
      { method: 'PIGEON', to: 'gas', targets: { WEBHOOK: 'https://a.example' } },
      [`method must be ${ONE_OF}`],
    ],
    [
      {
        method: 'TELEGRAM',
        channels: ['TELEGRAM', 'EMAIL', 'WEBHOOK'],
        to: 'x',
        targets: { EMAIL: 'gas', FOO: 'x' },
      },
      [
        'targets.EMAIL must be one email address such as gas@example.org',
        'targets.FOO is not a field of this request',
        'targets.WEBHOOK is missing: a URL',
        'to must be a chat id: a number such as -1001234567890, or @channel',
      ],
    ],
    [
      { method: 'PIGEON', channels: ['EMAIL', 'PIGEON'], to: 'coo' },
      [`channels.1 must be ${ONE_OF}`, `method must be ${ONE_OF}`],
    ],
    [
      { channels: [], targets: { EMAIL: 'gas' } },
      ['channels must not be empty', 'targets.EMAIL must be one email address such as gas@example.org'],
    ],
    [{ targets: 7, to: 'gas' }, ['targets must be a JSON object']],
  ])('%j is told of each target that is wrong', (change, words) => {
    expect(problems({ ...MAIL, ...change }).sort()).toEqual([...words].sort());
  });

  it('whose method is none of its channels is asked for no target before it is', () => {
    const body = { ...MAIL, method: 'SLACK', channels: ['WEBHOOK', 'EMAIL'] };
    expect(problems(body)).toEqual(['method must be one of channels: WEBHOOK, EMAIL']);
  });

  it.each([
    [{ thresholdGwei: 1_000_001 }, 'thresholdGwei must be at most 1,000,000'],
    [{ thresholdGwei: 0.0000000001 }, 'thresholdGwei must have at most 9 decimals'],
    [{ thresholdGwei: 999_999.9999999994 }, 'thresholdGwei must have at most 9 decimals'],
    [{ thresholdGwei: '5' }, 'thresholdGwei must be a number'],
    [{ targets: JSON.parse('{"__proto__":"x"}') }, `targets.__proto__ must be ${ONE_OF}`],
    [{ cooldownMs: -1e300 }, 'cooldownMs must be at least 0'],
    [{ cooldownMs: 2_592_000_001 }, 'cooldownMs must be at most 2,592,000,000'],
    [{ hysteresisGwei: -1 }, 'hysteresisGwei must be at least 0'],
    [{ confirmBlocks: 0 }, 'confirmBlocks must be at least 1'],
    [{ channels: [] }, 'channels must not be empty'],
    [{ channels: 'EMAIL' }, 'channels must be a list'],
    [{ to: 5 }, 'to must be text'],
    [{ method: 'PIGEON' }, `method must be ${ONE_OF}`],
    [{ targets: { PIGEON: 'coo' } }, 'targets.PIGEON is not a field of this request'],
    [{ targets: { SLACK: '' } }, 'targets.SLACK must not be empty'],
  ])('%j is refused with words', (change, words) => {
    expect(problems({ ...MAIL, ...change })).toEqual([words]);
  });

  it.each([[[]], [null], ['alert'], [7]])('%j is no alert', (body) => {
    expect(problems(body)).toEqual(['must be a JSON object']);
  });

  it('that watches for more cannot leave its threshold by as much as that', () => {
    const above = { ...MAIL, condition: 'GREATER_THAN', hysteresisGwei: 5 };
    expect(problems(above)).toEqual([expect.stringMatching(/^hysteresisGwei must be below thresholdGwei/)]);
    expect(problems({ ...above, hysteresisGwei: 4.9 })).toEqual([]);
    expect(problems({ ...above, condition: 'LESS_THAN' })).toEqual([]);
  });
});

describe('targets', () => {
  it('go to `to` for the method, which is the first channel, and to `targets` for the others', () => {
    const alert = {
      ...MAIL,
      channels: ['SLACK', 'EMAIL', 'TERMINAL'],
      to: 'https://hooks.example.org/T1',
      targets: { EMAIL: 'gas@example.org' },
    } as const;
    expect(problems(alert)).toEqual([]);
    expect(methodOf(alert)).toBe('SLACK');
    expect(targetsOf(alert)).toEqual({ SLACK: 'https://hooks.example.org/T1', EMAIL: 'gas@example.org' });
  });

  it('are wanted for each channel but TERMINAL, and for no other', () => {
    expect(problems({ ...MAIL, to: undefined })).toEqual(['to is missing: an address']);
    expect(problems({ ...MAIL, channels: ['EMAIL', 'TELEGRAM'] })).toEqual([
      'targets.TELEGRAM is missing: a chat id',
    ]);
    expect(problems({ ...MAIL, targets: { EMAIL: 'b@example.org', SLACK: 'https://example.org' } })).toEqual([
      'targets.EMAIL belongs in to: EMAIL is the method',
      'targets.SLACK must be left out: SLACK is not in channels',
    ]);
    expect(problems(withTarget('TERMINAL', ''))).toEqual([]);
    expect(problems(withTarget('TERMINAL', 'me'))).toEqual([expect.stringMatching(/^to must be left out/)]);
    expect(problems({ ...MAIL, method: 'SLACK' })[0]).toBe('method must be one of channels: EMAIL');
  });

  it.each([
    [
      'EMAIL',
      'must be one email address such as gas@example.org',
      [
        ...['a@b.example', 'root@localhost', "o'neil+gas@example.org", 'mëil@bücher.example'],
        `${'a'.repeat(64)}@example.org`,
      ],
      [
        ...['gas', '@example.org', 'gas@', 'a@b@example.org', 'a@example.org, b@example.org'],
        ...['a@example.org;b@example.org', 'Gas <a@example.org>', 'a@example.org\r\nBcc: b@example.org'],
        ...['a@example.org\n', 'a b@example.org', '"a b"@example.org', 'a..b@example.org', 'a@-example.org'],
        ...['a@[127.0.0.1]', 'a\u0000@example.org', `${'a'.repeat(65)}@example.org`, `a@${'b'.repeat(253)}`],
      ],
    ],
    [
      'TELEGRAM',
      'must be a chat id: a number such as -1001234567890, or @channel',
      ['-1001234567890', '42', '@gas_news'],
      ['0', '4.2', '@a', 'gas', '@gas news', '1/../2', '@gas?x=1'],
    ],
  ])('of %s have its form', (channel, words, right, wrong) => {
    for (const to of right) expect(problems(withTarget(channel, to)), to).toEqual([]);
    for (const to of wrong) expect(problems(withTarget(channel, to)), to).toEqual([`to ${words}`]);
  });

  it.each(URL_CHANNELS)('of %s are URLs that the service sends to', (channel) => {
    expect(problems(withTarget(channel, 'https://example.org:8443/a?b=c'))).toEqual([]);
    expect(problems(withTarget(channel, 'http://example.org'))).toEqual(['to must begin with https://']);
    expect(problems(withTarget(channel, 'http://example.org'), ANY_SERVICE)).toEqual([]);
    for (const to of ['javascript:alert(1)', 'ftp://example.org', 'mailto:gas@example.org']) {
      expect(problems(withTarget(channel, to), ANY_SERVICE)).toEqual(['to must begin with https://']);
    }
    for (const to of ['https://me:secret@example.org', 'https://me@example.org']) {
      expect(problems(withTarget(channel, to))).toEqual(['to must have no user name or password in it']);
    }
    for (const to of ['example.org', 'https://', 'https://a b', ' https://a', 'https://a/\nX-Header: 1']) {
      expect(problems(withTarget(channel, to))).toEqual(['to must be a URL, as https://example.org/hook']);
    }
  });

  it('of channels that a service has not set up are warned of, and refused for nothing', () => {
    const rules: TargetRules = { ...STRICT, missing: { EMAIL: 'waits' } };
    expect(problems(MAIL, rules)).toEqual([]);
    expect(channelWarnings(['SLACK', 'EMAIL'], rules)).toEqual([{ path: 'channels.1', message: 'waits' }]);
    expect(channelWarnings(['TERMINAL'], rules)).toEqual([]);
  });
});
