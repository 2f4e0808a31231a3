import { Box, Text } from 'ink';
import type { ReactNode } from 'react';
import { ClientError } from '../../client/errors.ts';
import { formatAge, formatDuration } from '../../core/units.ts';
import { useNow } from '../app/clock.ts';
import { remedyFor } from '../app/connection.ts';
import type { Polled } from '../data/queries.ts';
import { useRoom } from './pane-context.tsx';
import { faint, type Line, placed, plain } from './text.tsx';
import { COLORS, DimContext, forTerminal, useDim } from './theme.ts';

type PaneStateProps =
  | { readonly kind: 'loading'; readonly what: string; readonly why?: string }
  | { readonly kind: 'empty'; readonly title: string; readonly hint: string; readonly more?: string | null }
  | ({ readonly kind: 'error' } & Readonly<Record<'title' | 'reason' | 'hint', string>> &
      Pick<Polled<unknown>, 'retryAt'>);

export function PaneState(state: PaneStateProps) {
  const { columns, rows } = useRoom();
  const now = useNow();
  const lines = (): readonly (string | null | undefined)[] => {
    if (state.kind === 'loading') return [null, `Loading ${state.what} …`, state.why];
    if (state.kind === 'empty') return [state.title, state.hint, state.more];
    const next = nextTry(state.retryAt, now) ?? 'not tried again by itself';
    return [`! ${state.title}`, state.reason, `no data yet · ${next}`, state.hint];
  };
  const [title, ...texts] = lines();
  return (
    <Box width={columns} height={rows} overflow="hidden">
      <Box flexDirection="column" flexGrow={1} alignItems="center" justifyContent="center" paddingX={2}>
        <Text bold {...(state.kind === 'error' && { color: COLORS.bad })}>
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

interface PolledFrameProps {
  readonly polled: Polled<unknown>;
  readonly what: string;
  readonly pending?: boolean;
  readonly hint?: string;
  /** What to say when the service has no such thing. */
  readonly absent?: { readonly title: string; readonly hint: string };
  readonly children: (notice: Line | null) => ReactNode;
}

/** Loading, failed, or data: dimmed and with age, reason and next retry when it is stale. */
export function PolledFrame(props: PolledFrameProps) {
  const { polled, what, pending = false, hint = 'r asks again now', absent, children } = props;
  const now = useNow();
  const around = useDim();
  const { data, at, error, retryAt } = polled;
  if (data === undefined) {
    if (error === null) return <PaneState kind="loading" what={what} />;
    // Waiting for a limit per second is no problem.
    if (error instanceof ClientError && error.limit === 'rate')
      return <PaneState kind="loading" what={what} why="waiting: limit per second" />;
    const isAbsent = absent && error instanceof ClientError && error.code === 'not-found';
    const reason = isAbsent ? (serviceMessage(error) ?? 'the service knows none such') : error.message;
    const unknown = { title: `No answer for ${what}`, hint: remedyFor(error) ?? hint };
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
  return <DimContext value={true}>{children([plain(text.replaceAll('\n', ' '))])}</DimContext>;
}

/** The service's own message, without the route that it refuses; `null`: none. */
export function serviceMessage({ message, endpoint }: ClientError): string | null {
  const at = message.indexOf(`${endpoint}: `);
  return at < 0 ? null : message.slice(at + endpoint.length + 2);
}

/** Why a part of a pane is missing, most important first; `isPast`: the frame already says why the data is stale. */
export function missingReason(error: Error, isPast: boolean): string {
  if (!(error instanceof ClientError)) return error.message.replaceAll('\n', ' ');
  const { code, endpoint, limit } = error;
  if (code === 'not-found') return 'this service has none';
  if (code === 'quota' && limit === 'rate') return 'waiting: limit per second';
  if (isPast && (code === 'key' || code === 'quota')) return 'no requests for now';
  const detail = serviceMessage(error);
  const words =
    code === 'plan' ? `plan lacks ${endpoint}${detail === null ? '' : `: ${detail}`}` : error.message;
  return words.replaceAll('\n', ' ');
}
