import { describe, expect, it } from 'vitest';
import { readDescription } from '../../src/client/openapi.ts';

/** More looks at one place than any reader may take. */
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
  it('has its bodies and parameters read in a bounded number of looks', () => {
    const document = endless(50, {
      properties: { condition: { enum: ['LESS_THAN'] }, again: SELF },
      items: SELF,
      enum: ['1h', ...Array(500).fill(' no ')],
    });
    const parameters = Array.from({ length: 50 }, (_, at) => ({ name: `p${at}`, in: 'query', schema: SELF }));
    const operation = { parameters, ...bodyOf(SELF) };
    const item = { get: operation, post: operation, put: operation, delete: operation };
    const paths = Object.fromEntries(['/gas/current', '/alerts', '/alerts/{id}'].map((path) => [path, item]));
    const said = readDescription({ openapi: '3.1.0', paths, ...document });
    const post = said?.routes.find(({ method, path }) => method === 'post' && path === '/alerts');
    expect(post?.body).toEqual([
      { name: 'condition', values: ['LESS_THAN'] },
      { name: 'again', values: ['1h'] },
    ]);
    expect(post?.parameters[0]).toEqual({ name: 'p0', values: ['1h'] });
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
