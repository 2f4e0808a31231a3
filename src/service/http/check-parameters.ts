import type { z } from 'zod';
import { withoutKeys } from '../../core/key-text.ts';
import { ApiFailure } from './api-failure.ts';

type Result = { readonly success: true } | { readonly success: false; readonly error: z.core.$ZodError };

/** Hook of every route: parameters that the contract does not know become one refusal that names each of them. */
export function checkParameters(result: Result): void {
  if (!result.success) throw wrongParameters(result.error);
}

export function wrongParameters(error: z.core.$ZodError): ApiFailure {
  const details = error.issues.flatMap(toDetails);
  const message = details.map(({ path, message }) => `${path} ${message}`).join('; ');
  return new ApiFailure('validation_failed', message, { details });
}

function toDetails(issue: z.core.$ZodIssue): { path: string; message: string }[] {
  const path = issue.path.join('.');
  switch (issue.code) {
    case 'unrecognized_keys':
      return issue.keys.map((key) => ({ path: shorten(key), message: 'is not a parameter of this route' }));
    case 'invalid_value':
      return [{ path, message: `must be one of ${issue.values.join(', ')}` }];
    case 'invalid_format':
      return [{ path, message: issue.format === 'datetime' ? TIME_WANTED : issue.message }];
    case 'invalid_type':
      return [{ path, message: 'must be given once' }];
    default:
      return [{ path, message: issue.message }];
  }
}

const TIME_WANTED = 'must be a time such as 2026-01-31T12:00:00Z';

/** No more than this of a longer one: of what was signed, put in the wrong place, nobody could make use. */
const BEGINNING = 15;

/** A stranger's name for something goes back to the stranger, but not pages of it, and no secret. */
export function shorten(key: string): string {
  // Before the cut, which would leave a beginning of the secret that nothing recognises.
  const text = withoutKeys(key);
  return text.length > 40 ? `${text.slice(0, BEGINNING)}…` : text;
}
