// @ts-check
import { groupsOf, keyHeaderOf, rootsOf } from './api-document.js';
import { byId, make, paragraphs } from './dom.js';
import { routeCard } from './route-card.js';

/**
 * @import { ApiDocument } from './api-document.js'
 * @import { Session } from './try-it.js'
 */

/** The key, here and nowhere else: not in the page's storage, address, cookies or attributes. */
let key = '';

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

function askForKey() {
  keyInput.focus();
}

function startKeyForm() {
  keyInput.addEventListener('input', takeKey);
  forgetButton.addEventListener('click', () => {
    forgetKey();
    askForKey();
  });
  byId('key-form', HTMLFormElement).addEventListener('submit', (event) => event.preventDefault());
  // A page that is kept for the way back must not keep the key.
  addEventListener('pagehide', forgetKey);
  forgetKey();
}

/** @param {ApiDocument} api */
function showTitle(api) {
  document.title = `${api.info.title} – playground`;
  byId('title', HTMLHeadingElement).textContent = api.info.title;
  byId('version', HTMLSpanElement).textContent = api.info.version;
  byId('about', HTMLDivElement).replaceChildren(...paragraphs(api.info.description ?? ''));
}

/** @param {Session} session */
function showRoutes(session) {
  const main = byId('routes', HTMLElement);
  const contents = byId('contents', HTMLElement);
  for (const { name, description, routes } of groupsOf(session.api)) {
    const heading = `group-${name}`;
    main.append(
      make(
        'section',
        { 'aria-labelledby': heading },
        make('h2', { id: heading }, name),
        make('p', { class: 'group-note' }, description),
        ...routes.map((route) => routeCard(session, route)),
      ),
    );
    contents.append(
      make('h2', {}, make('a', { href: `#${heading}` }, name)),
      make(
        'ul',
        {},
        ...routes.map(({ id, method, path }) =>
          make(
            'li',
            {},
            make(
              'a',
              { href: `#${id}` },
              make('span', { class: `method ${method.toLowerCase()}` }, method),
              make('span', {}, path),
            ),
          ),
        ),
      ),
    );
  }
}

/** What the address names; whatever was typed there. */
function namedElement() {
  try {
    return document.getElementById(decodeURIComponent(location.hash.slice(1)));
  } catch {
    return null;
  }
}

/** A link to a route opens it. */
function openNamedRoute() {
  const named = namedElement();
  if (!(named instanceof HTMLDetailsElement)) return;
  named.open = true;
  named.scrollIntoView();
  named.querySelector('summary')?.focus({ preventScroll: true });
}

async function start() {
  startKeyForm();
  const state = byId('state', HTMLParagraphElement);
  const link = document.querySelector('link[rel="service-desc"]');
  if (!(link instanceof HTMLLinkElement)) throw new Error('the page does not say where its description is');
  const documentUrl = new URL(link.href);
  try {
    const response = await fetch(documentUrl);
    if (!response.ok) throw new Error(`the service responds with ${response.status}`);
    /** @type {ApiDocument} */
    const api = await response.json();
    showTitle(api);
    showRoutes({
      api,
      roots: rootsOf(api, documentUrl),
      keyHeader: keyHeaderOf(api),
      key: () => key,
      askForKey,
    });
    state.remove();
    addEventListener('hashchange', openNamedRoute);
    openNamedRoute();
  } catch (error) {
    state.className = 'problem';
    state.textContent = `The description cannot be read: ${error instanceof Error ? error.message : error}. Reload the page to try again.`;
  }
}

await start();
