import { CHANNELS } from '../contract/alert-channels.ts';
import { ALERT_CONDITIONS, ALERT_STATUSES, GAS_SPEEDS } from '../contract/choices.ts';
import * as v1 from '../contract/routes.ts';
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

export interface RouteDescription extends Pick<v1.V1Route, 'method' | 'path'> {
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
  method: v1.V1Route['method'] = 'get',
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
export const EXTRA_FIELDS = ['threshold', 'hysteresisGwei', 'confirmBlocks', 'targets'] as const;
export type ExtraField = (typeof EXTRA_FIELDS)[number];

/** A service's choices, or the contract's without our additions. `null`: no description; `undefined`: not known yet. */
export function alertChoices(description: Described, isOwn: boolean) {
  const body = describedRoute(description, v1.PATHS.alerts, 'post')?.body ?? [];
  const status = describedRoute(description, v1.PATHS.alertStatus, 'put')?.body ?? [];
  const given = CHANNELS.filter(({ isAddition }) => description !== null || !isAddition);
  const channels = given.map(({ name }) => name);
  const values = (fields: typeof body, name: string, otherwise: readonly string[]) => {
    const named = fields.find((field) => field.name === name)?.values ?? [];
    return named.length === 0 ? otherwise : named;
  };
  const lists = (name: string) => body.some((field) => field.name === name);
  return {
    gasSpeeds: values(body, 'gasSpeed', GAS_SPEEDS),
    conditions: values(body, 'condition', ALERT_CONDITIONS),
    channels: values(body, 'channels', values(body, 'method', channels)),
    statuses: values(status, 'status', ALERT_STATUSES),
    // Alone it is another service's name for the price in gwei.
    unknown: isOwn
      ? []
      : EXTRA_FIELDS.filter((name) => !lists(name) || (name === 'threshold' && !lists('thresholdGwei'))),
  };
}

const EXTRA_AUTO_TX_FIELDS = ['threshold', 'gasSpeed', 'strictTargetPrice', 'note', 'expiresAt'] as const;
type ExtraAutoTxField = (typeof EXTRA_AUTO_TX_FIELDS)[number];

/** Fields that a description lacks, so that they must not be sent; none without a description. */
export function unknownAutoTxFields(description: Described): readonly ExtraAutoTxField[] {
  const body = describedRoute(description, v1.PATHS.autoTxs, 'post')?.body ?? [];
  if (body.length === 0) return [];
  return EXTRA_AUTO_TX_FIELDS.filter((name) => !body.some((field) => field.name === name));
}

const MOST_NAMES = 50;
const MOST_VALUES = 24;
const LONGEST_VALUE = 24;
const LONGEST_TEXT = 200;

const line = (value: unknown): string | null =>
  (typeof value === 'string' ? cleanText(value, LONGEST_TEXT).trim() : '') || null;

/** Reads an OpenAPI 3 document with any path prefix; `null` when it has no v1 route. */
export function readDescription(document: unknown): ServiceDescription | null {
  if (!isRecord(document) || !isRecord(document.paths) || document.openapi === undefined) return null;
  const items = new Map(Object.entries(document.paths).map(([path, item]) => [plainPath(path), item]));
  const routes = [...v1.V1_ROUTES, ...v1.ADDED_ROUTES].flatMap(({ method, path }): RouteDescription[] => {
    const item = items.get(plainPath(path));
    const operation = isRecord(item) ? item[method] : null;
    if (!isRecord(item) || !isRecord(operation)) return [];
    const listed = [item.parameters, operation.parameters].flatMap((all) => (Array.isArray(all) ? all : []));
    const parameters = listed.slice(0, MOST_NAMES).flatMap((one) => {
      const { name, schema, ...parameter } = resolved(document, one);
      const text = parameter.in === 'query' ? line(name) : null;
      return text === null ? [] : [{ name: text, values: valuesOf(document, [schema]) }];
    });
    const { content } = resolved(document, operation.requestBody);
    const media = isRecord(content) ? content['application/json'] : null;
    const schema = isRecord(media) && method !== 'get' ? media.schema : null;
    return [{ method, path, parameters, body: fieldsOf(document, schema) }];
  });
  if (routes.length === 0) return null;
  const info = isRecord(document.info) ? document.info : {};
  return { title: line(info.title), version: line(info.version), routes };
}

/** `/gateway/be/api/v1/alerts/{alertId}` is `/alerts/{}`. */
function plainPath(path: string): string {
  const at = path.lastIndexOf(v1.BASE_PATH);
  return (at < 0 ? path : path.slice(at + v1.BASE_PATH.length)).replaceAll(/\{[^{}/]*\}/g, '{}');
}

function fieldsOf(document: JsonRecord, schema: unknown): readonly ParameterDescription[] {
  const properties = [...joinedSchemas(document, schema)].flatMap((one) =>
    isRecord(one.properties) ? Object.entries(one.properties) : [],
  );
  const fields = Map.groupBy(properties, ([name]) => line(name) ?? '');
  return [...fields].slice(0, MOST_NAMES).map(([name, all]) => ({
    name,
    values: valuesOf(
      document,
      all.map(([, property]) => property),
    ),
  }));
}

/** The values that a parameter or field may have, or the items of its list. */
function valuesOf(document: JsonRecord, schemas: readonly unknown[]): readonly string[] {
  const own = [...joinedSchemas(document, ...schemas)];
  const all = [...own, ...joinedSchemas(document, ...own.map(({ items }) => items))];
  const values = all.flatMap((one): unknown[] => (Array.isArray(one.enum) ? one.enum : [one.const]));
  const texts = values.filter((one) => typeof one === 'string' || typeof one === 'number').map(String);
  // Values are sent as shown, so those that cannot be shown are not offered.
  const shown = texts.filter((text) => text !== '' && cleanText(text, LONGEST_VALUE).trim() === text);
  return [...new Set(shown)].slice(0, MOST_VALUES);
}

/** The schemas that these are composed of, each once: references multiply, and form cycles. */
function joinedSchemas(document: JsonRecord, ...schemas: readonly unknown[]): ReadonlySet<JsonRecord> {
  const found = new Set(schemas.map((schema) => resolved(document, schema)));
  for (const { allOf, anyOf, oneOf } of found) {
    for (const part of [allOf, anyOf, oneOf].flat()) found.add(resolved(document, part));
  }
  return found;
}

const NOTHING: JsonRecord = {};

/** The record that `value` is or refers to among the document's components. */
function resolved(document: JsonRecord, value: unknown): JsonRecord {
  if (!isRecord(value) || value.$ref === undefined) return isRecord(value) ? value : NOTHING;
  const [, kind = '', name = ''] = /^#\/components\/(\w+)\/([^/]+)$/.exec(String(value.$ref)) ?? [];
  const components = isRecord(document.components) ? document.components : NOTHING;
  const named = ownValue(components, kind);
  const found = isRecord(named) ? ownValue(named, name) : null;
  return isRecord(found) && found.$ref === undefined ? found : NOTHING;
}

/** First v1's own location, then the given one, then NestJS's default beside such a page. */
const PLACES = [v1.OPENAPI_PATH, v1.PLAYGROUND_PATH, `${v1.PLAYGROUND_PATH}-json`] as const;

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
