import { hostname } from 'node:os';
import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { isForbiddenAddress, readWebTarget } from '../../../src/service/alerts/target-rules.ts';
import { rounds } from '../../helpers/rounds.ts';

/** The first and last address of each IPv4 block that is not for everybody, and their public neighbours. */
const FORBIDDEN_V4 = [
  ['0.0.0.0', '0.255.255.255'],
  ['10.0.0.0', '10.255.255.255'],
  ['100.64.0.0', '100.127.255.255'],
  ['127.0.0.0', '127.255.255.255'],
  ['168.63.129.16', '168.63.129.16'],
  ['169.254.0.0', '169.254.255.255'],
  ['172.16.0.0', '172.31.255.255'],
  ['192.0.0.0', '192.0.0.255'],
  ['192.0.2.0', '192.0.2.255'],
  ['192.88.99.0', '192.88.99.255'],
  ['192.168.0.0', '192.168.255.255'],
  ['198.18.0.0', '198.19.255.255'],
  ['198.51.100.0', '198.51.100.255'],
  ['203.0.113.0', '203.0.113.255'],
  ['224.0.0.0', '255.255.255.255'],
] as const;

const toNumber = (dotted: string) => dotted.split('.').reduce((sum, byte) => sum * 256 + Number(byte), 0);
const toDotted = (value: number) => [24, 16, 8, 0].map((shift) => (value >>> shift) & 0xff).join('.');
const hex = (value: number) => (value >>> 0).toString(16).padStart(8, '0');
const isListed = (value: number) =>
  FORBIDDEN_V4.some(([first, last]) => value >= toNumber(first) && value <= toNumber(last));

const anyV4 = fc.oneof(
  fc.nat(0xffffffff),
  fc.constantFrom(...FORBIDDEN_V4).chain(([first, last]) =>
    fc.integer({
      min: Math.max(toNumber(first) - 1, 0),
      max: Math.min(toNumber(last) + 1, 0xffffffff),
    }),
  ),
);

describe('an IPv4 address', () => {
  it('is forbidden within the blocks that are not for everybody, and nowhere else', () => {
    fc.assert(
      fc.property(anyV4, (value) => {
        expect(isForbiddenAddress(toDotted(value))).toBe(isListed(value));
      }),
      { numRuns: rounds(2_000) },
    );
  });

  it('is judged the same within IPv6: mapped, and behind NAT64', () => {
    fc.assert(
      fc.property(anyV4, (value) => {
        const tail = `${hex(value).slice(0, 4)}:${hex(value).slice(4)}`;
        const forms = [
          `::ffff:${toDotted(value)}`,
          `::ffff:${tail}`,
          `0:0:0:0:0:FFFF:${tail}`,
          `64:ff9b::${tail}`,
        ];
        expect(forms.map(isForbiddenAddress)).toEqual(forms.map(() => isListed(value)));
      }),
      { numRuns: rounds(2_000) },
    );
  });

  it('is seen in every spelling that a URL takes: decimal, octal, hexadecimal, fewer parts, full width', () => {
    fc.assert(
      fc.property(anyV4, (value) => {
        const bytes = toDotted(value).split('.').map(Number);
        const [first = 0, second = 0, third = 0, fourth = 0] = bytes;
        const spellings = [
          toDotted(value),
          String(value),
          `0x${hex(value)}`,
          `0${value.toString(8)}`,
          bytes.map((byte) => `0x${byte.toString(16)}`).join('.'),
          bytes.map((byte) => `0${byte.toString(8)}`).join('.'),
          `${first}.${(second << 16) | (third << 8) | fourth}`,
          `${first}.${second}.${(third << 8) | fourth}`,
          toDotted(value).replace(/\d/g, (digit) => String.fromCodePoint(0xff10 + Number(digit))),
          `[::ffff:${toDotted(value)}]`,
          `${toDotted(value)}.`,
        ];
        const taken = spellings.map(
          (host) => readWebTarget(`https://${host}/hook`, { allowPrivateTargets: false }) instanceof URL,
        );
        expect(taken).toEqual(spellings.map(() => !isListed(value)));
      }),
      { numRuns: rounds(500) },
    );
  });
});

test.each([
  ['loopback', '::1'],
  ['unspecified', '::'],
  ['IPv4-compatible', '::8.8.8.8'],
  ['link-local', 'fe80::1'],
  ['link-local with its zone', 'fe80::1%eth0'],
  ['site-local, long deprecated', 'fec0::1'],
  ['unique local', 'fd12:3456::1'],
  ['metadata of AWS', 'fd00:ec2::254'],
  ['multicast', 'ff02::1'],
  ['discard', '100::1'],
  ['Teredo', '2001:0:4136:e378:8000:63bf:3fff:fdd2'],
  ['ORCHID', '2001:20::1'],
  ['documentation', '2001:db8::1'],
  ['new documentation', '3fff:fff::1'],
  ['6to4, whatever it carries', '2002:808:808::1'],
  ['local NAT64, whatever it carries', '64:ff9b:1::808:808'],
  ['segment routing', '5f00::1'],
  ['no address', 'receiver.test'],
  ['nothing', ''],
])('%s is forbidden: %s', (_name, address) => {
  expect(isForbiddenAddress(address)).toBe(true);
});

test.each(['2606:4700:4700::1111', '2001:4860:4860::8888', '2a00:1450::1', '2400:cb00::1'])(
  'global unicast is not: %s',
  (address) => {
    expect(isForbiddenAddress(address)).toBe(false);
  },
);

describe('the URL of a receiver', () => {
  const problemOf = (text: string, allowPrivateTargets = false) => {
    const target = readWebTarget(text, { allowPrivateTargets });
    return typeof target === 'string' ? target : null;
  };

  it.each([
    ['not a url', 'must be a URL'],
    ['/hook', 'must be a URL'],
    ['http://receiver.test/hook', 'must begin with https://'],
    ['ftp://receiver.test/hook', 'must begin with https://'],
    ['javascript:alert(1)', 'must begin with https://'],
    ['file:///etc/passwd', 'must begin with https://'],
    ['https://me:secret@receiver.test/', 'must have no user name or password in it'],
    ['https://receiver.test@127.0.0.1/', 'must have no user name or password in it'],
    ['https://receiver.test:0/', 'must not have port 0'],
    [
      'http://127.0.0.1:8080/hook',
      'private network (127.0.0.1); the operator can allow it with --allow-private-targets',
    ],
    ['https://localhost/', 'private network (localhost)'],
    ['https://LOCALHOST./', 'private network (localhost.)'],
    ['https://localhost../', 'private network (localhost..)'],
    ['https://printer.local../', 'private network'],
    [`https://${hostname()}/`, 'private network'],
    [`https://${hostname().toUpperCase()}./`, 'private network'],
    ['https://a.localhost/', 'private network'],
    ['https://printer.local/', 'private network'],
    ['https://metadata.google.internal/', 'private network'],
    ['https://[::1]/', 'private network (::1)'],
    ['https://169.254.169.254/latest', 'private network (169.254.169.254)'],
  ])('%s: %s', (text, problem) => {
    expect(problemOf(text)).toContain(problem);
  });

  it('never has its password repeated', () => {
    expect(problemOf('https://me:s3cret@10.0.0.1/')).not.toContain('s3cret');
  });

  it('may be public', () => {
    expect(problemOf('https://receiver.test/hook?a=b')).toBeNull();
    expect(problemOf('https://8.8.8.8:8443/hook')).toBeNull();
    expect(problemOf('https://localhost.receiver.test/')).toBeNull();
  });

  it('may be private, and without TLS, where the operator allows it; a password in it never', () => {
    expect(problemOf('http://127.0.0.1:8080/hook', true)).toBeNull();
    expect(problemOf('http://[::1]/hook', true)).toBeNull();
    expect(problemOf('https://printer.local/', true)).toBeNull();
    expect(problemOf('ftp://127.0.0.1/', true)).toBe('must begin with https:// or http://');
    expect(problemOf('http://me:secret@127.0.0.1/', true)).toContain('password');
  });
});
