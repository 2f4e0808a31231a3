import { fileLabel } from '../chain/block-file-error.ts';
import { ChainError } from '../chain/errors.ts';
import { cleanLine } from './clean-line.ts';

/**
 * A recording's failure under the path that was given, where it is the whole file's: its name alone may be another
 * file's too. Only for who gave the path; what services tell others has the name.
 */
export function nameAsGiven(error: unknown, path: string): unknown {
  if (!(error instanceof ChainError) || error.code !== 'bad-file') return error;
  const label = fileLabel(path);
  if (!error.message.startsWith(`${label}: `)) return error;
  return new ChainError('bad-file', `${cleanLine(path)}${error.message.slice(label.length)}`, {
    cause: error,
  });
}
