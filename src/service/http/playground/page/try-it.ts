import { bodyView, make, said } from './dom.ts';
import { type ApiDocument, type Operation, type Parameter, typeWords } from './schema.ts';

export interface Session {
  readonly api: ApiDocument;
  /** Where the page sends: only to where it comes from. */
  readonly ownRoot: string;
  /** Where others would send. */
  readonly shownRoot: string;
  /** What has been typed, or nothing. */
  readonly key: () => string;
  readonly askForKey: () => void;
}

export interface Route {
  /** In capitals. */
  readonly method: string;
  readonly path: string;
  readonly operation: Operation;
}

type Field = ReturnType<typeof fieldOf>;

interface Asked {
  readonly method: string;
  readonly address: string;
  readonly headers: Record<string, string>;
  readonly body: string | null;
}

/** What must be filled in comes first, what few need last. */
const PLACES = ['path', 'query', 'header'];

/** A form that sends a request to one route, and shows the response. */
export function tryIt({ api, ownRoot, shownRoot, key, askForKey }: Session, route: Route): HTMLElement {
  const { method, path, operation } = route;
  const fields = (operation.parameters ?? [])
    .toSorted((a, b) => PLACES.indexOf(a.in) - PLACES.indexOf(b.in))
    .map((parameter) => fieldOf(api, operation.operationId, parameter));
  const example = operation.requestBody?.content['application/json']?.example;
  const body = example === undefined ? null : bodyFieldOf(operation.operationId, example);
  const curl = make('code', { class: 'curl' });
  const button = make('button', { type: 'submit', class: 'send' }, `Send ${method}`);
  const output = make('div', { 'aria-live': 'polite' });
  const curlLine = { class: 'curl-line', tabindex: '0', 'aria-label': 'The same for a shell' };
  const form = make(
    'form',
    { autocomplete: 'off', novalidate: true },
    ...fields.map(({ row }) => row),
    body?.row ?? null,
    make('div', { class: 'send-row' }, button, make('pre', curlLine, curl)),
    output,
  );
  const keyHeader = api.components.securitySchemes.apiKey.name;
  const requestTo = (root: string): Asked => {
    const filled = fields.filter(({ place, value }) => place === 'header' && value() !== '');
    const headers = Object.fromEntries(filled.map(({ name, value }) => [name, value()]));
    return { method, address: addressOf(root, path, fields), headers, body: body?.input.value ?? null };
  };
  const showCurl = () => {
    curl.textContent = curlWords(requestTo(shownRoot), keyHeader);
  };
  form.addEventListener('input', showCurl);
  showCurl();
  form.addEventListener('submit', async (event) => {
    event.preventDefault();
    const empty = fields.find(({ place, value }) => place === 'path' && value() === '');
    if (empty !== undefined) {
      output.replaceChildren(said('p', 'problem', `Fill in ${empty.name} first.`));
      return empty.input.focus();
    }
    const request = requestTo(ownRoot);
    if (key() !== '') request.headers[keyHeader] = key();
    button.disabled = true;
    try {
      const outcome = await send(request);
      output.replaceChildren(...outcomeView(outcome));
      if (outcome.status === 401 && key() === '') askForKey();
    } catch (error) {
      const why = `No response: ${error instanceof Error ? error.message : error}. Is the service still running?`;
      output.replaceChildren(said('p', 'problem', why));
    } finally {
      button.disabled = false;
    }
  });
  return form;
}

const labelOf = (id: string, name: string, where: string) =>
  make('label', { for: id, class: 'field-label' }, make('code', {}, name), said('span', 'where', where));

function fieldOf(api: ApiDocument, route: string, parameter: Parameter) {
  const { name, in: place, description = '', required, schema } = parameter;
  const id = `${route}-${place}-${name}`;
  const note = `${id}-note`;
  const input = schema.enum === undefined ? textInput(id, note, parameter) : select(id, note, parameter);
  const type = schema.enum === undefined ? said('span', 'type', typeWords(api, schema)) : null;
  const row = make(
    'div',
    { class: 'field' },
    labelOf(id, name, required ? `${place}, required` : place),
    input,
    make('p', { id: note, class: 'note' }, type, ` ${description}`),
  );
  return { name, place, input, row, value: () => input.value.trim() };
}

function textInput(id: string, note: string, { in: place, required, schema }: Parameter) {
  const example = schema.default ?? schema.examples?.[0];
  const input = make('input', {
    id,
    type: 'text',
    inputmode: schema.type === 'integer' ? 'numeric' : schema.type === 'number' ? 'decimal' : null,
    autocapitalize: 'off',
    spellcheck: 'false',
    'aria-describedby': note,
    'aria-required': required ? 'true' : null,
    placeholder: example === undefined ? null : String(example),
  });
  // A word such as `latest` is valid on every chain; a number or a hash is not.
  const word = schema.anyOf?.find((each) => each.const !== undefined)?.const;
  if (place === 'path' && word !== undefined) input.value = String(word);
  return input;
}

function select(id: string, note: string, { required, schema }: Parameter) {
  const left = schema.default === undefined ? 'left out' : `left out (${schema.default})`;
  const values = (schema.enum ?? []).map(String);
  return make(
    'select',
    { id, 'aria-describedby': note },
    required ? null : make('option', { value: '' }, left),
    ...values.map((value) => make('option', { value }, value)),
  );
}

function bodyFieldOf(route: string, example: unknown) {
  const id = `${route}-body`;
  const input = make('textarea', { id, rows: '8', spellcheck: 'false' });
  input.value = JSON.stringify(example, null, 2);
  return { input, row: make('div', { class: 'field' }, labelOf(id, 'body', 'JSON'), input) };
}

/** The URL of a route with its parameters, without empty ones. */
function addressOf(root: string, path: string, fields: readonly Field[]): string {
  const query = new URLSearchParams();
  let filled = path;
  for (const { name, place, value } of fields) {
    if (place === 'path') filled = filled.replace(`{${name}}`, () => encodeURIComponent(value()));
    if (place === 'query' && value() !== '') query.append(name, value());
  }
  return `${root}${filled}${query.size === 0 ? '' : `?${query}`}`;
}

/** The same request for a shell; the key comes from the environment, and a signed transaction from a file, because shells keep a history. */
function curlWords({ method, address, headers, body }: Asked, keyHeader: string): string {
  const parts = ['curl -sS'];
  if (method !== 'GET') parts.push(`-X ${method}`);
  parts.push(`-H "${keyHeader}: $GASTOP_API_KEY"`);
  for (const [name, value] of Object.entries(headers)) parts.push(`-H ${quoted(`${name}: ${value}`)}`);
  if (body !== null) {
    const data = body.includes('signedTransaction') ? '@body.json' : quoted(body);
    parts.push(`-H 'Content-Type: application/json' --data-binary ${data}`);
  }
  return [...parts, quoted(address)].join(' ');
}

const quoted = (text: string) => `'${text.replaceAll("'", "'\\''")}'`;

type Outcome = Awaited<ReturnType<typeof send>>;

async function send({ address, ...request }: Asked) {
  const started = performance.now();
  if (request.body !== null) request.headers['Content-Type'] = 'application/json';
  const options = { cache: 'no-store', credentials: 'omit', redirect: 'error' } as const;
  const response = await fetch(address, { ...request, ...options });
  const isStream = response.headers.get('content-type')?.startsWith('text/event-stream') === true;
  const text = isStream ? await firstOf(response) : await response.text();
  return { response, status: response.status, text, ms: performance.now() - started };
}

/** The first of a stream's events; the rest would never end. */
async function firstOf(response: Response): Promise<string> {
  const reader = response.body?.getReader();
  const { value } = (await reader?.read()) ?? {};
  await reader?.cancel();
  return new TextDecoder().decode(value);
}

const SHOWN = 'etag location retry-after content-type content-encoding cache-control allow'.split(' ');

function outcomeView({ response, status, text, ms }: Outcome): Node[] {
  const kind = status < 300 ? 'good' : status < 400 ? 'same' : 'bad';
  const bytes = new TextEncoder().encode(text).length.toLocaleString('en');
  const headers = SHOWN.flatMap((name) => {
    const value = response.headers.get(name);
    return value === null ? [] : [make('dt', {}, name), make('dd', {}, value)];
  });
  return [
    make(
      'p',
      { class: 'outcome' },
      make('strong', { class: `status ${kind}` }, `${status} ${response.statusText}`.trim()),
      `${Math.round(ms)} ms`,
      make('span', {}, `${bytes} bytes`),
    ),
    make('dl', { class: 'headers' }, ...headers),
    ...(text === '' ? [] : [bodyView(text)]),
  ];
}
