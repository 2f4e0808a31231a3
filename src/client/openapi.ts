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
import type { Http } from './http.ts';
import { isRecord, type JsonRecord, parseJson } from './values.ts';

/** A service's description, from its OpenAPI document. All texts are clean, single lines of bounded length. */
export interface ServiceDescription {
  readonly title: string | null;
  readonly version: string | null;
  readonly routes: readonly RouteDescription[];
}

export interface RouteDescription extends Pick<V1Route, 'method' | 'path'> {
  /** Its query parameters with their allowed values; empty when any is allowed. */
  readonly parameters: readonly ParameterDescription[];
  /** The fields of its body with their allowed values; empty when unknown. */
  readonly body: readonly ParameterDescription[];
}

export interface ParameterDescription {
  readonly name: string;
  readonly values: readonly string[];
}

type Described = ServiceDescription | null | undefined;

export const describedRoute = (
  description: Described,
  path: string,
  method: V1Route['method'] = 'get',
): RouteDescription | null =>
  description?.routes.find((route) => route.method === method && route.path === path) ?? null;

const listedValues = (description: Described, path: string, parameter: string) =>
  describedRoute(description, path)?.parameters.find(({ name }) => name === parameter)?.values ?? null;

export function listsParameter(description: Described, path: string, name: string, value: string): boolean {
  const values = listedValues(description, path, name);
  return values !== null && (values.length === 0 || values.includes(value));
}

export function offeredValues(description: Described, path: string, parameter: string) {
  const values = listedValues(description, path, parameter) ?? [];
  return values.length === 0 ? null : values;
}

export type AlertChoices = ReturnType<typeof alertChoices>;

/** Our own service's additions to the original v1 body. */
export const EXTRA_FIELDS = ['hysteresisGwei', 'confirmBlocks', 'targets'] as const;
export type ExtraField = (typeof EXTRA_FIELDS)[number];

/**
 * A service's choices, or else the contract's without our additions. `null`: it has no description; `undefined`: not
 * known yet.
 */
export function alertChoices(description: Described, isOwn: boolean) {
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

const EXTRA_AUTO_TX_FIELDS = ['gasSpeed', 'strictTargetPrice', 'note', 'expiresAt'] as const;
export type ExtraAutoTxField = (typeof EXTRA_AUTO_TX_FIELDS)[number];

/** Fields that a description lacks, so that they must not be sent; none without a description. */
export function unknownAutoTxFields(description: Described): readonly ExtraAutoTxField[] {
  const body = describedRoute(description, PATHS.autoTxs, 'post')?.body ?? [];
  if (body.length === 0) return [];
  return EXTRA_AUTO_TX_FIELDS.filter((name) => !body.some((field) => field.name === name));
}

const MOST_NAMES = 50;
const MOST_VALUES = 24;
const LONGEST_VALUE = 24;

/** Reads an OpenAPI 3 document with any path prefix; `null` when it has no v1 route. */
export function readDescription(document: unknown): ServiceDescription | null {
  if (!isRecord(document) || !isRecord(document.paths) || document.openapi === undefined) return null;
  const items = new Map(Object.entries(document.paths).map(([path, item]) => [plainPath(path), item]));
  const routes = [...V1_ROUTES, ...ADDED_ROUTES].flatMap(({ method, path }): RouteDescription[] => {
    const item = items.get(plainPath(path));
    const operation = isRecord(item) ? item[method] : null;
    if (!isRecord(item) || !isRecord(operation)) return [];
    const parameters = [item.parameters, operation.parameters].flatMap((all) => parametersOf(document, all));
    return [{ method, path, parameters, body: method === 'get' ? [] : bodyFields(document, operation) }];
  });
  if (routes.length === 0) return null;
  const info = isRecord(document.info) ? document.info : {};
  return { title: line(info.title), version: line(info.version), routes };
}

/** `/gateway/be/api/v1/alerts/{alertId}` is `/alerts/{}`. */
function plainPath(path: string): string {
  const at = path.lastIndexOf(BASE_PATH);
  return (at < 0 ? path : path.slice(at + BASE_PATH.length)).replaceAll(/\{[^{}/]*\}/g, '{}');
}

function parametersOf(document: JsonRecord, parameters: unknown): readonly ParameterDescription[] {
  if (!Array.isArray(parameters)) return [];
  return parameters.slice(0, MOST_NAMES).flatMap((one: unknown) => {
    const parameter = resolved(document, one);
    const name = line(parameter?.name);
    if (parameter === null || name === null || parameter.in !== 'query') return [];
    return [{ name, values: namedValues(document, parameter.schema) }];
  });
}

function bodyFields(document: JsonRecord, { requestBody }: JsonRecord): readonly ParameterDescription[] {
  const content = resolved(document, requestBody)?.content;
  const media = isRecord(content) ? content['application/json'] : null;
  const properties = joinedSchemas(document, isRecord(media) ? media.schema : null).flatMap((schema) =>
    isRecord(schema.properties) ? Object.entries(schema.properties) : [],
  );
  const fields = Map.groupBy(properties, ([name]) => line(name) ?? '');
  return [...fields].slice(0, MOST_NAMES).map(([name, all]) => ({
    name,
    values: [...new Set(all.flatMap(([, property]) => namedValues(document, property)))],
  }));
}

function namedValues(document: JsonRecord, schema: unknown): readonly string[] {
  const own = joinedSchemas(document, schema);
  const schemas = [...own, ...own.flatMap(({ items }) => joinedSchemas(document, items))];
  const values = schemas.flatMap((one): unknown[] => (Array.isArray(one.enum) ? one.enum : [one.const]));
  const texts = values.flatMap((one) =>
    typeof one === 'string' || typeof one === 'number' ? [String(one)] : [],
  );
  // Values are sent as shown, so those that cannot be shown are not offered.
  const shown = texts.filter((text) => text !== '' && cleanText(text, LONGEST_VALUE).trim() === text);
  return [...new Set(shown)].slice(0, MOST_VALUES);
}

const JOINS = ['allOf', 'anyOf', 'oneOf'] as const;
const DEEPEST = 8;

/** The schemas that one is composed of, each once: references multiply, and form cycles. */
function joinedSchemas(
  document: JsonRecord,
  schema: unknown,
  seen = new Set<JsonRecord>(),
  depth = 0,
): readonly JsonRecord[] {
  const record = resolved(document, schema);
  if (record === null || seen.has(record) || depth === DEEPEST) return [];
  seen.add(record);
  const parts = JOINS.flatMap((join): unknown[] => {
    const list = record[join];
    return Array.isArray(list) ? list : [];
  });
  return [...parts.flatMap((part) => joinedSchemas(document, part, seen, depth + 1)), record];
}

/** The record that `value` is or refers to among the document's components. */
function resolved(document: JsonRecord, value: unknown): JsonRecord | null {
  if (!isRecord(value) || value.$ref === undefined) return isRecord(value) ? value : null;
  const path = /^#\/components\/(\w+)\/([^/]+)$/.exec(typeof value.$ref === 'string' ? value.$ref : '');
  const [kind, name] = path?.slice(1) ?? [];
  const components = isRecord(document.components) ? document.components : {};
  const named = ownValue(components, kind ?? '');
  const found = isRecord(named) ? ownValue(named, name ?? '') : null;
  return isRecord(found) && found.$ref === undefined ? found : null;
}

const LONGEST_TEXT = 200;

function line(value: unknown): string | null {
  return (typeof value === 'string' ? cleanText(value, LONGEST_TEXT).trim() : '') || null;
}

/** First v1's own location, then the given one, then NestJS's default beside such a page. */
const PLACES = [OPENAPI_PATH, PLAYGROUND_PATH, `${PLAYGROUND_PATH}-json`] as const;

/** `null`: there is none. @throws ClientError when it is unknown: no response, or the quota is used up */
export async function findDescription(http: Http): Promise<ServiceDescription | null> {
  const root = http.service.href.replace(/\/$/, '');
  for (const path of PLACES) {
    try {
      const { text } = await http.send({ root, path });
      const description = readDescription(parseJson(text));
      if (description !== null) return description;
    } catch (error) {
      const isKnown = error instanceof ClientError && error.code !== 'unreachable' && error.code !== 'quota';
      if (!isKnown) throw error;
    }
  }
  return null;
}
