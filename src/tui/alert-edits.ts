import { ClientError } from '../client/errors.ts';
import type { AlertView } from '../client/views/alerts.ts';
import type { AlertsFeed } from './hooks/use-alerts.ts';

/** How long a deletion can be undone, ms. */
export const UNDO_MS = 10_000;
/** How long the end of the monitor waits for what it has not sent yet, ms. */
const FLUSH_MS = 1_500;

export interface PendingDeletion {
  readonly alert: AlertView;
  /** Until when it can be undone, ms since epoch. */
  readonly until: number;
}

export interface AlertEditsOptions {
  readonly setStatus: (id: string, status: string) => Promise<unknown>;
  readonly remove: (id: string, signal?: AbortSignal) => Promise<void>;
  readonly expect: AlertsFeed['expect'];
  /**
   * The service has refused, and the alert is shown as it was; of an error that leaves open whether it was done, the
   * list is asked again.
   */
  readonly refused: (what: 'status' | 'deletion', alert: AlertView, error: Error) => void;
  readonly now: () => number;
  readonly undoMs?: number;
}

interface Deletion extends PendingDeletion {
  readonly takeBack: () => void;
  readonly settle: () => Promise<void>;
  readonly timer: NodeJS.Timeout;
}

interface StatusTurn {
  readonly alert: AlertView;
  readonly done: Promise<void>;
}

/** Changes that are shown before the service has them: a status at once, a deletion when it can no longer be undone. */
export class AlertEdits {
  readonly #options: AlertEditsOptions;
  readonly #listeners = new Set<() => void>();
  /** The last change of each alert's status that is on its way: they go out one after the other. */
  readonly #statuses = new Map<string, StatusTurn>();
  #deletions: readonly Deletion[] = [];
  #isClosing = false;

  constructor(options: AlertEditsOptions) {
    this.#options = options;
  }

  /** The deletions that can still be undone, the newest last. */
  readonly read = (): readonly PendingDeletion[] => this.#deletions;

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  /** Shows the status and asks for it; where that is refused the alert is shown as it was. */
  setStatus(alert: AlertView, status: string): void {
    const { id } = alert;
    const change = this.#options.expect((alerts) =>
      alerts.map((each) => (each.id === id ? { ...each, status } : each)),
    );
    const before = this.#statuses.get(id)?.done ?? Promise.resolve();
    const done = before.then(async () => {
      try {
        await this.#options.setStatus(id, status);
        this.#settle(change);
      } catch (cause) {
        this.#fail('status', alert, change, cause);
      }
    });
    this.#statuses.set(id, { alert, done });
    void done.then(() => {
      if (this.#statuses.get(id)?.done === done) this.#statuses.delete(id);
    });
  }

  /** Takes the alert out of the list, and asks the service to delete it once that can no longer be undone. */
  remove(alert: AlertView): void {
    const { now, undoMs = UNDO_MS, expect } = this.#options;
    const change = expect((alerts) => alerts.filter(({ id }) => id !== alert.id));
    const deletion: Deletion = {
      ...change,
      alert,
      until: now() + undoMs,
      timer: setTimeout(() => void this.#send(deletion), undoMs),
    };
    this.#set([...this.#deletions, deletion]);
  }

  /** Brings back what was deleted last; `null`: nothing can be brought back. */
  undo(): AlertView | null {
    const last = this.#deletions.at(-1);
    if (last === undefined) return null;
    this.#take(last);
    last.takeBack();
    return last.alert;
  }

  /** Sends what still waits; resolves when it is sent, or could not be sent in time. */
  async flush(): Promise<void> {
    this.#isClosing = true;
    const signal = AbortSignal.timeout(FLUSH_MS);
    const statuses = Promise.all([...this.#statuses.values()].map(({ done }) => done));
    await Promise.all([
      ...this.#deletions.map((deletion) => this.#send(deletion, signal)),
      Promise.race([statuses, aborted(signal)]),
    ]);
    for (const { alert } of this.#statuses.values())
      this.#options.refused('status', alert, new Error('the service did not answer in time'));
  }

  async #send(deletion: Deletion, signal?: AbortSignal): Promise<void> {
    this.#take(deletion);
    try {
      await this.#options.remove(deletion.alert.id, signal);
      this.#settle(deletion);
    } catch (cause) {
      this.#fail('deletion', deletion.alert, deletion, cause);
    }
  }

  /** Nobody looks at a list that comes while the monitor ends. */
  #settle(change: Pick<Deletion, 'settle'>): void {
    if (!this.#isClosing) void change.settle();
  }

  #fail(
    what: 'status' | 'deletion',
    alert: AlertView,
    change: Pick<Deletion, 'settle' | 'takeBack'>,
    cause: unknown,
  ): void {
    const error = cause instanceof Error ? cause : new Error(String(cause));
    // It may have been done: the next list says, and until then the alert stands as it was asked for.
    if (error instanceof ClientError && error.mayBeDone) this.#settle(change);
    else change.takeBack();
    this.#options.refused(what, alert, error);
  }

  #take(deletion: Deletion): void {
    clearTimeout(deletion.timer);
    this.#set(this.#deletions.filter((each) => each !== deletion));
  }

  #set(deletions: readonly Deletion[]): void {
    this.#deletions = deletions;
    for (const listener of this.#listeners) listener();
  }
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
}
