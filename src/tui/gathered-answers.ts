/** How long an answer may wait for others that are on their way, ms: too short to be seen. */
const LONGEST_MS = 30;
/** How often is looked whether they have come, ms. */
const LOOK_MS = 2;

/**
 * Has what came of several questions drawn in one frame: what is told while others are asked still waits for them, but
 * for no more than 30 ms. A new block is half a dozen questions, and each frame costs as much as the whole of them.
 *
 * @param isAsking whether answers are on their way
 * @returns runs what it is given, in its order
 */
export function gatherAnswers(isAsking: () => boolean): (tell: () => void) => void {
  let waiting: (() => void)[] = [];
  let since = 0;
  const look = () => {
    if (isAsking() && performance.now() - since < LONGEST_MS) {
      setTimeout(look, LOOK_MS);
      return;
    }
    const due = waiting;
    waiting = [];
    for (const tell of due) tell();
  };
  return (tell) => {
    waiting.push(tell);
    if (waiting.length > 1) return;
    since = performance.now();
    setTimeout(look, 0);
  };
}
