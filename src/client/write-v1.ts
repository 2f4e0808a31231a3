import type { WriteOptions } from './client.ts';
import { refusal } from './errors.ts';
import { harmlessJson } from './reading/json.ts';
import { endpointOf, exchangeV1, isSuccess, type TransportOptions, type Write } from './transport.ts';

/**
 * Asks a service to change something, once: nobody but the caller can know whether to ask again. What failed so that
 * it may have been done all the same says so (`mayBeDone`). Gives the text of the answer, which may be empty.
 *
 * @throws ClientError for every answer that is no success.
 */
export async function writeV1(
  options: TransportOptions,
  path: string,
  write: Write,
  { signal, onAnswer }: WriteOptions,
): Promise<string> {
  const { status, headers, text, isDone } = await exchangeV1(options, path, {}, { signal, write });
  if (isSuccess(status)) {
    if (text.trim() !== '') onAnswer?.(harmlessJson(text));
    return text;
  }
  const refused = refusal({ status, headers }, text, {
    endpoint: endpointOf(options, path),
    withKey: options.apiKey !== null,
    now: Date.now(),
    write: write.method,
  });
  // 501 and 503 say that it was not done; any other failure may have come after it was.
  const mayBeDone = isDone || (status >= 500 && status !== 501 && status !== 503);
  throw mayBeDone ? refused.unsettled() : refused;
}
