import { QueryClientProvider } from '@tanstack/react-query';
import { useWindowSize } from 'ink';
import { useContext, useEffect, useLayoutEffect, useState, useSyncExternalStore } from 'react';
import * as z from 'zod';
import { isPlain as isPlainUrl } from '../../client/service-url.ts';
import { chainNameOf } from '../../client/views/gas-texts.ts';
import { PATIENCE_SEC } from '../../contract/choices.ts';
import { badgeOfKind, isOutdated } from '../../core/chain-status.ts';
import { formatDuration } from '../../core/units.ts';
import { Frame, type Health, healthOf, isPast } from '../chrome/frame.tsx';
import { NoData, type NoDataReason, SourcePicker, useNoResponse } from '../chrome/no-source.tsx';
import { helpLines, RawView } from '../chrome/raw-view.tsx';
import type { Tab } from '../chrome/tabs.ts';
import { useToast } from '../chrome/toast.tsx';
import { ListsProvider } from '../data/lists.tsx';
import { MonitorContext, type MonitorScope, type QuerySession } from '../data/monitor-context.ts';
import { UNDO_MS } from '../data/mutations.ts';
import { type Prices, useForkChip, usePrices } from '../data/prices.ts';
import { createQueryClient } from '../data/query-client.ts';
import { chainMemory, RememberedContext, useRemembered } from '../data/remembered.ts';
import type { Scope } from '../input/keymap.ts';
import { KeyListener } from '../input/use-keys.tsx';
import { BoardPane } from '../panes/board/board-pane.tsx';
import { openPlace } from '../panes/explorer/explorer-pane.tsx';
import { openForm } from '../resource/resource-pane.tsx';
import { MemoryContext, Room } from '../ui/pane-context.tsx';
import { TextView } from '../ui/scroll.tsx';
import { DimContext } from '../ui/theme.ts';
import type { MonitorProps, MonitorState } from './app.tsx';
import { Finder } from './finder.tsx';
import { PANES } from './panes.ts';
import { useSessionKeys, useTabs, useZone } from './session-keys.ts';
import { type ChosenSource, type HeldSource, keyFinder, type MonitorSource } from './source.ts';

export interface SessionProps extends MonitorProps {
  readonly state: MonitorState;
  readonly change: (part: Partial<MonitorState>) => void;
}

const PatienceSec = z.number().min(PATIENCE_SEC.least).max(PATIENCE_SEC.most);

/** What a source is shown by. One that opens continues the session that waited for it; another choice starts a new one. */
export function Session(props: SessionProps) {
  const [queries] = useState(createQueryClient);
  return (
    <QueryClientProvider client={queries}>
      <SessionScreen {...props} />
    </QueryClientProvider>
  );
}

function SessionScreen(props: SessionProps) {
  const { state, change, holder, now, board, notifications, log } = props;
  const { columns, rows } = useWindowSize();
  const memory = useContext(MemoryContext);
  const source = useSyncExternalStore(holder.subscribe, holder.read);
  const opened = source.kind === 'open' ? source.source : null;
  const session: QuerySession = {
    client: opened?.client ?? null,
    frozen: state.frozen,
    now,
    isOwnService: opened?.embedded != null,
  };
  const [patienceSec, setPatience] = useRemembered('patience', PatienceSec, PATIENCE_SEC.default);
  const prices = usePrices(session, opened?.intervalMs, patienceSec);
  const { data: snapshot, status, intervalMs } = prices;
  const hasFailed = source.kind === 'failed';
  const health: Health = hasFailed ? { kind: 'none' } : healthOf(prices, state.frozen, status);
  useMemoryOf(opened, snapshot?.chainId ?? null);
  const tabs = useTabs(() => change({ overlay: null }));
  const { tab } = tabs;
  const { zone, zoneName, toggleZone } = useZone(snapshot?.blockTimestamp ?? now());
  const toast = useToast();

  const newAlert: MonitorScope['newAlert'] = (prefill) => {
    openForm(memory, 'alert', prefill, tab.scope);
    tabs.show('alerts');
  };
  const scope = monitorScope(props, session, opened, prices, {
    patienceSec,
    newAlert,
    showTab: tabs.show,
    setPatience: (sec) => {
      setPatience(sec);
      toast({ kind: 'info', text: `You can wait up to ${formatDuration(sec)}` });
    },
    openPlace: (place) => {
      openPlace(memory, place);
      tabs.show('explorer');
    },
  });
  const reason = {
    error: hasFailed ? source.error : prices.error,
    retryAt: prices.retryAt,
    attempt: source.id,
  };
  const isSilent = useNoResponse(reason);
  const isBoard = state.isBoard && board !== null;
  const shown = shownOf(state.overlay, isBoard, scope, isSilent);
  const head = snapshot?.blockNumber ?? null;
  const title = isBoard ? 'Board' : tab.title;
  useEffect(() => {
    log?.({ type: 'state', tab: title, status: health.kind, head });
  }, [log, title, health.kind, head]);
  const keys = useSessionKeys({ state, change, board, source, prices, health, tabs, toggleZone, newAlert });
  const fork = useForkChip(session, snapshot !== undefined);
  return (
    <MonitorContext value={scope}>
      <ListsProvider
        {...{ ...session, snapshot, intervalMs, notifications, shown: tab.scope }}
        beforeClosing={holder.beforeClosing}
      >
        <KeyListener scopes={SCOPES_OF[shown] ?? [tab.scope, 'global']} global={keys}>
          <Room columns={columns} rows={rows}>
            <Frame
              chainName={(snapshot && chainNameOf(snapshot)) ?? opened?.chainName ?? null}
              // The source in the response overrides the one from the command line.
              badge={badgeOfKind(snapshot?.source.kind) ?? opened?.badge ?? null}
              snapshot={snapshot}
              health={health}
              tab={tab}
              // A frozen screen says that it is, and has no pace.
              pace={state.frozen ? '' : prices.paceText}
              zone={zoneName}
              fork={fork}
              speed={opened?.playback?.speed ?? null}
              isWhole={isBoard}
            >
              <DimContext value={isPast(health) || isOutdated(status)}>
                <Body {...props} {...{ shown, source, scope, reason, tab, zone }} />
              </DimContext>
            </Frame>
          </Room>
        </KeyListener>
      </ListsProvider>
    </MonitorContext>
  );
}

/** What stands in the frame. */
type Shown = 'help' | 'raw' | 'board' | 'source' | 'waiting' | 'tab';

/** The scopes whose keys work then; of a tab its own. */
const SCOPES_OF: Partial<Record<Shown, readonly Scope[]>> = {
  help: ['scroll', 'global'],
  raw: ['scroll', 'global'],
  board: ['board', 'global'],
  source: ['source', 'global'],
  waiting: ['global'],
};

function shownOf(
  overlay: MonitorState['overlay'],
  isBoard: boolean,
  scope: MonitorScope | null,
  isSilent: boolean,
): Shown {
  if (overlay === 'help') return 'help';
  if (isBoard) return 'board';
  if (overlay === 'raw' && scope !== null) return 'raw';
  if (scope?.snapshot !== undefined) return 'tab';
  return isSilent ? 'source' : 'waiting';
}

interface BodyProps extends SessionProps {
  readonly shown: Shown;
  readonly source: HeldSource;
  readonly scope: MonitorScope | null;
  readonly reason: NoDataReason;
  readonly tab: Tab;
  readonly zone: string;
}

function Body({ shown, source, scope, reason, tab, zone, ...props }: BodyProps) {
  const { state, change, holder, board } = props;
  const memory = useContext(MemoryContext);
  const { Pane, raw } = PANES[tab.scope];
  const openChain = (name: string) => {
    change({ isBoard: false, chain: name });
    if (state.chain !== name || source.kind !== 'open')
      void holder.open(() => board?.open(name) ?? Promise.reject(new Error('no chains are set up')));
  };
  const choose = (choice: ChosenSource) => {
    if (choice === 'retry' && state.chain !== null) return openChain(state.chain);
    change({ chain: null });
    void holder.open(() => props.openSource(choice));
  };
  switch (shown) {
    case 'help': {
      const lines = helpLines(state.isBoard ? 'board' : tab.scope, scope?.forgetful);
      return <TextView title="Keys" lines={lines} />;
    }
    case 'raw':
      return <RawView {...raw(memory)} />;
    case 'board':
      return board && <BoardPane board={board} open={openChain} />;
    case 'source':
      return <SourcePicker {...reason} choose={choose} urlProblem={props.urlProblem} />;
    case 'waiting':
      return <NoData {...reason} />;
    case 'tab':
      return (
        <Finder key={`${tab.scope} ${zone}`} scope={tab.scope}>
          <Pane />
        </Finder>
      );
  }
}

/** What panes know and can do; `null` while no source is open. */
function monitorScope(
  { undoMs = UNDO_MS, fullPath, saveFile }: SessionProps,
  session: QuerySession,
  opened: MonitorSource | null,
  { data: snapshot, status, intervalMs, quotaMs }: Prices,
  actions: Pick<MonitorScope, 'patienceSec' | 'setPatience' | 'showTab' | 'newAlert' | 'openPlace'>,
): MonitorScope | null {
  if (opened === null) return null;
  const { client, isEphemeral, badge, name = null, clientOptions: { url, apiKey = null } = {} } = opened;
  const host = session.isOwnService ? null : name;
  return {
    ...session,
    ...actions,
    client,
    snapshot,
    status,
    intervalMs,
    quotaMs,
    undoMs,
    fullPath,
    saveFile,
    host,
    forgetful: isEphemeral ? (badge === 'SIMULATED' ? 'the demo' : 'gastop') : null,
    isPlain: host !== null && url !== undefined && isPlainUrl(new URL(url)),
    isKey: keyFinder(apiKey),
  };
}

const DAMAGE_SHOWN_MS = 8_000;

/** What is remembered of the source that is open; an opening one has what is shown until it has a name. */
function useMemoryOf(opened: MonitorSource | null, chainId: number | null): void {
  const remembered = useContext(RememberedContext);
  const toast = useToast();
  const named = opened?.rememberedAs ?? null;
  const name = named ?? (opened === null || chainId === null ? null : chainMemory(chainId));
  useLayoutEffect(() => remembered.open(name), [remembered, name]);
  useEffect(
    () => remembered.watch((text) => toast({ kind: 'error', text, forMs: DAMAGE_SHOWN_MS })),
    [remembered, toast],
  );
}
