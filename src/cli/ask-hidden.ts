import { setTimeout as sleep } from 'node:timers/promises';

const ENTER = /[\r\n]$/;
const CTRL_C = '\u0003';
const CTRL_D = '\u0004';
/** Of a paste that a terminal hands over piece by piece. */
const PIECES_WITHIN_MS = 150;
/** What a terminal puts around a paste where a program before this one left that on. */
const PASTE_MARKS = /\u001b\[20[01]~/g;

/**
 * Asks on stderr for a paste that is not shown and gives it: what comes until Enter ends it, or Ctrl-D. `null`: nothing
 * came. A line of a terminal has 4,096 characters at most, so the keys are read as they come.
 */
export async function askHidden(
  question: string,
  mostLength: number,
  interruption: AbortSignal,
): Promise<string | null> {
  const { stdin, stderr } = process;
  interruption.throwIfAborted();
  // Before the question: what answers it at once must not be drawn by the terminal itself.
  stdin.setRawMode(true);
  stderr.write(question);
  stdin.setEncoding('utf8');
  let text = '';
  try {
    await new Promise<void>((resolve, reject) => {
      let pieces = 0;
      const take = async (piece: string) => {
        // Raw keys are no signals.
        if (piece.includes(CTRL_C)) process.kill(process.pid, 'SIGINT');
        text += piece;
        pieces += 1;
        if (piece.includes(CTRL_D) || text.length > mostLength) return resolve();
        const seen = pieces;
        if (!ENTER.test(piece) || text.trim() === '') return;
        await sleep(PIECES_WITHIN_MS);
        if (pieces === seen) resolve();
      };
      stdin.on('data', take);
      stdin.once('end', resolve);
      interruption.addEventListener('abort', () => reject(interruption.reason), { once: true });
    });
  } finally {
    stdin.removeAllListeners('data');
    stdin.setRawMode(false);
    stdin.pause();
    stderr.write('\n');
  }
  const pasted = text.replaceAll(CTRL_D, '').replaceAll(PASTE_MARKS, '');
  return pasted.trim() === '' ? null : pasted;
}
