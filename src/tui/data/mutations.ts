import { type QueryClient, useMutation, useMutationState, useQueryClient } from '@tanstack/react-query';
import { ClientError } from '../../client/errors.ts';
import { type AlertListView, type AlertView, describeCondition } from '../../client/views/alerts.ts';
import { refusalText } from '../app/connection.ts';
import { useToast } from '../chrome/toast.tsx';
import { type Dated, useMonitor } from './queries.ts';

export const UNDO_MS = 10_000;
/** How long the monitor's end waits for unsent changes, ms. */
const FLUSH_MS = 1_500;
/** A form stays open up to this long until the list has the change, ms. */
const LIST_WITHIN_MS = 1_000;

class AlertChange {
  readonly alert: AlertView;
  /** `null`: deleted. */
  readonly status: string | null;
  /** Time until which it can be undone, ms since epoch. */
  readonly until: number;
  /** A deletion that is sent or undone; other changes are sent at once. */
  isDecided: boolean;
  readonly #isWanted = Promise.withResolvers<boolean>();

  constructor(alert: AlertView, status: string | null, { now = 0, undoMs = 0 } = {}) {
    this.alert = alert;
    this.status = status;
    this.until = now + undoMs;
    this.isDecided = status !== null;
    const timer = setTimeout(() => this.decide(true), undoMs);
    void this.#isWanted.promise.then(() => clearTimeout(timer));
  }

  decide(isWanted: boolean): void {
    this.isDecided = true;
    this.#isWanted.resolve(isWanted);
  }

  get isWanted(): Promise<boolean> {
    return this.#isWanted.promise;
  }
}

function listWith(list: AlertListView, changes: readonly AlertChange[]): AlertListView {
  if (changes.length === 0) return list;
  const items = list.items.flatMap((alert) => {
    const own = changes.filter(({ alert: { id } }) => id === alert.id);
    if (own.some(({ status }) => status === null)) return [];
    return [{ ...alert, status: own.at(-1)?.status ?? alert.status }];
  });
  const total = list.total === null ? null : list.total - list.items.length + items.length;
  return { ...list, items, total };
}

const isChange = (variables: unknown) => variables instanceof AlertChange;

function pendingChanges(queries: QueryClient): readonly AlertChange[] {
  const pending = queries.getMutationCache().findAll({ status: 'pending' });
  return pending.map(({ state }): unknown => state.variables).filter(isChange);
}

function usePendingChanges(): readonly AlertChange[] {
  const select = ({ state }: { readonly state: { readonly variables: unknown } }) => state.variables;
  return useMutationState<unknown>({ filters: { status: 'pending' }, select }).filter(isChange);
}

export function useExpectedAlerts(list: AlertListView | undefined): AlertListView | undefined {
  const changes = usePendingChanges();
  return list && listWith(list, changes);
}

/** Ending sessions: no screen is left to show a failure. */
const ENDING = new WeakSet<QueryClient>();

/** Changes of alerts, applied over the list while pending: a failure needs no rollback, a stale list undoes nothing. */
export function useAlertMutations() {
  const { client, now, undoMs = UNDO_MS } = useMonitor();
  const queries = useQueryClient();
  const toast = useToast();
  const confirm = (change: AlertChange) => {
    queries.setQueryData<Dated<AlertListView>>(
      ['alerts'],
      (list) => list && { ...list, value: listWith(list.value, [change]) },
    );
    // Cancels a list request from before the change.
    void queries.invalidateQueries({ queryKey: ['alerts'] });
  };
  const handlers = {
    networkMode: 'always',
    mutationFn: async (change: AlertChange) => {
      const { alert, status } = change;
      if (status !== null) await client.setAlertStatus(alert.id, status);
      else if (await change.isWanted) await unlessGone(client.deleteAlert(alert.id));
      else return;
      confirm(change);
    },
    onError: (error: Error, change: AlertChange) => {
      if (mayBeDone(error)) confirm(change);
      const text = refusal(change, error);
      toast({ kind: 'error', text });
      if (ENDING.has(queries)) tellAfterEnd(change, error);
    },
  } as const;
  // In sequence: two changes of one alert could overtake each other.
  const setting = useMutation({ ...handlers, scope: { id: 'alert-status' } });
  const deletion = useMutation(handlers);
  return {
    deletions: usePendingChanges().filter(({ isDecided }) => !isDecided),
    setStatus: (alert: AlertView, status: string) => setting.mutate(new AlertChange(alert, status)),
    remove: (alert: AlertView) => deletion.mutate(new AlertChange(alert, null, { now: now(), undoMs })),
    /** Restores the alert that was deleted last; `null` when there is none. */
    undo: (): AlertView | null => {
      const last = pendingChanges(queries).findLast(({ isDecided }) => !isDecided);
      last?.decide(false);
      return last?.alert ?? null;
    },
  };
}

const mayBeDone = (error: Error) => error instanceof ClientError && error.mayBeDone;

/** Another client may have deleted it already. */
export async function unlessGone(deletion: Promise<unknown>): Promise<void> {
  await deletion.catch((error: unknown) => {
    if (!(error instanceof ClientError && error.status === 404)) throw error;
  });
}

function refusal({ status }: AlertChange, error: Error): string {
  const isDeletion = status === null;
  if (mayBeDone(error))
    return `Perhaps ${isDeletion ? 'deleted' : 'changed'}, the list is asked again: ${refusalText(error)}`;
  return `${isDeletion ? 'Not deleted, it is back' : 'Not changed'}: ${refusalText(error)}`;
}

/** The console is held while the monitor runs, and printed once the terminal is restored. */
function tellAfterEnd({ alert, status }: AlertChange, error: Error): void {
  const how = `${mayBeDone(error) ? 'may not have been' : 'was not'} ${status === null ? 'deleted' : 'changed'}`;
  console.error(`gastop: the alert ${describeCondition(alert)} ${how}: ${refusalText(error)}`);
}

/** Sends pending changes; resolves when they are sent, or time is up. */
export async function flushAlertMutations(queries: QueryClient, toast: ReturnType<typeof useToast>) {
  ENDING.add(queries);
  for (const change of pendingChanges(queries)) change.decide(true);
  const cache = queries.getMutationCache();
  const settled = Promise.withResolvers<void>();
  const settle = () => {
    if (cache.findAll({ status: 'pending' }).length === 0) settled.resolve();
  };
  const unsubscribe = cache.subscribe(settle);
  settle();
  await atMost(FLUSH_MS, settled.promise);
  unsubscribe();
  const late = new Error('the service did not answer in time');
  for (const change of pendingChanges(queries)) {
    toast({ kind: 'error', text: refusal(change, late) });
    tellAfterEnd(change, late);
  }
}

export async function atMost(ms: number, work: Promise<unknown>): Promise<void> {
  const late = Promise.withResolvers<void>();
  const timer = setTimeout(late.resolve, ms);
  await Promise.race([work, late.promise]);
  clearTimeout(timer);
}

function useRefresh(resource: 'alert' | 'auto-tx') {
  const queries = useQueryClient();
  const keys = [`${resource}s`, resource];
  return () => Promise.all(keys.map((key) => queries.invalidateQueries({ queryKey: [key] })));
}

/** Submits a form; resolves when the list has the change. */
export function useSave<Saved>(resource: 'alert' | 'auto-tx') {
  const refresh = useRefresh(resource);
  return useMutation({
    networkMode: 'always',
    // A mutation may contain signed bytes: nothing of a finished one is cached.
    gcTime: 0,
    mutationFn: (send: () => Promise<Saved>) => send(),
    onSuccess: () => atMost(LIST_WITHIN_MS, refresh()),
    onError: () => void refresh(),
  }).mutateAsync;
}

interface Work {
  readonly done: string;
  readonly failed: string;
  readonly work: () => Promise<unknown>;
}

/** Runs an action on an item. Nothing is shown as done before the service has confirmed it. */
export function useWork(resource: 'alert' | 'auto-tx') {
  const refresh = useRefresh(resource);
  const toast = useToast();
  return useMutation({
    networkMode: 'always',
    mutationFn: ({ work }: Work) => work(),
    onSuccess: (_, { done }) => toast({ kind: 'info', text: done }),
    onError: (error, { failed }) => {
      const unsure = mayBeDone(error) ? 'Perhaps done, the list is asked again' : failed;
      toast({ kind: 'error', text: `${unsure}: ${refusalText(error)}` });
    },
    onSettled: () => void refresh(),
  }).mutate;
}
