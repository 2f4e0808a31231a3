import { ClientError } from './errors.ts';

interface MadeItem<View> {
  /** For people: `the alert`. */
  readonly what: string;
  /** Reads the service's answer. */
  readonly read: () => View;
  /** Whether the answer says more than the id. */
  readonly isWhole: (read: View) => boolean;
  /** What was asked for, as it would be read if the service had answered it with this id. */
  readonly asked: (id: string) => View;
}

/**
 * What a service has just made, filled up with what it was asked to be where the answer holds little more than its id.
 *
 * @throws ClientError (`unreadable`, `mayBeDone`) where the answer cannot be read.
 */
export function madeItem<View extends { readonly id: string }>(item: MadeItem<View>): View {
  const { what, read, isWhole, asked } = item;
  try {
    const made = read();
    if (isWhole(made)) return made;
    const said = Object.entries(made).filter(([, value]) => value !== null && !isEmpty(value));
    return { ...asked(made.id), ...Object.fromEntries(said) };
  } catch (error) {
    if (!(error instanceof ClientError) || error.code !== 'unreadable') throw error;
    throw new ClientError('unreadable', `${what} was made, but ${error.message}; the list shows it`, {
      endpoint: error.endpoint,
      status: error.status,
      field: error.field,
      raw: error.raw,
      mayBeDone: true,
    });
  }
}

function isEmpty(value: unknown): boolean {
  return typeof value === 'object' && value !== null && Object.keys(value).length === 0;
}
