import { ALERT_CHANNELS, ALERT_CONDITIONS, ALERT_STATUSES, GAS_SPEEDS } from '../contract/choices.ts';
import {
  ADDED_ROUTES,
  BASE_PATH,
  OPENAPI_PATH,
  PATHS,
  PLAYGROUND_PATH,
  V1_ROUTES,
  type V1Route,
} from '../contract/routes.ts';
import { ownValue } from '../core/own-value.ts';
import { cleanText } from '../core/text.ts';
import { ClientError } from './errors.ts';
import { type Http, isSuccess } from './http.ts';
import { isRecord, type JsonRecord, parseJson } from './values.ts';

/** What a service says about itself in its OpenAPI document. All texts are clean, single lines of bounded length. */
export interface ServiceDescription {
  readonly title: string | null;
  /** The service's own version, not OpenAPI's. */
  readonly version: string | null;
  /** The routes it lists, of v1 and of what gastop adds, in the contract's order. */
  readonly routes: readonly RouteDescription[];
}

export interface RouteDescription {
  readonly method: V1Route['method'];
  readonly path: V1Route['path'];
  readonly summary: string | null;
  /** Its query parameters, with the values that it names for each; empty where it takes any. */
  readonly parameters: readonly ParameterDescription[];
  /** The fields of what is sent to it, with the values it names for each; empty where it says nothing of them. */
  readonly body: readonly ParameterDescription[];
}

export interface ParameterDescription {
  readonly name: string;
  readonly values: readonly string[];
}

/** The route at a path of the contract; `null`: not listed. */
export function describedRoute(
  description: ServiceDescription | null | undefined,
  path: string,
  method: V1Route['method'] = 'get',
): RouteDescription | null {
  return description?.routes.find((route) => route.method === method && route.path === path) ?? null;
}

/** Whether a service says that a route takes a query parameter, and this value of it. */
export function listsParameter(
  description: ServiceDescription | null,
  path: string,
  name: string,
  value: string,
): boolean {
  const found = describedRoute(description, path)?.parameters.find((parameter) => parameter.name === name);
  return found !== undefined && (found.values.length === 0 || found.values.includes(value));
}

/** The values a service says a query parameter takes; `null` where it does not say. */
export function offeredValues(
  description: ServiceDescription | null | undefined,
  path: string,
  parameter: string,
): readonly string[] | null {
  const found = describedRoute(description, path)?.parameters.find(({ name }) => name === parameter);
  return found === undefined || found.values.length === 0 ? null : found.values;
}

/** What an alert may be made of, in the service's own words where it names them. */
export interface AlertChoices {
  readonly gasSpeeds: readonly string[];
  readonly conditions: readonly string[];
  readonly channels: readonly string[];
  /** What `PUT /alerts/{id}/status` takes. */
  readonly statuses: readonly string[];
  /** Fields that v1 was given without, and this service does not say that it takes: they must not be sent. */
  readonly unknown: readonly ExtraField[];
}

/** What our own service adds to the payload that v1 was given with. */
export const EXTRA_FIELDS = ['hysteresisGwei', 'confirmBlocks', 'targets'] as const;
export type ExtraField = (typeof EXTRA_FIELDS)[number];

/**
 * Reads the choices out of a service's description; where it says nothing they are the contract's, without the fields
 * that are our own additions.
 *
 * @param description `null`: it has none; `undefined`: it is not known yet
 * @param isOwn the service of this program, which takes all that the contract says
 */
export function alertChoices(
  description: ServiceDescription | null | undefined,
  isOwn: boolean,
): AlertChoices {
  const body = describedRoute(description, PATHS.alerts, 'post')?.body ?? [];
  const status = describedRoute(description, PATHS.alertStatus, 'put')?.body ?? [];
  // The terminal of a running monitor is our own addition.
  const channels =
    description === null ? ALERT_CHANNELS.filter((channel) => channel !== 'TERMINAL') : ALERT_CHANNELS;
  const values = (fields: typeof body, name: string, otherwise: readonly string[]) => {
    const named = fields.find((field) => field.name === name)?.values ?? [];
    return named.length === 0 ? otherwise : named;
  };
  return {
    gasSpeeds: values(body, 'gasSpeed', GAS_SPEEDS),
    conditions: values(body, 'condition', ALERT_CONDITIONS),
    channels: values(body, 'channels', values(body, 'method', channels)),
    statuses: values(status, 'status', ALERT_STATUSES),
    unknown: isOwn ? [] : EXTRA_FIELDS.filter((name) => !body.some((field) => field.name === name)),
  };
}

/** What v1 was given without: a service that speaks it may not know them. */
const EXTRA_AUTO_TX_FIELDS = ['gasSpeed', 'strictTargetPrice', 'note', 'expiresAt'] as const;
export type ExtraAutoTxField = (typeof EXTRA_AUTO_TX_FIELDS)[number];

/**
 * Fields of a new auto-tx that a service does not know, by its description, so that they must not be sent; none where it
 * says nothing of them.
 */
export function unknownAutoTxFields(
  description: ServiceDescription | null | undefined,
): readonly ExtraAutoTxField[] {
  const body = describedRoute(description, PATHS.autoTxs, 'post')?.body ?? [];
  if (body.length === 0) return [];
  return EXTRA_AUTO_TX_FIELDS.filter((name) => !body.some((field) => field.name === name));
}

const MOST_PARAMETERS = 50;
const MOST_FIELDS = 50;
/** No route of v1 stands at a longer path, whatever it begins with. */
const LONGEST_PATH = 500;

/**
 * Reads routes, the values of their parameters and the fields of their bodies from an OpenAPI 3.0, 3.1 or Swagger 2
 * document, however its paths begin; `null` where it is none or knows no v1 route.
 */
export function readDescription(document: unknown): ServiceDescription | null {
  if (!isRecord(document) || !isRecord(document.paths)) return null;
  if (document.openapi === undefined && document.swagger === undefined) return null;
  const paths = Object.entries(document.paths).filter(([path]) => path.length <= LONGEST_PATH);
  const items = new Map(paths.map(([path, item]) => [plainPath(path), item]));
  const routes = [...V1_ROUTES, ...ADDED_ROUTES].flatMap(({ method, path }): RouteDescription[] => {
    const item = resolved(document, items.get(plainPath(path)));
    const operation = item === null ? null : resolved(document, item[method]);
    if (item === null || operation === null) return [];
    return [
      {
        method,
        path,
        summary: line(operation.summary) ?? line(operation.description),
        parameters: [...parametersOf(document, item), ...parametersOf(document, operation)],
        body: method === 'get' ? [] : bodyFields(document, operation),
      },
    ];
  });
  if (routes.length === 0) return null;
  const info = isRecord(document.info) ? document.info : {};
  return { title: line(info.title), version: line(info.version), routes };
}

/** `/gateway/be/api/v1/alerts/{alertId}/` and `/alerts/:id` are both `/alerts/{}`. */
function plainPath(path: string): string {
  const at = path.lastIndexOf(BASE_PATH);
  const behind = at < 0 ? path : path.slice(at + BASE_PATH.length);
  return behind.replaceAll(/\{[^{}/]*\}|:[^/]+/g, '{}').replace(/\/+$/, '');
}

function parametersOf(document: JsonRecord, { parameters }: JsonRecord): readonly ParameterDescription[] {
  return listOf(parameters, MOST_PARAMETERS).flatMap((one) => {
    const parameter = resolved(document, one);
    const name = line(parameter?.name);
    if (parameter === null || name === null || parameter.in !== 'query') return [];
    // Swagger 2 writes the values beside the name, OpenAPI 3 into a schema.
    return [{ name, values: namedValues(document, parameter.schema ?? parameter) }];
  });
}

/** The fields of an operation's body, in its order, with the values that it names for each (of a list: for its items). */
export function bodyFields(document: JsonRecord, operation: JsonRecord): readonly ParameterDescription[] {
  const fields = new Map<string, Set<string>>();
  for (const { properties } of joinedSchemas(document, bodySchema(document, operation))) {
    if (!isRecord(properties)) continue;
    for (const [key, property] of Object.entries(properties)) {
      const name = line(key);
      if (name === null || (fields.size >= MOST_FIELDS && !fields.has(name))) continue;
      const values = fields.get(name) ?? new Set();
      for (const each of namedValues(document, property)) values.add(each);
      fields.set(name, values);
    }
  }
  return [...fields].map(([name, values]) => ({ name, values: [...values] }));
}

/** OpenAPI 3 has a place for the body, Swagger 2 lists it among the parameters. */
function bodySchema(document: JsonRecord, operation: JsonRecord): unknown {
  const body = resolved(document, operation.requestBody);
  if (body === null) {
    return listOf(operation.parameters, MOST_PARAMETERS)
      .map((one) => resolved(document, one))
      .find((parameter) => parameter?.in === 'body')?.schema;
  }
  const content = isRecord(body.content) ? body.content : {};
  const type = Object.keys(content).find((name) => name.includes('json')) ?? Object.keys(content)[0];
  return type === undefined ? undefined : resolved(document, content[type])?.schema;
}

const MOST_VALUES = 24;
/** A longer word is no choice to cycle through. */
const LONGEST_VALUE = 24;

/** The values that a schema names, in its order and spelling: `enum`, `const`, and joins of them. */
export function namedValues(document: JsonRecord, schema: unknown): readonly string[] {
  const values = new Set<string>();
  const seen = new Set<JsonRecord>();
  const visit = (value: unknown) => {
    const records = joinedSchemas(document, value, seen);
    for (const record of records) {
      for (const one of Array.isArray(record.enum) ? listOf(record.enum, MOST_SCHEMAS) : [record.const]) {
        if (values.size >= MOST_VALUES || (typeof one !== 'string' && typeof one !== 'number')) continue;
        const text = String(one);
        // It is sent as it stands, so a value that cannot be shown as it stands is not offered.
        if (text.length <= LONGEST_VALUE && cleanText(text).trim() === text && text !== '') values.add(text);
      }
    }
    for (const { items } of records) if (items !== undefined) visit(items);
  };
  visit(schema);
  return [...values];
}

const JOINS = ['allOf', 'anyOf', 'oneOf'] as const;
/** References multiply, so that a document of a few kilobytes could be walked for hours. */
const MOST_SCHEMAS = 500;

/**
 * The schemas that one is put together of, parts before the whole and each once.
 *
 * @param seen schemas that were visited before; it grows
 */
function joinedSchemas(
  document: JsonRecord,
  schema: unknown,
  seen = new Set<JsonRecord>(),
): readonly JsonRecord[] {
  const found: JsonRecord[] = [];
  const visit = (value: unknown) => {
    const record = resolved(document, value);
    if (record === null || seen.has(record) || seen.size >= MOST_SCHEMAS) return;
    seen.add(record);
    for (const join of JOINS) for (const part of listOf(record[join], MOST_SCHEMAS)) visit(part);
    found.push(record);
  };
  visit(schema);
  return found;
}

const MOST_HOPS = 8;
const LONGEST_POINTER = 1_000;
const MOST_PARTS = 32;

/** The record that `value` is or refers to with a `$ref` (RFC 6901 behind `#`) within the document; else `null`. */
function resolved(document: JsonRecord, value: unknown): JsonRecord | null {
  let current = value;
  for (let hop = 0; hop < MOST_HOPS && isRecord(current); hop++) {
    const { $ref } = current;
    if ($ref === undefined) return current;
    if (typeof $ref !== 'string' || !$ref.startsWith('#/') || $ref.length > LONGEST_POINTER) return null;
    const parts = $ref.slice(2).split('/');
    if (parts.length > MOST_PARTS) return null;
    current = parts.reduce<unknown>(
      (within, part) => (isRecord(within) ? ownValue(within, unescaped(part)) : undefined),
      document,
    );
  }
  return null;
}

function unescaped(part: string): string {
  let text = part;
  try {
    text = decodeURIComponent(part);
  } catch {
    // A stray % stands for itself.
  }
  return text.replaceAll('~1', '/').replaceAll('~0', '~');
}

const listOf = (value: unknown, most: number): readonly unknown[] =>
  Array.isArray(value) ? value.slice(0, most) : [];

const LONGEST_TEXT = 200;

/** One clean line of an unknown document; `null`: it says nothing there. */
function line(value: unknown): string | null {
  if (typeof value !== 'string') return null;
  const text = cleanText(value.slice(0, 2_000), LONGEST_TEXT).replaceAll(/\s+/g, ' ').trim();
  return text === '' ? null : text;
}

/** Where services keep their document: v1's own place first, then what frameworks do by themselves. */
const PLACES = [
  OPENAPI_PATH,
  PLAYGROUND_PATH,
  `${PLAYGROUND_PATH}-json`,
  '/openapi.json',
  '/v3/api-docs',
] as const;
const MOST_REQUESTS = 8;
const EACH_MS = 5_000;
const ALTOGETHER_MS = 12_000;

/**
 * Looks for a service's OpenAPI document beside the v1 base path: a handful of requests, bounded in time, on the
 * service's own origin. The key is sent only where a place requires one.
 *
 * @returns `null` where the service responds but has none that says anything of v1.
 * @throws ClientError where nothing responds, or the quota is used up: then it is not known.
 */
export async function findDescription(http: Http): Promise<ServiceDescription | null> {
  const { origin, pathname } = http.service;
  const timeoutMs = Math.min(EACH_MS, http.timeoutMs);
  const signal = AbortSignal.timeout(ALTOGETHER_MS);
  const beside = origin + pathname.replace(/\/+$/, '');
  const places: { root: string; path: string }[] = PLACES.map((path) => ({ root: beside, path }));
  let unreachable: ClientError | null = null;
  let hasResponded = false;
  let requests = 0;
  const request = async (root: string, path: string): Promise<string | null> => {
    for (const apiKey of http.apiKey === null ? [null] : [null, http.apiKey]) {
      if (requests === MOST_REQUESTS || signal.aborted) return null;
      requests += 1;
      try {
        const details = { root, path, apiKey, timeoutMs, signal };
        const response = await http.send(details);
        if (!isSuccess(response.status)) throw http.refusalOf(details, response);
        hasResponded = true;
        return response.text;
      } catch (error) {
        if (!(error instanceof ClientError) || error.code === 'quota') throw error;
        if (error.code === 'unreachable') unreachable ??= error;
        else hasResponded = true;
        if (error.code !== 'key' && error.code !== 'plan') return null;
      }
    }
    return null;
  };
  for (let place = places.shift(); place !== undefined; place = places.shift()) {
    const text = await request(place.root, place.path);
    if (text === null) continue;
    const document = parseJson(text);
    const description = readDescription(document);
    if (description !== null) return description;
    const named = document === undefined ? documentNamedBy(text, origin) : null;
    if (named !== null) places.unshift({ root: origin, path: named });
  }
  if (!hasResponded && unreachable !== null) throw unreachable;
  return null;
}

/** A page is searched only so far: tools name their document in its head or first script. */
const FAR = 200_000;

/**
 * The path of the JSON document that an API page names, as Swagger UI, Redoc, Scalar and their like do
 * (`url: "/docs/openapi.json"`, `spec-url='openapi.json'`). Only on the page's own origin; `null`: none is named.
 */
function documentNamedBy(page: string, origin: string): string | null {
  for (const [, name = ''] of page.slice(0, FAR).matchAll(/["']([^"'\s<>]{1,200})["']/g)) {
    if (!/(openapi|swagger|api-docs)[^?#]*(\.json|-docs|-json|\/json)(\?[^#]*)?$/i.test(name)) continue;
    const url = URL.parse(name, `${origin}${PLAYGROUND_PATH}/`);
    if (url !== null && url.origin === origin) return url.pathname;
  }
  return null;
}
