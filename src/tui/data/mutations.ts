import {
  type Mutation,
  type QueryClient,
  useMutation,
  useMutationState,
  useQueryClient,
} from '@tanstack/react-query';
import { ClientError } from '../../client/errors.ts';
import { describeCondition } from '../../client/views/alert-texts.ts';
import type { AlertView } from '../../client/views/alerts.ts';
import { useToast } from '../chrome/toast.tsx';
import { refusalText } from '../ui/pane-state.tsx';
import { atMost } from './at-most.ts';
import { useMonitor } from './monitor-context.ts';

export const UNDO_MS = 10_000;
/** How long the monitor's end waits for unsent changes, ms. */
const FLUSH_MS = 1_500;
/** A change counts as pending up to this long until the list has it, ms. */
const LIST_WITHIN_MS = 1_000;

interface Work<Result> {
  /** What to say once it is done, perhaps by the answer; `null`: nothing. */
  readonly done: string | null | ((result: Result) => string);
  /** How long that is shown, ms; default: as all notices. */
  readonly forMs?: number | undefined;
  /** What to say of a failure, before its reason. */
  readonly failed: string;
  /** The caller itself says what failed. */
  readonly isSilent?: boolean;
  readonly work: () => Promise<Result>;
  readonly deletion?: Deletion;
  /** A status that is shown at once, and no longer when this fails. */
  readonly change?: { readonly id: string; readonly status: string };
}

/** A deletion is sent only when it can no longer be undone; while it is pending the list is shown without the item. */
interface Deletion {
  readonly alert: AlertView;
  /** Time until which it can be undone, ms since epoch. */
  readonly until: number;
  readonly decide: (isWanted: boolean) => void;
}

const isWork = (variables: unknown): variables is Work<unknown> =>
  typeof variables === 'object' && variables !== null && 'work' in variables;

/** Runs an action on an item; those of a `scope` one after the other. */
export function useWork<Result = unknown>(resource: 'alert' | 'auto-tx', scope?: string) {
  const queries = useQueryClient();
  const toast = useToast();
  const refresh = () =>
    Promise.all([`${resource}s`, resource].map((key) => queries.invalidateQueries({ queryKey: [key] })));
  return useMutation({
    scope: scope === undefined ? undefined : { id: scope },
    // It may contain signed bytes: nothing of a finished one is cached.
    gcTime: 0,
    mutationFn: ({ work }: Work<Result>) => work(),
    onSuccess: (result, { done, forMs }) => {
      const text = typeof done === 'function' ? done(result) : done;
      if (text !== null) toast({ kind: 'info', text, forMs });
      return atMost(LIST_WITHIN_MS, refresh());
    },
    onError: (error, { failed, isSilent = false }) => {
      const isUnsure = error instanceof ClientError && error.mayBeDone;
      const what = isUnsure ? 'Perhaps done, the list is asked again' : failed;
      if (!isSilent) toast({ kind: 'error', text: `${what}: ${refusalText(error)}` });
      void refresh();
    },
  });
}

const PENDING = { status: 'pending' } as const;

const worksIn = (mutations: readonly Mutation[]) =>
  mutations.flatMap((mutation) => {
    const { variables }: { readonly variables: unknown } = mutation.state;
    return isWork(variables) ? [{ ...variables, mutation }] : [];
  });

const usePendingWorks = () => worksIn(useMutationState({ filters: PENDING, select: (mutation) => mutation }));

/** Items as they will be once their pending changes and deletions are done. */
export function usePendingChanges() {
  const works = usePendingWorks();
  const isDeleted = (id: string) => works.some(({ deletion }) => deletion?.alert.id === id);
  const changeOf = (id: string) => works.findLast(({ change }) => change?.id === id)?.change;
  return <Item extends { readonly id: string }>(items: readonly Item[]): readonly Item[] =>
    works.length === 0
      ? items
      : items.filter(({ id }) => !isDeleted(id)).map((item) => ({ ...item, ...changeOf(item.id) }));
}

export function useDeletions() {
  const { client, now, undoMs } = useMonitor();
  const mutations = useQueryClient().getMutationCache();
  const { mutate } = useWork('alert');
  const undoableOf = ({ deletion, mutation }: ReturnType<typeof worksIn>[number]) =>
    deletion && deletion.until > now() ? [{ ...deletion, mutation }] : [];
  return {
    undoable: usePendingWorks().flatMap(undoableOf),
    remove: (alert: AlertView) => {
      const { promise, resolve: decide } = Promise.withResolvers<boolean>();
      setTimeout(decide, undoMs, true);
      mutate({
        done: null,
        failed: `${describeCondition(alert)} is not deleted`,
        work: async () => {
          if (await promise) await unlessGone(client.deleteAlert(alert.id));
        },
        deletion: { alert, until: now() + undoMs, decide },
      });
    },
    /** Restores the alert that was deleted last; `null` when there is none. */
    undo: (): AlertView | null => {
      // Another key may have come before the screen shows what the last one did.
      const last = worksIn(mutations.findAll(PENDING)).flatMap(undoableOf).at(-1);
      if (last === undefined) return null;
      last.decide(false);
      mutations.remove(last.mutation);
      return last.alert;
    },
  };
}

export async function unlessGone(deletion: Promise<unknown>): Promise<void> {
  await deletion.catch((error: unknown) => {
    if (!(error instanceof ClientError && error.status === 404)) throw error;
  });
}

/** Sends what is pending, and prints what failed; resolves when all is sent, or time is up. */
export async function flushMutations(queries: QueryClient): Promise<void> {
  const works = worksIn(queries.getMutationCache().findAll(PENDING));
  await Promise.all(
    works.map(async ({ deletion, failed, mutation }) => {
      deletion?.decide(true);
      const settled = mutation.continue().then(() => null, refusalText);
      const problem = await atMost(FLUSH_MS, settled);
      // The console is held while the monitor runs, and printed once the terminal is restored.
      if (problem !== null)
        console.error(`gastop: ${failed}: ${problem ?? 'the service did not answer in time'}`);
    }),
  );
}
