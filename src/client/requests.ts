import { PATHS } from '../contract/routes.ts';
import { ClientError } from './errors.ts';
import type { Http } from './http.ts';
import { describedRoute, findDescription, listsParameter, type ServiceDescription } from './openapi.ts';
import { type Listed, type ListPage, wholeList } from './paging.ts';
import type { ClientRoute, Query } from './routes.ts';
import { harmlessJson, parseJson } from './values.ts';

export interface CallOptions {
  readonly signal?: AbortSignal;
}

export interface TextOptions extends CallOptions {
  /** Called with the raw text of the service's response, if any, before it is parsed. */
  readonly onResponse?: (text: string) => void;
}

export type DocumentedRoute = Pick<ClientRoute<unknown>, 'documented'> & { readonly path: string };

/** How the routes of one service are requested, and their responses become views. */
export class Requests {
  readonly http: Http;
  readonly isOwn: boolean;
  #search: Promise<ServiceDescription | null> | null = null;

  constructor(http: Http, isOwn: boolean) {
    this.http = http;
    this.isOwn = isOwn;
  }

  describe(): Promise<ServiceDescription | null> {
    this.#search ??= findDescription(this.http).catch((error: unknown) => {
      this.#search = null;
      throw error;
    });
    return this.#search;
  }

  /** Parameters that v1 documents go to any service, others only to one whose description lists them. */
  async takes(route: DocumentedRoute, name: string, value: string): Promise<boolean> {
    const { documented, path } = route;
    if (this.isOwn || documented.includes(name) || documented.includes(`${name}=${value}`)) return true;
    return listsParameter(await this.describe().catch(() => null), path, name, value);
  }

  async takenOf(route: DocumentedRoute, query: Query): Promise<Query> {
    const given = Object.entries(query);
    const taken = await Promise.all(given.map(([name, value]) => this.takes(route, name, value)));
    return Object.fromEntries(given.filter((_, place) => taken[place]));
  }

  /** @throws ClientError (`not-found`) for an addition to v1 that the service does not list */
  async requireListed({ method, path, addition }: ClientRoute<unknown>): Promise<void> {
    if (this.isOwn || addition === undefined) return;
    if (describedRoute(await this.describe(), path, method) !== null) return;
    const message = `this service cannot ${addition}: it does not list ${method.toUpperCase()} ${path}`;
    throw new ClientError('not-found', message, { endpoint: path });
  }

  async read<View>(route: ClientRoute<View>, text: string, path: string = route.path): Promise<View> {
    const context = { endpoint: path, host: this.http.host, isOwn: this.isOwn };
    const [{ schema, view }, { parseResponse, viewOf }] = await readingOf(route);
    return viewOf(parseResponse(text, schema, context), view, text, context);
  }

  /** `values`: of the parameters of the path. */
  async get<View>(
    route: ClientRoute<View>,
    { signal, onResponse }: TextOptions = {},
    query: Query = {},
    values: Query = {},
  ): Promise<View> {
    const path = itemPath(route.path, values);
    await this.requireListed(route);
    const response = this.http.send({ path, query: await this.takenOf(route, query), signal });
    const [{ text }] = await Promise.all([response, readingOf(route)]);
    onResponse?.(harmlessJson(text));
    return this.read(route, text, path);
  }

  list<Item extends Listed>(route: ClientRoute<ListPage<Item>>, call?: TextOptions) {
    return wholeList<Item>(
      (query) => this.get(route, call, query),
      () => this.takes(route, 'page', '0'),
    );
  }

  /** Sends a write, once. */
  async write(
    route: ClientRoute<unknown>,
    { signal, onResponse }: TextOptions = {},
    body?: object,
    path: string = route.path,
  ): Promise<string> {
    await this.requireListed(route);
    const { text } = await this.http.send({ path, method: route.method, signal, body });
    if (text.trim() !== '') onResponse?.(harmlessJson(text));
    return text;
  }

  /** For a write whose response may contain the item; `null` when it does not contain all of it. */
  async change<View>(
    route: ClientRoute<View>,
    values: Query,
    call?: TextOptions,
    body?: object,
    isWhole: (view: View) => boolean = () => false,
  ): Promise<View | null> {
    const path = itemPath(route.path, values);
    const text = await this.write(route, call, body, path);
    const [, { throwIfRefused }] = await readingOf(route);
    try {
      throwIfRefused(parseJson(text), { endpoint: path });
      const view = await this.read(route, text, path);
      return isWhole(view) ? view : null;
    } catch (error) {
      if (!(error instanceof ClientError) || error.code !== 'unreadable') throw error;
      // After a proxy's page the outcome is unknown.
      if (/^\s*</.test(text)) throw error.unsettled();
      return null;
    }
  }

  /** What the response does not say comes from `sent`. @throws ClientError (`unreadable`, `mayBeDone`) */
  async make<View extends { readonly id: string }>(
    route: ClientRoute<View>,
    what: string,
    { body, sent }: { readonly body: object; readonly sent: object },
    call?: TextOptions,
  ): Promise<View> {
    const text = await this.write(route, call, body);
    try {
      const made = await this.read(route, text);
      const isSaid = (value: unknown) =>
        typeof value === 'object' ? Object.keys(value ?? {}).length > 0 : value !== undefined;
      const said = Object.entries(made).filter(([, value]) => isSaid(value));
      const filled = await this.read(route, JSON.stringify({ ...sent, id: made.id }));
      return { ...filled, ...Object.fromEntries(said) };
    } catch (error) {
      if (!(error instanceof ClientError) || error.code !== 'unreadable') throw error;
      const message = `${what} was made, but ${error.message}; the list shows it`;
      throw new ClientError('unreadable', message, { ...error, mayBeDone: true });
    }
  }
}

/** What reads its responses: loaded while the service responds. */
const readingOf = <View>(route: ClientRoute<View>) =>
  Promise.all([route.schemas(), import('./responses.ts')]);

export function pathOf(path: string, values: Readonly<Record<string, string>>): string {
  return path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(values[name] ?? ''));
}

/** @throws ClientError (`invalid`) for an id that would change the path. */
function itemPath(path: string, values: Query): string {
  for (const id of Object.values(values)) {
    if (!/^\s*$|^\.\.?$/.test(id) && id.isWellFormed()) continue;
    const what = path.startsWith(PATHS.autoTxs) ? 'an auto-tx' : 'an alert';
    throw new ClientError('invalid', `${what} is named by its id; the list shows them`, { endpoint: path });
  }
  return pathOf(path, values);
}
