import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.{ts,tsx}'],
    // Two cores: a third worker only makes the pseudo-terminal journeys wait for each other.
    maxWorkers: 2,
    testTimeout: 120_000,
    hookTimeout: 60_000,
    // The playground's stylesheet goes to the browser as it is.
    css: true,
    // Terminal journeys and Ink need an interactive, colourless, predictable environment.
    env: { NODE_ENV: 'test' },
  },
});
