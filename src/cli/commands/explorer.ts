import type { Command } from 'commander';
import { type CallOptions, type GasClient, pathOf } from '../../client/client.ts';
import { ClientError } from '../../client/errors.ts';
import { PATHS } from '../../contract/routes.ts';
import { looksLikeKey } from '../../core/key-text.ts';
import { parseLookup } from '../../core/parse-lookup.ts';
import type { CommandContext, Run } from '../context.ts';
import { CliError, EXIT, type ExitCode, usageError } from '../errors.ts';
import { examples } from '../help.ts';
import { type OpenedClient, openSource, type StaleRule } from '../open-source.ts';
import { cleanLine, jsonResponse, withSpinner } from '../output.ts';
import { blockText, type Surroundings, txText } from '../text/explorer.ts';
import { type JsonFlags, print } from './resource.ts';

/** One block, one transaction. */
export function addExplorer(program: Command, run: Run): void {
  program
    .command('block')
    .summary('one block: fees, tips, fullness, burnt fees')
    .description('One block: its base fee and the next one, tips, fullness, blobs, burnt fees.')
    .argument('[number]', 'its number (24337604, 24,337,604, 0x1735cc4) or latest', 'latest')
    .option('--json', "print the service's v1 response as it is")
    .addHelpText('after', examples(['gastop block', 'gastop block 24337604 --json']))
    .action((number: string, flags: JsonFlags) => run((context) => block(context, number, flags)));

  program
    .command('tx')
    .summary('one transaction: what it paid, and how its tip ranked')
    .description('One transaction: what it paid, and how its tip ranked in its block.')
    .argument('<hash>', '0x and 64 hexadecimal digits')
    .option('--json', "print the service's v1 response as it is")
    .addHelpText(
      'after',
      examples(['gastop tx 0x4a5e… --rpc http://127.0.0.1:8545', 'gastop tx 0x4a5e… --json | jq .costWei']),
    )
    .action((hash: string, flags: JsonFlags) => run((context) => tx(context, hash, flags)));
}

/** `gastop block` */
async function block(context: CommandContext, number: string, flags: JsonFlags): Promise<ExitCode> {
  const asked = parseBlockNumber(number);
  const lookup = {
    path: PATHS.block,
    parameters: async (client: GasClient, call: CallOptions) => ({
      number: await client.numbered(asked, call),
    }),
    // The head of a source that gives nothing new would be no head; a block by its number stays what it is.
    rule: asked === 'latest' ? 'late' : 'accept',
  } as const;
  return lookUp(
    context,
    { ...lookup, ask: (client, call) => client.block(asked, call), text: blockText },
    flags,
  );
}

/** `gastop tx` */
async function tx(context: CommandContext, text: string, flags: JsonFlags): Promise<ExitCode> {
  const hash = parseTxHash(text);
  const lookup = { path: PATHS.tx, parameters: async () => ({ hash }), rule: 'accept' } as const;
  return lookUp(context, { ...lookup, ask: (client, call) => client.tx(hash, call), text: txText }, flags);
}

/** One thing that is looked up: how it is asked for and told. */
interface Lookup<View> {
  readonly path: (typeof PATHS)[keyof typeof PATHS];
  readonly parameters: (client: GasClient, call: CallOptions) => Promise<Readonly<Record<string, string>>>;
  readonly rule: StaleRule;
  readonly ask: (client: GasClient, call: CallOptions) => Promise<View>;
  readonly text: (view: View, surroundings: Surroundings) => string;
}

/** Prints what was looked up: for people, or with `--json` as the service answered it. */
async function lookUp<View>(
  context: CommandContext,
  { path, parameters, rule, ask, text }: Lookup<View>,
  flags: JsonFlags,
): Promise<ExitCode> {
  const { io } = context;
  const { settings } = await context.loadSettings();
  const { opened, snapshot } = await openSource(io, settings, rule);
  const { client, name, close } = opened;
  const call = { signal: io.interruption() };
  const asked = <Answer>(work: () => Promise<Answer>) =>
    withSpinner(io, () => `asking ${name}`, work).catch((error) => {
      call.signal.throwIfAborted();
      throw isAnsweredNo(error, opened) ? new CliError(EXIT.failed, ownWords(error)) : error;
    });
  try {
    if (flags.json) {
      const raw = await asked(async () => {
        const at = pathOf(path, await parameters(client, call));
        return jsonResponse(await client.raw(at, {}, call), at);
      });
      io.stdout.write(raw);
      return EXIT.ok;
    }
    const view = await asked(() => ask(client, call));
    // Only what dresses the answer up: without it the answer stands all the same.
    const present = snapshot ?? (await client.gasCurrent(call).catch(() => null));
    print(context, settings, text(view, { snapshot: present, now: io.now() }));
    return EXIT.ok;
  } finally {
    await close();
  }
}

/** What the service says of the thing is enough; the path that was asked is not what people asked for. */
function ownWords({ message, endpoint }: ClientError): string {
  return message.replace(`the service has no ${endpoint}: `, '');
}

/** There is no such thing, or a recording or simulation holds none: that is an answer, the source is well. */
function isAnsweredNo(error: unknown, { badge }: OpenedClient): error is ClientError {
  if (!(error instanceof ClientError)) return false;
  return error.code === 'not-found' || (badge !== undefined && error.code !== 'invalid');
}

/**
 * A block in any of the ways that `parseLookup` knows.
 * @throws CliError for anything else.
 */
export function parseBlockNumber(text: string): number | 'latest' {
  const sought = parseLookup(text);
  if (sought.kind === 'newest') return 'latest';
  if (sought.kind === 'block') return sought.number;
  const why = sought.kind === 'tx' ? 'it is a transaction hash, which gastop tx looks up' : sought.problem;
  throw usageError(`"${shown(text)}" is not a block number: ${why}; write 24337604, 0x1735cc4 or latest`);
}

/**
 * A transaction hash, in lower case.
 * @throws CliError for anything else.
 */
export function parseTxHash(text: string): string {
  const sought = parseLookup(text);
  if (sought.kind === 'tx') return sought.hash;
  const why = sought.kind === 'wrong' ? `${sought.problem}; it is` : 'it is';
  const block = sought.kind === 'wrong' ? '' : ' (gastop block looks up blocks)';
  throw usageError(`"${shown(text)}" is not a transaction hash: ${why} 0x and 64 hexadecimal digits${block}`);
}

function shown(text: string): string {
  if (looksLikeKey(text)) return '(key)';
  const line = cleanLine(text);
  return line.length > 80 ? `${line.slice(0, 79)}…` : line;
}
