import { expect, it } from 'vitest';
import { type Notifications, notificationBytes } from '../../../src/tui/chrome/announce.ts';

const ESC = '\u001b';
const BEL = '\u0007';
const XTERM = { TERM: 'xterm-256color' };
const bytesOf = (text: string, level: Notifications['level'], env: Notifications['env']) =>
  notificationBytes(text, { level, env });
const WORDS = 'Average below 5 gwei: 4.87';
const OSC_9 = `${ESC}]9;gastop: ${WORDS}${BEL}`;
const OSC_777 = `${ESC}]777;notify;gastop;${WORDS}${BEL}`;

it.each([
  ['iTerm2', { ...XTERM, TERM_PROGRAM: 'iTerm.app' }, OSC_9],
  ['iTerm2 over ssh', { ...XTERM, LC_TERMINAL: 'iTerm2' }, OSC_9],
  ['kitty', { TERM: 'xterm-kitty' }, OSC_777],
  ['a terminal that does not say which it is', XTERM, OSC_777],
])('%s rings and gets one note', (_name, env, note) => {
  expect(bytesOf(WORDS, 'on', env)).toBe(`${BEL}${note}`);
});

it.each([
  ['the Linux console', { TERM: 'linux' }],
  ['a VT220', { TERM: 'vt220' }],
  ['Emacs', { TERM: 'xterm-256color', INSIDE_EMACS: '29.4,term:0.96' }],
])('%s, which would show the rest, only rings', (_name, env) => {
  expect(bytesOf(WORDS, 'on', env)).toBe(BEL);
});

it('the bell stays in tmux and the notes are handed through it, wrapped', () => {
  const wrapped = (sequence: string) => `${ESC}Ptmux;${ESC}${sequence}${ESC}\\`;
  const env = { TERM: 'tmux-256color', TMUX: '/tmp/tmux-1000/default,1,0', TERM_PROGRAM: 'tmux' };
  expect(bytesOf(WORDS, 'on', env)).toBe(`${BEL}${wrapped(OSC_777)}`);
  expect(bytesOf(WORDS, 'on', { ...env, LC_TERMINAL: 'iTerm2' })).toBe(`${BEL}${wrapped(OSC_9)}`);
});

it('GNU screen hands them through in its own wrapping, in which nothing ends too early', () => {
  const env = { TERM: 'screen.xterm-256color', STY: '1234.pts-0.host', KITTY_WINDOW_ID: '1' };
  expect(bytesOf(WORDS, 'on', env)).toBe(`${BEL}${ESC}P${OSC_777}${ESC}\\`);
});

it('the settings leave the bell alone, or nothing', () => {
  expect(bytesOf(WORDS, 'bell', XTERM)).toBe(BEL);
  expect(bytesOf(WORDS, 'off', XTERM)).toBe('');
  expect(bytesOf(WORDS, 'on', { TERM: 'dumb' })).toBe('');
  expect(bytesOf(WORDS, 'on', {})).toBe('');
});

it('no words can end the note early, begin another sequence, or divide it', () => {
  const hostile = `a${BEL}b${ESC}]0;title${BEL}c${ESC}\\d\u009c\u009d9;e\r\nBcc: f;g\u202eh`;
  for (const [env, parts] of [
    [XTERM, 4],
    [{ ...XTERM, LC_TERMINAL: 'iTerm2' }, 2],
  ] as const) {
    const [, ...notes] = bytesOf(hostile, 'on', env).split(`${ESC}]`);
    expect(notes).toHaveLength(1);
    const [note = ''] = notes;
    expect(note.indexOf(BEL)).toBe(note.length - 1);
    expect(note.slice(0, -1)).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u202e]/);
    expect(note.split(';')).toHaveLength(parts);
  }
});

it('long words end with an ellipsis, at a whole character, within what GNU screen passes on', () => {
  const env = { TERM: 'screen', STY: '1.x', KITTY_WINDOW_ID: '1' };
  for (const character of ['x', 'ü', '🚀', '👍🏽', 'e\u0301']) {
    const bytes = bytesOf(character.repeat(500), 'on', env);
    expect(Buffer.byteLength(bytes)).toBeLessThanOrEqual(256);
    const said = /notify;gastop;(.*)\u0007/.exec(bytes)?.[1] ?? '';
    expect(said).toBe(`${character.repeat((said.length - 1) / character.length)}…`);
    expect(Buffer.byteLength(said)).toBeGreaterThan(180);
  }
});
