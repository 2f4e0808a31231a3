import type { Command } from 'commander';
import { type CallOptions, type GasClient, pathOf, type WriteOptions } from '../../client/client.ts';
import { ClientError, type ClientErrorCode } from '../../client/errors.ts';
import { formatCount } from '../../core/units.ts';
import type { CommandContext, Run } from '../context.ts';
import { CliError, EXIT, type ExitCode, reportError, usageError } from '../errors.ts';
import { examples } from '../help.ts';
import { type OpenedResource, openResource, type ResourceWords } from '../open-source.ts';
import { cleanLine, jsonResponse, type ListRoute, toAscii, wholeListJson } from '../output.ts';
import type { Settings } from '../settings.ts';

/** What is wrong with one thing alone; anything else would come of the others too. */
const OF_ONE: readonly ClientErrorCode[] = ['invalid', 'conflict', 'not-found', 'server', 'unreadable'];

/** One after the other, each once; one that fails does not keep the others from it. Answers the exit code. */
export async function eachId(
  { io }: CommandContext,
  ids: readonly string[],
  work: (id: string) => Promise<void>,
): Promise<number> {
  let exitCode: number = EXIT.ok;
  for (const id of new Set(ids)) {
    try {
      await work(id);
    } catch (error) {
      const isOfOne =
        error instanceof CliError || (error instanceof ClientError && OF_ONE.includes(error.code));
      if (!isOfOne || ids.length === 1) throw error;
      const report = reportError(error, false);
      exitCode = report.exitCode;
      for (const line of report.lines) io.stderr.write(`gastop: ${line}\n`);
    }
  }
  return exitCode;
}

export const JSON_ANSWER = "print the service's v1 response as it is";

export interface JsonFlags {
  readonly json?: boolean;
}

/** What `gastop alerts` and `gastop auto-txs` share: lists, details, deletion, and what they say of a missing one. */
export interface Resource<Item extends { readonly id: string }, Details> extends ResourceWords {
  readonly route: ListRoute;
  readonly path: string;
  readonly list: (client: GasClient, call: CallOptions) => Promise<ResourceList<Item>>;
  readonly get: (client: GasClient, id: string, call: CallOptions) => Promise<Details>;
  readonly remove: (client: GasClient, id: string, call: WriteOptions) => Promise<void>;
  /** What follows "Delete <id>" in the question. */
  readonly deleted: (details: Details) => string;
}

interface ResourceList<Item> {
  readonly items: readonly Item[];
  readonly total: number | null;
  readonly unreadable: number;
}

interface GroupWords {
  readonly summary: string;
  readonly description: string;
  readonly examples: readonly string[];
}

/** A command that holds commands, of which `list` runs where none is named; `add` puts them into it. */
export function addGroup(
  program: Command,
  name: string,
  words: GroupWords,
  add: (group: Command) => void,
): void {
  const group = program
    .command(name)
    .summary(words.summary)
    .description(`${words.description} Without a command it lists them.`)
    .usage('[command] [options]')
    .helpCommand(false)
    .addHelpText('after', examples(words.examples));
  add(group);
  for (const command of group.commands) command.helpOption('-h, --help', 'print this help');
}

export const idArgument = ({ many }: ResourceWords) => ['<id>', `as gastop ${many} list shows it`] as const;
export const idsArgument = ({ many }: ResourceWords) =>
  ['<id...>', `one or several, as gastop ${many} list shows them`] as const;

export async function withResource<Result>(
  { io, loadSettings }: CommandContext,
  words: ResourceWords,
  work: (opened: OpenedResource, settings: Settings) => Promise<Result>,
  mayMake = false,
): Promise<Result> {
  const { settings } = await loadSettings();
  const opened = await openResource(io, settings, words, mayMake);
  try {
    return await work(opened, settings);
  } finally {
    await opened.close();
  }
}

interface ListOptions<Item> {
  readonly isWanted?: (row: object) => boolean;
  /** Called once all rows were looked at. @throws CliError (usage) */
  readonly check?: () => void;
  readonly lines: (
    items: readonly Item[],
    look: { readonly width: number | null; readonly ending: string; readonly settings: Settings },
  ) => Promise<readonly string[]>;
}

export async function printList<Item extends { readonly id: string }>(
  context: CommandContext,
  resource: Pick<Resource<Item, unknown>, 'many' | 'one' | 'route' | 'list'>,
  { client, settings, json }: { readonly client: GasClient; readonly settings: Settings } & JsonFlags,
  { isWanted = () => true, check = () => {}, lines }: ListOptions<Item>,
): Promise<ExitCode> {
  const { io } = context;
  const { many, one } = resource;
  const signal = io.interruption();
  const partLine = (shown: number, total: number) =>
    io.stderr.write(`gastop: these are ${formatCount(shown)} of ${formatCount(total)}\n`);
  if (json) {
    const { json: text, part } = await wholeListJson(client, resource.route, signal, isWanted);
    check();
    io.stdout.write(text);
    if (part !== null) partLine(part.shown, part.total);
    return EXIT.ok;
  }
  const { items, total, unreadable } = await resource.list(client, { signal });
  const shown = items.filter(isWanted);
  check();
  if (shown.length > 0) {
    const width = io.stdout.isTTY === true ? (io.stdout.columns ?? 80) : null;
    const ending = settings.ascii.value ? '...' : '…';
    print(context, settings, (await lines(shown, { width, ending, settings })).join('\n'));
  } else if (items.length > 0) io.stderr.write(`gastop: no ${one} has that status\n`);
  else if (unreadable === 0) {
    io.stderr.write(`gastop: there are no ${many}; gastop ${many} create makes one\n`);
  }
  if (unreadable > 0) {
    io.stderr.write(`gastop: ${formatCount(unreadable)} more could not be read; --json shows them\n`);
  }
  if (total !== null && total > items.length + unreadable) partLine(items.length, total);
  return EXIT.ok;
}

export function addShow<Item extends { readonly id: string }, Details extends { readonly problem?: string }>(
  group: Command,
  run: Run,
  resource: Resource<Item, Details>,
  description: string,
  text: (details: Details, now: number, isAscii: boolean) => string,
): void {
  const show = (context: CommandContext, id: string, { json }: JsonFlags) =>
    withResource(context, resource, async ({ client }, settings) => {
      const signal = context.io.interruption();
      const named = { client, id, signal };
      if (json) {
        const raw = client.raw(pathOf(resource.path, { id }), {}, { signal });
        await printRaw(context, onOne(resource, named, raw), resource.path);
        return EXIT.ok;
      }
      const details = await onOne(resource, named, resource.get(client, id, { signal }));
      print(context, settings, text(details, context.io.now(), settings.ascii.value));
      const { problem } = details;
      if (problem !== undefined) {
        context.io.stderr.write(`gastop: this is what the list says of it: ${cleanLine(problem)}\n`);
      }
      return EXIT.ok;
    });
  group
    .command('show')
    .description(description)
    .argument(...idArgument(resource))
    .option('--json', JSON_ANSWER)
    .action(run(show));
}

interface DeleteFlags extends JsonFlags {
  readonly yes?: boolean;
}

export function addDelete<Item extends { readonly id: string }, Details>(
  group: Command,
  run: Run,
  resource: Resource<Item, Details>,
  description: string,
): void {
  const remove = (context: CommandContext, ids: readonly string[], flags: DeleteFlags) => {
    const { io } = context;
    const asks = flags.yes !== true;
    if (asks && io.stdin.isTTY !== true) {
      throw usageError('cannot ask before deleting, as stdin is no terminal; say --yes');
    }
    if (asks && io.stderr.isTTY !== true) {
      throw usageError('cannot ask before deleting, as stderr is no terminal; say --yes');
    }
    return withResource(context, resource, ({ client }) =>
      eachId(context, ids, async (id) => {
        const signal = io.interruption();
        const named = { client, id, signal };
        if (asks) {
          const details = await onOne(resource, named, resource.get(client, id, { signal }));
          const answer = await io.ask(`Delete ${cleanLine(id)} ${resource.deleted(details)}? [y/N] `);
          if (!/^y(es)?$/i.test(answer?.trim() ?? '')) {
            io.stderr.write(`gastop: kept ${cleanLine(id)}\n`);
            return;
          }
        }
        const call = { signal, ...answers(context, flags, resource.path) };
        await onOne(resource, named, resource.remove(client, id, call));
        if (!flags.json) io.stderr.write(`gastop: deleted ${cleanLine(id)}\n`);
      }),
    );
  };
  group
    .command('delete')
    .description(description)
    .argument(...idsArgument(resource))
    .option('--yes', 'do not ask')
    .option('--json', JSON_ANSWER)
    .action(run(remove));
}

interface Named {
  readonly client: GasClient;
  readonly id: string;
  readonly signal: AbortSignal;
}

/**
 * Waits for `work` on one. Where the service does not find it, the list says whether it is there, as not every service
 * answers for a single one; of one that is, `other` may say what else is missing.
 *
 * @throws CliError (failed) where it is known not to exist; else whatever `work` throws.
 */
export async function onOne<Item extends { readonly id: string }, Details, Result>(
  { many, one, get, list }: Resource<Item, Details>,
  { client, id, signal }: Named,
  work: Promise<Result>,
  other: (details: Details) => string | null = () => null,
): Promise<Result> {
  try {
    return await work;
  } catch (error) {
    if (!(error instanceof ClientError) || error.code !== 'not-found' || error.mayBeDone) throw error;
    // A service that lacks the route says so in its own words.
    if (error.status === 405 || error.status === 501) throw error;
    const { items } = await list(client, { signal }).catch(() => Promise.reject(error));
    const what = items.some((item) => item.id === id)
      ? await get(client, id, { signal }).then(other, () => null)
      : `there is no ${one} ${cleanLine(id)}; gastop ${many} list shows them`;
    throw what === null ? error : new CliError(EXIT.failed, what, [], { cause: error });
  }
}

/** For what changes something: its answer goes to stdout as the service gave it, a line each. */
export function answers(
  { io }: CommandContext,
  { json }: JsonFlags,
  path: string,
): { onResponse?: (text: string) => void } {
  return json === true ? { onResponse: (text) => io.stdout.write(jsonResponse(text, path)) } : {};
}

export async function printRaw({ io }: CommandContext, answer: Promise<string>, path: string): Promise<void> {
  io.stdout.write(jsonResponse(await answer, path));
}

export function print({ io }: CommandContext, { ascii }: Settings, text: string): void {
  io.stdout.write(`${ascii.value ? toAscii(text) : text}\n`);
}
