import { ClientError } from './errors.ts';

/**
 * The path of one thing of a service.
 *
 * @param path of the contract, with `parameter` in it
 * @param what for people: `an alert`
 * @throws ClientError (`invalid`) for an id that names nothing in a path and would ask for something else.
 */
export function itemPath(path: string, id: string, what: string, parameter = '{id}'): string {
  if (/^\s*$|^\.\.?$/.test(id) || !id.isWellFormed()) {
    throw new ClientError('invalid', `${what} is named by its id; the list shows them`, { endpoint: path });
  }
  return path.replace(parameter, () => encodeURIComponent(id));
}
