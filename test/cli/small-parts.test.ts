import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { chainDatabase, configFile } from '../../src/cli/config-file.ts';
import { expandRpc } from '../../src/cli/main.ts';
import { toAscii } from '../../src/cli/output.ts';
import { wrapWords } from '../../src/core/text.ts';
import { inAscii } from '../../src/tui/ui/theme.ts';

it('--rpc takes every URL that follows and leaves the command alone', () => {
  expect(expandRpc(['--rpc', 'http://a', 'ws://b', 'now', '--json'])).toEqual(
    '--rpc http://a --rpc ws://b now --json'.split(' '),
  );
  expect(expandRpc(['now', '--rpc=http://a', 'http://b'])).toEqual(
    'now --rpc=http://a --rpc http://b'.split(' '),
  );
  expect(expandRpc(['--rpc', 'http://a', '--', 'http://b'])).toEqual('--rpc http://a -- http://b'.split(' '));
  expect(expandRpc(['--rpc', 'bad', 'http://b', 'now'])).toEqual('--rpc bad --rpc http://b now'.split(' '));
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

it('foreign text in ASCII holds nothing else', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), (text) => {
      expect(toAscii(text)).toMatch(/^[\u0000-\u007f]*$/);
    }),
  );
  expect(toAscii('a · b — −2 %')).toBe('a | b - -2 %');
});

it.each([
  ['name “Ada’s token”', `name "Ada's token"`],
  ['0x1234… ≤ 5 ¢ ± 1, ≥ 2', '0x1234... <= 5 c +- 1, >= 2'],
  ['● on ▸ off ■', '* on > off $'],
  ['╭─╮│█▓▒░│╰─╯', "...|#+:.|'-'".replace('...', '.-.')],
])('%s has in ASCII the signs that screens have for it', (text, plain) => {
  expect(toAscii(text)).toBe(plain);
  expect(inAscii(text.replaceAll('…', ''))).toBe(plain.replaceAll('...', ''));
});

it('wrapped words stay within the width, end without spaces, and lose nothing', () => {
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
