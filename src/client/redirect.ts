import { cleanText } from '../core/clean-text.ts';
import type { Answered } from '../http/answered.ts';
import { ClientError } from './errors.ts';

const REDIRECTS = new Set([301, 302, 303, 307, 308]);
/** Those that mean the same question, with its method and body, elsewhere (RFC 9110 §15.4). */
const SAME_ELSEWHERE = new Set([307, 308]);
/** What was to be changed has been; what came of it is elsewhere. */
export const SEE_OTHER = 303;
/** Many a service answers what it has done with that, as was usual before there was 303. */
const FOUND = 302;

export function isRedirect(status: number): boolean {
  return REDIRECTS.has(status);
}

/**
 * Where a redirect leads on the same origin: neither the key nor a body goes to another.
 *
 * @throws ClientError for every other, and where a write would become a question on its way.
 */
export function redirected(
  from: URL,
  response: Pick<Answered, 'status' | 'headers'>,
  {
    endpoint,
    isWrite,
    isDone,
  }: {
    readonly endpoint: string;
    readonly isWrite: boolean;
    /** What was to be changed has been, on the way here. */
    readonly isDone: boolean;
  },
): URL {
  const { status } = response;
  const location = response.headers.get('location') ?? '';
  const to = URL.canParse(location, from.href) ? new URL(location, from) : null;
  const isOwn = to !== null && to.origin === from.origin;
  if (isOwn && (!isWrite || status === SEE_OTHER || SAME_ELSEWHERE.has(status))) return to;
  const where =
    to === null || to.host === '' ? 'nowhere' : `to ${cleanText(`${to.protocol}//${to.host}`, 200)}`;
  const mayBeDone = isDone || (isWrite && (status === SEE_OTHER || status === FOUND));
  const redirects = mayBeDone
    ? 'redirects instead of saying what came of it'
    : 'redirects in a way that would not change anything';
  const message = isOwn
    ? `${from.host} ${redirects} (${status}); check the URL`
    : `${from.host} redirects ${where}; if that is right, use it as the URL`;
  const failure = new ClientError('server', message, { endpoint, status });
  throw mayBeDone ? failure.unsettled() : failure;
}
