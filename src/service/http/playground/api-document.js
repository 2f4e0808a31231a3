// @ts-check

/**
 * The parts of an OpenAPI 3.1 document that the page shows.
 *
 * @typedef {object} Schema
 * @property {string} [$ref]
 * @property {string | string[]} [type]
 * @property {string} [format]
 * @property {string} [description]
 * @property {unknown[]} [enum]
 * @property {unknown} [const]
 * @property {unknown} [default]
 * @property {unknown[]} [examples]
 * @property {number} [minimum]
 * @property {number} [maximum]
 * @property {number} [exclusiveMinimum]
 * @property {Record<string, Schema>} [properties]
 * @property {string[]} [required]
 * @property {boolean | Schema} [additionalProperties]
 * @property {Schema} [items]
 * @property {Schema[]} [anyOf]
 * @property {Schema[]} [oneOf]
 * @property {Schema[]} [allOf]
 *
 * @typedef {object} Parameter
 * @property {string} name
 * @property {'query' | 'path' | 'header' | 'cookie'} in
 * @property {string} [description]
 * @property {boolean} [required]
 * @property {Schema} [schema]
 *
 * @typedef {Record<string, { schema?: Schema, example?: unknown }>} Content
 *
 * @typedef {object} ApiResponse
 * @property {string} [description]
 * @property {Content} [content]
 *
 * @typedef {object} Operation
 * @property {string} [operationId]
 * @property {string} [summary]
 * @property {string} [description]
 * @property {string[]} [tags]
 * @property {Parameter[]} [parameters]
 * @property {{ content?: Content }} [requestBody]
 * @property {Record<string, ApiResponse>} [responses]
 * @property {boolean} [x-gastop-addition]
 *
 * @typedef {object} ApiDocument
 * @property {{ title: string, version: string, description?: string }} info
 * @property {{ url: string }[]} [servers]
 * @property {{ name: string, description?: string }[]} [tags]
 * @property {Record<string, Record<string, Operation>>} paths
 * @property {{ schemas?: Record<string, Schema>, securitySchemes?: Record<string, { type: string, in?: string, name?: string }> }} [components]
 *
 * @typedef {object} Route
 * @property {string} id
 * @property {string} method in capitals
 * @property {string} path
 * @property {Operation} operation
 */

const METHODS = ['get', 'post', 'put', 'patch', 'delete'];

/**
 * @param {ApiDocument} api
 * @returns {{ name: string, description: string, routes: Route[] }[]} in the document's order
 */
export function groupsOf(api) {
  const groups = (api.tags ?? []).map(({ name, description = '' }) => ({
    name,
    description,
    /** @type {Route[]} */ routes: [],
  }));
  for (const [path, item] of Object.entries(api.paths)) {
    for (const method of METHODS) {
      const operation = item[method];
      if (operation === undefined) continue;
      const name = operation.tags?.[0] ?? 'other';
      let group = groups.find((each) => each.name === name);
      if (group === undefined) {
        group = { name, description: '', routes: [] };
        groups.push(group);
      }
      const id = operation.operationId ?? `${method}${path}`;
      group.routes.push({ id, method: method.toUpperCase(), path, operation });
    }
  }
  return groups.filter(({ routes }) => routes.length > 0);
}

/**
 * The schema behind a reference, and what it is called.
 *
 * @param {ApiDocument} api
 * @param {Schema} schema
 * @returns {{ name: string | null, schema: Schema }}
 */
export function resolve(api, schema) {
  const name = schema.$ref?.split('/').at(-1);
  if (name === undefined) return { name: null, schema };
  const { $ref: _, ...beside } = schema;
  return { name, schema: { ...api.components?.schemas?.[name], ...beside } };
}

/**
 * The header that carries the key.
 *
 * @param {ApiDocument} api
 * @returns {string | null}
 */
export function keyHeaderOf(api) {
  const schemes = Object.values(api.components?.securitySchemes ?? {});
  return schemes.find((scheme) => scheme.type === 'apiKey' && scheme.in === 'header')?.name ?? null;
}

/**
 * Where to send, and where others would: a page may only send to where it comes from.
 *
 * @param {ApiDocument} api
 * @param {URL} documentUrl
 * @returns {{ own: string, shown: string }} without a slash at the end
 */
export function rootsOf(api, documentUrl) {
  const roots = (api.servers ?? [{ url: '/' }]).map(({ url }) => new URL(url, documentUrl));
  const own = roots.find(({ origin }) => origin === documentUrl.origin) ?? documentUrl;
  const plain = (/** @type {URL} */ url) => url.href.replace(/\/+$/, '');
  return { own: plain(own), shown: plain(roots[0] ?? own) };
}
