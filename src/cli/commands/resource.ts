import type { Command } from 'commander';
import { type CallOptions, type GasClient, pathOf, type WriteOptions } from '../../client/client.ts';
import { ClientError, type ClientErrorCode } from '../../client/errors.ts';
import { formatCount } from '../../core/units.ts';
import type { CommandContext, Run } from '../context.ts';
import { CliError, EXIT, type ExitCode, failure, reportError, usageError } from '../errors.ts';
import { examples } from '../help.ts';
import type { Io } from '../io.ts';
import { type OpenedResource, openResource, type ResourceWords } from '../open-source.ts';
import { cleanLine, jsonResponse, type ListRoute, note, print, wholeListJson } from '../output.ts';
import type { Settings } from '../settings.ts';

const OF_ONE: readonly ClientErrorCode[] = ['invalid', 'conflict', 'not-found', 'server', 'unreadable'];

/** One after the other, each once; one that fails does not keep the others from it. Gives the exit code. */
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
      for (const line of report.lines) note(io, line);
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
  await using opened = await openResource(io, settings, words, mayMake);
  return await work(opened, settings);
}

interface ListOptions<Item> {
  readonly isWanted?: (row: object) => boolean;
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
    note(io, `these are ${formatCount(shown)} of ${formatCount(total)}`);
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
    print(io, settings, (await lines(shown, { width, ending, settings })).join('\n'));
  } else if (items.length > 0) note(io, `no ${one} has that status`);
  else if (unreadable === 0) note(io, `there are no ${many}; gastop ${many} create makes one`);
  if (unreadable > 0) note(io, `${formatCount(unreadable)} more could not be read; --json shows them`);
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
      const { io } = context;
      const signal = io.interruption();
      const named = { client, id, signal };
      if (json) {
        const raw = await onOne(resource, named, client.raw(pathOf(resource.path, { id }), {}, { signal }));
        io.stdout.write(jsonResponse(raw, resource.path));
        return EXIT.ok;
      }
      const details = await onOne(resource, named, resource.get(client, id, { signal }));
      print(io, settings, text(details, io.now(), settings.ascii.value));
      const { problem } = details;
      if (problem !== undefined) note(io, `this is what the list says of it: ${cleanLine(problem)}`);
      return EXIT.ok;
    });
  group
    .command('show')
    .description(description)
    .argument(...idArgument(resource))
    .option('--json', JSON_ANSWER)
    .action(run(show));
}

export interface YesFlags extends JsonFlags {
  readonly yes?: boolean;
}

/** Asks before what cannot be undone; a script needs `--yes`. @throws CliError (usage) without a terminal. */
export function requireTerminal({ stdin, stderr }: Io, doing: string, yes = false): void {
  for (const [name, stream] of Object.entries({ stdin, stderr })) {
    if (!yes && stream.isTTY !== true) {
      throw usageError(`cannot ask before ${doing}, as ${name} is no terminal; say --yes`);
    }
  }
}

export async function isConfirmed(io: Io, question: string): Promise<boolean> {
  return /^y(es)?$/i.test((await io.ask(`${question}? [y/N] `))?.trim() ?? '');
}

export function addDelete<Item extends { readonly id: string }, Details>(
  group: Command,
  run: Run,
  resource: Resource<Item, Details>,
  description: string,
): void {
  const remove = (context: CommandContext, ids: readonly string[], flags: YesFlags) => {
    const { io } = context;
    requireTerminal(io, 'deleting', flags.yes);
    return withResource(context, resource, ({ client }) =>
      eachId(context, ids, async (id) => {
        const signal = io.interruption();
        const named = { client, id, signal };
        if (!flags.yes) {
          const details = await onOne(resource, named, resource.get(client, id, { signal }));
          if (!(await isConfirmed(io, `Delete ${cleanLine(id)} ${resource.deleted(details)}`))) {
            note(io, `kept ${cleanLine(id)}`);
            return;
          }
        }
        const call = { signal, ...answers(context, flags, resource.path) };
        await onOne(resource, named, resource.remove(client, id, call));
        if (!flags.json) note(io, `deleted ${cleanLine(id)}`);
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
 * Waits for `work` on one. Where the service does not find it, the list says whether it is there, as not every
 * service answers for a single one; of one that is, `other` may say what else is missing.
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
    throw what === null ? error : failure(what, error);
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
