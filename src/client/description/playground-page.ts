import { PLAYGROUND_PATH } from '../../contract/routes.ts';

/** A page is searched only so far: tools name their document in its head or first script. */
const FAR = 200_000;

/**
 * The path of the JSON document that an API page names, as Swagger UI, Redoc, Scalar and their like do
 * (`url: "/docs/openapi.json"`, `spec-url='openapi.json'`). Only on the page's own origin; `null`: none is named.
 */
export function documentNamedBy(page: string, origin: string): string | null {
  for (const [, name = ''] of page.slice(0, FAR).matchAll(/["']([^"'\s<>]{1,200})["']/g)) {
    if (!/(openapi|swagger|api-docs)[^?#]*(\.json|-docs|-json|\/json)(\?[^#]*)?$/i.test(name)) continue;
    if (!URL.canParse(name, `${origin}${PLAYGROUND_PATH}/`)) continue;
    const url = new URL(name, `${origin}${PLAYGROUND_PATH}/`);
    if (url.origin === origin) return url.pathname;
  }
  return null;
}
