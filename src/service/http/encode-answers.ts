import type { Context, MiddlewareHandler } from 'hono';
import { EncodedAnswer, type Wanted } from './encoded-answer.ts';
import type { RememberedAnswers } from './remembered-answers.ts';
import { recordOf } from './request-record.ts';

/** Gives every 200 its ETag, compresses it where that is wanted, and answers 304 to who has it already. */
export function encodeAnswers(answers: RememberedAnswers): MiddlewareHandler {
  return async (c, next) => {
    const isRead = c.req.method === 'GET' || c.req.method === 'HEAD';
    const path = isRead && !c.req.url.includes('?') ? c.req.path : '';
    const known = answers.find(path);
    if (known !== null) return send(c, await known());
    await next();
    if (!isRead) return measure(c);
    if (c.res.status !== 200 || !isJson(c.res)) return;
    const answer = new EncodedAnswer(await c.res.text());
    const again = c.get('again');
    // Where no key is needed, all who ask are the same.
    if (again !== undefined && c.get('owner') === '') answers.keep(targetOf(c), answer, again);
    const response = await send(c, answer);
    // Hono would add the old response's headers to the new one's.
    c.res = undefined;
    c.res = response;
  };
}

/** Takes down the length of an answer that is sent as it is, for the log. */
async function measure(c: Context): Promise<void> {
  const record = recordOf(c.env);
  if (record === null || !isJson(c.res) || c.res.headers.has('content-length')) return;
  record.bytes = Buffer.byteLength(await c.res.clone().text());
}

async function send(c: Context, answer: EncodedAnswer): Promise<Response> {
  const { response, bytes } = await answer.respond(wantedOf(c));
  const record = recordOf(c.env);
  if (record !== null) record.bytes = bytes;
  return response;
}

/** The path as it was asked, with its query. */
function targetOf({ req: { path, url } }: Context): string {
  const query = url.indexOf('?');
  return query < 0 ? path : path + url.slice(query);
}

const isJson = (response: Response) =>
  response.headers.get('content-type')?.startsWith('application/json') === true;

function wantedOf(c: Context): Wanted {
  return { encoding: c.req.header('accept-encoding'), noneMatch: c.req.header('if-none-match') };
}
