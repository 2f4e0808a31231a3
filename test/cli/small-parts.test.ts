import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { bucketFor } from '../../src/cli/commands/history.ts';
import { chainDatabase, configFile } from '../../src/cli/config-file.ts';
import { expandRpc } from '../../src/cli/main.ts';
import { cleanLine, jsonResponse, toAscii } from '../../src/cli/output.ts';
import { durationText, parseDuration } from '../../src/cli/parse.ts';
import { wrapWords } from '../../src/core/text.ts';
import { anyCharacter } from '../helpers/any-character.ts';

describe('durations', () => {
  it('are read in seconds, minutes, hours and days', () => {
    const limits = { min: '1s', max: '30d' };
    expect(['45s', '90m', '24h', '7d'].map((text) => parseDuration(text, limits))).toEqual([
      45, 5_400, 86_400, 604_800,
    ]);
  });

  it('are written so that reading gives the same', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 9_000_000 }), (sec) => {
        expect(parseDuration(durationText(sec), { min: '1s', max: '999d' })).toBe(sec);
      }),
    );
  });

  it.each(['', '5', 'h', '1.5h', '-1h', '1w', '24 h', '1h30m', '99999999h'])('"%s" is refused', (text) => {
    expect(() => parseDuration(text, { min: '1s', max: '30d' })).toThrow(RangeError);
  });

  it('out of range say the range', () => {
    expect(() => parseDuration('31d', { min: '1h', max: '30d' })).toThrow('from 1h to 30d');
  });
});

describe('--rpc', () => {
  it('takes every URL that follows and leaves the command alone', () => {
    expect(expandRpc(['--rpc', 'http://a', 'ws://b', 'now', '--json'])).toEqual([
      '--rpc',
      'http://a',
      '--rpc',
      'ws://b',
      'now',
      '--json',
    ]);
    expect(expandRpc(['now', '--rpc=http://a', 'http://b'])).toEqual([
      'now',
      '--rpc=http://a',
      '--rpc',
      'http://b',
    ]);
    expect(expandRpc(['--rpc', 'http://a', '--', 'http://b'])).toEqual([
      '--rpc',
      'http://a',
      '--',
      'http://b',
    ]);
    expect(expandRpc(['--rpc', 'bad', 'http://b', 'now'])).toEqual([
      '--rpc',
      'bad',
      '--rpc',
      'http://b',
      'now',
    ]);
  });

  it('leaves other command lines as they are', () => {
    fc.assert(
      fc.property(fc.array(fc.string().filter((word) => !word.startsWith('--rpc'))), (argv) => {
        expect(expandRpc(argv)).toEqual(argv);
      }),
    );
  });
});

describe('folders', () => {
  const home = '/home/ada';
  it('follow the XDG specification, where a relative path is ignored', () => {
    expect(configFile({ platform: 'linux', home, env: {} })).toBe('/home/ada/.config/gastop/config.json');
    expect(configFile({ platform: 'linux', home, env: { XDG_CONFIG_HOME: '/x' } })).toBe(
      '/x/gastop/config.json',
    );
    expect(configFile({ platform: 'linux', home, env: { XDG_CONFIG_HOME: 'x' } })).toBe(
      '/home/ada/.config/gastop/config.json',
    );
    expect(chainDatabase({ platform: 'linux', home, env: {} }, { id: 1 })).toBe(
      '/home/ada/.local/share/gastop/chain-1.db',
    );
  });

  it('are the platform’s own on macOS and Windows', () => {
    expect(chainDatabase({ platform: 'darwin', home: '/Users/ada', env: {} }, { id: 10 })).toBe(
      '/Users/ada/Library/Application Support/gastop/chain-10.db',
    );
    const windows = { platform: 'win32' as const, home: 'C:\\Users\\ada' };
    expect(configFile({ ...windows, env: { APPDATA: 'D:\\Roaming' } })).toBe(
      'D:\\Roaming\\gastop\\config.json',
    );
    expect(chainDatabase({ ...windows, env: {} }, { id: 1 })).toBe(
      'C:\\Users\\ada\\AppData\\Local\\gastop\\chain-1.db',
    );
  });
});

describe('foreign text', () => {
  it('reaches the terminal as one line without control characters', () => {
    fc.assert(
      fc.property(fc.string({ unit: anyCharacter, maxLength: 2_000 }), (text) => {
        const line = cleanLine(text);
        expect(line).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/);
        expect(line.length).toBeLessThanOrEqual(601);
      }),
    );
    expect(cleanLine('\u001b[31mred\u001b[0m\r\nnext')).toBe('red next');
  });

  it('that should be JSON and is not is no answer for a script', () => {
    expect(jsonResponse('{"a":1}', '/x')).toBe('{"a":1}\n');
    expect(() => jsonResponse('<html>', '/x')).toThrow('not JSON');
  });

  it('in ASCII holds nothing else', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (text) => {
        expect(toAscii(text)).toMatch(/^[\u0000-\u007f]*$/);
      }),
    );
    expect(toAscii('a · b — −2 %')).toBe('a | b - -2 %');
  });
});

describe('rows of history', () => {
  it('use the finest bucket that fits', () => {
    expect([3_600, 86_400, 604_800, 2_592_000].map((sec) => bucketFor(sec, 750))).toEqual([
      '1m',
      '5m',
      '1h',
      '1h',
    ]);
    expect([3_600, 86_400, 604_800, 2_592_000].map((sec) => bucketFor(sec, 48))).toEqual([
      '5m',
      '1h',
      '1d',
      '1d',
    ]);
  });
});

describe('wrapped words', () => {
  it('stay within the width, end without spaces, and lose nothing', () => {
    fc.assert(
      fc.property(
        fc.array(fc.stringMatching(/^[a-z]{0,30}$/)),
        fc.integer({ min: 1, max: 40 }),
        (words, width) => {
          const text = words.join(' ');
          const lines = wrapWords(text, width);
          for (const line of lines) expect(line).toMatch(new RegExp(`^(.{0,${width - 1}}[a-z])?$`));
          expect(lines.join('').replaceAll(' ', '')).toBe(text.replaceAll(' ', ''));
        },
      ),
    );
  });
});
