import type { AddressInfo } from 'node:net';
import { createAdaptorServer } from '@hono/node-server';
import { Hono } from 'hono';
import { API_KEY_HEADER } from '../../../src/contract/routes.ts';
import type { Gate } from '../../../src/service/http/auth.ts';
import { errorResponse } from '../../../src/service/http/errors.ts';

export interface GatedServer {
  readonly port: number;
  stop(): Promise<void>;
}

/** One route behind `gate`, on a port of its own: everything else of a service left away. */
export async function startGatedServer(gate: Gate): Promise<GatedServer> {
  const app = new Hono();
  app.onError((error, c) => errorResponse(error, c.req.raw, null));
  app.get('/', async (c) => {
    await gate.admit({ key: c.req.header(API_KEY_HEADER) ?? null, group: 'gas' });
    return c.json({ ok: true });
  });
  const server = createAdaptorServer({ fetch: app.fetch });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.address() as AddressInfo).port,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
      }),
  };
}
