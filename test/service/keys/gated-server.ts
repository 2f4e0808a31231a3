import type { Server } from 'node:http';
import { createAdaptorServer } from '@hono/node-server';
import { Hono } from 'hono';
import { API_KEY_HEADER } from '../../../src/contract/routes.ts';
import type { Gate } from '../../../src/service/http/auth.ts';
import { errorResponse } from '../../../src/service/http/errors.ts';
import { listen } from '../../helpers/listen.ts';

/** One route behind `gate`, on a port of its own: everything else of a service left away. */
export async function startGatedServer(gate: Gate) {
  const app = new Hono();
  app.onError((error, c) => errorResponse(error, c.req.raw, null));
  app.get('/', async (c) => {
    await gate.admit({ key: c.req.header(API_KEY_HEADER) ?? null, group: 'gas' });
    return c.json({ ok: true });
  });
  return listen(createAdaptorServer({ fetch: app.fetch }) as Server);
}
