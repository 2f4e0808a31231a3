import { setTimeout as sleep } from 'node:timers/promises';
import type { ReachQuery } from '../../client/client.ts';
import { reachQuery } from '../../client/client.ts';
import type { ReachView } from '../../client/views/gas.ts';
import { LONGEST_DEADLINE_SEC } from '../../contract/choices.ts';
import { PATHS } from '../../contract/routes.ts';
import { pastForReach } from '../../core/reach-book.ts';
import { formatLikelihood, formatPercent, gweiString } from '../../core/units.ts';
import { checked } from '../checked.ts';
import { cleanLine } from '../clean-line.ts';
import { CliError, usageError } from '../cli-error.ts';
import { durationText, parseDuration } from '../duration.ts';
import { EXIT } from '../exit-code.ts';
import { parseGwei } from '../gwei.ts';
import type { Io } from '../io.ts';
import { jsonAnswer } from '../json-answer.ts';
import type { Ready } from '../open-ready.ts';
import { withSpinner } from '../spinner.ts';

const DEFAULT_WITHIN = '1h';
/** What v1 lets a service be asked, which may tell more than gastop's own. */
const WITHIN = {
  min: '1s',
  max: durationText(LONGEST_DEADLINE_SEC),
  note: ', of which gastop itself tells up to 1d',
};
const LEAST_PAST_SEC = 3_600;
/** The last block seldom lies on the edge of what is needed. */
const SPARE_SEC = 600;
const ASK_AGAIN_MS = 60;
/** From when the past is stored until it is learned from, on a slow machine. */
const LEARNT_WITHIN_MS = 20_000;

/** `--below` and `--within` as a question; `null` where neither was given. @throws CliError (usage) */
export function reachAsked(below: string | undefined, within: string | undefined): ReachQuery | null {
  if (below === undefined) {
    if (within === undefined) return null;
    throw usageError('--within says by when a price is to be reached; name it with --below GWEI');
  }
  return {
    targetPrice: checked('--below', () => parseGwei(below)),
    deadlineSec: checked('--within', () => parseDuration(within ?? DEFAULT_WITHIN, WITHIN)),
  };
}

/** How much past to read for the answer, in seconds. */
export function pastFor({ deadlineSec }: ReachQuery): number {
  return Math.max((pastForReach(deadlineSec) ?? 0) + SPARE_SEC, LEAST_PAST_SEC);
}

/**
 * The answer as a line for people or the service's own JSON.
 * @throws CliError where nobody can say.
 */
export async function reachText(io: Io, ready: Ready, asked: ReachQuery, json: boolean): Promise<string> {
  let filled = 0;
  const reach = await withSpinner(
    io,
    () => `reading history: ${formatPercent(filled)} of ${durationText(pastFor(asked))}`,
    () =>
      knownReach(io, ready, asked, (ratio) => {
        filled = ratio;
      }),
  );
  if (json) {
    const answer = await ready.opened.client.raw(PATHS.gasRecommendation, reachQuery(asked));
    return jsonAnswer(answer, PATHS.gasRecommendation);
  }
  const question = `${gweiString(asked.targetPrice)} gwei or less within ${durationText(asked.deadlineSec)}`;
  if (reach === null) {
    throw new CliError(EXIT.failed, 'this service does not say how likely a price is reached');
  }
  if (reach.probability === null) {
    const reason = reach.reason === null ? 'it is not known' : cleanLine(reach.reason);
    throw new CliError(EXIT.failed, `${question}: ${reason}`);
  }
  return `${question}: ${formatLikelihood(reach.probability)} likely\n`;
}

/** A service in this process has to read its past first; one elsewhere is asked once. @throws ClientError */
export async function knownReach(
  io: Io,
  { opened, snapshot }: Ready,
  asked: ReachQuery,
  onProgress: (filledRatio: number) => void = () => {},
): Promise<ReachView | null> {
  const signal = io.interruption();
  const { client, embedded } = opened;
  const ask = async () => (await client.gasRecommendation({ reach: asked, signal })).reach;
  const neededSec = pastForReach(asked.deadlineSec);
  if (embedded === null || neededSec === null) return ask();
  const presentSec = Math.floor((snapshot.blockTimestamp ?? io.now()) / 1_000);
  let giveUpAt = Number.POSITIVE_INFINITY;
  const windowSec = pastFor(asked);
  const filled = embedded.historyFilled({
    presentSec,
    windowSec,
    onProgress: (filledSec) => onProgress(Math.min(filledSec / windowSec, 1)),
  });
  filled.then(
    (start) => {
      const isEnough = start !== null && presentSec - start / 1_000 >= neededSec;
      giveUpAt = isEnough ? performance.now() + LEARNT_WITHIN_MS : 0;
    },
    // Whatever keeps it from being read is told by the answer.
    () => {
      giveUpAt = 0;
    },
  );
  for (;;) {
    const reach = await ask();
    if (reach === null || reach.probability !== null || performance.now() > giveUpAt) return reach;
    await sleep(ASK_AGAIN_MS, undefined, { signal }).catch(() => signal.throwIfAborted());
  }
}
