import { useIsScreenReaderEnabled } from 'ink';
import { useReducer, useState, useSyncExternalStore } from 'react';
import type { Badge } from './components/status-bar.tsx';
import { type Notifications, NotificationsContext } from './hooks/use-announce.ts';
import { MemoryContext } from './hooks/use-kept-state.ts';
import { Clock, ClockContext } from './hooks/use-now.ts';
import { ToastContext, useToastHost } from './hooks/use-toast.ts';
import type { MonitorSource, SourceChoice } from './monitor-source.ts';
import { INITIAL_MONITOR_STATE, monitorReducer } from './monitor-state.ts';
import { Session } from './session.tsx';
import type { SourceHolder } from './source-holder.ts';
import { ASCII_THEME, ThemeContext, UNICODE_THEME } from './theme.ts';

export interface MonitorProps {
  readonly holder: SourceHolder;
  readonly openSource: (choice: SourceChoice) => Promise<MonitorSource>;
  readonly onPrices: () => void;
  readonly urlProblem: (text: string) => string | null;
  readonly chainName: string | null;
  readonly badge: Badge | null;
  readonly ascii: boolean;
  readonly notifications: Notifications;
  /** How long a deletion can be undone, ms. */
  readonly undoMs: number;
  readonly now: () => number;
  readonly saveFile: (name: string, text: string) => Promise<string>;
}

/** Ages that tick every second would never let a screen reader finish its sentence. */
const SPOKEN_TICK_MS = 60_000;

/** The whole monitor under its providers. */
export function Monitor({ holder, openSource, ascii, notifications, now, ...named }: MonitorProps) {
  const spoken = useIsScreenReaderEnabled();
  const source = useSyncExternalStore(holder.subscribe, holder.read);
  const [state, dispatch] = useReducer(monitorReducer, INITIAL_MONITOR_STATE);
  const { toast, show } = useToastHost();
  const [clock] = useState(() => new Clock(now, spoken ? SPOKEN_TICK_MS : 1_000));
  const [memory] = useState(() => new Map<string, unknown>());
  return (
    <ThemeContext value={ascii || spoken ? ASCII_THEME : UNICODE_THEME}>
      <ClockContext value={clock}>
        <ToastContext value={show}>
          <NotificationsContext value={notifications}>
            <MemoryContext value={memory}>
              <Session
                // A source that opens goes on with the session that awaited it; another choice begins anew.
                key={source.id}
                source={source}
                state={state}
                dispatch={dispatch}
                toast={toast}
                choose={(choice) => void holder.open(() => openSource(choice))}
                beforeClosing={holder.beforeClosing}
                now={now}
                {...named}
              />
            </MemoryContext>
          </NotificationsContext>
        </ToastContext>
      </ClockContext>
    </ThemeContext>
  );
}
