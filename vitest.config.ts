import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { defineConfig, type TestProjectConfiguration } from 'vitest/config';
import { BaseSequencer, type Reporter, type TestSpecification } from 'vitest/node';
import { rawText } from './scripts/raw-text.ts';
import { chromiumPath } from './test/helpers/chromium.ts';

const TESTS = 'test/**/*.test.{ts,tsx}';
/** Without processes, databases and sockets. */
const UNIT = ['test/{core,contract}/**/*.test.ts', 'test/architecture.test.ts'];
/** Whole programs, real nodes and terminals: they wait more than they compute. */
const PROGRAMS = [
  ...['test/e2e/**/*.test.ts', 'test/**/*{terminal,crash,anvil}.test.ts'],
  ...['test/cli/{doctor,node,serve,wait}.test.ts', 'test/service/{contract,node}.test.ts'],
  'test/service/auto-txs/pause.test.ts',
];
const SLOW = 'test/slow/**/*.test.{ts,tsx}';

/** The files that make more rounds in `npm run test:slow`, besides the folder that is for it alone. */
function filesWithRounds(): string[] {
  return readdirSync('test', { recursive: true, encoding: 'utf8' })
    .filter((path) => /\.test\.tsx?$/.test(path))
    .map((path) => join('test', path))
    .filter((path) => /helpers\/rounds\.ts|SLOW_ENGINES/.test(readFileSync(path, 'utf8')));
}

/** What takes longest begins first: started last, it would go on alone. */
class ProgramsFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const waits = ({ project }: TestSpecification) => Number(project.name === 'programs');
    return sorted.toSorted((a, b) => waits(b) - waits(a));
  }
}

/** Says below the summary what was left out, where nobody overlooks it. */
const missingChromium: Reporter = {
  onTestRunEnd(modules) {
    if (chromiumPath() !== null || !modules.some(({ moduleId }) => moduleId.includes('playground'))) return;
    console.log(
      'The tests of the playground were skipped: there is no Chromium (CHROMIUM_PATH names one).\n',
    );
  },
};

export default defineConfig(({ mode }) => ({
  oxc: { jsx: { development: false } },
  plugins: [rawText],
  test: {
    projects:
      mode === 'slow'
        ? [project('slow', { include: [SLOW, ...filesWithRounds()], tenths: 10 })]
        : [
            project('unit', { include: UNIT, tenths: 1 }),
            project('programs', { include: PROGRAMS, tenths: 1 }),
            project('parts', { include: [TESTS], exclude: [...UNIT, ...PROGRAMS, SLOW], tenths: 1 }),
          ],
    globalSetup: ['test/helpers/postgres-server.ts', 'test/checks-beside.ts'],
    reporters: ['default', missingChromium],
    // Two cores, and more for the files that wait for a terminal or a node.
    maxWorkers: 4,
    // Nothing in src is global, and a worker that goes on has its modules at hand.
    isolate: false,
    sequence: { sequencer: ProgramsFirst },
  },
}));

interface ProjectSettings {
  readonly include: string[];
  readonly exclude?: string[];
  /** How many parts of ten of their rounds the tests make. */
  readonly tenths: number;
}

function project(name: string, { tenths, ...settings }: ProjectSettings): TestProjectConfiguration {
  return {
    extends: true,
    test: {
      ...settings,
      name,
      provide: { tenths },
      setupFiles: 'test/same-cases.ts',
      testTimeout: name === 'slow' ? 1_800_000 : 300_000,
      hookTimeout: 300_000,
      // The playground's stylesheet goes to the browser as it is.
      css: true,
      // Ink asks two programs for the size of a terminal that does not know its rows, at each layout.
      env: { NODE_ENV: 'production', COLUMNS: '100', LINES: '24' },
    },
  };
}
