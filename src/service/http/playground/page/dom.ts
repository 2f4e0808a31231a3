type Attributes = Record<string, string | boolean | null | undefined>;

/** Makes an element. Text only ever becomes text: nothing here reads markup. */
export function make<Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  attributes: Attributes,
  ...children: readonly (Node | string | null)[]
): HTMLElementTagNameMap[Tag] {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === 'string') element.setAttribute(name, value);
    else if (value === true) element.setAttribute(name, '');
  }
  element.append(...children.filter((child) => child !== null));
  return element;
}

/** An element that has nothing but a class and a text. */
export const said = (tag: 'span' | 'code' | 'p', name: string, text: string) =>
  make(tag, { class: name }, text);

/** Has its inside made when it is first opened. */
export function unfolding(details: HTMLDetailsElement, inside: () => Node): HTMLDetailsElement {
  details.addEventListener('toggle', () => details.append(inside()), { once: true });
  return details;
}

/** Text in which `code` and **strong** stand out, as descriptions write them. */
export const inline = (text: string): (Node | string)[] =>
  text.split(/(`[^`]+`|\*\*[^*]+\*\*)/).map((part, place) => {
    if (place % 2 === 0) return part;
    return part.startsWith('`') ? make('code', {}, part.slice(1, -1)) : make('strong', {}, part.slice(2, -2));
  });

/** Paragraphs and lists of a description. */
export const paragraphs = (text: string): Node[] =>
  text.split(/\n{2,}/).map((block) => {
    if (!block.startsWith('- ')) return make('p', {}, ...inline(block));
    return make('ul', {}, ...block.split('\n').map((line) => make('li', {}, ...inline(line.slice(2)))));
  });

const TOKEN = /("(?:[^"\\]|\\.)*":?|\b(?:true|false|null)\b|-?\d[\d.eE+-]*)/;
const kindOf = (token: string) => (token.endsWith(':') ? 'name' : token.startsWith('"') ? 'string' : 'value');

/** A body for people: JSON is indented and coloured, anything else is unchanged. */
export function bodyView(text: string): HTMLElement {
  const parts = indented(text)
    .split(TOKEN)
    .map((part, place) => (place % 2 === 0 ? part : said('span', `json-${kindOf(part)}`, part)));
  const label = { tabindex: '0', role: 'region', 'aria-label': 'Body of the response' };
  return make('pre', { class: 'body', ...label }, ...parts);
}

function indented(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}
