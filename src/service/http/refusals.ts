import type { z } from 'zod';
import { ErrorBody } from '../../contract/api-error.ts';

const RETRY_AFTER = {
  'Retry-After': { description: 'Seconds to wait before asking again', schema: { type: 'integer' as const } },
};

const CHALLENGE = {
  'WWW-Authenticate': {
    description: 'Which header carries the key (RFC 9110)',
    schema: { type: 'string' as const },
  },
};

/** A refusal as the OpenAPI document says it. */
export const refusal = <Body extends z.ZodType>(description: string, body: Body) => ({
  description,
  content: { 'application/json': { schema: body } },
});

export const notFound = (description: string) => refusal(`${description}: \`not_found\``, ErrorBody);

export const conflict = (description: string) => refusal(`${description}: \`conflict\``, ErrorBody);

const retriable = (description: string) => ({ ...refusal(description, ErrorBody), headers: RETRY_AFTER });

/** What the gate may say before any route is reached. */
export const GATE_REFUSALS = {
  401: {
    ...refusal(
      'The key is missing, wrong or revoked: `api_key_missing`, `api_key_invalid`, `api_key_revoked`',
      ErrorBody,
    ),
    headers: CHALLENGE,
  },
  403: refusal("The key's plan does not include this group of routes: `plan_forbidden`", ErrorBody),
  429: retriable("The key's requests for today or for this second are used up: `rate_limit_exceeded`"),
} as const;

export const UPSTREAM_DOWN = retriable(
  'The chain source is down and the question needs it: `upstream_unavailable`',
);

export const ANYTHING_ELSE = refusal('Any other refusal or failure; `errorCode` names it', ErrorBody);
