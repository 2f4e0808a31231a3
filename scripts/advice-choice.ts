/**
 * Chooses the advice's constants on all stretches but one and scores them on that one, in turns, and prints what came of
 * it: whether the figures of docs/ADVICE-MEASURED.md would hold for who had never seen it. It takes some minutes.
 *
 *     npm run choice -- [slow|horizons] FILE FILE…
 */
import { type Changes, engineVariant } from './advice/engine-variant.ts';
import type { StretchScore } from './advice/score.ts';

/** Where each constant stands. */
export const FILE_OF: Readonly<Record<string, string>> = {
  RESTLESS_BLOCKS: 'src/core/engine/similar-states.ts',
  FULL_ERROR: 'src/core/engine/lane-caps.ts',
  NEAREST_SHARE: 'src/core/engine/past-states.ts',
  EXCESS_SEC: 'src/core/engine/horizons.ts',
};

type Point = Readonly<Record<string, number>>;

interface Outcome {
  readonly point: Point;
  /** By stretch, in order. */
  readonly scores: readonly StretchScore[];
}

/** Whether the promise holds on a stretch, and what is to be had there: the choice takes the most of what holds. */
interface Aim {
  readonly name: string;
  /** What is chosen between. */
  readonly points: readonly Point[];
  /** A stretch is so many blocks of a recording, about. */
  readonly stretchBlocks: number;
  holds(score: StretchScore): boolean;
  gain(score: StretchScore): number;
  words(score: StretchScore): string;
}

const SLOW: Aim = {
  name: 'Slow: the most saved within 1.25 points of 90 % kept, and no less than the naive rule saves',
  points: grid({ RESTLESS_BLOCKS: [10, 15, 20], FULL_ERROR: [25, 30, 36] }),
  stretchBlocks: 2_000,
  // With some room to the 1.5 points that are to be held: what was not chosen on lies further off.
  holds: (score) =>
    Math.abs(slowOf(score).kept - 0.9) <= 0.0125 && slowOf(score).saving >= slowOf(score, 'naive').saving,
  gain: (score) => slowOf(score).saving,
  words: (score) => {
    const { kept, saving } = slowOf(score);
    const naive = slowOf(score, 'naive').saving;
    return `saves ${percent(saving)} (naive rule ${percent(naive)}) at ${percent(kept)} kept`;
  },
};

const HORIZONS: Aim = {
  name: 'Horizons: the most saved over all arrivals, with no horizon and no wait kept less often than stated by over 4 points',
  points: grid({ NEAREST_SHARE: [0.35, 0.5], EXCESS_SEC: [43_200, 86_400] }),
  stretchBlocks: Number.POSITIVE_INFINITY,
  holds: (score) => mostBroken(score) <= 0.04,
  gain: (score) => score.patience.reduce((sum, { rules }) => sum + (rules[0]?.saving ?? 0), 0),
  words: ({ patience, ...score }) => {
    const saved = patience.map(
      ({ patienceSec, rules }) => `${percent(rules[0]?.saving ?? 0)} in ${patienceSec} s`,
    );
    return `saves ${saved.join(', ')}; kept at most ${(100 * mostBroken(score)).toFixed(1)} points less than stated`;
  },
};

function slowOf(score: StretchScore, kind: 'own' | 'naive' = 'own'): { kept: number; saving: number } {
  const rule = score.lanes.find(({ lane }) => lane === 'slow')?.rules.find((each) => each.kind === kind);
  return { kept: rule?.kept ?? 0, saving: rule?.saving ?? 0 };
}

/** By how much the worst of all horizons and waits was kept less often than stated. */
function mostBroken({ horizons, waits }: Pick<StretchScore, 'horizons' | 'waits'>): number {
  return Math.max(0, ...[...horizons, ...waits].map(({ kept, stated }) => stated - kept));
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

async function outcomesOf({ points, stretchBlocks }: Aim, files: readonly string[]): Promise<Outcome[]> {
  const outcomes: Outcome[] = [];
  for (const point of points) {
    const engine = await engineVariant(changesOf(point));
    const scores: StretchScore[] = [];
    for (const file of files) scores.push(...(await engine.scoresOf(file, stretchBlocks)));
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

async function main(args: readonly string[]): Promise<void> {
  const aims = { slow: SLOW, horizons: HORIZONS };
  const only = args[0] === 'slow' || args[0] === 'horizons' ? args[0] : null;
  const files = only === null ? args : args.slice(1);
  if (files.length < 2) throw new Error('name two recordings or more: npm run choice -- FILE FILE…');
  for (const aim of only === null ? Object.values(aims) : [aims[only]]) {
    const outcomes = await outcomesOf(aim, files);
    console.log(aim.name);
    for (const [index, { firstBlock, lastBlock }] of (outcomes[0]?.scores ?? []).entries()) {
      const { point, scores, held } = bestWithout(outcomes, index, aim);
      const choice = Object.entries(point).map(([name, value]) => `${name} ${value}`);
      const doubt = held ? '' : ' (its promise never holds on all others)';
      const score = scores[index];
      if (score === undefined) continue;
      console.log(`  ${firstBlock} to ${lastBlock}: ${aim.words(score)}`);
      console.log(`    chosen on all others: ${choice.join(', ')}${doubt}`);
    }
  }
}

if (import.meta.main) await main(process.argv.slice(2));
