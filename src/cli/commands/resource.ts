import * as z from 'zod';
import { ClientError, type ClientErrorCode } from '../../client/errors.ts';
import type { GasClient } from '../../client/gas-client.ts';
import type { TextOptions } from '../../client/requests.ts';
import type { ListView } from '../../client/views/alerts.ts';
import type { SnapshotView } from '../../client/views/gas.ts';
import type { FieldProblem } from '../../contract/alert-targets.ts';
import { formatCount } from '../../core/units.ts';
import type { CliCommand, CommandContext, Flags } from '../command.ts';
import { CliError, EXIT, failure, reportError, usageError, usageErrors } from '../errors.ts';
import type { Io } from '../io.ts';
import { type OpenedClient, openResource, type ResourceWords } from '../open-source.ts';
import { cleanLine, cutLines, jsonResponse, note, print } from '../output.ts';
import type { Settings } from '../settings.ts';

export const JSON_ANSWER = "print the service's v1 response as it is";
export type JsonFlags = Flags<never, 'json'>;
export type YesFlags = Flags<never, 'json' | 'yes'>;

/** What alerts and auto-txs share: a list, details, deletion, and changes of one or several by their ids. */
export interface ResourceCommands<Item extends { readonly id: string }, Details> extends ResourceWords {
  readonly path: string;
  readonly list: (client: GasClient, call: TextOptions) => Promise<ListView<Item>>;
  readonly get: (client: GasClient, id: string, call: TextOptions) => Promise<Details>;
  readonly remove: (client: GasClient, id: string, call: TextOptions) => Promise<void>;
  readonly details: (details: Details, now: number, isAscii: boolean) => string;
  /** What stands behind the id when deletion asks. */
  readonly deleted: (details: Details) => string;
}

export const idArgument = ({ many }: ResourceWords) => ['<id>', `as gastop ${many} list shows it`] as const;

/** How a command changes a resource through `client`, and tells of it. */
export function changing(io: Io, { many, one, path }: Named, { json }: JsonFlags) {
  const signal = io.interruption();
  const onResponse = (text: string) => io.stdout.write(jsonResponse(text, path));
  return {
    /** With `--json` a response to a change goes to stdout unchanged, one per line; otherwise as text. */
    call: { signal, ...(json === true && { onResponse }) } satisfies TextOptions,
    tell: (line: string) => (json === true ? undefined : note(io, line)),
    /** Names `what` is missing where the service does not find it. */
    onOne: async <Result>(id: string, work: Promise<Result>, what = `${one} ${id}`): Promise<Result> =>
      work.catch((error: unknown) => {
        if (!(error instanceof ClientError) || error.status !== 404 || error.mayBeDone) throw error;
        throw failure(`there is no ${cleanLine(what)}; gastop ${many} list shows them`, error);
      }),
  };
}

type Opened = Pick<OpenedClient, 'client'> &
  ReturnType<typeof changing> & { readonly io: Io; readonly isOwn: boolean; readonly settings: Settings };
type Named = ResourceWords & { readonly path: string };

export async function withResource<Result>(
  { io, loadSettings }: CommandContext,
  resource: Named,
  { mayMake = false, ...flags }: JsonFlags & { readonly mayMake?: boolean },
  work: (opened: Opened) => Promise<Result>,
): Promise<Result> {
  const { settings } = await loadSettings();
  await using opened = await openResource(io, settings, resource, mayMake);
  const { client, embedded } = opened;
  return await work({ client, isOwn: embedded !== null, ...changing(io, resource, flags), io, settings });
}

const OF_ONE: readonly ClientErrorCode[] = ['invalid', 'conflict', 'not-found', 'server', 'unreadable'];

/** A command that changes each of the ids; what goes wrong with one keeps no other from it. */
export function addEach(
  group: CliCommand,
  resource: Named,
  [name, description]: readonly [name: string, description: string],
  work: (id: string, opened: Opened, flags: YesFlags) => Promise<void>,
  asks = false,
): void {
  const command = group
    .command(name)
    .description(description)
    .argument('<id...>', `one or several, as gastop ${resource.many} list shows them`);
  if (asks) command.option('--yes', 'do not ask');
  command.option('--json', JSON_ANSWER).does((context, ids: string[], flags: YesFlags) => {
    if (asks) requireTerminal(context.io, 'deleting', flags.yes);
    return withResource(context, resource, flags, async (opened) => {
      let exitCode: number = EXIT.ok;
      for (const id of new Set(ids)) {
        try {
          await work(id, opened, flags);
        } catch (error) {
          const isOfOne =
            error instanceof CliError || (error instanceof ClientError && OF_ONE.includes(error.code));
          if (!isOfOne || ids.length === 1) throw error;
          const report = reportError(error, false);
          exitCode = report.exitCode;
          for (const line of report.lines) note(context.io, line);
        }
      }
      return exitCode;
    });
  });
}

export function addDelete<Item extends { readonly id: string }, Details>(
  group: CliCommand,
  resource: ResourceCommands<Item, Details>,
  description: string,
): void {
  const work = async (id: string, { io, client, call, tell, onOne }: Opened, { yes }: YesFlags) => {
    if (!yes) {
      const details = await onOne(id, resource.get(client, id, call));
      const prompt = `Delete ${cleanLine(id)} ${resource.deleted(details)}`;
      if (!(await isConfirmed(io, prompt))) return note(io, `kept ${cleanLine(id)}`);
    }
    await onOne(id, resource.remove(client, id, call));
    tell(`deleted ${cleanLine(id)}`);
  };
  addEach(group, resource, ['delete', description], work, true);
}

const SNAPSHOT_WITHIN_MS = 3_000;

/** Prices beside a resource; `null` where the service does not tell them soon. */
export async function snapshotIfAny(client: GasClient, signal: AbortSignal): Promise<SnapshotView | null> {
  const inTime = AbortSignal.any([signal, AbortSignal.timeout(SNAPSHOT_WITHIN_MS)]);
  return client.gasCurrent({ signal: inTime }).catch((error: unknown) => {
    signal.throwIfAborted();
    if (error instanceof ClientError) return null;
    throw error;
  });
}

export type OpenedList = Pick<Opened, 'io' | 'client' | 'settings'>;
interface ListOptions<Item> extends JsonFlags {
  readonly isWanted?: ((item: Item) => boolean) | undefined;
  /** `width` is `null` where nothing is to be cut. */
  readonly lines: (
    items: readonly Item[],
    width: number | null,
  ) => Promise<readonly string[]> | readonly string[];
}

export async function printList<Item extends { readonly id: string }>(
  { io, client, settings }: OpenedList,
  { many, one, path, list }: Pick<ResourceCommands<Item, never>, 'many' | 'one' | 'path' | 'list'>,
  { json, isWanted, lines }: ListOptions<Item>,
): Promise<void> {
  const pages: string[] = [];
  const onResponse = (text: string) => pages.push(jsonResponse(text, path));
  const { items, total, unreadable } = await list(client, { signal: io.interruption(), onResponse });
  const shown = isWanted === undefined ? items : items.filter(isWanted);
  if (json) io.stdout.write(wholeList(pages, isWanted && new Set(shown.map(({ id }) => id))));
  else if (shown.length > 0) {
    const width = io.stdout.isTTY === true ? (io.stdout.columns ?? 80) : null;
    io.stdout.write(`${cutLines(settings, await lines(shown, width), width)}\n`);
  } else if (items.length > 0) note(io, `no ${one} has that status`);
  else if (unreadable === 0) note(io, `there are no ${many}; gastop ${many} create makes one`);
  const read = items.length + unreadable;
  if (unreadable > 0 && !json)
    note(io, `${formatCount(unreadable)} more could not be read; --json shows them`);
  if (total !== null && total > read) note(io, `these are ${formatCount(read)} of ${formatCount(total)}`);
}

const Page = z.looseObject({ items: z.array(z.looseObject({ id: z.string() })), total: z.int() });

/** The pages of a v1 list as one, all of it or what is `wanted`; of a list that is not v1's the first page, as it is. */
function wholeList(pages: readonly string[], wanted: ReadonlySet<string> | undefined): string {
  const lists = pages.map((text) => Page.safeParse(JSON.parse(text)).data);
  const rows = new Map(lists.flatMap((list) => list?.items.map((row) => [row.id, row] as const) ?? []));
  const items = [...rows.values()].filter(({ id }) => wanted === undefined || wanted.has(id));
  const [first] = lists;
  if (first === undefined || items.length === first.items.length) return pages[0] ?? '';
  const total = items.length < rows.size ? items.length : first.total;
  // A list of size 0 is not v1.
  return `${JSON.stringify({ ...first, items, page: 0, size: Math.max(items.length, 1), total })}\n`;
}

export function addShow<Item extends { readonly id: string }, Details extends { readonly problem?: string }>(
  group: CliCommand,
  resource: ResourceCommands<Item, Details>,
  description: string,
): void {
  group
    .command('show')
    .description(description)
    .argument(...idArgument(resource))
    .option('--json', JSON_ANSWER)
    .does((context, id: string, flags: JsonFlags) =>
      withResource(context, resource, flags, async ({ io, client, settings, call, tell, onOne }) => {
        const details = await onOne(id, resource.get(client, id, call));
        if (flags.json) return;
        print(io, settings, resource.details(details, io.now(), settings.ascii.value));
        const { problem } = details;
        if (problem !== undefined) tell(`this is what the list says of it: ${cleanLine(problem)}`);
      }),
    );
}

/** Refuses to ask without a terminal: a script needs `--yes`. @throws CliError (usage) */
export function requireTerminal({ stdin, stderr }: Io, doing: string, yes = false): void {
  for (const [name, stream] of Object.entries({ stdin, stderr })) {
    if (!yes && stream.isTTY !== true) {
      throw usageError(`cannot ask before ${doing}, as ${name} is no terminal; say --yes`);
    }
  }
}

export async function isConfirmed(io: Io, prompt: string): Promise<boolean> {
  return /^y(es)?$/i.test((await io.ask(`${prompt}? [y/N] `))?.trim() ?? '');
}

/** One line for each problem, by the flag (`flags`) that its field was given by. */
export function refused(
  what: string,
  problems: readonly FieldProblem[],
  flags: Readonly<Record<string, string>>,
): CliError {
  const lines = problems.map(({ path, message }) => {
    const name = flags[path] ?? cleanLine(path);
    const words = cleanLine(message).replaceAll('thresholdGwei', flags.thresholdGwei ?? 'thresholdGwei');
    return `${name}${/^(must|is|needs) /.test(words) ? '' : ':'} ${words}`;
  });
  return usageErrors(lines, `this ${what}`);
}

/** Tells a refusal of the service in terms of the flags. */
export const flagged = <Result>(
  work: Promise<Result>,
  what: string,
  flags: Readonly<Record<string, string>>,
): Promise<Result> =>
  work.catch((error: unknown) => {
    const isOfFields = error instanceof ClientError && error.code === 'invalid' && error.details.length > 0;
    throw isOfFields ? refused(what, error.details, flags) : error;
  });
