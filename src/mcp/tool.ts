import type { Tool as McpTool } from '@modelcontextprotocol/server';
import * as z from 'zod';
import type { GasClient } from '../client/client.ts';
import { fieldProblems } from '../contract/field-problems.ts';
import { cleanText } from '../core/text.ts';
import { gweiString, nativeString } from '../core/units.ts';

/** Context of a tool call: the service, as the caller's key sees it. */
export interface ToolContext {
  readonly client: GasClient;
  /** Aborts when the caller cancels the call. */
  readonly signal: AbortSignal;
  /** Wall clock, ms. */
  readonly now: () => number;
}

/** Effect of a tool on the service; MCP clients ask their user by it. */
type ToolEffect = 'reads' | 'adds' | 'changes' | 'removes';

interface ToolDefinition<Input extends z.ZodObject, Output extends z.ZodObject, Context> {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly effect: ToolEffect;
  readonly input: Input;
  /** Converts views (wei as `bigint`, times in ms) to the tool's result; fields that it does not name are left out. */
  readonly output: Output;
  readonly run: (context: Context, input: z.output<Input>) => Promise<z.input<Output>>;
}

export type Tool = ReturnType<typeof defineTool<z.ZodObject, z.ZodObject, ToolContext>>;

/** A call that cannot be done. `message` is one sentence of advice without any argument. */
export class ToolError extends Error {
  override readonly name = 'ToolError';
}

export function defineTool<Input extends z.ZodObject, Output extends z.ZodObject, Context = ToolContext>({
  run,
  ...definition
}: ToolDefinition<Input, Output, Context>) {
  const { name, title, description, effect, input, output } = definition;
  return {
    name,
    effect,
    /** Entry of `tools/list`. */
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

function objectSchema(schema: z.ZodObject, io: 'input' | 'output'): McpTool['inputSchema'] {
  const { $schema: _, ...json } = z.toJSONSchema(schema, { io, metadata: withoutIds });
  return JSON.parse(JSON.stringify(json));
}

// Result formats: people and models read gwei, whole coins and dates; views have wei and ms.

const Wei = z.union([z.bigint(), z.number()]);

/** A mean in wei need not be whole. */
const gweiOf = (wei: bigint | number) => {
  const whole = typeof wei === 'bigint' ? wei : BigInt(Math.round(wei));
  return Number(gweiString(whole < 0n ? -whole : whole)) * (whole < 0n ? -1 : 1);
};

/** Wei per gas, converted to gwei. */
export const Gwei = Wei.transform(gweiOf).pipe(z.number());
export const GweiOrNull = Gwei.nullable();

/** An amount of wei, converted to native coins as an exact decimal string. */
export const CoinsOrNull = z
  .bigint()
  .transform((wei) => (wei < 0n ? `-${nativeString(-wei)}` : nativeString(wei)))
  .pipe(z.string())
  .nullable();

/** Ms since epoch, converted to ISO 8601. */
export const TimeOrNull = z
  .number()
  .transform((ms) => new Date(ms).toISOString())
  .pipe(z.string())
  .nullable();

export const TextOrNull = z.string().nullable();
export const CountOrNull = z.number().nullable();
export const FlagOrNull = z.boolean().nullable();
