import type * as z from 'zod';
import type { FieldProblem } from './alert-targets.ts';

export type Checked<Value> =
  | { readonly ok: true; readonly value: Value }
  | { readonly ok: false; readonly problems: readonly FieldProblem[] };

export type Body = Readonly<Record<string, unknown>>;

const isBody = (body: unknown): body is Body =>
  typeof body === 'object' && body !== null && !Array.isArray(body);

/** All problems of a body, field by field. `between`: those between fields; of invalid fields they are skipped. */
export function checkBody<Schema extends z.ZodType>(
  schema: Schema,
  body: unknown,
  between: (body: Body) => readonly FieldProblem[] = () => [],
): Checked<z.output<Schema>> {
  const parsed = schema.safeParse(body);
  const own = parsed.success ? [] : fieldProblems(parsed.error, body);
  const further = isBody(body) ? between(body) : [];
  const problems = [...own, ...further.filter(({ path }) => !own.some((each) => each.path === path))];
  return parsed.success && problems.length === 0 ? { ok: true, value: parsed.data } : { ok: false, problems };
}

/** The problems of a schema with `body`, field by field, as text to follow the field's name. */
export function fieldProblems(
  { issues }: z.core.$ZodError,
  body: unknown,
  kind = 'field of this request',
): FieldProblem[] {
  return issues.filter((issue) => !isBeyondNumbers(issue)).flatMap((issue) => problemsOf(issue, body, kind));
}

/** A whole number beyond a double's precision exceeds the field's own bound, too. */
function isBeyondNumbers(issue: z.core.$ZodIssue): boolean {
  if (issue.code === 'too_small') return issue.minimum === Number.MIN_SAFE_INTEGER;
  return issue.code === 'too_big' && issue.maximum === Number.MAX_SAFE_INTEGER;
}

function problemsOf(issue: z.core.$ZodIssue, body: unknown, kind: string): FieldProblem[] {
  const path = issue.path.join('.');
  switch (issue.code) {
    case 'unrecognized_keys':
      return issue.keys.map((key) => ({
        path: [...issue.path, key].join('.'),
        message: `is not a ${kind}`,
      }));
    case 'invalid_key':
      return issue.issues.map((inner) => ({ path, message: wordsFor(inner, issue.path.at(-1)) }));
    default:
      return [{ path, message: wordsFor(issue, valueAt(body, issue.path)) }];
  }
}

function wordsFor(issue: z.core.$ZodIssue, value: unknown): string {
  const isMissing = value === undefined;
  switch (issue.code) {
    case 'invalid_value': {
      const words = issue.values.join(', ');
      return isMissing ? `is missing: one of ${words}` : `must be one of ${words}`;
    }
    case 'invalid_type':
      return isMissing ? 'is missing' : `must be ${KIND[issue.expected] ?? issue.expected}`;
    case 'too_small':
      return tooSmall(issue);
    case 'too_big':
      return tooBig(issue);
    default:
      return issue.message;
  }
}

const KIND: Readonly<Record<string, string>> = {
  number: 'a number',
  int: 'a whole number',
  string: 'text',
  boolean: 'true or false',
  array: 'a list',
  object: 'a JSON object',
  record: 'a JSON object',
};

function tooSmall({ origin, minimum, inclusive }: z.core.$ZodIssueTooSmall): string {
  if (origin === 'string' || origin === 'array') return 'must not be empty';
  return `must be ${inclusive === false ? 'above' : 'at least'} ${plain(minimum)}`;
}

function tooBig({ origin, maximum, inclusive }: z.core.$ZodIssueTooBig): string {
  const what = origin === 'string' ? 'characters' : 'entries';
  if (origin === 'string' || origin === 'array') return `must have at most ${plain(maximum)} ${what}`;
  return `must be ${inclusive === false ? 'below' : 'at most'} ${plain(maximum)}`;
}

const plain = (bound: number | bigint) => bound.toLocaleString('en', { maximumFractionDigits: 9 });

/** The value at a path of own fields, and of nothing else. */
export const valueAt = (body: unknown, path: readonly PropertyKey[]): unknown =>
  path.reduce<unknown>(
    (value, step) =>
      typeof value === 'object' && value !== null && Object.hasOwn(value, step)
        ? Reflect.get(value, step)
        : undefined,
    body,
  );
