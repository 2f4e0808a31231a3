import * as z from 'zod';
import { type CallOptions, type GasClient, pathOf, type TextOptions } from '../../client/client.ts';
import { ClientError, type ClientErrorCode } from '../../client/errors.ts';
import type { ListPage } from '../../client/paging.ts';
import { readResponse } from '../../client/response.ts';
import type { ClientRoute, Query } from '../../client/routes.ts';
import type { ListView } from '../../client/views/alerts.ts';
import { PAGE_SIZE_MAX } from '../../contract/choices.ts';
import { formatCount } from '../../core/units.ts';
import type { CliCommand } from '../command.ts';
import type { CommandContext, Flags } from '../context.ts';
import { CliError, EXIT, failure, reportError, usageError } from '../errors.ts';
import type { Io } from '../io.ts';
import { type OpenedResource, openResource, type ResourceWords } from '../open-source.ts';
import { cleanLine, jsonResponse, note, print } from '../output.ts';
import type { Settings } from '../settings.ts';

const OF_ONE: readonly ClientErrorCode[] = ['invalid', 'conflict', 'not-found', 'server', 'unreadable'];

export async function eachId(
  io: Io,
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

export type JsonFlags = Flags<never, 'json'>;

interface Named {
  readonly id: string;
}

export interface Resource<Item extends Named, Details> extends ResourceWords {
  readonly route: ClientRoute<ListPage<unknown>>;
  readonly path: string;
  readonly list: (client: GasClient, call: CallOptions) => Promise<ListView<Item>>;
  readonly get: (client: GasClient, id: string, call: CallOptions) => Promise<Details>;
  readonly remove: (client: GasClient, id: string, call: TextOptions) => Promise<void>;
  readonly deleted: (details: Details) => string;
}

export const idArgument = ({ many }: ResourceWords) => ['<id>', `as gastop ${many} list shows it`] as const;
export const idsArgument = ({ many }: ResourceWords) =>
  ['<id...>', `one or several, as gastop ${many} list shows them`] as const;

export function changing<Item extends Named, Details>(
  io: Io,
  { many, one: what, path, get, list }: Resource<Item, Details>,
  { json }: JsonFlags,
  client: GasClient,
) {
  const signal = io.interruption();
  const onResponse = (text: string) => io.stdout.write(jsonResponse(text, path));
  return {
    /** With `--json` a response to a change goes to stdout unchanged, one per line; otherwise as text. */
    call: { signal, ...(json === true && { onResponse }) } satisfies TextOptions,
    tell: (line: string) => (json === true ? undefined : note(io, line)),
    /**
     * Runs `work`. On a 404 it checks the list, as some services lack the details route; `other` may name what is
     * missing.
     */
    onOne: async <Result>(
      id: string,
      work: Promise<Result>,
      other: (details: Details) => string | null = () => null,
    ): Promise<Result> => {
      try {
        return await work;
      } catch (error) {
        if (!(error instanceof ClientError) || error.code !== 'not-found' || error.mayBeDone) throw error;
        // If the service lacks the route, its own message says so.
        if (error.status === 405 || error.status === 501) throw error;
        const { items } = await list(client, { signal }).catch(() => Promise.reject(error));
        const reason = items.some((item) => item.id === id)
          ? await get(client, id, { signal }).then(other, () => null)
          : `there is no ${what} ${cleanLine(id)}; gastop ${many} list shows them`;
        throw reason === null ? error : failure(reason, error);
      }
    },
  };
}

type Opened<Item extends Named, Details> = OpenedResource &
  ReturnType<typeof changing<Item, Details>> & { readonly settings: Settings };

export async function withResource<Item extends Named, Details, Result>(
  { io, loadSettings }: CommandContext,
  resource: Resource<Item, Details>,
  { mayMake = false, ...flags }: JsonFlags & { readonly mayMake?: boolean },
  work: (opened: Opened<Item, Details>) => Promise<Result>,
): Promise<Result> {
  const { settings } = await loadSettings();
  await using opened = await openResource(io, settings, resource, mayMake);
  return await work({ ...opened, ...changing(io, resource, flags, opened.client), settings });
}

interface ListOptions<Item> extends JsonFlags {
  readonly client: GasClient;
  readonly settings: Settings;
  readonly isWanted?: (row: object) => boolean;
  readonly check?: () => void;
  readonly lines: (
    items: readonly Item[],
    look: { readonly width: number | null; readonly ending: string },
  ) => Promise<readonly string[]> | readonly string[];
}

export async function printList<Item extends Named>(
  io: Io,
  { many, one, route, list }: Omit<Resource<Item, unknown>, 'deleted'>,
  { client, settings, json, isWanted = () => true, check = () => {}, lines }: ListOptions<Item>,
): Promise<void> {
  const signal = io.interruption();
  const partLine = (shown: number, total: number) =>
    note(io, `these are ${formatCount(shown)} of ${formatCount(total)}`);
  if (json) {
    const { json: text, part } = await wholeListJson(client, route, signal, isWanted);
    check();
    io.stdout.write(text);
    if (part !== null) partLine(part.shown, part.total);
    return;
  }
  const { items, total, unreadable } = await list(client, { signal });
  const shown = items.filter(isWanted);
  check();
  if (shown.length > 0) {
    const width = io.stdout.isTTY === true ? (io.stdout.columns ?? 80) : null;
    const ending = settings.ascii.value ? '...' : '…';
    print(io, settings, (await lines(shown, { width, ending })).join('\n'));
  } else if (items.length > 0) note(io, `no ${one} has that status`);
  else if (unreadable === 0) note(io, `there are no ${many}; gastop ${many} create makes one`);
  if (unreadable > 0) note(io, `${formatCount(unreadable)} more could not be read; --json shows them`);
  if (total !== null && total > items.length + unreadable) partLine(items.length, total);
}

const Page = z.looseObject({
  items: z.array(z.looseObject({ id: z.string() })),
  page: z.int(),
  size: z.int(),
  total: z.int(),
});
const MOST_PAGES = 100;

/** A list as JSON: the response if it is complete, otherwise one v1 list of all pages. `part`: what was loaded of it. */
export async function wholeListJson(
  client: Pick<GasClient, 'raw'>,
  route: ClientRoute<ListPage<unknown>>,
  signal: AbortSignal,
  isKept: (row: object) => boolean = () => true,
): Promise<{ json: string; part: { readonly shown: number; readonly total: number } | null }> {
  const { path } = route;
  const request = async (query: Query) => jsonResponse(await client.raw(path, query, { signal }), path);
  const json = await request({});
  const first = Page.safeParse(JSON.parse(json)).data;
  if (first === undefined) return { json, part: partOf(json, route) };
  const rows = new Map(first.items.map((row) => [row.id, row]));
  for (let page = 0; rows.size < first.total && page < MOST_PAGES; page += 1) {
    const query = { page: String(page), size: String(PAGE_SIZE_MAX) };
    const { items = [] } = Page.safeParse(JSON.parse(await request(query))).data ?? {};
    const before = rows.size;
    for (const row of items) if (!rows.has(row.id)) rows.set(row.id, row);
    // Page 0 may repeat the first response, and page 1 too if pages count from 1.
    if (items.length === 0 || (rows.size === before && page > 1)) break;
  }
  const { size: shown } = rows;
  const items = [...rows.values()].filter(isKept);
  if (items.length === first.items.length && shown >= first.total) return { json, part: null };
  const total = items.length < shown ? items.length : first.total;
  // A list of size 0 is not v1.
  const whole = { ...first, items, page: 0, size: Math.max(items.length, 1), total };
  const part = shown < first.total ? { shown, total: first.total } : null;
  return { json: `${JSON.stringify(whole)}\n`, part };
}

function partOf(text: string, route: ClientRoute<ListPage<unknown>>) {
  try {
    const { total, rows } = readResponse(text, route, { endpoint: route.path, host: '' });
    return total !== null && total > rows ? { shown: rows, total } : null;
  } catch {
    // A response that is no list is shown unchanged.
    return null;
  }
}

export function addShow<Item extends Named, Details extends { readonly problem?: string }>(
  group: CliCommand,
  resource: Resource<Item, Details>,
  description: string,
  text: (details: Details, now: number, isAscii: boolean) => string,
): void {
  const show = (context: CommandContext, id: string, { json }: JsonFlags) =>
    withResource(context, resource, {}, async ({ client, settings, call, onOne }) => {
      const { io } = context;
      if (json) {
        const raw = await onOne(id, client.raw(pathOf(resource.path, { id }), {}, call));
        io.stdout.write(jsonResponse(raw, resource.path));
        return;
      }
      const details = await onOne(id, resource.get(client, id, call));
      print(io, settings, text(details, io.now(), settings.ascii.value));
      const { problem } = details;
      if (problem !== undefined) note(io, `this is what the list says of it: ${cleanLine(problem)}`);
    });
  group
    .command('show')
    .description(description)
    .argument(...idArgument(resource))
    .option('--json', JSON_ANSWER)
    .does(show);
}

export type YesFlags = Flags<never, 'json' | 'yes'>;

/** Confirms before an irreversible change; a script needs `--yes`. @throws CliError (usage) without a terminal. */
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

export function addDelete<Item extends Named, Details>(
  group: CliCommand,
  resource: Resource<Item, Details>,
  description: string,
): void {
  const remove = (context: CommandContext, ids: readonly string[], flags: YesFlags) => {
    const { io } = context;
    requireTerminal(io, 'deleting', flags.yes);
    return withResource(context, resource, flags, ({ client, call, tell, onOne }) =>
      eachId(io, ids, async (id) => {
        if (!flags.yes) {
          const details = await onOne(id, resource.get(client, id, call));
          if (!(await isConfirmed(io, `Delete ${cleanLine(id)} ${resource.deleted(details)}`))) {
            note(io, `kept ${cleanLine(id)}`);
            return;
          }
        }
        await onOne(id, resource.remove(client, id, call));
        tell(`deleted ${cleanLine(id)}`);
      }),
    );
  };
  group
    .command('delete')
    .description(description)
    .argument(...idsArgument(resource))
    .option('--yes', 'do not ask')
    .option('--json', JSON_ANSWER)
    .does(remove);
}
