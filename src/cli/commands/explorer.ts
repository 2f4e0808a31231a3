import type { Command } from 'commander';
import { type CallOptions, type GasClient, pathOf } from '../../client/client.ts';
import { PATHS } from '../../contract/routes.ts';
import { looksLikeKey } from '../../core/key-text.ts';
import { parseLookup } from '../../core/parse-lookup.ts';
import type { CommandContext, Run } from '../context.ts';
import { EXIT, type ExitCode, usageError } from '../errors.ts';
import { examples } from '../help.ts';
import { openExplorer, type StaleRule } from '../open-source.ts';
import { cleanLine, jsonResponse, toAscii } from '../output.ts';
import { blockText, type Surroundings, txText } from '../text/explorer.ts';

/** One block, one transaction. */
export function addExplorer(program: Command, run: Run): void {
  program
    .command('block')
    .summary('one block: fees, tips, fullness, burnt fees')
    .description('One block: its base fee and the next one, tips, fullness, blobs, burnt fees.')
    .argument('[number]', 'its number (24337604, 24,337,604, 0x1735cc4) or latest', 'latest')
    .option('--json', "print the service's v1 response as it is")
    .addHelpText('after', examples(['gastop block', 'gastop block 24337604 --json']))
    .action((number: string, flags: ExplorerFlags) => run((context) => block(context, number, flags)));

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
    .action((hash: string, flags: ExplorerFlags) => run((context) => tx(context, hash, flags)));
}

/** Flags of `gastop block` and `gastop tx`. */
interface ExplorerFlags {
  readonly json?: boolean;
}

/** `gastop block` */
async function block(context: CommandContext, number: string, flags: ExplorerFlags): Promise<ExitCode> {
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
async function tx(context: CommandContext, text: string, flags: ExplorerFlags): Promise<ExitCode> {
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
  { io, loadSettings }: CommandContext,
  { path, parameters, rule, ask, text }: Lookup<View>,
  flags: ExplorerFlags,
): Promise<ExitCode> {
  const { settings } = await loadSettings();
  const explorer = await openExplorer(io, settings, rule);
  const { client, close } = explorer.opened;
  try {
    if (flags.json) {
      const raw = await explorer.ask(async (signal) => {
        const at = pathOf(path, await parameters(client, { signal }));
        return jsonResponse(await client.raw(at, {}, { signal }), at);
      });
      io.stdout.write(raw);
      return EXIT.ok;
    }
    const view = await explorer.ask((signal) => ask(client, { signal }));
    const told = text(view, { snapshot: await explorer.snapshot(), now: io.now() });
    io.stdout.write(`${settings.ascii.value ? toAscii(told) : told}\n`);
    return EXIT.ok;
  } finally {
    await close();
  }
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
