// @ts-check
import { make } from './dom.js';

/** Colouring more than this makes the page slow. */
const MOST_COLOURED = 150_000;

const TOKEN = /("(?:[^"\\]|\\.)*")(\s*:)?|\b(?:true|false|null)\b|-?\d[\d.eE+-]*/g;

/**
 * A body for people: JSON is indented and coloured, anything else is unchanged.
 *
 * @param {string} text
 * @returns {HTMLElement}
 */
export function jsonView(text) {
  const pretty = indented(text);
  const view = make('pre', {
    class: 'body',
    tabindex: '0',
    role: 'region',
    'aria-label': 'Body of the response',
  });
  if (pretty === null || pretty.length > MOST_COLOURED) {
    view.append(pretty ?? text);
    return view;
  }
  let at = 0;
  for (const match of pretty.matchAll(TOKEN)) {
    const [whole, string, colon] = match;
    view.append(pretty.slice(at, match.index));
    const kind = string === undefined ? 'json-value' : colon === undefined ? 'json-string' : 'json-name';
    view.append(make('span', { class: kind }, string ?? whole), colon ?? '');
    at = match.index + whole.length;
  }
  view.append(pretty.slice(at));
  return view;
}

/**
 * @param {string} text
 * @returns {string | null} `null`: it is not JSON
 */
function indented(text) {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return null;
  }
}
