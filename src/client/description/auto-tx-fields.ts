import { PATHS } from '../../contract/routes.ts';
import { describedRoute, type ServiceDescription } from './service-description.ts';

/** What v1 was given without: a service that speaks it may not know them. */
const EXTRA_FIELDS = ['gasSpeed', 'strictTargetPrice', 'note', 'expiresAt'] as const;
export type ExtraAutoTxField = (typeof EXTRA_FIELDS)[number];

/**
 * Fields of a new auto-tx that a service does not know, by its description, so that they must not be sent; none where it
 * says nothing of them.
 */
export function unknownAutoTxFields(
  description: ServiceDescription | null | undefined,
): readonly ExtraAutoTxField[] {
  const body = describedRoute(description, PATHS.autoTxs, 'post')?.body ?? [];
  if (body.length === 0) return [];
  return EXTRA_FIELDS.filter((name) => !body.some((field) => field.name === name));
}
