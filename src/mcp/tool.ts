import type { Tool as McpTool } from '@modelcontextprotocol/server';
import * as z from 'zod';
import type { GasClient } from '../client/gas-client.ts';
import { PATIENCE_SEC } from '../contract/choices.ts';
import { fieldProblems } from '../contract/field-problems.ts';
import { cleanText } from '../core/text.ts';
import { ThresholdError } from '../core/threshold/threshold.ts';
import { gweiString, nativeString } from '../core/units.ts';

/** Context of a tool call: the service, as the caller's key sees it. */
export interface ToolContext {
  readonly client: GasClient;
  /** Aborts when the caller cancels the call. */
  readonly signal: AbortSignal;
  readonly now: () => number;
}

/** Effect of a tool on the service; MCP clients ask their user by it. */
type ToolEffect = 'reads' | 'adds' | 'changes' | 'removes';

interface ToolDefinition<Input extends z.ZodObject, Output extends z.ZodRawShape, Context> {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly effect: ToolEffect;
  readonly input: Input;
  /** Fields of the result; those that it does not name are left out. */
  readonly output: Output;
  readonly run: (context: Context, input: z.output<Input>) => Promise<Source<Output>>;
}

export type Tool = ReturnType<typeof defineTool<z.ZodObject, z.ZodRawShape, ToolContext>>;

/** A call that cannot be done. `message` is one sentence of advice without any argument. */
export class ToolError extends Error {
  override readonly name = 'ToolError';
}

export function defineTool<Input extends z.ZodObject, Output extends z.ZodRawShape, Context = ToolContext>({
  run,
  ...definition
}: ToolDefinition<Input, Output, Context>) {
  const { name, title, description, effect, input } = definition;
  const output = result(definition.output);
  return {
    name,
    effect,
    listed: {
      ...{ name, title, description },
      inputSchema: objectSchema(input, 'input'),
      outputSchema: objectSchema(output, 'output'),
      annotations: {
        title,
        readOnlyHint: effect === 'reads',
        destructiveHint: effect === 'removes',
        idempotentHint: effect !== 'adds',
        openWorldHint: true,
      },
    },
    /** @throws ToolError for invalid arguments; errors of `open` and the client. */
    call: async (args: unknown, open: () => Promise<Context>) => {
      const parsed = input.safeParse(args);
      if (!parsed.success) throw new ToolError(wrongArguments(parsed.error, args));
      return output.parse(await run(await open(), parsed.data));
    },
  };
}

export const reading = <Input extends z.ZodObject, Output extends z.ZodRawShape>(
  definition: Omit<ToolDefinition<Input, Output, ToolContext>, 'effect'>,
) => defineTool<Input, Output>({ ...definition, effect: 'reads' });

/** What an argument of this name stands for, as `parse` reads it. @throws ToolError that says what to write */
export function readRule<Rule>(name: string, text: string, parse: (text: string) => Rule): Rule {
  try {
    return parse(text);
  } catch (error) {
    throw error instanceof ThresholdError ? new ToolError(`${name}: ${error.message}`) : error;
  }
}

const MOST_PROBLEMS = 5;
/** An invented name may contain anything. */
const LONGEST_NAME = 40;

function wrongArguments(error: z.ZodError, args: unknown): string {
  const problems = fieldProblems(error, args).slice(0, MOST_PROBLEMS);
  return problems
    .map(({ path, message }) => `${path === '' ? 'the arguments' : cleanText(path, LONGEST_NAME)} ${message}`)
    .join('; ');
}

/** JSON Schema without references: some MCP clients do not follow them. */
const withoutIds: typeof z.globalRegistry = Object.create(z.globalRegistry, {
  get: {
    value: (schema: z.core.$ZodType) => {
      const { id: _, ...meta } = z.globalRegistry.get(schema) ?? {};
      return meta;
    },
  },
});

/**
 * Keeps to the keywords that clients and their models take. Reported as refused: by Gemini `exclusiveMinimum`
 * (modelcontextprotocol/servers#1624), `propertyNames` (rikkahub/rikkahub#1935) and a list of types in arguments
 * (n8n-io/n8n#15553), by Claude Desktop `additionalProperties` with a schema (googleanalytics/google-analytics-mcp#135).
 * A call is checked in full here.
 */
function plainer(json: z.core.JSONSchema.BaseSchema): z.core.JSONSchema.BaseSchema {
  const { exclusiveMinimum, propertyNames, const: only, anyOf, ...rest } = json;
  if (typeof exclusiveMinimum === 'number') rest.minimum = exclusiveMinimum;
  if (typeof only === 'string') rest.enum = [only];
  const names = typeof propertyNames === 'object' ? propertyNames.enum : undefined;
  if (names !== undefined && typeof rest.additionalProperties === 'object') {
    const value = rest.additionalProperties;
    rest.properties = Object.fromEntries(names.map((name) => [String(name), value]));
    rest.additionalProperties = false;
  }
  const [shape, nothing, ...others] = anyOf ?? [];
  if (shape === undefined) return rest;
  if (typeof shape.type !== 'string' || nothing?.type !== 'null' || others.length > 0)
    return { ...rest, anyOf };
  return { ...rest, ...shape, type: [shape.type, 'null'] };
}

function objectSchema(schema: z.ZodType, io: 'input' | 'output'): McpTool['inputSchema'] {
  const { $schema: _, ...json } = z.toJSONSchema(schema, { io, metadata: withoutIds });
  const isSchema = (value: unknown) => typeof value === 'object' && value !== null && !Array.isArray(value);
  return JSON.parse(JSON.stringify(json), (_name, value) => (isSchema(value) ? plainer(value) : value));
}

// Result formats: people and models read gwei, whole coins and dates; views have wei and ms.

/** A mean in wei need not be whole. */
const gweiOf = (wei: bigint | number) => {
  const whole = typeof wei === 'bigint' ? wei : BigInt(Math.round(wei));
  return Number(gweiString(whole < 0n ? -whole : whole)) * (whole < 0n ? -1 : 1);
};

export const Gwei = z.union([z.bigint(), z.number()]).transform(gweiOf).pipe(z.number());

/** An amount of wei, converted to native coins as an exact decimal string. */
export const Coins = z
  .bigint()
  .transform((wei) => (wei < 0n ? `-${nativeString(-wei)}` : nativeString(wei)))
  .pipe(z.string());

/** Ms since epoch, converted to ISO 8601. */
export const Time = z
  .number()
  .transform((ms) => new Date(ms).toISOString())
  .pipe(z.string());

export const Text = z.string();
export const Count = z.number();
export const Flag = z.boolean();

/** How many seconds the user can wait. */
export const Patience = z.int().min(PATIENCE_SEC.least).max(PATIENCE_SEC.most).default(PATIENCE_SEC.default);

/** Fields of one format, `null` where they are unknown. */
export const each = <Format extends z.ZodType, Name extends string>(
  format: Format,
  ...names: readonly Name[]
) =>
  Object.fromEntries(names.map((name) => [name, format.nullable()])) as Record<Name, z.ZodNullable<Format>>;

type SourceOf<Name> = Name extends `${infer Field}Gwei` | `${infer Field}Coins`
  ? Field
  : Name extends 'coins'
    ? 'wei'
    : Name;

/** What a result is made from, by the names of views: `maxFeePerGas` becomes `maxFeePerGasGwei`, `value` `valueCoins`. */
export type Source<Shape extends z.ZodRawShape> = {
  readonly [Name in keyof Shape as SourceOf<Name>]: z.input<Shape[Name]>;
};

export const result = <Shape extends z.ZodRawShape>(shape: Shape) =>
  z
    .custom<Source<Shape>>()
    .transform((view: object) => {
      const sourceOf = (name: string) => (name === 'coins' ? 'wei' : name.replace(/(Gwei|Coins)$/, ''));
      return Object.fromEntries(Object.keys(shape).map((name) => [name, Reflect.get(view, sourceOf(name))]));
    })
    .pipe(z.object(shape));
