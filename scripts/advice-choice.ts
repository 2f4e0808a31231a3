/**
 * Chooses the advice's constants on all recordings but one and scores them on that one, in turns, and prints what came of
 * it: whether the figures of docs/ADVICE-MEASURED.md would hold for who had never seen it. It takes some minutes.
 *
 *     npm run choice -- FILE FILE…
 */
import { basename } from 'node:path';
import { type Changes, engineVariant } from './advice/engine-variant.ts';
import type { StretchScore } from './advice/score.ts';

/** What was chosen between: Slow's constants, then those of the horizons. */
const SLOW = grid({
  NEIGHBOURS: [100, 150, 250],
  FULL_DEBT: [20, 25, 30, 40],
});
const HORIZONS = grid({ AIM: [0.82, 0.85, 0.88], DOUBTED_HORIZONS: [0.5, 1, 2] });

/** Where each constant stands. */
export const FILE_OF: Readonly<Record<string, string>> = {
  NEIGHBOURS: 'src/core/engine/similar-states.ts',
  FULL_DEBT: 'src/core/engine/lane-caps.ts',
  AIM: 'src/core/engine/horizons.ts',
  DOUBTED_HORIZONS: 'src/core/engine/horizon-verdicts.ts',
};

type Point = Readonly<Record<string, number>>;

interface Outcome {
  readonly point: Point;
  /** By file, in the order given. */
  readonly scores: readonly StretchScore[];
}

/** Whether the promise holds on a stretch, and what is to be had there: the choice takes the most of what holds. */
interface Aim {
  readonly name: string;
  holds(score: StretchScore): boolean;
  gain(score: StretchScore): number;
  words(score: StretchScore): string;
}

const SLOW_AIM: Aim = {
  name: 'Slow: the most saved within 1.5 points of 90 % kept',
  holds: (score) => Math.abs(slowOf(score).kept - 0.9) <= 0.015,
  gain: (score) => slowOf(score).saving,
  words: (score) => {
    const { kept, saving } = slowOf(score);
    const naive = slowOf(score, 'naive').saving;
    return `saves ${percent(saving)} (naive rule ${percent(naive)}) at ${percent(kept)} kept`;
  },
};

const HORIZON_AIM: Aim = {
  name: 'Horizons: the most saved, summed, with each within 5 points of what was stated',
  holds: (score) => farthest(score) <= 0.05,
  gain: (score) => judged(score).reduce((sum, { saving }) => sum + saving, 0),
  words: (score) =>
    `saves ${percent(HORIZON_AIM.gain(score))} in sum, at most ${(100 * farthest(score)).toFixed(1)} points off`,
};

function slowOf(score: StretchScore, kind: 'own' | 'naive' = 'own'): { kept: number; saving: number } {
  const rule = score.lanes.find(({ lane }) => lane === 'slow')?.rules.find((each) => each.kind === kind);
  return { kept: rule?.kept ?? 0, saving: rule?.saving ?? 0 };
}

/** Horizons of which something was judged. */
function judged({ horizons }: StretchScore) {
  return horizons.flatMap(({ kept, stated, saving }) =>
    kept === null || stated === null || saving === null ? [] : [{ kept, stated, saving }],
  );
}

function farthest(score: StretchScore): number {
  return Math.max(0, ...judged(score).map(({ kept, stated }) => Math.abs(kept - stated)));
}

const percent = (share: number) => `${(100 * share).toFixed(2)} %`;

function grid(values: Readonly<Record<string, readonly number[]>>): Point[] {
  let points: Point[] = [{}];
  for (const [name, choices] of Object.entries(values)) {
    points = points.flatMap((point) => choices.map((value) => ({ ...point, [name]: value })));
  }
  return points;
}

function changesOf(point: Point): Changes {
  const changes: Record<string, Record<string, number>> = {};
  for (const [name, value] of Object.entries(point)) {
    const file = FILE_OF[name];
    if (file === undefined) throw new Error(`nobody knows where ${name} stands`);
    changes[file] = { ...changes[file], [name]: value };
  }
  return changes;
}

async function outcomesOf(points: readonly Point[], files: readonly string[]): Promise<Outcome[]> {
  const outcomes: Outcome[] = [];
  for (const point of points) {
    const engine = await engineVariant(changesOf(point));
    const scores: StretchScore[] = [];
    for (const file of files) scores.push(await engine.scoreOf(file));
    await engine.close();
    outcomes.push({ point, scores });
    process.stderr.write('.');
  }
  process.stderr.write('\n');
  return outcomes;
}

/** The best of those whose promise holds on all but that stretch; where it never does, the best of all, and it is said. */
function bestWithout(outcomes: readonly Outcome[], stretch: number, aim: Aim): Outcome & { held: boolean } {
  const seen = ({ scores }: Outcome) => scores.filter((_, index) => index !== stretch);
  const gain = (outcome: Outcome) => seen(outcome).reduce((sum, score) => sum + aim.gain(score), 0);
  const holding = outcomes.filter((outcome) => seen(outcome).every((score) => aim.holds(score)));
  const from = holding.length > 0 ? holding : outcomes;
  const [first, ...rest] = from;
  if (first === undefined) throw new Error('there is nothing to choose from');
  return {
    ...rest.reduce((best, each) => (gain(each) > gain(best) ? each : best), first),
    held: holding.length > 0,
  };
}

function at<T>(list: readonly T[], index: number): T {
  const found = list[index];
  if (found === undefined) throw new Error(`nothing at ${index}`);
  return found;
}

async function main(files: readonly string[]): Promise<void> {
  if (files.length < 2) throw new Error('name two recordings or more: npm run choice -- FILE FILE…');
  for (const [aim, points] of [
    [SLOW_AIM, SLOW],
    [HORIZON_AIM, HORIZONS],
  ] as const) {
    const outcomes = await outcomesOf(points, files);
    console.log(aim.name);
    for (const [scoredOn, file] of files.entries()) {
      const { point, scores, held } = bestWithout(outcomes, scoredOn, aim);
      const words = Object.entries(point)
        .map(([name, value]) => `${name} ${value}`)
        .join(', ');
      console.log(
        `  chosen without ${basename(file)}: ${words}${held ? '' : ' (its promise never holds on all of them)'}`,
      );
      for (const [other, name] of files.entries()) {
        if (other !== scoredOn) console.log(`    on ${basename(name)}: ${aim.words(at(scores, other))}`);
      }
      console.log(`    scored on ${basename(file)}: ${aim.words(at(scores, scoredOn))}`);
    }
  }
}

if (import.meta.main) await main(process.argv.slice(2));
