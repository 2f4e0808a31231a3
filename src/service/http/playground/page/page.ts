import { inline, make, paragraphs, said, unfolding } from './dom.ts';
import { type ApiDocument, schemaView } from './schema.ts';
import { type Route, type Session, tryIt } from './try-it.ts';

/** The key, here and nowhere else: not in the page's storage, address, cookies or attributes. */
let key = '';

function byId<Kind extends HTMLElement>(id: string, kind: new () => Kind): Kind {
  const element = document.getElementById(id);
  if (!(element instanceof kind)) throw new Error(`the page has no #${id}`);
  return element;
}

const keyInput = byId('key', HTMLInputElement);
const forgetButton = byId('forget', HTMLButtonElement);

function takeKey() {
  key = keyInput.value.trim();
  forgetButton.disabled = key === '';
}

function forgetKey() {
  keyInput.value = '';
  takeKey();
}

forgetKey();
keyInput.addEventListener('input', takeKey);
forgetButton.addEventListener('click', () => {
  forgetKey();
  keyInput.focus();
});
byId('key-form', HTMLFormElement).addEventListener('submit', (event) => event.preventDefault());
// A page that is cached for the way back must not hold the key.
addEventListener('pagehide', forgetKey);

const methodOf = (method: string) => said('span', `method ${method.toLowerCase()}`, method);

function showRoutes(session: Session) {
  const { tags, paths } = session.api;
  const routes = Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({ method: method.toUpperCase(), path, operation })),
  );
  for (const { name, description } of tags) {
    const own = routes.filter(({ operation }) => operation.tags.includes(name));
    const id = `group-${name}`;
    const links = own.map(({ method, path, operation }) =>
      make('a', { href: `#${operation.operationId}` }, methodOf(method), make('span', {}, path)),
    );
    const heading = make('h2', {}, make('a', { href: `#${id}` }, name));
    byId('contents', HTMLElement).append(heading, ...links);
    byId('routes', HTMLElement).append(
      make(
        'section',
        { 'aria-labelledby': id },
        make('h2', { id }, name),
        said('p', 'group-note', description),
        ...own.map((route) => routeCard(session, route)),
      ),
    );
  }
}

/** One route, folded until it is asked for. */
function routeCard(session: Session, route: Route): HTMLElement {
  const { method, path, operation } = route;
  const summary = make(
    'summary',
    {},
    methodOf(method),
    said('code', 'path', path),
    said('span', 'said', operation.summary),
    operation['x-gastop-addition'] ? said('span', 'badge', 'beyond v1') : null,
  );
  const attributes = { class: 'route', id: operation.operationId, 'data-route': `${method} ${path}` };
  return unfolding(make('details', attributes, summary), () => inside(session, route));
}

function inside(session: Session, route: Route): Node {
  const { description, requestBody, responses } = route.operation;
  const body = requestBody?.content['application/json']?.schema;
  return make(
    'div',
    { class: 'inside' },
    description === undefined ? null : make('p', {}, ...inline(description)),
    make('h4', {}, 'Try it'),
    tryIt(session, route),
    ...(body === undefined ? [] : [make('h4', {}, 'Body'), schemaView(session.api, body)]),
    make('h4', {}, 'Responses'),
    ...Object.entries(responses).map(([status, { description, content = {} }]) => {
      const [{ schema } = {}] = Object.values(content);
      const code = said('code', 'status-code', status === 'default' ? 'else' : status);
      const head = [code, make('span', {}, ...inline(description))];
      if (schema === undefined) return make('p', { class: 'response-head' }, ...head);
      const summary = make('summary', { class: 'response-head' }, ...head);
      const details = make('details', { class: 'response-schema' }, summary);
      return unfolding(details, () => schemaView(session.api, schema));
    }),
  );
}

/** A link to a route opens it. The address may name anything. */
function openNamedRoute() {
  const named = [...document.querySelectorAll('details.route')].find(({ id }) => `#${id}` === location.hash);
  if (!(named instanceof HTMLDetailsElement)) return;
  named.open = true;
  named.scrollIntoView();
  named.querySelector('summary')?.focus({ preventScroll: true });
}

async function start() {
  const state = byId('state', HTMLParagraphElement);
  try {
    const documentUrl = new URL('openapi.json', import.meta.url);
    const response = await fetch(documentUrl);
    if (!response.ok) throw new Error(`the service responds with ${response.status}`);
    const api: ApiDocument = await response.json();
    document.title = `${api.info.title} – playground`;
    byId('title', HTMLElement).textContent = api.info.title;
    byId('version', HTMLElement).textContent = api.info.version;
    byId('about', HTMLElement).replaceChildren(...paragraphs(api.info.description));
    const roots = api.servers.map(({ url }) => new URL(url, documentUrl).href);
    const [shownRoot = '', ownRoot = shownRoot] = roots;
    showRoutes({ api, ownRoot, shownRoot, key: () => key, askForKey: () => keyInput.focus() });
    state.remove();
    addEventListener('hashchange', openNamedRoute);
    openNamedRoute();
  } catch (error) {
    state.className = 'problem';
    state.textContent = `The description cannot be read: ${error instanceof Error ? error.message : error}. Reload the page to try again.`;
  }
}

await start();
