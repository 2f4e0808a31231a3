// @ts-check

/**
 * Makes an element. Text only ever becomes text: nothing here reads markup.
 *
 * @template {keyof HTMLElementTagNameMap} Tag
 * @param {Tag} tag
 * @param {Record<string, string | boolean | null>} [attributes] `false` and `null` leave an attribute out
 * @param {...(Node | string | null)} children
 * @returns {HTMLElementTagNameMap[Tag]}
 */
export function make(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === false || value === null) continue;
    element.setAttribute(name, value === true ? '' : value);
  }
  element.append(...children.filter((child) => child !== null));
  return element;
}

/**
 * Text in which `code` and **strong** stand out, as OpenAPI's descriptions write them.
 *
 * @param {string} text
 * @returns {(Node | string)[]}
 */
export function inline(text) {
  return text.split(/(`[^`]+`|\*\*[^*]+\*\*)/).map((part) => {
    if (part.startsWith('`') && part.length > 2) return make('code', {}, part.slice(1, -1));
    if (part.startsWith('**') && part.length > 4) return make('strong', {}, part.slice(2, -2));
    return part;
  });
}

/**
 * Paragraphs and lists of a description.
 *
 * @param {string} text
 * @returns {Node[]}
 */
export function paragraphs(text) {
  return text
    .split(/\n{2,}/)
    .filter((block) => block.trim() !== '')
    .map((block) => {
      const lines = block.split('\n');
      if (!lines.every((line) => line.startsWith('- '))) return make('p', {}, ...inline(lines.join(' ')));
      return make('ul', {}, ...lines.map((line) => make('li', {}, ...inline(line.slice(2)))));
    });
}

/**
 * @template {HTMLElement} Kind
 * @param {string} id
 * @param {new () => Kind} kind
 * @returns {Kind}
 */
export function byId(id, kind) {
  const element = document.getElementById(id);
  if (!(element instanceof kind)) throw new Error(`the page has no #${id}`);
  return element;
}
