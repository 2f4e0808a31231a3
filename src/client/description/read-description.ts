import { BASE_PATH, V1_ROUTES, type V1Route } from '../../contract/routes.ts';
import type { ParameterDescription, RouteDescription, ServiceDescription } from '../openapi.ts';
import { isRecord, type JsonRecord } from '../reading/json.ts';
import { bodyFields, jsonSchema } from './body-fields.ts';
import { fieldsBeyond } from './contract-fields.ts';
import { resolved } from './json-pointer.ts';
import { namedValues } from './named-values.ts';
import { line, schemaFields } from './schema-fields.ts';
import { VisitBudget } from './visit-budget.ts';

const MOST_PARAMETERS = 50;
/** No route of v1 stands at a longer path, whatever it begins with. */
const LONGEST_PATH = 500;

/**
 * What an OpenAPI 3.0, 3.1 or Swagger 2 document says of the v1 routes, whatever else it holds and however its paths
 * begin; `null` where it is none or knows no v1 route. Nothing outside the document is read.
 */
export function readDescription(document: unknown): ServiceDescription | null {
  if (!isRecord(document) || !isRecord(document.paths)) return null;
  if (document.openapi === undefined && document.swagger === undefined) return null;
  const paths = Object.entries(document.paths).filter(([path]) => path.length <= LONGEST_PATH);
  const items = new Map(paths.map(([path, item]) => [plainPath(path), item]));
  const budget = new VisitBudget();
  const routes = V1_ROUTES.flatMap((route) => {
    const item = resolved(document, items.get(plainPath(route.path)));
    const operation = item === null ? null : resolved(document, item[route.method]);
    return item === null || operation === null ? [] : [readRoute(document, route, item, operation, budget)];
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

function readRoute(
  document: JsonRecord,
  { method, path }: V1Route,
  item: JsonRecord,
  operation: JsonRecord,
  budget: VisitBudget,
): RouteDescription {
  const schema = answerSchema(document, operation);
  return {
    method,
    path,
    summary: line(operation.summary) ?? line(operation.description),
    parameters: [...parametersOf(document, item, budget), ...parametersOf(document, operation, budget)],
    body: method === 'get' ? [] : bodyFields(document, operation, budget),
    beyond: method === 'get' ? fieldsBeyond(path, schemaFields(document, schema, budget)) : [],
  };
}

function parametersOf(
  document: JsonRecord,
  holder: JsonRecord,
  budget: VisitBudget,
): readonly ParameterDescription[] {
  const parameters: readonly unknown[] = Array.isArray(holder.parameters) ? holder.parameters : [];
  return parameters.slice(0, MOST_PARAMETERS).flatMap((one) => {
    const parameter = resolved(document, one);
    const name = parameter === null ? null : line(parameter.name);
    if (parameter === null || name === null || parameter.in !== 'query') return [];
    // Swagger 2 writes the values beside the name, OpenAPI 3 into a schema.
    const values = namedValues(document, parameter.schema ?? parameter, budget);
    return values.length === 0 ? [] : [{ name, values }];
  });
}

/** The schema of the JSON that a success answers with. */
function answerSchema(document: JsonRecord, operation: JsonRecord): unknown {
  const responses = isRecord(operation.responses) ? operation.responses : {};
  const status = ['200', ...Object.keys(responses).filter((key) => /^2/.test(key)), 'default'].find((key) =>
    Object.hasOwn(responses, key),
  );
  const response = status === undefined ? null : resolved(document, responses[status]);
  if (response === null) return null;
  return isRecord(response.content) ? jsonSchema(document, response.content) : response.schema;
}
