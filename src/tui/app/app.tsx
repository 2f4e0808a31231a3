import { useIsScreenReaderEnabled, useWindowSize } from 'ink';
import { lazy, Suspense, useState, useSyncExternalStore } from 'react';
import type { Notifications } from '../chrome/announce.ts';
import { Frame } from '../chrome/frame.tsx';
import { Waiting } from '../chrome/no-source.tsx';
import { useShownTab } from '../chrome/tabs.ts';
import { ToastHost } from '../chrome/toast.tsx';
import { Remembered, RememberedContext } from '../data/remembered.ts';
import type { Board } from '../panes/board/board-pane.tsx';
import { Clock, MemoryContext, Room } from '../ui/pane-context.tsx';
import { setAscii } from '../ui/theme.ts';
import type { MonitorLog } from './monitor-log.ts';
import type { ChosenSource, MonitorSource, SourceHolder } from './source.ts';

export interface MonitorProps {
  readonly holder: SourceHolder;
  readonly openSource: (choice: ChosenSource) => Promise<MonitorSource>;
  /** Why a typed URL cannot be opened, in one line; `null` when it can be tried. */
  readonly urlProblem: (text: string) => string | null;
  readonly board: Board | null;
  readonly isBoardFirst: boolean;
  readonly ascii: boolean;
  readonly notifications: Notifications;
  readonly remembered?: Remembered;
  readonly undoMs?: number;
  readonly now: () => number;
  /** Where `saveFile` would write a file of that name. */
  readonly fullPath: (name: string) => string;
  readonly saveFile: (name: string, text: string) => Promise<string>;
  readonly log?: MonitorLog | undefined;
}

/** What outlives a session: it is the same for the next source. */
export interface MonitorState {
  /** All chains side by side are shown instead of the tabs. */
  readonly isBoard: boolean;
  /** Which of them is open; `null`: what is open was not opened from there. */
  readonly chain: string | null;
  readonly overlay: 'help' | 'raw' | null;
  readonly frozen: boolean;
}

/** Ages that tick every second would keep a screen reader from finishing its sentence. */
const SPOKEN_TICK_MS = 60_000;

export function Monitor(props: MonitorProps) {
  const { holder, ascii, isBoardFirst, now } = props;
  const isSpoken = useIsScreenReaderEnabled();
  useState(() => setAscii(ascii || isSpoken));
  const { id } = useSyncExternalStore(holder.subscribe, holder.read);
  const [state, setState] = useState<MonitorState>({
    isBoard: isBoardFirst,
    chain: null,
    overlay: null,
    frozen: false,
  });
  const change = (part: Partial<MonitorState>) => setState((before) => ({ ...before, ...part }));
  const [memory] = useState(() => new Map<string, unknown>());
  const [remembered] = useState(() => props.remembered ?? new Remembered());
  return (
    <Clock now={now} periodMs={isSpoken ? SPOKEN_TICK_MS : undefined}>
      <ToastHost>
        <MemoryContext value={memory}>
          <RememberedContext value={remembered}>
            <Suspense fallback={isBoardFirst ? null : <Opening />}>
              <Session key={id} {...props} state={state} change={change} />
            </Suspense>
          </RememberedContext>
        </MemoryContext>
      </ToastHost>
    </Clock>
  );
}

const Session = lazy(async () => ({ default: (await import('./session.tsx')).Session }));

/** The first frame, while the code of panes and of the source is read. What is typed meanwhile waits in the terminal. */
function Opening() {
  const { columns, rows } = useWindowSize();
  const [tab] = useShownTab();
  const nothing = { chainName: null, badge: null, snapshot: undefined, fork: null, speed: null };
  return (
    <Room columns={columns} rows={rows}>
      <Frame {...nothing} {...{ tab }} health={{ kind: 'connecting' }} pace="" zone="" isWhole={false}>
        <Waiting />
      </Frame>
    </Room>
  );
}
