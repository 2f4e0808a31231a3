import type { OpenAPIHono } from '@hono/zod-openapi';
import { etag } from 'hono/etag';
import { OPENAPI_PATH, PLAYGROUND_PATH } from '../../contract/routes.ts';

/** Nothing but what the service itself sends, nothing inline, nowhere else to send to. */
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

/** The OpenAPI document and the page that shows it and tries it out, beside v1 and open to everybody. */
export function addPlayground(root: OpenAPIHono, describe: () => object): void {
  root.use(`${PLAYGROUND_PATH}/*`, async (c, next) => {
    await next();
    for (const [name, value] of Object.entries(HEADERS)) c.res.headers.set(name, value);
  });
  // Within the above: a 304 must say the same policy, or a browser that comes back keeps the server's stricter one.
  root.use(`${PLAYGROUND_PATH}/*`, etag());

  let document: string | null = null;
  root.get(OPENAPI_PATH, (c) => {
    document ??= JSON.stringify(describe());
    return c.body(document, 200, { 'Content-Type': 'application/json' });
  });

  // Relative, so that it holds behind a proxy that adds a path.
  root.get(`${PLAYGROUND_PATH}/`, (c) => c.redirect(`..${PLAYGROUND_PATH}`, 308));
  root.get(PLAYGROUND_PATH, async (c) => {
    const { PAGE } = await import('./playground/assets.ts');
    return c.body(PAGE.text, 200, { 'Content-Type': PAGE.type });
  });
  root.get(`${PLAYGROUND_PATH}/:file`, async (c, next) => {
    const { FILES } = await import('./playground/assets.ts');
    const file = FILES.get(c.req.param('file'));
    return file === undefined ? next() : c.body(file.text, 200, { 'Content-Type': file.type });
  });
}
