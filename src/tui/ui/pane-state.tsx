import { Box, Text } from 'ink';
import type { ReactNode } from 'react';
import { ClientError, type ClientErrorCode } from '../../client/errors.ts';
import { PATHS } from '../../contract/routes.ts';
import { formatAge, formatDuration } from '../../core/units.ts';
import type { Polled } from '../data/polled-query.ts';
import { useAtNow, useRoom } from './pane-context.tsx';
import { faint, type Line, placed, plain } from './text.tsx';
import { COLORS, DimContext, forTerminal, useDim } from './theme.ts';

type PaneStateProps =
  | { readonly kind: 'loading'; readonly what: string; readonly why?: string }
  | { readonly kind: 'empty'; readonly title: string; readonly hint: string; readonly more?: string | null }
  | ({ readonly kind: 'error' } & Readonly<Record<'title' | 'reason' | 'hint', string>> &
      Pick<Polled<unknown>, 'retryAt'>);

export function PaneState(state: PaneStateProps) {
  const { columns, rows } = useRoom();
  const next = useAtNow((now) => (state.kind === 'error' ? nextTry(state.retryAt, now) : null));
  const lines = (): readonly (string | null | undefined)[] => {
    if (state.kind === 'loading') return [null, `Loading ${state.what} …`, state.why];
    if (state.kind === 'empty') return [state.title, state.hint, state.more];
    const retry = `no data yet · ${next ?? 'not tried again by itself'}`;
    return [`! ${state.title}`, state.reason, retry, state.hint];
  };
  const [title, ...texts] = lines();
  return (
    <Box width={columns} height={rows} overflow="hidden">
      <Box flexDirection="column" flexGrow={1} alignItems="center" justifyContent="center" paddingX={2}>
        <Text bold color={state.kind === 'error' ? COLORS.bad : undefined}>
          {forTerminal(title ?? '')}
        </Text>
        {placed(texts, (text, place) => (
          <Text dimColor={state.kind !== 'error' || place > 0}>{forTerminal(text ?? '')}</Text>
        ))}
      </Box>
    </Box>
  );
}

export function nextTry(retryAt: number | null, now: number): string | null {
  if (retryAt === null) return null;
  const sec = Math.max(Math.ceil((retryAt - now) / 1_000), 0);
  return sec < 1 ? 'trying again now' : `next try in ${formatDuration(sec)}`;
}

export interface PolledFrameProps {
  readonly polled: Polled<unknown>;
  readonly what: string;
  readonly pending?: boolean;
  readonly hint?: string;
  /** What to say when the service has no such thing. */
  readonly absent?: { readonly title: string; readonly hint: string };
  /** What to say instead of the children where there is nothing to show yet. */
  readonly empty?: { readonly title: string; readonly hint: string } | false;
  readonly children: (notice: Line | null) => ReactNode;
}

/** Loading, failed, or data: dimmed and with age, reason and next retry when it is stale. */
export function PolledFrame(props: PolledFrameProps) {
  const { polled, what, pending = false, hint = 'r asks again now', absent, empty = false } = props;
  const children = empty === false ? props.children : () => <PaneState kind="empty" {...empty} />;
  const around = useDim();
  const { data, at, error, retryAt } = polled;
  const now = useAtNow((present) => (error === null ? at : present));
  if (data === undefined) {
    if (error === null) return <PaneState kind="loading" what={what} />;
    // Waiting for a limit per second is no problem.
    if (error instanceof ClientError && error.limit === 'rate')
      return <PaneState kind="loading" what={what} why="waiting: limit per second" />;
    const isAbsent = absent && error instanceof ClientError && error.code === 'not-found';
    const reason = isAbsent ? (serviceMessage(error) ?? 'the service knows none such') : error.message;
    const unknown = { title: `No answer for ${what}`, hint: failureRemedy(error) ?? hint };
    const words = { ...(isAbsent ? absent : unknown), reason };
    return <PaneState kind="error" {...words} retryAt={retryAt} />;
  }
  if (error === null) return children(pending ? [faint(`loading ${what} …`)] : null);
  const age = formatAge((now - at) / 1_000);
  const next = nextTry(retryAt, now);
  // If the frame already says why the data is stale, the age suffices.
  const text = around
    ? `this is from ${age}`
    : `${what} as of ${age}${next === null ? '' : ` · ${next}`} · ${error.message}`;
  return <DimContext value={true}>{children([plain(text)])}</DimContext>;
}

/** The service's own message, without the route that it refuses; `null`: none. */
function serviceMessage({ message, endpoint }: ClientError): string | null {
  const at = message.indexOf(`${endpoint}: `);
  return at < 0 ? null : message.slice(at + endpoint.length + 2);
}

/** Why a part of a pane is missing, most important first; `isPast`: the frame already says why the data is stale. */
export function missingReason(error: Error, isPast: boolean): string {
  if (!(error instanceof ClientError)) return error.message;
  const { code, endpoint, limit } = error;
  if (code === 'not-found') return 'this service has none';
  if (code === 'quota' && limit === 'rate') return 'waiting: limit per second';
  if (isPast && (code === 'key' || code === 'quota')) return 'no requests for now';
  if (code !== 'plan') return error.message;
  const detail = serviceMessage(error);
  return `plan lacks ${endpoint}${detail === null ? '' : `: ${detail}`}`;
}

/** By code, and by the service's own error code, limit or endpoint where that says more. */
const TITLES: Readonly<Record<ClientErrorCode, string> & Record<string, string>> = {
  unreachable: 'The service does not answer',
  key: 'The key is refused',
  'key api_key_missing': 'This service asks for a key',
  'key api_key_revoked': 'The key has been revoked',
  plan: 'The plan of this key does not allow this',
  'not-found': 'The service does not have this',
  [`not-found ${PATHS.gasCurrent}`]: 'There is no v1 service at this address',
  invalid: 'The service does not accept the request',
  conflict: 'The service cannot do this as things stand',
  quota: 'This key has asked as much as it may for now',
  'quota daily': 'The daily quota of this key is used up',
  'quota rate': 'Too many requests at once for this key',
  unavailable: 'The service has no prices now',
  server: 'The service fails',
  unreadable: 'The response cannot be read',
};

export function failureTitle(error: Error): string {
  if (!(error instanceof ClientError)) return 'The service does not give prices';
  const { code, limit, errorCode, endpoint } = error;
  const more = [errorCode, limit, endpoint].map((part) => TITLES[`${code} ${part}`]);
  return more.find((title) => title !== undefined) ?? TITLES[code];
}

export function failureHint(error: Error): string {
  const code = error instanceof ClientError ? error.code : null;
  if (code === 'quota') return 'it goes on by itself; r asks once now, q quits';
  if (code === 'unreadable') return 'i shows what the service said, r asks again now; is the URL right?';
  return 'r asks again now, i shows what the service said, q quits';
}

/** What only the user can do about an error; `null` when waiting helps. */
export function failureRemedy(error: Error): string | null {
  if (!(error instanceof ClientError)) return null;
  // The key is read when gastop starts.
  if (error.code === 'key') return 'set GASTOP_API_KEY and start again; r asks once more';
  if (error.code === 'plan') return 'it takes another plan or key; GASTOP_API_KEY sets it, r asks once more';
  return null;
}

/** Why a service refused, in one line: its messages about single fields are the most precise. */
export function refusalText(error: Error): string {
  const details = error instanceof ClientError ? error.details : [];
  const messages = details.map(({ path, message }) => (path === '' ? message : `${path} ${message}`));
  return messages.length > 0 ? messages.join(', ') : error.message;
}
