import { describe, expect, it } from 'vitest';
import { bodyFields, namedValues, readDescription } from '../../src/client/openapi.ts';

/** More looks at one place than any question may take. */
const TOO_MANY = 50_000;

const SELF = { $ref: '#/components/schemas/A' };

/** A schema that joins and repeats itself `times`, and ends the test where it is looked at without end. */
function endless(times: number, rest: object = {}) {
  let looks = 0;
  const parts = Array.from({ length: times }, () => SELF);
  const schema = {
    ...rest,
    get allOf() {
      looks += 1;
      if (looks > TOO_MANY) throw new Error('it is looked at without end');
      return parts;
    },
    get anyOf() {
      return this.allOf;
    },
    get oneOf() {
      return this.allOf;
    },
  };
  return { components: { schemas: { A: schema } } };
}

const bodyOf = (schema: unknown) => ({ requestBody: { content: { 'application/json': { schema } } } });

describe('a small document whose references multiply', () => {
  it('has its body read in a bounded number of looks', () => {
    const document = endless(50, { properties: { condition: { enum: ['LESS_THAN'] }, again: SELF } });
    expect(bodyFields(document, bodyOf(SELF))).toEqual([
      { name: 'condition', values: ['LESS_THAN'] },
      { name: 'again', values: [] },
    ]);
  });

  it('has the values of a parameter read in a bounded number of looks', () => {
    const document = endless(50, { enum: ['1h', '6h'], items: SELF });
    expect(namedValues(document, SELF)).toEqual(['1h', '6h']);
  });

  it('has all its routes read in a bounded number of looks, and still says what they are', () => {
    const document = endless(50, { properties: { again: SELF }, items: SELF, enum: Array(500).fill(' no ') });
    const parameters = Array.from({ length: 50 }, (_, at) => ({ name: `p${at}`, in: 'query', schema: SELF }));
    const operation = { parameters, ...bodyOf(SELF), responses: { 200: { schema: SELF } } };
    const item = { get: operation, post: operation, put: operation, delete: operation };
    const paths = Object.fromEntries(['/gas/current', '/alerts', '/alerts/{id}'].map((path) => [path, item]));
    const said = readDescription({ openapi: '3.1.0', paths, ...document });
    expect(said?.routes.map(({ path }) => path)).toContain('/alerts');
  });
});

it('a document with one endless path or reference is read as if it were not there', () => {
  const slashes = '/'.repeat(1_000_000);
  const far = { $ref: `#/${'a/'.repeat(500_000)}b` };
  const said = readDescription({
    openapi: '3.1.0',
    paths: {
      [`${slashes}x`]: {},
      '/alerts': { post: bodyOf({ allOf: [...Array(400).fill(far), { properties: { note: {} } }] }) },
    },
  });
  expect(said?.routes.map(({ body }) => body)).toEqual([[{ name: 'note', values: [] }]]);
});
