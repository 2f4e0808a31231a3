/**
 * A service's gate in a process of its own: once something comes on stdin it opens the keys in argv[2], serves, says
 * its port, and goes on until it is killed.
 */
import { once } from 'node:events';
import { createPlans } from '../../../src/service/keys/api-keys.ts';
import { openKeyGate } from '../../../src/service/keys/key-gate.ts';
import { startGatedServer } from './gated-server.ts';

const [, , file = '', plans = '{}'] = process.argv;
await once(process.stdin, 'data');
process.stdin.destroy();
const gate = await openKeyGate({ file, plans: createPlans(JSON.parse(plans)) });
const server = await startGatedServer(gate);
process.stdout.write(`${server.port}\n`);
process.once('SIGTERM', async () => {
  await server.stop();
  await gate.close();
});
