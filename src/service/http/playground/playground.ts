import type { OpenAPIHono } from '@hono/zod-openapi';
import type { Context } from 'hono';
import { OPENAPI_PATH, PLAYGROUND_PATH } from '../../../contract/routes.ts';
import { EncodedResponse } from '../response-cache.ts';
import type { Asset } from './assets.ts';

/** Only resources of the service itself, nothing inline, and requests to nowhere else. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
].join('; ');

const HEADERS = {
  'Content-Security-Policy': POLICY,
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff',
  'Cache-Control': 'no-cache',
};

/** Serves the OpenAPI document and the page that shows it and tries it out, beside v1 and without a key. */
export function addPlayground(root: OpenAPIHono, describe: () => object): void {
  const encoded = new Map<string, EncodedResponse>();
  const send = async (c: Context, file: string, make: () => Asset | Promise<Asset>) => {
    let asset = encoded.get(file);
    if (asset === undefined) {
      const { text, type } = await make();
      asset = new EncodedResponse(text, type);
      encoded.set(file, asset);
    }
    return asset.respond(c);
  };

  // On a 304 too: otherwise a returning browser would keep the server's stricter policy.
  root.use(`${PLAYGROUND_PATH}/*`, async (c, next) => {
    await next();
    for (const [name, value] of Object.entries(HEADERS)) c.res.headers.set(name, value);
  });
  root.get(OPENAPI_PATH, (c) =>
    send(c, OPENAPI_PATH, () => ({ text: JSON.stringify(describe()), type: 'application/json' })),
  );
  // Relative, so that it is right behind a proxy that adds a path.
  root.get(`${PLAYGROUND_PATH}/`, (c) => c.redirect(`..${PLAYGROUND_PATH}`, 308));
  root.get(PLAYGROUND_PATH, (c) => send(c, PLAYGROUND_PATH, async () => (await import('./assets.ts')).PAGE));
  root.get(`${PLAYGROUND_PATH}/*`, async (c, next) => {
    // Loaded on request: Node can run the service from its sources, but cannot import files as text.
    const { FILES } = await import('./assets.ts');
    const name = c.req.path.slice(PLAYGROUND_PATH.length + 1);
    const file = FILES.get(name);
    return file === undefined ? next() : send(c, name, () => file);
  });
}
