import { ClientError } from '../client/errors.ts';

/** Why a service refused, in one line: what it says of single fields says most. */
export function refusalText(error: Error): string {
  const details = error instanceof ClientError ? error.details : [];
  const said = details.map(({ path, message }) => (path === '' ? message : `${path} ${message}`));
  return (said.length > 0 ? said.join(', ') : error.message).replaceAll('\n', ' ');
}
