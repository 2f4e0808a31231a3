import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Whole programs, real nodes and terminals: they wait more than they compute. */
const WAITS = /\/test\/e2e\/|terminal\.test|crash\.test|\/(wait|contract)\.test/;

/** What takes longest begins first: started last, it would go on alone. */
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const waits = ({ moduleId }: TestSpecification) => Number(WAITS.test(moduleId));
    return sorted.toSorted((a, b) => waits(b) - waits(a));
  }
}

export default defineConfig({
  test: {
    include: ['test/**/*.test.{ts,tsx}'],
    // Two cores, and one more for the files that wait for a terminal or a node.
    maxWorkers: 3,
    sequence: { sequencer: LongestFirst },
    testTimeout: 120_000,
    hookTimeout: 60_000,
    // The playground's stylesheet goes to the browser as it is.
    css: true,
    // Terminal journeys and Ink need an interactive, colourless, predictable environment.
    env: { NODE_ENV: 'test' },
  },
});
