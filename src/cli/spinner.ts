import type { Io } from './io.ts';

const FRAMES = ['|', '/', '-', '\\'] as const;
const APPEARS_AFTER_MS = 1_000;
const FRAME_MS = 150;
const CLEAR_LINE = '\r\u001b[K';

/**
 * Shows `text` beside a turning bar on stderr while `work` runs, from one second on and only on a terminal.
 * `text` is read at every turn, so that it can tell of progress.
 */
export async function withSpinner<Result>(
  io: Pick<Io, 'stderr' | 'env'>,
  text: () => string,
  work: () => Promise<Result>,
): Promise<Result> {
  if (io.stderr.isTTY !== true || io.env.TERM === 'dumb') return work();
  let frame = 0;
  let shown = false;
  const draw = (): void => {
    shown = true;
    io.stderr.write(`${CLEAR_LINE}${FRAMES[frame++ % FRAMES.length]} ${text()}`);
  };
  let timer = setTimeout(() => {
    draw();
    timer = setInterval(draw, FRAME_MS);
  }, APPEARS_AFTER_MS);
  try {
    return await work();
  } finally {
    clearTimeout(timer);
    if (shown) io.stderr.write(CLEAR_LINE);
  }
}
