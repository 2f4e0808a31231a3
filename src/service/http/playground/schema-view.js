// @ts-check
import { resolve } from './api-document.js';
import { inline, make } from './dom.js';

/** @import { ApiDocument, Schema } from './api-document.js' */

/**
 * A type in a few words: `integer, 0 to 500`, `list of ChartPoint`, `Wei or null`.
 *
 * @param {ApiDocument} api
 * @param {Schema} schema
 * @returns {string}
 */
export function typeWords(api, schema) {
  if (schema.$ref !== undefined) {
    const { name, schema: target } = resolve(api, schema);
    const { properties } = target;
    return properties === undefined && target.enum === undefined
      ? `${name}: ${typeWords(api, target)}`
      : `${name}`;
  }
  const choices = schema.anyOf ?? schema.oneOf;
  if (choices !== undefined) return choices.map((each) => typeWords(api, each)).join(' or ');
  if (schema.enum !== undefined) return schema.enum.map((value) => JSON.stringify(value)).join(' | ');
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.items !== undefined) return `list of ${typeWords(api, schema.items)}`;
  const type = Array.isArray(schema.type) ? schema.type.join(' or ') : (schema.type ?? 'anything');
  return `${type}${schema.format === undefined ? '' : ` (${schema.format})`}${range(schema)}`;
}

/**
 * Bounds worth reading: 2^53 − 1 only says that it is a number.
 *
 * @param {Schema} schema
 * @returns {string}
 */
function range({ minimum, maximum, exclusiveMinimum }) {
  const top = maximum === undefined || maximum >= Number.MAX_SAFE_INTEGER ? null : maximum;
  if (exclusiveMinimum !== undefined)
    return `, above ${exclusiveMinimum}${top === null ? '' : `, at most ${top}`}`;
  if (top !== null) return `, ${minimum ?? '…'} to ${top}`;
  return minimum === undefined || minimum <= Number.MIN_SAFE_INTEGER ? '' : `, at least ${minimum}`;
}

/**
 * The fields of a schema; deeper ones open when they are asked for, so that no reference runs in circles.
 *
 * @param {ApiDocument} api
 * @param {Schema} schema
 * @returns {Node}
 */
export function schemaView(api, schema) {
  const inner = innermost(api, schema);
  if (inner.properties === undefined) {
    return make('p', { class: 'type' }, typeWords(api, schema), ...said(inner.description));
  }
  const required = new Set(inner.required ?? []);
  const rows = Object.entries(inner.properties).map(([name, field]) => {
    const { description } = resolve(api, field).schema;
    const note = make(
      'div',
      { class: 'field-head' },
      make('code', { class: 'field-name' }, name),
      make('span', { class: 'type' }, typeWords(api, field), required.has(name) ? '' : ', may be absent'),
      make('span', { class: 'said' }, ...inline(description ?? '')),
    );
    if (innermost(api, field).properties === undefined) return make('li', {}, note);
    return make('li', {}, foldedFields(api, field, note));
  });
  return make('ul', { class: 'fields' }, ...rows);
}

/**
 * @param {ApiDocument} api
 * @param {Schema} schema
 * @param {Node} head
 * @returns {HTMLElement}
 */
function foldedFields(api, schema, head) {
  const details = make('details', {}, make('summary', {}, head));
  details.addEventListener('toggle', () => {
    if (details.open && details.childElementCount === 1) details.append(schemaView(api, schema));
  });
  return details;
}

/**
 * Through references, lists and what may be null to the schema that has fields, if any.
 *
 * @param {ApiDocument} api
 * @param {Schema} schema
 * @param {number} [depth]
 * @returns {Schema}
 */
function innermost(api, schema, depth = 0) {
  const target = resolve(api, schema).schema;
  if (depth > 8 || target.properties !== undefined) return target;
  if (target.items !== undefined) return innermost(api, target.items, depth + 1);
  const choice = (target.anyOf ?? target.oneOf)?.find((each) => each.type !== 'null');
  return choice === undefined ? target : innermost(api, choice, depth + 1);
}

/**
 * @param {string | undefined} description
 * @returns {(Node | string)[]}
 */
function said(description) {
  return description === undefined ? [] : [' — ', ...inline(description)];
}
