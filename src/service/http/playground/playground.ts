import type { Env, Hono } from 'hono';
import { lazily } from '../../../chain/async.ts';
import { OPENAPI_PATH, PLAYGROUND_PATH } from '../../../contract/routes.ts';
import { EncodedResponse } from '../respond.ts';

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

/** By path. Loaded on request: Node can run the service from its sources, but cannot import files as text. */
const FILES: readonly (readonly [string, type: string, () => Promise<{ readonly default: string }>])[] = [
  [PLAYGROUND_PATH, 'text/html; charset=utf-8', () => import('./page/page.html?raw')],
  [`${PLAYGROUND_PATH}/page.js`, 'text/javascript; charset=utf-8', () => import('./page/page.ts?raw')],
  [`${PLAYGROUND_PATH}/page.css`, 'text/css; charset=utf-8', () => import('./page/page.css?raw')],
  [`${PLAYGROUND_PATH}/icon.svg`, 'image/svg+xml', () => import('./page/icon.svg?raw')],
];

/** Serves the OpenAPI document and the page that shows it and tries it out, beside v1 and without a key. */
export function addPlayground<E extends Env>(root: Hono<E>, describe: () => Promise<string>): void {
  // On a 304 too: otherwise a returning browser would keep the server's stricter policy.
  root.use(`${PLAYGROUND_PATH}/*`, async (c, next) => {
    await next();
    for (const [name, value] of Object.entries(HEADERS)) c.res.headers.set(name, value);
  });
  const serve = (path: string, type: string, load: () => Promise<string>) => {
    const encoded = lazily(async () => new EncodedResponse(await load(), type));
    root.get(path, async (c) => (await encoded()).respond(c));
  };
  serve(OPENAPI_PATH, 'application/json', describe);
  for (const [path, type, load] of FILES) serve(path, type, async () => (await load()).default);
  // Relative, so that it is right behind a proxy that adds a path.
  root.get(`${PLAYGROUND_PATH}/`, (c) => c.redirect(`..${PLAYGROUND_PATH}`, 308));
}
