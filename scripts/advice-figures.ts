/**
 * Measures the advice and writes its figures: docs/advice-score.json, the calibration picture, and the tables of README.md,
 * docs/COMMANDS.md, docs/ADVICE.md and docs/ADVICE-MEASURED.md. Run it after a change to the engine or to the scoring, with the
 * recordings to walk; without any it walks the one that comes with the project and leaves the other stretches' figures as they are:
 *
 *     npm run figures -- [FILE…]
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
  pageTable,
  patienceSums,
  patienceTable,
  resultTables,
  ruleTables,
  shortTable,
} from './advice/tables.ts';
import { withPart } from './docs/markdown.ts';

const ROOT = new URL('../', import.meta.url);

/** Everything that is written from the figures, by its path in the project. */
export const WRITTEN: Readonly<Record<string, (before: string, scores: readonly StretchScore[]) => string>> =
  {
    'docs/advice-calibration.svg': (_, scores) => calibrationSvg(scores),
    'README.md': (before, scores) =>
      withTable(withTable(before, 'promises', shortTable(scores)), 'patience', patienceSums(scores)),
    'docs/COMMANDS.md': (before, scores) => withTable(before, 'score', resultTables(scores)),
    'docs/ADVICE.md': (before, scores) =>
      withTable(withTable(before, 'results', pageTable(scores)), 'patience', patienceTable(scores)),
    'docs/ADVICE-MEASURED.md': (before, scores) => withTable(before, 'rules', ruleTables(scores)),
  };

export const withTable = (document: string, name: string, table: string): string =>
  withPart(document, name, table, 'scripts/advice-figures.ts');

async function main(files: readonly string[]): Promise<void> {
  const scores = new Map((await readScores()).map((score) => [score.file, score]));
  for (const path of files.length > 0 ? files : [fileURLToPath(FIXTURE)]) {
    const score = await scoreOf(path);
    scores.set(score.file, score);
  }
  const text = writtenScores([...scores.values()]);
  await writeFile(SCORE_FILE, text);
  const all = await readScores();
  for (const [path, write] of Object.entries(WRITTEN)) {
    const url = new URL(path, ROOT);
    const before = await readFile(url, 'utf8').catch(() => '');
    await writeFile(url, write(before, all));
  }
}

if (import.meta.main) await main(process.argv.slice(2));
