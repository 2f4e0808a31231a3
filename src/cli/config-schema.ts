import * as z from 'zod';
import { fieldProblems } from '../contract/field-problems.ts';
import { ROUTE_GROUPS } from '../contract/routes.ts';
import { usageError } from './errors.ts';
import { type FileName, type OwnSchemaName, SETTING_ROWS, type SETTINGS } from './settings-table.ts';

const Text = z.string().min(1).optional();
const Flag = z.boolean().optional();
const matching = (pattern: RegExp, wanted: string) => z.string().regex(pattern, `must be ${wanted}`);
const oneOrMore = (wanted: string) => z.union([z.string(), z.array(z.string()).min(1)], `must be ${wanted}`);
const Urls = oneOrMore('a URL, or a list of URLs such as ["http://127.0.0.1:8545"]').optional();

const SmtpConfig = z.strictObject({
  host: matching(/^[^\s/@]+$/, 'the name of a mail server, such as "mail.example.org"'),
  port: z.int().min(1).max(65_535).optional(),
  /** TLS from the first byte; otherwise upgraded by STARTTLS. */
  secure: Flag,
  user: Text,
  password: Text,
  from: Text,
  name: matching(
    /^[a-z0-9-]+(?:\.[a-z0-9-]+)+$/i,
    'the full name of this machine, such as "gas.example.org"',
  ).optional(),
  requireTls: Flag,
});

const PlanConfig = z.strictObject({
  dailyLimit: z.int().min(1).nullable(),
  perSecond: z.number().min(0.001).max(1_000_000).nullable(),
  groups: z.array(z.enum(ROUTE_GROUPS)).min(1).optional(),
  mcpWrites: Flag,
});
const PlanName = matching(/^[a-z0-9][a-z0-9_-]{0,31}$/i, 'a name of at most 32 letters, digits, - and _');

const ChainConfig = z.strictObject({
  name: matching(/^[a-z0-9][a-z0-9-]{0,31}$/i, 'a name of at most 32 letters, digits and -'),
  rpc: Urls,
  url: Text,
  chainId: z.int().min(1).optional(),
});

const OWN = {
  rpc: Urls,
  chains: z.array(ChainConfig).max(64).optional(),
  apiKey: z.string().optional(),
  cors: oneOrMore('an origin, or a list of origins such as ["https://app.example.org"]').optional(),
  plans: z.record(PlanName, PlanConfig).optional(),
  smtp: SmtpConfig.optional(),
  telegram: z.strictObject({ token: z.string().min(1), apiUrl: Text }).optional(),
} satisfies Readonly<Record<OwnSchemaName, z.ZodType>>;
const PLAIN = { text: Text, switch: Flag };

type SchemaOf<Name extends FileName> = Name extends OwnSchemaName
  ? (typeof OWN)[Name]
  : (typeof PLAIN)[Exclude<(typeof SETTINGS)[Name]['at']['file'], 'own'>];
const SHAPE = Object.fromEntries(
  SETTING_ROWS.flatMap(([name, { at }]) =>
    at.file === undefined ? [] : [[name, at.file === 'own' ? OWN[name as OwnSchemaName] : PLAIN[at.file]]],
  ),
) as { readonly [Name in FileName]: SchemaOf<Name> };

/** The config file. Values are text as in the environment, so that both share their parsers. */
const ConfigFile = z.strictObject(SHAPE);
export type ConfigFile = z.infer<typeof ConfigFile>;

/** Parses the text of a config file; `shown` names it in errors. Repeats no value: one may be a key. */
export function parseConfig(text: string, shown: string): ConfigFile {
  const body = parseJson(text.replace(/^\ufeff/, ''), shown);
  const { data, error } = ConfigFile.safeParse(body);
  if (error === undefined) return data;
  for (const issue of error.issues) {
    if (issue.code !== 'unrecognized_keys' || issue.path.length > 0) continue;
    const names = issue.keys.map((key) => `"${key}"`).join(', ');
    const known = Object.keys(ConfigFile.shape).join(', ');
    throw usageError(`${shown}: unknown setting ${names}; known are ${known}`);
  }
  const [problem = { path: '', message: 'must be a JSON object' }] = fieldProblems(error, body);
  const where = problem.path === '' ? shown : `${shown}: "${problem.path}"`;
  throw usageError(`${where} ${problem.message.replace('a field of this request', 'a setting')}`);
}

function parseJson(text: string, shown: string): unknown {
  if (text.trim() === '') return {};
  try {
    return JSON.parse(text);
  } catch (error) {
    // V8 quotes the text around the error, which may be a key: only the position is taken from its message.
    const at = /at position (\d+)/.exec(error instanceof Error ? error.message : '')?.[1];
    const lines = text.slice(0, Number(at ?? 0)).split('\n');
    const place =
      at === undefined ? '' : ` (line ${lines.length}, column ${(lines.at(-1)?.length ?? 0) + 1})`;
    throw usageError(`${shown} is not JSON${place}; correct it there`);
  }
}
