import { useIsScreenReaderEnabled } from 'ink';
import { ClientError } from '../../../client/errors.ts';
import { chainProfile } from '../../../core/chains.ts';
import { useNow } from '../../app/clock.ts';
import { isPaced } from '../../app/connection.ts';
import type { TabScreenProps } from '../../app/tabs.ts';
import { useKeptReducer } from '../../app/ui-state.ts';
import { type Dated, type Polled, useMonitor } from '../../data/queries.ts';
import { useKeys } from '../../input/use-keys.tsx';
import { DimContext, useDim, useTheme } from '../../ui/theme.ts';
import { systemOffset } from '../../ui/time.ts';
import { serviceLayout } from './service-columns.ts';
import { ServicePane } from './service-pane.tsx';
import type { Part, ServiceContext, ServiceView } from './service-view.ts';
import { SpokenService } from './spoken-service.tsx';
import { useService } from './use-service.ts';

const toTop = (_: number, top: number) => top;

/** Gathers what the Service pane draws and says what its keys do. */
export function ServiceScreen({ snapshot, columns, rows }: TabScreenProps) {
  const theme = useTheme();
  const now = useNow();
  const spoken = useIsScreenReaderEnabled();
  const [kept, setTop] = useKeptReducer('service', toTop, 0);
  const data = useService(snapshot);
  const past = useDim();
  const { limit = null } = useMonitor();
  const part = <T,>(polled: Polled<Dated<T>>) => partOf(polled, past, limit);
  const description = part(data.description);
  const view: ServiceView = {
    snapshot,
    symbol: snapshot.chainId === null ? 'ETH' : chainProfile(snapshot.chainId).nativeSymbol,
    summary: part(data.summary),
    limits: part(data.limits),
    day: part(data.day),
    month: part(data.month),
    recommendation: part(data.recommendation),
    description: { ...description, value: description.value ?? null },
  };
  const context: ServiceContext = { width: columns, now, offsetAt: systemOffset, theme };
  const layout = serviceLayout(view, context, rows);
  const { room, most } = layout;
  const top = Math.min(kept, most);
  const scroll = (to: number) => setTop(Math.min(Math.max(to, 0), most));
  useKeys('service', {
    up: () => scroll(top - 1),
    down: () => scroll(top + 1),
    'page-up': () => scroll(top - room),
    'page-down': () => scroll(top + room),
    start: () => scroll(0),
    end: () => scroll(most),
  });
  // A chain that stands still dims the other panes; how its nodes are is news all the same.
  return (
    <DimContext value={data.summary.error !== null}>
      {spoken ? (
        <SpokenService view={view} context={context} />
      ) : (
        <ServicePane layout={layout} width={columns} height={rows} top={top} />
      )}
    </DimContext>
  );
}

function partOf<T>({ data, error, retryAt }: Polled<Dated<T>>, past: boolean, limit: string | null): Part<T> {
  // What never came may only wait for its turn.
  const waits = data === undefined && (error === null ? limit !== null : isPaced(error));
  const reason = error === null ? null : problemOf(error, past);
  return {
    value: data?.value ?? null,
    at: data?.at ?? null,
    problem: waits ? `waiting: ${limit ?? 'limit per second'}` : reason,
    retryAt,
  };
}

/** Refused parts say why; what a foreign service does not have is no failure of it. */
function problemOf(error: Error, past: boolean): string {
  const code = error instanceof ClientError ? error.code : null;
  if (code === 'not-found') return 'this service has none';
  // The frame around says why, and until when.
  if (past && (code === 'key' || code === 'quota')) return 'nothing is asked for now';
  return error.message.replaceAll('\n', ' ');
}
