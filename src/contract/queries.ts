import * as z from 'zod';
import * as choices from './choices.ts';

// Parameters carry no `id`: tools show a parameter best with an inline schema.

/** A whole number in a query string; the document declares it as an integer. */
const whole = (
  min: number,
  max: number,
  description: string,
  more: { readonly default?: number; readonly examples?: number[] } = {},
) =>
  z
    .string()
    .regex(/^\d{1,15}$/, `must be a whole number from ${min} to ${max}`)
    .transform(Number)
    .refine((n) => n >= min && n <= max, `must be a whole number from ${min} to ${max}`)
    .meta({ type: 'integer', minimum: min, maximum: max, description, ...more });

const GWEI_WANTED = `must be gwei above 0, at most ${choices.MOST_GWEI}, with at most 9 decimals`;

const time = (description: string, example: string) =>
  z.iso
    .datetime({ offset: true, error: 'must be a time such as 2026-01-31T12:00:00Z' })
    .meta({ description, examples: [example] });

export const PAGE_SIZE_DEFAULT = 100;

const page = {
  page: whole(0, 1_000_000, 'Page, from 0', { default: 0 }).optional(),
  size: whole(1, choices.PAGE_SIZE_MAX, 'Rows per page', { default: PAGE_SIZE_DEFAULT }).optional(),
};

export const PageParameters = z.strictObject(page);

/** Parameters of a metrics window. Defaults: the last hour, a bucket that fits the window, all rows. */
export const MetricsParameters = z.strictObject({
  from: time(
    'Where the window begins, ISO 8601 with Z or an offset; left out: an hour before its end. Where the stored history begins later, the response begins there and its from says so',
    '2026-01-31T11:00:00Z',
  ).optional(),
  to: time('Where it ends, ISO 8601 with Z or an offset; left out: now', '2026-01-31T12:00:00Z').optional(),
  bucket: z
    .enum(choices.BUCKETS)
    .optional()
    .describe('What a row stands for: one block, or a stretch of time; left out: what fits the window'),
  page: whole(
    0,
    1_000_000,
    `Page, from 0, oldest rows first; without page and size the whole window is answered, of more than ${choices.METRICS_ROWS_MAX} rows the newest`,
  ).optional(),
  size: whole(1, choices.PAGE_SIZE_MAX, `Rows per page; ${PAGE_SIZE_DEFAULT} with page alone`).optional(),
});
export type MetricsParameters = z.infer<typeof MetricsParameters>;

export const PriorityFeeParameters = MetricsParameters.extend({
  percentile: z
    .enum(choices.PERCENTILES)
    .default('p50')
    .describe('Percentile of the tips of a block, by gas used'),
});

export const TimeFrameParameters = z.strictObject({
  timeFrame: z.enum(choices.TIME_FRAMES).default('24h').describe('How far back the response reaches'),
});

const patienceSec = whole(
  choices.PATIENCE_SEC.least,
  choices.PATIENCE_SEC.most,
  'How long the user can wait, in seconds: the advice is the best within it',
  { default: choices.PATIENCE_SEC.default, examples: [900] },
).optional();

export const PatienceParameters = z.strictObject({ patienceSec });

/** A price and a time for a forecast; both or neither. `targetGwei` is parsed into wei. */
export const RecommendationParameters = z
  .strictObject({
    patienceSec,
    targetGwei: z
      .string()
      .regex(/^\d{1,7}(\.\d{1,9})?$/, GWEI_WANTED)
      .transform((gwei) => {
        const [whole = '', decimals = ''] = gwei.split('.');
        return BigInt(whole + decimals.padEnd(9, '0'));
      })
      .refine((wei) => wei > 0n && wei <= BigInt(choices.MOST_GWEI) * 10n ** 9n, GWEI_WANTED)
      .meta({
        ...{ type: 'number', exclusiveMinimum: 0, maximum: choices.MOST_GWEI, examples: [0.05] },
        description: 'Gwei per gas: how likely some block asks for no more; with deadlineSec',
      })
      .optional(),
    deadlineSec: whole(1, choices.LONGEST_DEADLINE_SEC, 'Within how many seconds; with targetGwei', {
      examples: [3_600],
    }).optional(),
  })
  .superRefine(({ targetGwei, deadlineSec }, { addIssue }) => {
    if ((targetGwei === undefined) === (deadlineSec === undefined)) return;
    const [path, other] =
      targetGwei === undefined ? ['targetGwei', 'deadlineSec'] : ['deadlineSec', 'targetGwei'];
    addIssue({ code: 'custom', path: [path], message: `must be given with ${other}` });
  });

export const NoParameters = z.strictObject({});

/** A window of transactions. Default: the last hour, of it at most the newest 100 blocks. */
export const TxsParameters = MetricsParameters.omit({ bucket: true }).extend({
  ...page,
  from: time(
    'Where the window begins, ISO 8601 with Z or an offset; left out: an hour before its end. Of a longer window the newest 100 blocks are answered, and from says where they begin',
    '2026-01-31T11:50:00Z',
  ).optional(),
});
export type TxsParameters = z.infer<typeof TxsParameters>;

export const BlockParameter = z.strictObject({
  number: z
    .union(
      [z.literal('latest'), whole(0, 999_999_999_999_999, 'Height of the block')],
      'must be latest or the number of a block',
    )
    .describe("A block's number, or latest for the head")
    .meta({ examples: ['latest'] }),
});

/** In any case; responses have lower case. */
export const TxParameter = z.strictObject({
  hash: z
    .string()
    .regex(/^0x[0-9a-fA-F]{64}$/, 'must be a transaction hash: 0x and 64 hexadecimal digits')
    .transform((hash) => hash.toLowerCase() as `0x${string}`)
    .meta({
      description: 'Hash of the transaction: 0x and 64 hexadecimal digits',
      // The first transaction of mainnet, in block 46,147.
      examples: ['0x5c504ed432cb51138bcf09aa5e8a410dd4a1e204ef84bfed1be16dfba1b22060'],
    }),
});

export const TxOptions = z.strictObject({
  gasSpeed: z
    .enum(choices.GAS_SPEEDS)
    .default('AVERAGE')
    .describe('Of a pending one: the lane that its replacement is to be as quick as'),
});

/** Any text: an invalid id matches no alert. */
export const AlertParameter = z.strictObject({ id: z.string().describe('Id of the alert') });
export const AutoTxParameter = z.strictObject({ id: z.string().describe('Id of the auto-tx') });

export const AccountParameter = z.strictObject({
  address: z
    .string()
    .regex(/^0x[0-9a-fA-F]{40}$/, 'must be an address: 0x and 40 hexadecimal digits')
    .transform((address) => address as `0x${string}`)
    .meta({
      description: 'The sender: 0x and 40 hexadecimal digits',
      examples: ['0x7E5F4552091A69125d5DfCb7b8C2659029395Bdf'],
    }),
});

export const SavingsParameters = z.strictObject({
  gasAmount: whole(
    1,
    choices.SAVINGS_GAS_MOST,
    'Gas that the savings are counted for; else that of a swap by the rules of the newest block',
    { examples: [21_000] },
  ).optional(),
});
