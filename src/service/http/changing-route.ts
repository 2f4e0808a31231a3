import type { z } from 'zod';
import { ErrorBody } from '../../contract/api-error.ts';
import { schemaReference } from './component-schemas.ts';
import { refusal } from './refusals.ts';

/** What a route that changes something answers where it did, for the OpenAPI document. */
export const answer = <Body extends z.ZodType>(description: string, schema: Body) => ({
  description,
  content: { 'application/json': { schema } },
});

/** The answer of a route that has made something, with where that is. */
export const made = <Body extends z.ZodType>(description: string, schema: Body) => ({
  ...answer(description, schema),
  headers: { Location: { description: 'Where it stands', schema: { type: 'string' as const } } },
});

/**
 * The body of a route as the document says it: the name of its schema (`meta({ id })`) and an example. The routes read
 * it themselves (read-body.ts): the framework would let pass what is not called JSON, and say of the rest one thing at a
 * time.
 */
export const takes = (name: string, example: object) => ({
  requestBody: {
    required: true,
    content: { 'application/json': { schema: { $ref: schemaReference(name) }, example } },
  },
});

export const WRONG_PARAMETER = refusal(
  'A parameter is none of this route; `details` names it: `validation_failed`',
  ErrorBody,
);

/** `why`: all that may be wrong with the body. */
export const wrongBody = (why: string) =>
  refusal(`${why}; \`details\` names every one of them: \`validation_failed\``, ErrorBody);
