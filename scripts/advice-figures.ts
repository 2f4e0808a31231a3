/**
 * Measures the advice and writes its figures: docs/advice-score.json, the calibration picture, and the tables of README.md,
 * docs/COMMANDS.md, docs/ADVICE.md and docs/ADVICE-MEASURED.md. Run it after a change to the engine or to the scoring, with the
 * recordings to walk; without any it walks the one that comes with the project and leaves the other stretches' figures as they are.
 * `--simulated` walks ten simulated chains of 30 days instead, which takes some minutes:
 *
 *     npm run figures -- [--simulated | FILE…]
 */
import { readFile, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { calibrationSvg } from './advice/calibration-svg.ts';
import {
  FIXTURE,
  readScores,
  SCORE_FILE,
  type StretchScore,
  scoreOf,
  writtenScores,
} from './advice/score.ts';
import {
  readSimulated,
  SIMULATED_FILE,
  type SimulatedScore,
  simulatedScore,
  writtenSimulated,
} from './advice/simulated.ts';
import {
  pageTable,
  patienceSums,
  patienceTable,
  reasons,
  resultTables,
  ruleTables,
  simulatedTable,
} from './advice/tables.ts';
import { withPart } from './docs/markdown.ts';

const ROOT = new URL('../', import.meta.url);

interface Figures {
  readonly scores: readonly StretchScore[];
  readonly simulated: SimulatedScore;
}

export const readFigures = async (): Promise<Figures> => ({
  scores: await readScores(),
  simulated: await readSimulated(),
});

/** Everything that is written from the figures, by its path in the project. */
export const WRITTEN: Readonly<Record<string, (before: string, figures: Figures) => string>> = {
  'docs/advice-calibration.svg': (_, { scores }) => calibrationSvg(scores),
  'README.md': (before, { scores }) =>
    withTable(withTable(before, 'reasons', reasons(scores)), 'patience', patienceSums(scores)),
  'docs/COMMANDS.md': (before, { scores }) => withTable(before, 'score', resultTables(scores)),
  'docs/ADVICE.md': (before, { scores, simulated }) => {
    const results = withTable(before, 'results', pageTable(scores));
    const patience = withTable(results, 'patience', patienceTable(scores));
    return withTable(patience, 'simulated', simulatedTable(simulated));
  },
  'docs/ADVICE-MEASURED.md': (before, { scores }) => withTable(before, 'rules', ruleTables(scores)),
};

const SEEDS = 10;
const DAYS = 30;

export const withTable = (document: string, name: string, table: string): string =>
  withPart(document, name, table, 'scripts/advice-figures.ts');

async function main(args: readonly string[]): Promise<void> {
  if (args[0] === '--simulated') {
    await writeFile(SIMULATED_FILE, writtenSimulated(simulatedScore(SEEDS, DAYS)));
  } else {
    const scores = new Map((await readScores()).map((score) => [score.file, score]));
    for (const path of args.length > 0 ? args : [fileURLToPath(FIXTURE)]) {
      const score = await scoreOf(path);
      scores.set(score.file, score);
    }
    await writeFile(SCORE_FILE, writtenScores([...scores.values()]));
  }
  const figures = await readFigures();
  for (const [path, write] of Object.entries(WRITTEN)) {
    const url = new URL(path, ROOT);
    const before = await readFile(url, 'utf8').catch(() => '');
    await writeFile(url, write(before, figures));
  }
}

if (import.meta.main) await main(process.argv.slice(2));
