// @ts-check
import { make } from './dom.js';
import { jsonView } from './json-view.js';
import { addressOf, curlLine, headersOf, send } from './request.js';
import { typeWords } from './schema-view.js';

/**
 * @import { ApiDocument, Parameter, Route, Schema } from './api-document.js'
 * @import { Filled, Outcome } from './request.js'
 */

/**
 * What every form needs to know.
 *
 * @typedef {object} Session
 * @property {ApiDocument} api
 * @property {{ own: string, shown: string }} roots
 * @property {string | null} keyHeader
 * @property {() => string} key what has been typed, or nothing
 * @property {() => void} askForKey
 */

/** What must be filled in comes first, what few need last. */
const PLACES = ['path', 'query', 'header', 'cookie'];

/**
 * A form that sends a request to one route, and shows the response.
 *
 * @param {Session} session
 * @param {Route} route
 * @returns {HTMLElement}
 */
export function tryIt(session, route) {
  const fields = (route.operation.parameters ?? [])
    .toSorted((a, b) => PLACES.indexOf(a.in) - PLACES.indexOf(b.in))
    .map((parameter) => fieldOf(session.api, route, parameter));
  const bodyContent = route.operation.requestBody?.content?.['application/json'];
  const bodyField = bodyContent === undefined ? null : bodyFieldOf(route, bodyContent.example);
  const curl = make('code', { class: 'curl' });
  const button = make('button', { type: 'submit', class: 'send' }, `Send ${route.method}`);
  const output = make('div', { class: 'answer', 'aria-live': 'polite' });
  const form = make(
    'form',
    { class: 'try', autocomplete: 'off', novalidate: true },
    ...fields.map(({ row }) => row),
    bodyField?.row ?? null,
    make(
      'div',
      { class: 'send-row' },
      button,
      make('pre', { class: 'curl-line', tabindex: '0', 'aria-label': 'The same for a shell' }, curl),
    ),
    output,
  );

  const input = () => {
    /** @type {Filled[]} */
    const filled = fields.map(({ parameter, input }) => ({ parameter, value: input.value.trim() }));
    return { filled, headers: headersOf(filled), body: bodyField?.input.value ?? null };
  };
  const showCurl = () => {
    const { filled, headers, body } = input();
    const address = addressOf(session.roots.shown, route, filled);
    curl.textContent = curlLine(route.method, address, headers, session.keyHeader, body);
  };
  form.addEventListener('input', showCurl);
  showCurl();

  form.addEventListener('submit', async (event) => {
    event.preventDefault();
    const empty = fields.find(({ parameter, input }) => parameter.in === 'path' && input.value.trim() === '');
    if (empty !== undefined) {
      output.replaceChildren(make('p', { class: 'problem' }, `Fill in ${empty.parameter.name} first.`));
      empty.input.focus();
      return;
    }
    const key = session.key();
    const { filled, headers, body } = input();
    const sent =
      session.keyHeader === null || key === '' ? headers : { ...headers, [session.keyHeader]: key };
    button.disabled = true;
    try {
      const outcome = await send(route.method, addressOf(session.roots.own, route, filled), sent, body);
      output.replaceChildren(...outcomeView(outcome, etagTaker(fields, outcome, showCurl)));
      if (outcome.status === 401 && key === '') session.askForKey();
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      output.replaceChildren(
        make('p', { class: 'problem' }, `No response: ${why}. Is the service still running?`),
      );
    } finally {
      button.disabled = false;
    }
  });
  return form;
}

/**
 * @param {ApiDocument} api
 * @param {Route} route
 * @param {Parameter} parameter
 * @returns {{ parameter: Parameter, input: HTMLInputElement | HTMLSelectElement, row: HTMLElement }}
 */
function fieldOf(api, route, parameter) {
  const schema = parameter.schema ?? {};
  const id = `${route.id}-${parameter.in}-${parameter.name}`;
  const note = `${id}-note`;
  const input =
    schema.enum === undefined
      ? textInput(id, note, parameter, schema)
      : select(id, note, parameter, schema.enum);
  const row = make(
    'div',
    { class: 'field' },
    make(
      'label',
      { for: id, class: 'field-label' },
      make('code', {}, parameter.name),
      make('span', { class: 'where' }, parameter.required ? `${parameter.in}, required` : parameter.in),
    ),
    input,
    make(
      'p',
      { id: note, class: 'note' },
      schema.enum === undefined ? make('span', { class: 'type' }, typeWords(api, schema)) : null,
      ` ${parameter.description ?? ''}`,
    ),
  );
  return { parameter, input, row };
}

/**
 * @param {string} id
 * @param {string} note
 * @param {Parameter} parameter
 * @param {Schema} schema
 */
function textInput(id, note, parameter, schema) {
  const example = schema.default ?? schema.examples?.[0];
  const input = make('input', {
    id,
    type: 'text',
    inputmode: schema.type === 'integer' ? 'numeric' : schema.type === 'number' ? 'decimal' : null,
    autocapitalize: 'off',
    spellcheck: 'false',
    'aria-describedby': note,
    'aria-required': parameter.required ? 'true' : null,
    placeholder: example === undefined ? null : String(example),
  });
  // A word such as `latest` is valid on every chain; a number or a hash is not.
  const word = schema.anyOf?.find((each) => each.enum !== undefined)?.enum?.[0];
  if (parameter.in === 'path' && word !== undefined) input.value = String(word);
  return input;
}

/**
 * @param {string} id
 * @param {string} note
 * @param {Parameter} parameter
 * @param {unknown[]} values
 */
function select(id, note, parameter, values) {
  const standard = parameter.schema?.default;
  const unsaid = standard === undefined ? 'left out' : `left out (${standard})`;
  return make(
    'select',
    { id, 'aria-describedby': note },
    parameter.required ? null : make('option', { value: '' }, unsaid),
    ...values.map((value) => make('option', { value: String(value) }, String(value))),
  );
}

/**
 * @param {Route} route
 * @param {unknown} example
 */
function bodyFieldOf(route, example = {}) {
  const id = `${route.id}-body`;
  const input = make('textarea', { id, rows: '8', spellcheck: 'false' });
  input.value = JSON.stringify(example, null, 2);
  const label = make(
    'label',
    { for: id, class: 'field-label' },
    make('code', {}, 'body'),
    make('span', { class: 'where' }, 'JSON'),
  );
  return { input, row: make('div', { class: 'field' }, label, input) };
}

/**
 * @param {Outcome} outcome
 * @param {HTMLElement | null} taker
 * @returns {Node[]}
 */
function outcomeView({ status, statusText, ms, headers, text }, taker) {
  const kind = status < 300 ? 'good' : status < 400 ? 'same' : 'bad';
  return [
    make(
      'p',
      { class: 'outcome' },
      make('strong', { class: `status ${kind}` }, `${status} ${statusText}`.trim()),
      make('span', {}, `${Math.round(ms)} ms`),
      make('span', {}, `${new TextEncoder().encode(text).length.toLocaleString('en')} bytes`),
      taker,
    ),
    make(
      'dl',
      { class: 'headers' },
      ...headers.flatMap(([name, value]) => [make('dt', {}, name), make('dd', {}, value)]),
    ),
    ...(text === '' ? [] : [jsonView(text)]),
  ];
}

/**
 * A button that revalidates the response, if the route supports it.
 *
 * @param {{ parameter: Parameter, input: HTMLInputElement | HTMLSelectElement }[]} fields
 * @param {Outcome} outcome
 * @param {() => void} changed
 * @returns {HTMLElement | null}
 */
function etagTaker(fields, outcome, changed) {
  const etag = outcome.headers.find(([name]) => name === 'etag')?.[1];
  const field = fields.find(
    ({ parameter }) => parameter.in === 'header' && parameter.name === 'If-None-Match',
  );
  if (etag === undefined || field === undefined || field.input.value === etag) return null;
  const button = make('button', { type: 'button', class: 'small' }, 'Use its ETag');
  button.addEventListener('click', () => {
    field.input.value = etag;
    changed();
    button.remove();
  });
  return button;
}
