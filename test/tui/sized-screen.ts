import type { render } from 'ink-testing-library';
import { onTestFinished } from 'vitest';
import { waitFor } from '../helpers/wait-for.ts';

/** Gives the screen of a test its size, and reads it; it ends with the test. */
export function sizedScreen(app: ReturnType<typeof render>, columns: number, rows: number) {
  onTestFinished(() => app.unmount());
  Object.defineProperties(app.stdout, { columns: { value: columns }, rows: { value: rows } });
  app.stdout.emit('resize');
  // What is copied is written between two frames, in one line.
  const frame = () => app.frames.findLast((written) => written.includes('\n')) ?? '';
  const shows = (text: string | RegExp) =>
    waitFor(() => (typeof text === 'string' ? frame().includes(text) : text.test(frame()))).catch((cause) => {
      throw new Error(`${text} is not on\n${frame()}`, { cause });
    });
  return { frame, shows };
}
