import * as z from 'zod';
import { usageError } from './cli-error.ts';
import { SmtpConfig, TelegramConfig, wantedOfDelivery } from './delivery-schema.ts';
import { PlanSettings, wantedOfPlans } from './plan-schema.ts';

/** The config file. Values are text as in the environment, so that one reader checks them all. */
const ConfigFile = z.strictObject({
  url: z.string().optional(),
  rpc: z.union([z.string(), z.array(z.string()).min(1)]).optional(),
  apiKey: z.string().optional(),
  history: z.string().optional(),
  confirmations: z.string().optional(),
  db: z.string().optional(),
  ascii: z.boolean().optional(),
  notifications: z.string().optional(),
  keys: z.string().optional(),
  plans: PlanSettings.optional(),
  smtp: SmtpConfig.optional(),
  telegram: TelegramConfig.optional(),
  allowPrivateTargets: z.boolean().optional(),
});
export type ConfigFile = z.infer<typeof ConfigFile>;

const WANTED: Readonly<Record<keyof ConfigFile, string>> = {
  url: 'a text such as "https://gas.example.org"',
  rpc: 'a URL, or a list of URLs such as ["http://127.0.0.1:8545"]',
  apiKey: 'a text',
  history: 'a text such as "24h"',
  confirmations: 'a text such as "12"',
  db: 'a file name',
  ascii: 'true or false',
  notifications: '"on", "bell" or "off"',
  keys: 'a file name',
  plans: wantedOfPlans([]),
  smtp: wantedOfDelivery(['smtp']),
  telegram: wantedOfDelivery(['telegram']),
  allowPrivateTargets: 'true or false',
};

/** Parses the text of a config file; `shown` names it in errors. No value is repeated: one may be a key. */
export function parseConfig(text: string, shown: string): ConfigFile {
  const parsed = ConfigFile.safeParse(parseJson(text.replace(/^\ufeff/, ''), shown));
  if (parsed.success) return parsed.data;
  const known = Object.keys(WANTED).join(', ');
  for (const issue of parsed.error.issues) {
    if (issue.code === 'unrecognized_keys' && issue.path.length === 0) {
      const names = issue.keys.map((key) => `"${key}"`).join(', ');
      throw usageError(`${shown}: unknown setting ${names}; known are ${known}`);
    }
  }
  const path = (parsed.error.issues[0]?.path ?? []).map(String);
  const name = path[0] ?? '';
  if (name === 'plans')
    throw usageError(`${shown}: "${path.join('.')}" must be ${wantedOfPlans(path.slice(1))}`);
  if (name === 'smtp' || name === 'telegram')
    throw usageError(`${shown}: "${path.join('.')}" must be ${wantedOfDelivery(path)}`);
  const wanted = Object.entries(WANTED).find(([key]) => key === name)?.[1];
  throw usageError(
    wanted === undefined
      ? `${shown} must be a JSON object, such as {}`
      : `${shown}: "${name}" must be ${wanted}`,
  );
}

function parseJson(text: string, shown: string): unknown {
  if (text.trim() === '') return {};
  try {
    return JSON.parse(text);
  } catch (error) {
    throw usageError(`${shown} is not JSON${placeOf(error, text)}; correct it there`);
  }
}

/** V8 quotes the text around the error, which may be a key: only the place is taken from its message, and what is amiss there. */
function placeOf(error: unknown, text: string): string {
  const found = /at position (\d+)/.exec(error instanceof Error ? error.message : '')?.[1];
  if (found === undefined) return '';
  const position = Number(found);
  const before = text.slice(0, position).split('\n');
  const amiss = amissAt(text, position);
  const hint = amiss === null ? '' : `: ${amiss}`;
  return ` (line ${before.length}, column ${(before.at(-1)?.length ?? 0) + 1}${hint})`;
}

/** What people write that JSON does not have; `null`: something else. */
function amissAt(text: string, position: number): string | null {
  const at = text[position] ?? '';
  if (text[position - 1] === '\\') return 'a backslash is written twice, or as /';
  if (at === '/' || at === '#') return 'it has no comments';
  if (at === "'") return 'it has double quotes only';
  if ((at === '}' || at === ']') && text.slice(0, position).trimEnd().endsWith(','))
    return 'the comma before it is one too many';
  return null;
}
