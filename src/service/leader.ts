import { randomUUID } from 'node:crypto';
import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';
import { kill, pid } from 'node:process';
import { sleep } from '../chain/async.ts';
import { StoreError, type StoreErrorCode } from '../store/errors.ts';
import {
  type HeldLease,
  LEASE_LAPSES_MS,
  type LeaderReport,
  type LeaseStore,
  type WriteRight,
} from '../store/lease.ts';

const BEAT_MS = 2_000;
/** Polling interval of the others, so that an ended leader is replaced quickly. */
const LOOK_MS = 500;

/** A newer program leads from now on, or the file was moved. */
const LEFT_BEHIND: readonly StoreErrorCode[] = ['newer-schema', 'moved'];

export interface LeaseOptions {
  readonly store: LeaseStore;
  /** Display name: `gastop serve, process 4711`. */
  readonly process: string;
  /** `service`: bids for the lease, and keeps it. `one-shot`: ends soon, never takes it, may write while it is free. */
  readonly role: 'service' | 'one-shot';
  readonly report?: () => LeaderReport;
  /** Why this process may not lead, one line; `null`: it may. Asked with each heartbeat, and before it takes the lease. */
  readonly cannotLead?: () => Promise<string | null>;
  /** Called when that changes. */
  readonly onFitness?: (cannotLead: string | null) => void;
  readonly wallNow: () => number;
  readonly steadyNow?: () => number;
  /** Called once when the lease cannot be read or kept, until that works again. */
  readonly onError: (error: unknown) => void;
}

/** `leaderless`: there is no leader, it writes what it has read. `unknown`: the lease was not read yet, or is free and not wanted. */
export type LeaseState = 'holds' | 'leaderless' | 'stands-by' | 'unknown';

/** Work that only the leader does. */
export interface LeaderWork {
  wake(): void;
  /** Resolves after the abort, once nothing is under way; never rejects. */
  readonly done: () => Promise<void>;
}

export type Lease = ReturnType<typeof createLease>;

/**
 * Elects the one process that follows the chain in a shared database, fires alerts and sends: the holder of the lease.
 * Without its heartbeat for six seconds, after a release, or when it has ended on this machine, another takes it. The
 * state here may be outdated: each transaction checks the lease itself (`requireLease`). The six seconds are those of
 * the process that watches; only the age at its first reading comes from the wall clock. A server has one clock for all.
 */
export function createLease({
  store,
  process,
  role,
  report,
  cannotLead,
  onFitness,
  wallNow,
  steadyNow = () => performance.now(),
  onError,
}: LeaseOptions) {
  const listeners = new Set<(state: LeaseState) => void>();
  const ending = new AbortController();
  let state: LeaseState = 'unknown';
  let holder: string | null = null;
  let seen: HeldLease | null = null;
  /** When the present heartbeat is six seconds old, by the monotonic clock; `null`: nothing was read yet. */
  let lapsesAt: number | null = null;
  let isBidding = false;
  let problem: string | null = null;
  let unfit: string | null = null;
  let fitnessAt = Number.NEGATIVE_INFINITY;
  let work: Promise<void> = Promise.resolve();
  let running: Promise<void> | null = null;

  const held = () => (steadyNow() < (lapsesAt ?? 0) ? seen : null);
  const mayWrite = () => state === 'holds' || state === 'leaderless';

  function become(next: LeaseState): void {
    if (state === next) return;
    state = next;
    for (const listener of listeners) listener(state);
  }

  function inTurn(act: () => Promise<void>): Promise<void> {
    work = work.then(act).then(
      () => {
        problem = null;
      },
      (error: unknown) => {
        // A blocked database is blocked for all processes, and the next reading comes soon.
        if (problem === null) onError(error);
        problem = error instanceof Error ? error.message : String(error);
        if (error instanceof StoreError && LEFT_BEHIND.includes(error.code)) return release().catch(() => {});
      },
    );
    return work;
  }

  async function loop(): Promise<void> {
    const { signal } = ending;
    while (!signal.aborted) {
      await inTurn(() => look());
      await sleep(LOOK_MS, signal);
    }
  }

  async function look(mustBeat = false): Promise<void> {
    if (holder !== null) return beat(holder, mustBeat);
    await observe();
    if (steadyNow() - fitnessAt >= BEAT_MS) await checkFitness();
    if (held() !== null) return become('stands-by');
    if (!isBidding) return become('unknown');
    if (role === 'one-shot') return become('leaderless');
    await take();
  }

  async function checkFitness(): Promise<void> {
    if (role === 'one-shot' || cannotLead === undefined) return;
    const next = await cannotLead();
    fitnessAt = steadyNow();
    if (next === unfit) return;
    unfit = next;
    onFitness?.(next);
  }

  async function beat(by: string, must: boolean): Promise<void> {
    const next = steadyNow() + LEASE_LAPSES_MS;
    if (!must && next - (lapsesAt ?? 0) < BEAT_MS) return;
    await checkFitness();
    if (unfit !== null) return release();
    const heartbeatAt = wallNow();
    if (!(await store.beat(by, heartbeatAt, report?.() ?? null))) {
      holder = null;
      return lose();
    }
    lapsesAt = next;
    if (seen !== null) seen = { ...seen, heartbeatAt };
  }

  async function take(): Promise<void> {
    await checkFitness();
    if (unfit !== null) return become(held() === null ? 'unknown' : 'stands-by');
    const now = wallNow();
    const place = placeOf(pid);
    const times = { since: now, heartbeatAt: now, ageMs: null };
    const next: HeldLease = { holder: randomUUID(), process, place, ...times, report: null };
    if (!(await store.take(next, seen))) return lose();
    holder = next.holder;
    seen = next;
    lapsesAt = steadyNow() + LEASE_LAPSES_MS;
    become('holds');
  }

  async function lose(): Promise<void> {
    await observe();
    become(held() === null ? 'unknown' : 'stands-by');
  }

  async function release(): Promise<void> {
    const by = holder;
    holder = null;
    if (mayWrite()) become('unknown');
    if (by === null) return;
    seen = null;
    await store.release(by);
  }

  async function observe(): Promise<void> {
    const found = await store.read();
    const isNew = found?.holder !== seen?.holder || found?.heartbeatAt !== seen?.heartbeatAt;
    seen = found;
    if (found !== null && isRunning(found.place) === false) {
      lapsesAt = Number.NEGATIVE_INFINITY;
    } else if (found?.ageMs != null || isNew || lapsesAt === null) {
      // The first heartbeat has its stated age; later ones came since the last reading.
      const stated = lapsesAt === null && found ? wallNow() - found.heartbeatAt : 0;
      lapsesAt = steadyNow() + LEASE_LAPSES_MS - Math.max(0, found?.ageMs ?? stated);
    }
  }

  const lease = {
    process,
    isOneShot: role === 'one-shot',

    get state(): LeaseState {
      return state;
    },

    get mayWrite(): boolean {
      return mayWrite();
    },

    /** The right of a write that starts now. Worthless once the lease was lost, even if it is taken again. */
    get right(): WriteRight {
      if (holder !== null) return { kind: 'holder', holder, report: report?.() };
      return state === 'leaderless' ? { kind: 'one-shot', now: wallNow() } : { kind: 'none' };
    },

    /** The lease at the last reading; `null`: free. */
    get held(): HeldLease | null {
      return held();
    },

    /** The leader's report, while another process leads. */
    get leaderReport(): LeaderReport | null {
      return state === 'stands-by' ? (held()?.report ?? null) : null;
    },

    /** Why this process may not lead, one line; `null`: it may. */
    get unfit(): string | null {
      return unfit;
    },

    /** Why it could not be read or taken at the last try; `null`: it could. */
    get problem(): string | null {
      return problem;
    },

    onChange(listener: (state: LeaseState) => void): void {
      listeners.add(listener);
    },

    /** Calls `run` while this process holds the lease, one run after the other. The result resolves with the last one. */
    whileHeld(
      run: (until: AbortSignal) => Promise<void>,
      { signal, onError }: { readonly signal: AbortSignal; readonly onError: (error: unknown) => void },
    ): () => Promise<void> {
      let stop = new AbortController();
      let runs: Promise<void> = Promise.resolve();
      const follow = (now: LeaseState) => {
        stop.abort();
        if (now !== 'holds' || signal.aborted) return;
        stop = new AbortController();
        const until = AbortSignal.any([signal, stop.signal]);
        runs = runs.then(() => run(until)).catch(onError);
      };
      listeners.add(follow);
      follow(state);
      return () => runs;
    },

    /** Starts bidding for the lease. Resolves after the first reading; never rejects. */
    bid(): Promise<void> {
      isBidding = true;
      return lease.look();
    },

    /** Stops bidding, and releases the lease: another process can do better. Never rejects. */
    withdraw(): Promise<void> {
      isBidding = false;
      return inTurn(release);
    },

    /** Reads the lease now, after a refused write or another change. Never rejects. */
    look: () => inTurn(() => look(true)),

    /** Takes it from a holder that writes heartbeats but does no work. Never rejects. */
    takeOver: () =>
      inTurn(async () => {
        if (role === 'one-shot' || holder !== null) return;
        isBidding = true;
        await observe();
        await take();
      }),

    run(): void {
      running ??= loop();
    },

    /** Releases it, so that the next process takes over at once. Nothing may be written after that. Never rejects. */
    async end(): Promise<void> {
      isBidding = false;
      ending.abort();
      await running;
      await inTurn(release);
    },
  };
  return lease;
}

/** Identifies process `pid` to others on its machine. */
export const placeOf = (pid: number): string => JSON.stringify([MACHINE, pid]);

const fromSystem = (read: () => string): string => {
  try {
    return read().trim();
  } catch {
    // Not on this system, or without permission.
    return '';
  }
};

const MACHINE = [
  hostname(),
  fromSystem(() => readFileSync('/proc/sys/kernel/random/boot_id', 'utf8')),
  fromSystem(() => readlinkSync('/proc/self/ns/pid')),
].join(' ');

/** Whether the process of a lease runs on this machine; `null`: not known, as on another one. */
export function isRunning(place: string | null): boolean | null {
  const [machine, pid]: unknown[] = place === null ? [] : JSON.parse(place);
  if (machine !== MACHINE || typeof pid !== 'number') return null;
  try {
    kill(pid, 0);
    return true;
  } catch (error) {
    return !(error instanceof Error && 'code' in error && error.code === 'ESRCH');
  }
}

export function leaseWords(state: LeaseState, { held }: Lease): string {
  if (state === 'holds') return 'alerts on this database fire here now';
  const who = held?.process ?? 'no process yet';
  return `alerts on this database fire elsewhere (${who}); this process stands by`;
}
