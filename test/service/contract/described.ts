import { Ajv2020, type ErrorObject } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { OPENAPI_PATH } from '../../../src/contract/routes.ts';

export interface Schema {
  readonly type?: string;
  /** Once, or repeated. */
  readonly anyOf?: readonly Schema[];
  readonly format?: string;
  readonly enum?: readonly string[];
  readonly const?: string;
  readonly minimum?: number;
  readonly maximum?: number;
}

export interface Parameter {
  readonly name: string;
  readonly in: 'query' | 'path' | 'header';
  readonly description?: string;
  readonly schema: Schema;
}

export interface Operation {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly summary: string;
  readonly security: readonly unknown[];
  readonly 'x-gastop-addition'?: boolean;
  readonly parameters?: readonly Parameter[];
  readonly responses: Readonly<Record<string, { readonly content?: object; readonly headers?: object }>>;
  readonly requestBody?: {
    readonly required: boolean;
    readonly content: Readonly<Record<string, { readonly schema: { readonly $ref: string } }>>;
  };
}

interface NamedSchema {
  readonly required?: readonly string[];
  readonly additionalProperties?: unknown;
}

export interface ApiDocument {
  readonly openapi: string;
  readonly servers: readonly { readonly url: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, NamedSchema>> };
}

export type Described = Awaited<ReturnType<typeof readDocument>>;

/** Reads the document of the server at `origin`. Its schemas judge as JSON Schema 2020-12 does. */
export async function readDocument(origin: string) {
  const response = await fetch(origin + OPENAPI_PATH);
  if (response.status !== 200) throw new Error(`no document: ${response.status}`);
  const document = (await response.json()) as ApiDocument;
  const ajv = new Ajv2020({ allErrors: true, strict: true, allowUnionTypes: true });
  addFormats.default(ajv);
  // What the document says beside its schemas.
  ajv.addVocabulary(Object.keys(document));
  ajv.addSchema(document, 'openapi.json');
  const typeOf = (path: string, method: string, status: string) =>
    Object.keys(document.paths[path]?.[method]?.responses[status]?.content ?? {})[0] ?? '';
  const root = new URL(document.servers[0]?.url ?? '/', origin + OPENAPI_PATH).href;
  const judge = (way: readonly string[], body: unknown): readonly ErrorObject[] | null => {
    // What is named is compiled once, not for each route that names it.
    const named = way.reduce<unknown>((part, name) => Object(part)[name], document);
    const { $ref = `#/${way.map(pointerPart).join('/')}` } = Object(named) as { $ref?: string };
    const validate = ajv.getSchema(`openapi.json${$ref}`);
    if (validate === undefined) throw new Error(`no schema at ${way.join(' ')}`);
    return validate(body) ? null : (validate.errors ?? []);
  };
  return {
    document,
    root,
    operation: (method: string, path: string) => {
      const operation = document.paths[path]?.[method];
      if (operation === undefined) throw new Error(`the document has no ${method} ${path}`);
      return operation;
    },
    misfit: (method: string, path: string, status: string, body: unknown) =>
      judge(
        ['paths', path, method, 'responses', status, 'content', typeOf(path, method, status), 'schema'],
        body,
      ),
    misfitBody: (method: string, path: string, body: unknown) =>
      judge(['paths', path, method, 'requestBody', 'content', 'application/json', 'schema'], body),
  };
}

const pointerPart = (part: string) => encodeURIComponent(part.replaceAll('~', '~0').replaceAll('/', '~1'));
