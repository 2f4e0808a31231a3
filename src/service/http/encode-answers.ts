import type { Context, MiddlewareHandler } from 'hono';
import { BASE_PATH, PATHS } from '../../contract/routes.ts';
import type { Present } from '../answers/gas-answers.ts';
import { EncodedAnswer, type Sent, type Wanted } from './encoded-answer.ts';
import { recordOf } from './request-record.ts';
import type { ServiceState } from './service-state.ts';

/** Routes without parameters that are answered from what is known now and from nothing else. */
const OF_THE_MOMENT: ReadonlySet<string> = new Set(
  [PATHS.gasCurrent, PATHS.gasTrend, PATHS.gasRecommendation, PATHS.statsCurrent].map(
    (path) => BASE_PATH + path,
  ),
);

interface Remembered {
  readonly moment: Present;
  readonly answer: EncodedAnswer;
}

/**
 * Gives every 200 its ETag, compresses it where that is wanted, and answers 304 to who has it already. Everybody
 * asks for the same few answers between two blocks, so those are encoded once per block.
 */
export function encodeAnswers(state: ServiceState): MiddlewareHandler {
  const remembered = new Map<string, Remembered>();
  return async (c, next) => {
    const { path } = c.req;
    const moment = OF_THE_MOMENT.has(path) && !c.req.url.includes('?') ? state.moment() : null;
    if (moment !== null && isRead(c)) {
      const known = remembered.get(path);
      if (known !== undefined && isSameMoment(known.moment, moment))
        return sent(c, await known.answer.respond(wantedOf(c)));
    }
    await next();
    if (!isRead(c) || c.res.status !== 200 || !isJson(c.res)) return;
    const answer = new EncodedAnswer(await c.res.text());
    if (moment !== null) {
      const after = state.moment();
      if (after !== null && isSameMoment(moment, after)) remembered.set(path, { moment, answer });
    }
    const response = sent(c, await answer.respond(wantedOf(c)));
    // Hono would add the old response's headers to the new one's.
    c.res = undefined;
    c.res = response;
  };
}

function sent(c: Context, { response, bytes }: Sent): Response {
  const record = recordOf(c.env);
  if (record !== null) record.bytes = bytes;
  return response;
}

const isRead = (c: Context) => c.req.method === 'GET' || c.req.method === 'HEAD';

const isJson = (response: Response) =>
  response.headers.get('content-type')?.startsWith('application/json') === true;

function wantedOf(c: Context): Wanted {
  return { encoding: c.req.header('accept-encoding'), noneMatch: c.req.header('if-none-match') };
}

function isSameMoment(one: Present, other: Present): boolean {
  return (
    one.advice === other.advice &&
    one.head === other.head &&
    one.profile === other.profile &&
    one.updatedAt === other.updatedAt &&
    one.stale === other.stale &&
    one.ended === other.ended &&
    one.nativeUsd === other.nativeUsd &&
    one.source.name === other.source.name &&
    one.problem?.message === other.problem?.message &&
    one.problem?.retryAt === other.problem?.retryAt
  );
}
