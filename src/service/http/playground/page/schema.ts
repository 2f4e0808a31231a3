import { inline, make, said, unfolding } from './dom.ts';

/** The parts of the service's OpenAPI document that the page shows. */
export interface ApiDocument {
  info: { title: string; version: string; description: string };
  servers: { url: string }[];
  tags: { name: string; description: string }[];
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, Schema>; securitySchemes: { apiKey: { name: string } } };
}

export interface Operation {
  operationId: string;
  summary: string;
  description?: string;
  tags: string[];
  parameters?: Parameter[];
  requestBody?: { content: Content };
  responses: Record<string, { description: string; content?: Content }>;
  'x-gastop-addition'?: boolean;
}

type Content = Record<string, { schema: Schema; example?: unknown }>;

export interface Parameter {
  name: string;
  in: 'path' | 'query' | 'header';
  description?: string;
  required?: boolean;
  schema: Schema;
}

interface Schema {
  $ref?: string;
  type?: string | string[];
  format?: string;
  description?: string;
  enum?: unknown[];
  const?: unknown;
  default?: unknown;
  examples?: unknown[];
  minimum?: number;
  maximum?: number;
  exclusiveMinimum?: number;
  properties?: Record<string, Schema>;
  required?: string[];
  items?: Schema;
  anyOf?: Schema[];
  oneOf?: Schema[];
}

/** The schema behind a reference, and its name. */
function resolve(api: ApiDocument, { $ref, ...beside }: Schema): { name: string | null; schema: Schema } {
  const name = $ref?.split('/').at(-1) ?? null;
  return { name, schema: name === null ? beside : { ...api.components.schemas[name], ...beside } };
}

/** A type in a few words: `integer, 0 to 500`, `list of ChartPoint`, `Wei or null`. */
export function typeWords(api: ApiDocument, of: Schema): string {
  const { name, schema } = resolve(api, of);
  if (name !== null) {
    return schema.properties || schema.enum ? name : `${name}: ${typeWords(api, schema)}`;
  }
  const choices = schema.anyOf ?? schema.oneOf;
  if (choices) return choices.map((each) => typeWords(api, each)).join(' or ');
  if (schema.enum) return schema.enum.map((value) => JSON.stringify(value)).join(' | ');
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.items) return `list of ${typeWords(api, schema.items)}`;
  const type = [schema.type ?? 'anything'].flat().join(' or ');
  return `${type}${schema.format === undefined ? '' : ` (${schema.format})`}${range(schema)}`;
}

/** Bounds worth reading: 2^53 − 1 only says that it is a number. */
function range({ minimum, maximum, exclusiveMinimum }: Schema): string {
  const isBound = (bound = Number.MAX_SAFE_INTEGER) => Math.abs(bound) < Number.MAX_SAFE_INTEGER;
  const top = isBound(maximum) ? maximum : undefined;
  if (exclusiveMinimum !== undefined) return `, above ${exclusiveMinimum}${top ? `, at most ${top}` : ''}`;
  if (top !== undefined) return `, ${minimum ?? '…'} to ${top}`;
  return isBound(minimum) ? `, at least ${minimum}` : '';
}

/** The fields of a schema; deeper ones open when they are asked for, so that no reference runs in circles. */
export function schemaView(api: ApiDocument, schema: Schema): Node {
  const { properties, required = [], description } = innermost(api, schema);
  if (properties === undefined) {
    const words = description === undefined ? [] : [' — ', ...inline(description)];
    return make('p', { class: 'type' }, typeWords(api, schema), ...words);
  }
  const rows = Object.entries(properties).map(([name, field]) => {
    const type = `${typeWords(api, field)}${required.includes(name) ? '' : ', may be absent'}`;
    const note = make(
      'div',
      { class: 'field-head' },
      said('code', 'field-name', name),
      said('span', 'type', type),
      make('span', { class: 'said' }, ...inline(resolve(api, field).schema.description ?? '')),
    );
    if (innermost(api, field).properties === undefined) return make('li', {}, note);
    const folded = make('details', {}, make('summary', {}, note));
    return make(
      'li',
      {},
      unfolding(folded, () => schemaView(api, field)),
    );
  });
  return make('ul', { class: 'fields' }, ...rows);
}

/** Through references, lists and what may be null to the schema that has fields, if any. */
function innermost(api: ApiDocument, of: Schema): Schema {
  const { schema } = resolve(api, of);
  if (schema.properties !== undefined) return schema;
  const inner = schema.items ?? (schema.anyOf ?? schema.oneOf)?.find(({ type }) => type !== 'null');
  return inner === undefined ? schema : innermost(api, inner);
}
