import { OPENAPI_PATH, PLAYGROUND_PATH } from '../../contract/routes.ts';
import { ClientError } from '../errors.ts';
import { type Http, isSuccess } from '../http.ts';
import type { ServiceDescription } from '../openapi.ts';
import { parseJson } from '../reading/json.ts';
import { documentNamedBy } from './playground-page.ts';
import { readDescription } from './read-description.ts';

/** Where services keep their document: v1's own place first, then what frameworks do by themselves. */
const PLACES = [
  OPENAPI_PATH,
  PLAYGROUND_PATH,
  `${PLAYGROUND_PATH}-json`,
  '/openapi.json',
  '/v3/api-docs',
] as const;
const MOST_QUESTIONS = 8;
const EACH_MS = 5_000;
const ALTOGETHER_MS = 12_000;

/**
 * Looks for a service's OpenAPI document beside the v1 base path: a handful of questions, bounded in size and time,
 * on the service's own origin. The key is sent only where a place asks for one.
 *
 * @returns `null` where the service answers but has none that says anything of v1.
 * @throws ClientError where nothing answers, or the quota is used up: then nobody knows.
 */
export async function findDescription(http: Http): Promise<ServiceDescription | null> {
  const base = http.service;
  const timeoutMs = Math.min(EACH_MS, http.timeoutMs);
  const signal = AbortSignal.timeout(ALTOGETHER_MS);
  const beside = base.origin + base.pathname.replace(/\/+$/, '');
  const places: { root: string; path: string }[] = PLACES.map((path) => ({ root: beside, path }));
  let unanswered: ClientError | null = null;
  let answered = false;
  let questions = 0;
  const ask = async (root: string, path: string): Promise<string | null> => {
    for (const apiKey of http.apiKey === null ? [null] : [null, http.apiKey]) {
      if (questions === MOST_QUESTIONS || signal.aborted) return null;
      questions += 1;
      try {
        const request = { root, path, apiKey, timeoutMs, signal };
        const response = await http.send(request);
        if (!isSuccess(response.status)) throw http.refusalOf(request, response);
        answered = true;
        return response.text;
      } catch (error) {
        if (!(error instanceof ClientError) || error.code === 'quota') throw error;
        if (error.code === 'unreachable') unanswered ??= error;
        else answered = true;
        if (error.code !== 'key' && error.code !== 'plan') return null;
      }
    }
    return null;
  };
  for (let place = places.shift(); place !== undefined; place = places.shift()) {
    const text = await ask(place.root, place.path);
    if (text === null) continue;
    const document = parseJson(text);
    const description = readDescription(document);
    if (description !== null) return description;
    const named = document === undefined ? documentNamedBy(text, base.origin) : null;
    if (named !== null) places.unshift({ root: base.origin, path: named });
  }
  if (!answered && unanswered !== null) throw unanswered;
  return null;
}
