import { PassThrough } from 'node:stream';
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type MouseReport, mouseReport, TerminalInput } from '../../src/tui/input/terminal-input.ts';
import { rounds } from '../helpers/rounds.ts';
import { waitFor } from '../helpers/wait-for.ts';

/** What Ink reads of `reads`, each of which is one read of the terminal. */
function open() {
  const modes: boolean[] = [];
  const stdin = Object.assign(new PassThrough(), {
    setRawMode: (isRaw: boolean) => void modes.push(isRaw),
    ref: () => {},
    unref: () => {},
  });
  const written: string[] = [];
  const reports: MouseReport[] = [];
  const input = new TerminalInput(stdin as unknown as NodeJS.ReadStream, (text) => written.push(text));
  input.on('mouse', (report: MouseReport) => reports.push(report));
  input.setEncoding('utf8');
  let text = '';
  input.on('readable', () => {
    for (let piece = input.read(); piece !== null; piece = input.read()) text += piece;
  });
  input.setRawMode(true);
  return {
    input,
    stdin,
    modes,
    written,
    reports,
    read: (bytes: Buffer | string) => stdin.emit('data', Buffer.from(bytes)),
    text: () => text,
  };
}

const ESCAPE = '\x1b[27u';

/** Replies and reports; bytes where they are no text. */
const REPLIES: readonly (readonly [string, string | Buffer])[] = [
  ["tmux's version (XTVERSION)", '\x1bP>|tmux 3.4\x1b\\'],
  ['tertiary device attributes', '\x1bP!|7E565445\x1b\\'],
  ['a setting (DECRQSS)', '\x1bP1$r0 q\x1b\\'],
  ['a capability (XTGETTCAP)', '\x1bP1+r544e=787465726d\x1b\\'],
  ['a colour, ended by BEL', '\x1b]11;rgb:1e1e/1e1e/2e2e\x07'],
  ['a colour, ended by ST', '\x1b]10;rgb:ffff/ffff/ffff\x1b\\'],
  ['the clipboard', '\x1b]52;c;cXVpdAo=\x07'],
  ['the title', '\x1b]lqjdy\x1b\\'],
  ['a picture (kitty, APC)', '\x1b_Gi=31;OK\x1b\\'],
  ['a privacy message', '\x1b^dyq\x1b\\'],
  ['a start of string', '\x1bXdy é q\x1b\\'],
  ['a string in 8-bit controls', '\u0090>|dy\u009c'],
  ['an X10 mouse report', '\x1b[M !!'],
  ['an X10 mouse report beyond column 95', Buffer.from([0x1b, 0x5b, 0x4d, 0x20, 0xe0, 0x71])],
  ['a mouse report in UTF-8 (mode 1005)', '\x1b[M \u0100q'],
  ['device attributes in 8-bit controls', '\u009b?62;22c'],
  ['a click', '\x1b[<0;35;12M'],
  ['a button that is let go', '\x1b[<0;35;12m'],
  ['a move with a button held down', '\x1b[<32;35;12M'],
  ['the wheel', '\x1b[<64;35;12M'],
];

/** CSI sequences that Ink itself drops, once they are whole. */
const CSI = [
  '\x1b[?62;22c',
  '\x1b[>41;354;0c',
  '\x1b[24;80R',
  '\x1b[I',
  '\x1b[O',
  '\x1b[0n',
  '\x1b[?2026;2$y',
  '\x1b[32;35;12M',
  '\x1b[<0;35M',
  '\x1b[<0;35;99999M',
  '\x1b[<;;M',
  '\x1b[8;24;80t',
  '\x1b[?997;1n',
];
const KEYS = [
  'q',
  'é',
  '🚀',
  '\x1b[A',
  '\x1bOB',
  '\x1b[3~',
  '\x1b[1;5C',
  '\x1bb',
  '\x1b\x1b[D',
  '\r',
  '\t',
  '\x7f',
  '\x03',
];
const PASTES = ['\x1b[200~dy\x1b]11;q\x1bP\r\x1b[201~', '\x1b[200~\x1b[201~'];

describe('the input from a terminal', () => {
  it.each(REPLIES)('drops %s, and passes the keys around it', async (_, reply) => {
    const { read, text } = open();
    read('a');
    read(reply);
    read('b');
    await waitFor(() => text() === 'ab');
  });

  it('passes keys, pastes and whole sequences, and nothing of a string, however the reads cut them', async () => {
    const bytes = (value: string | Buffer) => Buffer.from(value);
    const part = fc.oneof(
      fc.constantFrom(...KEYS, ...CSI, ...PASTES).map((value) => ({ bytes: bytes(value), passed: value })),
      fc
        .constantFrom(...REPLIES.map(([, reply]) => reply))
        .map((value) => ({ bytes: bytes(value), passed: '' })),
    );
    await fc.assert(
      fc.asyncProperty(
        fc.array(part, { minLength: 1, maxLength: 8 }),
        fc.infiniteStream(fc.nat(6)),
        async (parts, sizes) => {
          const { read, text } = open();
          const all = Buffer.concat(parts.map((each) => each.bytes));
          for (let at = 0; at < all.length; ) {
            const end = at + (sizes.next().value ?? 0) + 1;
            read(all.subarray(at, end));
            at = end;
          }
          const passed = parts.map((each) => each.passed).join('');
          await waitFor(() => text().length >= passed.length, { what: JSON.stringify(passed) });
          expect(text()).toBe(passed);
        },
      ),
      { numRuns: rounds(3_000) },
    );
  });

  it('never stops hearing, whatever bytes it is sent', async () => {
    const soup = fc.string({
      unit: fc.constantFrom(...'\x1b\x1b[]P_OM?;1a~\\\x07\x18\xc2\x9b\x9c\xe9'),
      maxLength: 30,
    });
    await fc.assert(
      fc.asyncProperty(fc.array(soup, { maxLength: 4 }), async (reads) => {
        const { read, text } = open();
        for (const each of reads) read(Buffer.from(each, 'latin1'));
        // Ends what was begun.
        read('\x18');
        read('\x03');
        await waitFor(() => text().includes('\x03'), { what: JSON.stringify(reads) });
      }),
      { numRuns: rounds(3_000) },
    );
  });

  it.each([
    ['once', ['\x1b'], ESCAPE],
    ['twice in one read', ['\x1b\x1b'], ESCAPE + ESCAPE],
    ['before a key that follows at once', ['\x1bj'], '\x1bj'],
    ['before a reply in the same read', ['\x1b\x1bP>|tmux 3.4\x1b\\q'], `${ESCAPE}q`],
    ['before device attributes in the same read', ['\x1b\x1b[?62;22cq'], `${ESCAPE}\x1b[?62;22cq`],
  ])('passes Escape as a key: %s', async (_, reads, expected) => {
    const { read, text } = open();
    for (const each of reads) read(each);
    await waitFor(() => text() === expected);
  });

  it.each([
    ['a string', '\x1b', 'P>|tmux 3.4\x1b\\', ''],
    ['device attributes', '\x1b', '[?62;22c', '\x1b[?62;22c'],
    ['a mouse report', '\x1b', '[M !!', ''],
  ])(
    'takes the rest of %s that comes after Escape has become a key for no keys',
    async (_, first, rest, passed) => {
      const { read, text } = open();
      read(first);
      await waitFor(() => text() === ESCAPE);
      read(`${rest}q`);
      await waitFor(() => text() === `${ESCAPE}${passed}q`);
    },
  );

  it.each([
    ['a string', '\x1bP>|tmux'],
    ['a sequence', '\x1b[?62;'],
    ['a mouse report', '\x1b[M '],
    ['a paste, which ends there', '\x1b[200~0xab', '\x1b[200~0xab\x1b[201~'],
  ])('waits no longer than a second for the rest of %s', async (_, cut, passed = '') => {
    const { read, text } = open();
    read(cut);
    await sleep(1_100);
    await nextTurn();
    read('q');
    await waitFor(() => text() === `${passed}q`);
  });

  it('reads nothing but in raw mode', async () => {
    const { input, stdin, modes, read, text } = open();
    read('a');
    input.setRawMode(false);
    stdin.emit('data', Buffer.from('b'));
    expect(stdin.isPaused()).toBe(true);
    input.setRawMode(true);
    read('c');
    await waitFor(() => text() === 'ac');
    expect(modes).toEqual([true, false, true]);
  });
});

describe('the mouse', () => {
  const ON = '\x1b[?1000h\x1b[?1006h';
  const OFF = '\x1b[?1006l\x1b[?1000l';

  it.each([
    ['a click at the first cell', '\x1b[<0;1;1M', { kind: 'click', x: 0, y: 0 }],
    ['a click on a wide screen', '\x1b[<0;300;90M', { kind: 'click', x: 299, y: 89 }],
    ['the wheel up', '\x1b[<64;3;4M', { kind: 'wheel-up' }],
    ['the wheel down', '\x1b[<65;3;4M', { kind: 'wheel-down' }],
    ['a button that is let go', '\x1b[<0;3;4m', null],
    ['the right button', '\x1b[<2;3;4M', null],
    ['a click with Ctrl', '\x1b[<16;3;4M', null],
    ['a drag', '\x1b[<32;3;4M', null],
    ['no such cell', '\x1b[<0;0;4M', null],
    ['a coordinate too few', '\x1b[<0;3M', null],
    ['no numbers', '\x1b[<;;M', null],
    ['a sign', '\x1b[<0;-3;4M', null],
    ['nothing', '', null],
  ])('reads %s', (_, sequence, expected) => {
    expect(mouseReport(sequence)).toEqual(expected);
  });

  it('is reported while it is on, however the reads cut a report, and what is malformed never is', async () => {
    const { input, read, reports, text } = open();
    read('\x1b[<64;3;4M');
    input.reportMouse(true);
    for (const piece of [
      'a\x1b[<6',
      '5;3;4Mb',
      '\x1b[<0;3M\x1b[<0;0;0M\x1b[<0;12345;1M',
      '\x1b[<0;3;',
      '4M\x1b[<0;3;4mc',
    ])
      read(piece);
    await waitFor(() => text().endsWith('c'));
    input.reportMouse(false);
    read('\x1b[<0;3;4M');
    expect(reports).toEqual([{ kind: 'wheel-down' }, { kind: 'click', x: 2, y: 3 }]);
  });

  it('is the terminal’s own outside raw mode, and is taken again with it', () => {
    const { input, written } = open();
    expect(written).toEqual([]);
    input.reportMouse(true);
    input.setRawMode(false);
    expect(written).toEqual([ON, OFF]);
    input.setRawMode(true);
    input.reportMouse(true);
    expect(written).toEqual([ON, OFF, ON]);
    input.reportMouse(false);
    input.setRawMode(false);
    expect(written).toEqual([ON, OFF, ON, OFF]);
  });
});
