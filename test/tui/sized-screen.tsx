import type { render } from 'ink-testing-library';
import type { ReactElement } from 'react';
import { onTestFinished } from 'vitest';
import { Room } from '../../src/tui/ui/pane-context.tsx';
import { waitFor } from '../helpers/wait-for.ts';

export const inRoom = (columns: number, rows: number, part: ReactElement) => (
  <Room columns={columns} rows={rows}>
    {part}
  </Room>
);

export function atPlace(zone: string) {
  const before = process.env.TZ ?? 'UTC';
  process.env.TZ = zone;
  onTestFinished(() => {
    process.env.TZ = before;
  });
}

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
