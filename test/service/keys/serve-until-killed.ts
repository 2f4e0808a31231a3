/** A gate in a process of its own on the keys argv[2]: opens with the first input, says its port, goes on until killed. */
import { once } from 'node:events';
import type { Server } from 'node:http';
import { createAdaptorServer } from '@hono/node-server';
import { Hono } from 'hono';
import { API_KEY_HEADER } from '../../../src/contract/routes.ts';
import { errorResponse } from '../../../src/service/http/errors.ts';
import { createPlans } from '../../../src/service/keys/api-keys.ts';
import { openKeyGate } from '../../../src/service/keys/key-gate.ts';
import { listen } from '../../helpers/listen.ts';

const [, , file = '', plans = '{}'] = process.argv;
await once(process.stdin, 'data');
process.stdin.destroy();
const gate = await openKeyGate({ file, plans: createPlans(JSON.parse(plans)) });
const app = new Hono();
app.onError((error, c) => errorResponse(error, c.req.raw, null));
app.get('/', async (c) => {
  await gate.admit({ key: c.req.header(API_KEY_HEADER) ?? null, group: 'gas' });
  return c.json({ ok: true });
});
const server = await listen(createAdaptorServer({ fetch: app.fetch }) as Server);
process.stdout.write(`${server.port}\n`);
process.once('SIGTERM', async () => {
  await server.stop();
  await gate.close();
});
