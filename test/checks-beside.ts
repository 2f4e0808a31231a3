import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';

/** `npm test` has types and style checked while the tests run: before them, one of two cores would have nothing to do. */
export default function startChecks() {
  if (process.env.npm_lifecycle_event !== 'test') return undefined;
  const checks = spawn('npm run --silent check', { shell: true, stdio: ['ignore', 'pipe', 'pipe'] });
  const said = Promise.all([text(checks.stdout), text(checks.stderr)]);
  const ended = once(checks, 'exit');
  return async () => {
    const [code] = await ended;
    if (code === 0) return;
    console.error(`Types or style are wrong (npm run check):\n${(await said).join('')}`);
    process.exitCode = 1;
  };
}
