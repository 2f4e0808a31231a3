import { PassThrough } from 'node:stream';
import type { ReadStream } from 'node:tty';
import { describe, expect, it, onTestFinished } from 'vitest';
import { holdPastes } from '../../src/tui/held-pastes.ts';
import { waitFor } from '../helpers/wait-for.ts';

const START = '\x1b[200~';
const END = '\x1b[201~';

/** What a reader of the terminal gets, piece by piece; `lostAfterMs`: default: no end is ever taken for lost. */
function reader(lostAfterMs = 3_600_000) {
  const stream = new PassThrough({ encoding: 'utf8' });
  // What is used of a terminal here every readable stream has.
  const stdin = stream as unknown as ReadStream;
  const letGo = holdPastes(stdin, lostAfterMs);
  const pieces: string[] = [];
  stdin.on('readable', () => {
    for (let piece = stdin.read(); piece !== null; piece = stdin.read()) pieces.push(String(piece));
  });
  onTestFinished(() => {
    letGo();
    stream.destroy();
  });
  const send = async (...texts: readonly string[]) => {
    for (const text of texts) {
      stream.write(text);
      await new Promise((done) => setImmediate(done));
    }
  };
  return { send, pieces, letGo };
}

describe('a paste into the terminal', () => {
  it('is handed on in one piece, however many reads it takes', async () => {
    const { send, pieces } = reader();
    await send(`a${START}12`, '34', `56${END}b`);
    await waitFor(() => pieces.length > 0);
    expect(pieces).toEqual([`a${START}123456${END}b`]);
  });

  it('leaves keys alone, an Escape by itself and the sequences of others included', async () => {
    const { send, pieces } = reader();
    await send('j', '\x1b', '\x1b[A', '\x1b[20~');
    await waitFor(() => pieces.length === 4);
    expect(pieces).toEqual(['j', '\x1b', '\x1b[A', '\x1b[20~']);
  });

  it.each([1, 2, 3, 4, 5])(
    'ends where its end comes in two pieces, the first of %i characters',
    async (length) => {
      const { send, pieces } = reader();
      await send(`${START}1`, `2${END.slice(0, length)}`, END.slice(length), 'j');
      await waitFor(() => pieces.length === 2);
      expect(pieces).toEqual([`${START}12${END}`, 'j']);
    },
  );

  it.each([1, 2, 3, 4, 5])('may begin in two pieces, the first of %i characters', async (length) => {
    const { send, pieces } = reader();
    await send(START.slice(0, length), `${START.slice(length)}12`, `34${END}`, 'j');
    await waitFor(() => pieces.join('').endsWith('j'));
    expect(pieces.join('')).toBe(`${START}1234${END}j`);
  });

  it('waits for the end of the second of two that come together', async () => {
    const { send, pieces } = reader();
    await send(`${START}1${END}${START}2`, `3${END}`);
    await waitFor(() => pieces.length > 0);
    expect(pieces).toEqual([`${START}1${END}${START}23${END}`]);
  });

  it('that lost its end is ended, and keys are keys again', async () => {
    const { send, pieces } = reader(1);
    await send(`${START}12`);
    await waitFor(() => pieces.length > 0);
    await send('\x03');
    await waitFor(() => pieces.length > 1);
    expect(pieces).toEqual([`${START}12${END}`, '\x03']);
  });

  it('is the reader’s own affair again once it is let go', async () => {
    const { send, pieces, letGo } = reader();
    letGo();
    await send(`${START}12`, '34');
    await waitFor(() => pieces.length === 2);
    expect(pieces).toEqual([`${START}12`, '34']);
  });
});
