import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type Reporter, type TestSpecification } from 'vitest/node';
import { rawText } from './scripts/raw-text.ts';
import { chromiumPath } from './test/helpers/chromium.ts';

/** Whole programs, real nodes and terminals: they wait more than they compute. */
const WAITS =
  /\/test\/e2e\/|terminal\.test|crash\.test|anvil|\/(wait|contract|node|nodes|serve|doctor|pause|limits)\.test/;
const SLOW = 'test/slow/**/*.test.{ts,tsx}';
/** Without processes, databases and sockets. */
const UNIT = ['test/{core,contract}/**/*.test.ts', 'test/architecture.test.ts'];

/** The files that make more rounds in `npm run test:slow`, besides the folder that is for it alone. */
function filesWithRounds(): string[] {
  return readdirSync('test', { recursive: true, encoding: 'utf8' })
    .filter((path) => /\.test\.tsx?$/.test(path))
    .map((path) => join('test', path))
    .filter((path) => /helpers\/rounds\.ts|SLOW_ENGINES/.test(readFileSync(path, 'utf8')));
}

/** What takes longest begins first: started last, it would go on alone. */
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const waits = ({ moduleId }: TestSpecification) => Number(WAITS.test(moduleId));
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

export default defineConfig(({ mode }) => {
  const isSlow = mode === 'slow';
  const isUnit = mode === 'unit';
  return {
    oxc: { jsx: { development: false } },
    plugins: [rawText],
    test: {
      include: isSlow ? [SLOW, ...filesWithRounds()] : isUnit ? UNIT : ['test/**/*.test.{ts,tsx}'],
      exclude: isSlow ? [] : [SLOW],
      globalSetup: isUnit
        ? []
        : ['test/helpers/postgres-server.ts', ...(isSlow ? [] : ['test/checks-beside.ts'])],
      setupFiles: ['test/same-cases.ts'],
      provide: { tenths: isSlow ? 10 : isUnit ? 0.25 : 1 },
      reporters: ['default', missingChromium],
      // Two cores, and more for the files that wait for a terminal or a node.
      maxWorkers: 4,
      // Nothing in src is global, and a worker that goes on has its modules at hand.
      isolate: false,
      sequence: { sequencer: LongestFirst },
      testTimeout: isSlow ? 1_800_000 : 300_000,
      hookTimeout: 300_000,
      // The playground's stylesheet goes to the browser as it is.
      css: true,
      // Ink asks two programs for the size of a terminal that does not know its rows, at each layout.
      env: { NODE_ENV: 'production', COLUMNS: '100', LINES: '24' },
    },
  };
});
