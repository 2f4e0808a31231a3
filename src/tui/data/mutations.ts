import { type QueryClient, useMutation, useMutationState, useQueryClient } from '@tanstack/react-query';
import { ClientError } from '../../client/errors.ts';
import {
  type AlertListView,
  type AlertView,
  describeCondition,
  type NewAlert,
} from '../../client/views/alerts.ts';
import type { AutoTxChange, AutoTxView, NewAutoTx } from '../../client/views/auto-txs.ts';
import { refusalText } from '../app/connection.ts';
import { useToast } from '../chrome/toast.tsx';
import { type Dated, useMonitor } from './queries.ts';

/** How long a deletion can be undone, ms. */
export const UNDO_MS = 10_000;
/** How long the end of the monitor waits for changes that are not sent yet, ms. */
const FLUSH_MS = 1_500;

export const ALERTS_KEY = 'alerts';
export const AUTO_TXS_KEY = 'auto-txs';

/** A change of an alert's status that the service has not confirmed yet. */
class StatusChange {
  readonly alert: AlertView;
  readonly status: string;

  constructor(alert: AlertView, status: string) {
    this.alert = alert;
    this.status = status;
  }
}

/** A deletion: sent when it can no longer be undone, or when the monitor ends. */
export class PendingDeletion {
  readonly alert: AlertView;
  /** Until when it can be undone, ms since epoch. */
  readonly until: number;
  /** Set once it is sent or undone. */
  isDecided = false;
  readonly #decision = Promise.withResolvers<'send' | 'undo'>();

  constructor(alert: AlertView, now: number, undoMs: number) {
    this.alert = alert;
    this.until = now + undoMs;
    const timer = setTimeout(() => this.decide('send'), undoMs);
    void this.#decision.promise.then(() => clearTimeout(timer));
  }

  decide(decision: 'send' | 'undo'): void {
    this.isDecided = true;
    this.#decision.resolve(decision);
  }

  get decision(): Promise<'send' | 'undo'> {
    return this.#decision.promise;
  }
}

const STATUS_KEY = ['alert-status'] as const;
const DELETION_KEY = ['alert-deletion'] as const;
/** Sessions that end: there is no screen left to say a failure on. */
const ENDING = new WeakSet<QueryClient>();

/**
 * Changes of alerts. They are shown before the service has confirmed them: what is pending lies over the list (see
 * {@link useExpectedAlerts}), so that a failure needs no rollback and an older list undoes nothing.
 */
export function useAlertMutations() {
  const { client, now, undoMs = UNDO_MS } = useMonitor();
  const queries = useQueryClient();
  const toast = useToast();
  const confirm = (apply: (alerts: readonly AlertView[]) => readonly AlertView[]) => {
    queries.setQueryData<Dated<AlertListView>>(
      [ALERTS_KEY],
      (list) => list && { ...list, value: { ...list.value, items: apply(list.value.items) } },
    );
    // Cancels a list that was requested before the change.
    void queries.invalidateQueries({ queryKey: [ALERTS_KEY] });
  };
  const withStatus = ({ alert, status }: StatusChange) =>
    confirm((alerts) => alerts.map((each) => (each.id === alert.id ? { ...each, status } : each)));
  const without = ({ alert }: PendingDeletion) =>
    confirm((alerts) => alerts.filter(({ id }) => id !== alert.id));
  const refused = (what: 'changed' | 'deleted', alert: AlertView, error: Error) => {
    const text = alertRefusal(what, error);
    toast({ kind: 'error', text });
    if (ENDING.has(queries)) tellAfterEnd(what, alert, error);
  };

  const status = useMutation({
    mutationKey: STATUS_KEY,
    networkMode: 'always',
    // One after the other: two changes of one alert could overtake each other.
    scope: { id: 'alert-status' },
    mutationFn: (change: StatusChange) => client.setAlertStatus(change.alert.id, change.status),
    onSuccess: (_, change) => withStatus(change),
    onError: (error, change) => {
      if (mayBeDone(error)) withStatus(change);
      refused('changed', change.alert, error);
    },
  });
  const deletion = useMutation({
    mutationKey: DELETION_KEY,
    networkMode: 'always',
    mutationFn: async (pending: PendingDeletion) => {
      if ((await pending.decision) === 'undo') return;
      try {
        await client.deleteAlert(pending.alert.id);
      } catch (error) {
        // Somebody else was quicker: it is gone, as it should be.
        if (!(error instanceof ClientError && error.status === 404)) throw error;
      }
      without(pending);
    },
    onError: (error, pending) => {
      if (mayBeDone(error)) without(pending);
      refused('deleted', pending.alert, error);
    },
  });
  const deletions = usePendingVariables().flatMap((variables) =>
    variables instanceof PendingDeletion && !variables.isDecided ? [variables] : [],
  );
  return {
    /** The deletions that can still be undone, the newest last. */
    deletions,
    setStatus: (alert: AlertView, wanted: string) => status.mutate(new StatusChange(alert, wanted)),
    remove: (alert: AlertView) => deletion.mutate(new PendingDeletion(alert, now(), undoMs)),
    /** Brings back the alert that was deleted last; `null` when nothing can be brought back. */
    undo: (): AlertView | null => {
      const last = pendingOf(queries, PendingDeletion).findLast(({ isDecided }) => !isDecided);
      last?.decide('undo');
      return last?.alert ?? null;
    },
  };
}

const mayBeDone = (error: Error) => error instanceof ClientError && error.mayBeDone;

function alertRefusal(what: 'changed' | 'deleted', error: Error): string {
  const reason = refusalText(error);
  if (mayBeDone(error)) return `Perhaps ${what}, the list is asked again: ${reason}`;
  return `${what === 'deleted' ? 'Not deleted, it is back' : 'Not changed'}: ${reason}`;
}

/** The console is held while the monitor runs, and printed once the terminal is given back. */
function tellAfterEnd(what: 'changed' | 'deleted', alert: AlertView, error: Error): void {
  const how = mayBeDone(error) ? `may not have been ${what}` : `was not ${what}`;
  console.error(`gastop: the alert ${describeCondition(alert)} ${how}: ${refusalText(error)}`);
}

/** The variables of the mutations that are under way. */
function pendingOf<T>(queries: QueryClient, kind: new (...args: never[]) => T): readonly T[] {
  return queries
    .getMutationCache()
    .findAll({ status: 'pending' })
    .flatMap(({ state: { variables } }) => (variables instanceof kind ? [variables] : []));
}

/** The variables of all mutations under way; draws the caller again when they change. */
function usePendingVariables(): readonly unknown[] {
  return useMutationState({
    filters: { status: 'pending' },
    select: ({ state: { variables } }) => variables,
  });
}

/** A list with the changes that the service has not confirmed yet. */
export function useExpectedAlerts(list: AlertListView | undefined): AlertListView | undefined {
  const pending = usePendingVariables();
  if (list === undefined) return undefined;
  const statuses = new Map<string, string>();
  const deleted = new Set<string>();
  for (const change of pending) {
    if (change instanceof StatusChange) statuses.set(change.alert.id, change.status);
    else if (change instanceof PendingDeletion) deleted.add(change.alert.id);
  }
  if (statuses.size === 0 && deleted.size === 0) return list;
  const items = list.items
    .filter(({ id }) => !deleted.has(id))
    .map((alert) => ({ ...alert, status: statuses.get(alert.id) ?? alert.status }));
  const hidden = list.items.length - items.length;
  return { ...list, items, total: list.total === null ? null : list.total - hidden };
}

/** Sends the changes that still wait; resolves when they are sent, or could not be sent in time. */
export async function flushAlertMutations(queries: QueryClient, toast: ReturnType<typeof useToast>) {
  ENDING.add(queries);
  for (const deletion of pendingOf(queries, PendingDeletion)) deletion.decide('send');
  const cache = queries.getMutationCache();
  const isSettled = () => cache.findAll({ status: 'pending' }).length === 0;
  const settled = Promise.withResolvers<void>();
  const unsubscribe = cache.subscribe(() => {
    if (isSettled()) settled.resolve();
  });
  const timer = setTimeout(settled.resolve, FLUSH_MS);
  if (isSettled()) settled.resolve();
  await settled.promise;
  clearTimeout(timer);
  unsubscribe();
  const late = new Error('the service did not answer in time');
  const left = [
    ...pendingOf(queries, StatusChange).map(({ alert }) => ({ what: 'changed' as const, alert })),
    ...pendingOf(queries, PendingDeletion).map(({ alert }) => ({ what: 'deleted' as const, alert })),
  ];
  for (const { what, alert } of left) {
    toast({ kind: 'error', text: alertRefusal(what, late) });
    tellAfterEnd(what, alert, late);
  }
}

interface AlertRequest {
  /** The alert that is changed; `null`: it is a new one. */
  readonly id: string | null;
  readonly alert: NewAlert;
}

/** Sends a new or changed alert; resolves when the list has it. */
export function useSaveAlert() {
  const { client } = useMonitor();
  const queries = useQueryClient();
  const refresh = () =>
    Promise.all([ALERTS_KEY, 'alert'].map((key) => queries.invalidateQueries({ queryKey: [key] })));
  return useMutation({
    networkMode: 'always',
    mutationFn: async ({ id, alert }: AlertRequest) => {
      const saved = id === null ? await client.createAlert(alert) : await client.updateAlert(id, alert);
      return { id: saved?.id ?? id ?? '', secret: saved?.signingSecret ?? null };
    },
    onSuccess: async ({ secret }) => {
      const listed = refresh();
      // A signing secret is shown at once, however long the list takes.
      if (secret === null) await atMost(LIST_WITHIN_MS, listed);
    },
    onError: () => void refresh(),
  }).mutateAsync;
}

/** A form stays open this long until the list has what was sent, ms. */
const LIST_WITHIN_MS = 1_000;

async function atMost(ms: number, work: Promise<unknown>): Promise<void> {
  const late = Promise.withResolvers<void>();
  const timer = setTimeout(late.resolve, ms);
  await Promise.race([work, late.promise]);
  clearTimeout(timer);
}

type AutoTxRequest =
  | { readonly kind: 'create'; readonly autoTx: NewAutoTx }
  | { readonly kind: 'update'; readonly id: string; readonly change: AutoTxChange };

/** Hands a new auto-tx over, or the changes of one; resolves to its id when the list has it. */
export function useSaveAutoTx(): (request: AutoTxRequest) => Promise<string> {
  const { client } = useMonitor();
  const queries = useQueryClient();
  return useMutation({
    networkMode: 'always',
    // The variables hold signed bytes: nothing of a finished mutation is kept.
    gcTime: 0,
    mutationFn: async (request: AutoTxRequest) => {
      if (request.kind === 'create') return (await client.createAutoTx(request.autoTx)).id;
      await client.updateAutoTx(request.id, request.change);
      return request.id;
    },
    onSuccess: () => atMost(LIST_WITHIN_MS, refreshAutoTxs(queries)),
    onError: () => void refreshAutoTxs(queries),
  }).mutateAsync;
}

async function refreshAutoTxs(queries: QueryClient): Promise<void> {
  await Promise.all([
    queries.invalidateQueries({ queryKey: [AUTO_TXS_KEY] }),
    queries.invalidateQueries({ queryKey: ['auto-tx'] }),
  ]);
}

interface AutoTxWork {
  readonly done: string;
  readonly failed: string;
  readonly work: () => Promise<unknown>;
}

/** Changes of auto-txs. Nothing is shown as done before the service has confirmed it. */
export function useAutoTxMutations() {
  const { client } = useMonitor();
  const queries = useQueryClient();
  const toast = useToast();
  const { mutate } = useMutation({
    networkMode: 'always',
    mutationFn: ({ work }: AutoTxWork) => work(),
    onSuccess: (_, { done }) => toast({ kind: 'info', text: done }),
    onError: (error, { failed }) => {
      const unsure = mayBeDone(error) ? 'Perhaps done, the list is asked again' : failed;
      toast({ kind: 'error', text: `${unsure}: ${refusalText(error)}` });
    },
    onSettled: () => void refreshAutoTxs(queries),
  });
  return {
    setStatus: ({ id }: AutoTxView, status: 'PENDING' | 'DISABLED') =>
      mutate({
        done: status === 'PENDING' ? 'Enabled: it waits for its target' : 'Disabled: it is not broadcast',
        failed: 'Not changed',
        work: () => client.updateAutoTx(id, { status }),
      }),
    cancel: ({ id }: AutoTxView) =>
      mutate({ done: 'It is cancelled', failed: 'Not cancelled', work: () => client.cancelAutoTx(id) }),
    remove: ({ id }: AutoTxView, onRemoved: () => void) =>
      mutate(
        {
          done: 'It is deleted',
          failed: 'Not deleted',
          work: async () => {
            try {
              await client.deleteAutoTx(id);
            } catch (error) {
              // Somebody else was quicker: it is gone, as it should be.
              if (!(error instanceof ClientError && error.status === 404)) throw error;
            }
          },
        },
        { onSuccess: onRemoved },
      ),
  };
}
