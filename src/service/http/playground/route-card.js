// @ts-check
import { inline, make } from './dom.js';
import { schemaView } from './schema-view.js';
import { tryIt } from './try-it.js';

/**
 * @import { ApiResponse, Route } from './api-document.js'
 * @import { Session } from './try-it.js'
 */

/**
 * One route, folded until it is asked for.
 *
 * @param {Session} session
 * @param {Route} route
 * @returns {HTMLDetailsElement}
 */
export function routeCard(session, route) {
  const { operation, method, path, id } = route;
  const added = operation['x-gastop-addition'] === true;
  const card = make(
    'details',
    { class: 'route', id, 'data-route': `${method} ${path}` },
    make(
      'summary',
      {},
      make('span', { class: `method ${method.toLowerCase()}` }, method),
      make('code', { class: 'path' }, path),
      make('span', { class: 'said' }, operation.summary ?? ''),
      added ? make('span', { class: 'badge' }, 'beyond v1') : null,
    ),
  );
  card.addEventListener('toggle', () => {
    if (card.open && card.childElementCount === 1) card.append(inside(session, route));
  });
  return card;
}

/**
 * @param {Session} session
 * @param {Route} route
 */
function inside(session, route) {
  const { operation } = route;
  const body = operation.requestBody?.content?.['application/json']?.schema;
  return make(
    'div',
    { class: 'inside' },
    operation.description === undefined ? null : make('p', {}, ...inline(operation.description)),
    make('h4', {}, 'Try it'),
    tryIt(session, route),
    ...(body === undefined ? [] : [make('h4', {}, 'Body'), schemaView(session.api, body)]),
    make('h4', {}, 'Responses'),
    ...Object.entries(operation.responses ?? {})
      // `default` comes last, as it reads.
      .sort(([a], [b]) => a.localeCompare(b))
      .map(([status, response]) => responseView(session, status, response)),
  );
}

/**
 * @param {Session} session
 * @param {string} status
 * @param {ApiResponse} response
 */
function responseView(session, status, response) {
  const { schema } = Object.values(response.content ?? {})[0] ?? {};
  const head = [
    make('code', { class: 'status-code' }, status === 'default' ? 'else' : status),
    make('span', {}, ...inline(response.description ?? '')),
  ];
  if (schema === undefined) return make('p', { class: 'response-head' }, ...head);
  const details = make(
    'details',
    { class: 'response-schema' },
    make('summary', { class: 'response-head' }, ...head),
  );
  details.addEventListener('toggle', () => {
    if (details.open && details.childElementCount === 1) details.append(schemaView(session.api, schema));
  });
  return details;
}
