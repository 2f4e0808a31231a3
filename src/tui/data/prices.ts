import { notifyManager, type QueryClient, type QueryKey, useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { followPrices } from '../../client/follow-prices.ts';
import type { RecommendationView, TrendView } from '../../client/views/advice.ts';
import { type ChainRulesView, forkChip } from '../../client/views/chain.ts';
import { chainStatus } from '../../client/views/chain-status.ts';
import type { CurrentView } from '../../client/views/dashboard.ts';
import type { SnapshotView } from '../../client/views/gas.ts';
import type { ChainStatus } from '../../core/chain-status.ts';
import { useToast } from '../chrome/toast.tsx';
import { useAtNow } from '../ui/pane-context.tsx';
import { atMost } from './at-most.ts';
import { type QuerySession, useMonitor } from './monitor-context.ts';
import { usePace, useRateLimit } from './pace.ts';
import { type Dated, headOf, type Polled, useMonitorQuery, usePolledQuery } from './polled-query.ts';

/** Polling interval while blocks since the last run are read; cheap within this process. */
const CATCHING_UP_MS = 200;
const SNAPSHOT_KEY = ['gas/current'];
const TREND_KEY = ['trend'];
export const RULES_KEY = ['chain/rules'];
/** Prices wait so long for the rules of their block: a node that is asked for its forks may be slow. */
const RULES_WITHIN_MS = 100;
const adviceKey = (patienceSec: number) => ['gas/recommendation', patienceSec];

/** Prices, trend, advice and rules of one block at once, so that they are drawn at once. */
function putCurrent(
  queries: QueryClient,
  { snapshot, trend, recommendation }: CurrentView,
  rules: ChainRulesView | null,
  patienceSec: number,
  at: number,
): void {
  const put = <T>(key: QueryKey, value: T | null, head?: string) => {
    if (value !== null) queries.setQueryData<Dated<T>>(key, { value, at, head });
  };
  notifyManager.batch(() => {
    put(TREND_KEY, trend, headOf(snapshot));
    put(adviceKey(patienceSec), recommendation, headOf(snapshot));
    put(RULES_KEY, rules);
    put(SNAPSHOT_KEY, snapshot);
  });
}

/**
 * The current prices, by the stream of a service that lists one; otherwise, or when it breaks, polled. Of a service in
 * this process trend, advice and gas rules come with them: elsewhere prices do not wait for another request.
 */
export function useSnapshot(
  session: QuerySession,
  patienceSec: number,
  everyMs: (snapshot: SnapshotView | undefined) => number,
  mayListen: boolean,
): Polled<SnapshotView> & { readonly isListening: boolean; readonly receivedAt: () => number | null } {
  const { client, frozen, isOwnService, now } = session;
  const [isListening, setListening] = useState(false);
  const queries = useQueryClient();
  const prices = usePolledQuery<SnapshotView>(session, {
    key: SNAPSHOT_KEY,
    ask: async (from, signal) => {
      if (!isOwnService) return from.gasCurrent({ signal });
      const stats = from.statsCurrent({ patienceSec, signal });
      const rulesOf = from.chainRules({ signal }).catch(() => null);
      const [current, rules = null] = await Promise.all([stats, atMost(RULES_WITHIN_MS, rulesOf)]);
      if (!signal.aborted) putCurrent(queries, current, rules, patienceSec, now());
      return current.snapshot;
    },
    everyMs: (snapshot) => {
      if (isListening) return null;
      const isBehind =
        isOwnService && snapshot !== undefined && chainStatus(snapshot, now()).kind === 'catching-up';
      return isBehind ? CATCHING_UP_MS : everyMs(snapshot);
    },
  });
  const isWanted = mayListen && !frozen && prices.data !== undefined;
  useEffect(() => {
    if (client === null || !isWanted) return;
    const stop = new AbortController();
    const { signal } = stop;
    const query = { queryKey: SNAPSHOT_KEY, exact: true };
    let isAsking = false;
    let hasNews = false;
    // One request at a time: of fast blocks none would arrive if each gave way to the next.
    const askAgain = async () => {
      hasNews = true;
      if (isAsking) return;
      isAsking = true;
      while (hasNews && !signal.aborted) {
        hasNews = false;
        await queries.refetchQueries(query);
      }
      isAsking = false;
    };
    const follow = async () => {
      const onStream = (isOpen: boolean) => {
        setListening(isOpen);
        if (!isOpen && !signal.aborted) void queries.refetchQueries(query);
      };
      for await (const value of followPrices({ stream: () => client.stream({ signal }), onStream, signal })) {
        if (signal.aborted) return;
        if (isOwnService) void askAgain();
        else {
          // What is on its way is no newer.
          void queries.cancelQueries(query);
          queries.setQueryData<Dated<SnapshotView>>(SNAPSHOT_KEY, { value, at: now() });
        }
      }
    };
    void follow().catch(() => {});
    return () => stop.abort();
  }, [client, isWanted, isOwnService, now, queries]);
  /** When the newest response came, ms; the same one again draws nothing. */
  const receivedAt = () => queries.getQueryData<Dated<SnapshotView>>(SNAPSHOT_KEY)?.at ?? null;
  return { ...prices, isListening, receivedAt };
}

const LIVE: ChainStatus = { kind: 'live' };

export type Prices = ReturnType<typeof usePrices>;

/** The prices: how often they come, why none do, and whether they are those of now. `sourceMs`: the interval of the source. */
export function usePrices(session: QuerySession, sourceMs: number | undefined, patienceSec: number) {
  const { frozen, now } = session;
  const pace = usePace(session, sourceMs);
  const { isListening, receivedAt, ...polled } = useSnapshot(
    session,
    patienceSec,
    pace.everyMs,
    !pace.isChosen,
  );
  const { data: snapshot } = polled;
  // Shows a rate-limit pause at once, whichever route met it.
  const pause = useRateLimit(session.client);
  const prices = pause === null ? polled : { ...polled, error: pause.error, retryAt: pause.until };
  useRecovery(prices.error !== null);
  useRestartNotice(snapshot, now);
  // A polled response has the status of its arrival: between two polls the monitor knows no newer block.
  const status = useAtNow((present) =>
    snapshot === undefined
      ? LIVE
      : chainStatus(snapshot, frozen || isListening ? present : (receivedAt() ?? present)),
  );
  return {
    ...prices,
    /** `live` without prices. */
    status,
    intervalMs: pace.everyMs(snapshot),
    quotaMs: pace.quotaMs,
    paceText: isListening ? 'each block' : pace.textOf(snapshot),
    stepPace: (direction: 'slower' | 'faster') => pace.step(direction, snapshot, isListening),
  };
}

/** Once prices come again, retries everything else that had failed, once. */
function useRecovery(failing: boolean): void {
  const queries = useQueryClient();
  useEffect(() => {
    if (failing) return;
    void queries.refetchQueries({ type: 'active', predicate: ({ state }) => state.status === 'error' });
  }, [failing, queries]);
}

const RESTART_IS_NEWS_MS = 600_000;
const RESTART_SHOWN_MS = 60_000;

function useRestartNotice(snapshot: SnapshotView | undefined, now: () => number): void {
  const toast = useToast();
  const restartedAt = snapshot?.source.restartedAt ?? null;
  useEffect(() => {
    if (restartedAt === null || now() - restartedAt > RESTART_IS_NEWS_MS) return;
    const text = 'The chain began anew: its history is dropped, auto-txs are disabled';
    toast({ kind: 'alert', text, forMs: RESTART_SHOWN_MS });
  }, [restartedAt, toast, now]);
}

/** The advice at the block of the prices, so that both belong together. */
export function useRecommendation(snapshot: SnapshotView): Polled<RecommendationView> {
  const { quotaMs, patienceSec } = useMonitor();
  return useMonitorQuery({
    key: adviceKey(patienceSec),
    ask: (client, signal) => client.gasRecommendation({ signal, patienceSec }),
    head: snapshot,
    freshMs: quotaMs,
  });
}

export const useTrend = (snapshot: SnapshotView): Polled<TrendView> =>
  useMonitorQuery({ key: TREND_KEY, ask: (client, signal) => client.gasTrend({ signal }), head: snapshot });

/** How often a fork is looked for, ms: another service counts requests. */
const RULES_MS = 600_000;
const OWN_RULES_MS = 12_000;

/** `Amsterdam in 3d02h`; `null`: no fork is near. */
export function useForkChip(session: QuerySession, enabled: boolean): string | null {
  const { data: rules } = usePolledQuery(session, {
    key: RULES_KEY,
    ask: (from, signal) => from.chainRules({ signal }),
    everyMs: session.isOwnService ? OWN_RULES_MS : RULES_MS,
    enabled,
  });
  return useAtNow((present) => (rules === undefined ? null : forkChip(rules, present)));
}
