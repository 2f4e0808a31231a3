import { randomUUID } from 'node:crypto';
import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';
import { pid } from 'node:process';
import { StoreError } from '../store/errors.ts';
import {
  type HeldLease,
  LEASE_LAPSES_MS,
  type LeaderReport,
  type LeaseStore,
  type WriteRight,
} from '../store/lease.ts';
import { sleep } from './async.ts';

const BEAT_MS = 2_000;
/** Polling interval of the others, so that an ended leader is replaced quickly. */
const LOOK_MS = 500;

export interface LeaseOptions {
  readonly store: LeaseStore;
  /** Display name: `gastop serve, process 4711`. */
  readonly process: string;
  /** `stays`: bids for the lease, and keeps it. `visits`: ends soon, never takes it, may write while it is free. */
  readonly role: 'stays' | 'visits';
  readonly report?: () => LeaderReport;
  readonly wallNow: () => number;
  readonly steadyNow?: () => number;
  /** Called once when the lease cannot be read or kept, until that works again. */
  readonly onError: (error: unknown) => void;
}

/**
 * `holds`: writes, fires and sends. `visits`: there is no leader, it writes what it has read. `stands-by`: another
 * process leads. `unknown`: the lease was not read yet, or is free and not wanted.
 */
export type LeaseState = 'holds' | 'visits' | 'stands-by' | 'unknown';

/** Work that only the leader does. */
export interface LeaderWork {
  wake(): void;
  /** Resolves after the abort, once nothing is under way; never rejects. */
  readonly done: () => Promise<void>;
}

/**
 * Elects the one process that follows the chain in a shared database, fires alerts and sends: the holder of the lease.
 * Without its heartbeat for six seconds, after a release, or when it has ended on this machine, another takes the
 * lease. The state here may be outdated: each transaction checks the lease itself (`requireRight`). The wall clock is
 * not trusted: the six seconds are those of the process that watches the heartbeat. Only its age at the first reading
 * comes from the wall clock, so that no process waits for a leader that ended long ago. A server has one clock for all.
 */
export class Lease {
  readonly #options: LeaseOptions;
  readonly #steadyNow: () => number;
  readonly #listeners = new Set<(state: LeaseState) => void>();
  #state: LeaseState = 'unknown';
  #holder: string | null = null;
  #seen: HeldLease | null = null;
  /** When the present heartbeat is six seconds old, by the monotonic clock; `null`: nothing was read yet. */
  #lapsesAt: number | null = null;
  #isBidding = false;
  #problem: string | null = null;
  #work: Promise<void> = Promise.resolve();
  readonly #end = new AbortController();
  #running: Promise<void> | null = null;

  constructor(options: LeaseOptions) {
    this.#options = options;
    this.#steadyNow = options.steadyNow ?? (() => performance.now());
  }

  get state(): LeaseState {
    return this.#state;
  }

  get mayWrite(): boolean {
    return this.#state === 'holds' || this.#state === 'visits';
  }

  /** The right of a write that starts now. Worthless once the lease was lost, even if it is taken again. */
  get right(): WriteRight {
    const { report } = this.#options;
    if (this.#holder !== null) return { kind: 'holder', holder: this.#holder, report: report?.() };
    return this.#state === 'visits' ? { kind: 'visitor', now: this.#options.wallNow() } : { kind: 'none' };
  }

  get process(): string {
    return this.#options.process;
  }

  get isVisitor(): boolean {
    return this.#options.role === 'visits';
  }

  /** The lease at the last reading; `null`: free. */
  get held(): HeldLease | null {
    return this.#steadyNow() < (this.#lapsesAt ?? 0) ? this.#seen : null;
  }

  /** The leader's report, while another process leads. */
  get leaderReport(): LeaderReport | null {
    return this.#state === 'stands-by' ? (this.held?.report ?? null) : null;
  }

  /** Why it could not be read or taken at the last try; `null`: it could. */
  get problem(): string | null {
    return this.#problem;
  }

  onChange(listener: (state: LeaseState) => void): void {
    this.#listeners.add(listener);
  }

  /** Calls `run` while this process holds the lease, one run after the other. The result resolves with the last one. */
  whileHeld(
    run: (until: AbortSignal) => Promise<void>,
    { signal, onError }: { readonly signal: AbortSignal; readonly onError: (error: unknown) => void },
  ): () => Promise<void> {
    let stop = new AbortController();
    let work: Promise<void> = Promise.resolve();
    const follow = (state: LeaseState) => {
      stop.abort();
      if (state !== 'holds' || signal.aborted) return;
      stop = new AbortController();
      const until = AbortSignal.any([signal, stop.signal]);
      work = work.then(() => run(until)).catch(onError);
    };
    this.onChange(follow);
    follow(this.state);
    return () => work;
  }

  /** Starts bidding for the lease. Resolves after the first reading; never rejects. */
  bid(): Promise<void> {
    this.#isBidding = true;
    return this.look();
  }

  /** Stops bidding, and releases the lease: another process can do better. Never rejects. */
  withdraw(): Promise<void> {
    this.#isBidding = false;
    return this.#inTurn(() => this.#release());
  }

  /** Reads the lease now, after a refused write or another change. Never rejects. */
  look(): Promise<void> {
    return this.#inTurn(() => this.#look(true));
  }

  /** Takes it from a holder that writes heartbeats but does no work. Never rejects. */
  takeOver(): Promise<void> {
    return this.#inTurn(async () => {
      if (this.#options.role === 'visits' || this.#holder !== null) return;
      this.#isBidding = true;
      await this.#observe();
      await this.#take();
    });
  }

  run(): void {
    this.#running ??= this.#loop();
  }

  /** Releases it, so that the next process takes over at once. Nothing may be written after that. Never rejects. */
  async end(): Promise<void> {
    this.#isBidding = false;
    this.#end.abort();
    await this.#running;
    await this.#inTurn(() => this.#release());
  }

  async #loop(): Promise<void> {
    const { signal } = this.#end;
    while (!signal.aborted) {
      await this.#inTurn(() => this.#look());
      await sleep(LOOK_MS, signal);
    }
  }

  #inTurn(work: () => Promise<void>): Promise<void> {
    this.#work = this.#work.then(work).then(
      () => {
        this.#problem = null;
      },
      (error: unknown) => {
        // A blocked database is blocked for all processes, and the next reading comes soon.
        if (this.#problem === null) this.#options.onError(error);
        this.#problem = error instanceof Error ? error.message : String(error);
        // A newer program leads from now on.
        if (error instanceof StoreError && error.code === 'newer-schema')
          return this.#release().catch(() => {});
      },
    );
    return this.#work;
  }

  async #look(mustBeat = false): Promise<void> {
    if (this.#holder !== null) return this.#beat(this.#holder, mustBeat);
    await this.#observe();
    if (this.held !== null) return this.#become('stands-by');
    if (!this.#isBidding) return this.#become('unknown');
    if (this.#options.role === 'visits') return this.#become('visits');
    await this.#take();
  }

  async #beat(holder: string, must: boolean): Promise<void> {
    const lapsesAt = this.#steadyNow() + LEASE_LAPSES_MS;
    if (!must && lapsesAt - (this.#lapsesAt ?? 0) < BEAT_MS) return;
    const heartbeatAt = this.#options.wallNow();
    const report = this.#options.report?.() ?? null;
    if (!(await this.#options.store.beat(holder, heartbeatAt, report))) {
      this.#holder = null;
      return this.#lose();
    }
    this.#lapsesAt = lapsesAt;
    if (this.#seen !== null) this.#seen = { ...this.#seen, heartbeatAt };
  }

  async #take(): Promise<void> {
    const { store, process, wallNow } = this.#options;
    const now = wallNow();
    const next: HeldLease = {
      holder: randomUUID(),
      process,
      place: placeOf(pid),
      since: now,
      heartbeatAt: now,
      ageMs: null,
      report: null,
    };
    if (!(await store.take(next, this.#seen))) return this.#lose();
    this.#holder = next.holder;
    this.#seen = next;
    this.#lapsesAt = this.#steadyNow() + LEASE_LAPSES_MS;
    this.#become('holds');
  }

  async #lose(): Promise<void> {
    await this.#observe();
    this.#become(this.held === null ? 'unknown' : 'stands-by');
  }

  async #release(): Promise<void> {
    const holder = this.#holder;
    this.#holder = null;
    if (this.mayWrite) this.#become('unknown');
    if (holder === null) return;
    this.#seen = null;
    await this.#options.store.release(holder);
  }

  async #observe(): Promise<void> {
    const found = await this.#options.store.read();
    const before = this.#seen;
    const isNew = found?.holder !== before?.holder || found?.heartbeatAt !== before?.heartbeatAt;
    this.#seen = found;
    if (found !== null && isGone(found.place)) {
      this.#lapsesAt = Number.NEGATIVE_INFINITY;
    } else if (found?.ageMs != null || isNew || this.#lapsesAt === null) {
      // The first heartbeat has its stated age; later ones came since the last reading.
      const stated = this.#lapsesAt === null && found ? this.#options.wallNow() - found.heartbeatAt : 0;
      const age = Math.max(0, found?.ageMs ?? stated);
      this.#lapsesAt = this.#steadyNow() + LEASE_LAPSES_MS - age;
    }
  }

  #become(state: LeaseState): void {
    if (this.#state === state) return;
    this.#state = state;
    for (const listener of this.#listeners) listener(state);
  }
}

/** Identifies process `pid` to others on its machine, also against a later one with its id. */
export function placeOf(pid: number): string {
  return JSON.stringify([MACHINE, pid, startOf(pid)]);
}

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

/** Empty when the system does not report it; `ended` for a zombie. */
function startOf(pid: number): string {
  const stat = fromSystem(() => readFileSync(`/proc/${pid}/stat`, 'utf8'));
  // The name, in brackets, may contain anything.
  const [state = '', ...fields] = stat
    .slice(stat.lastIndexOf(')') + 1)
    .trim()
    .split(' ');
  return state === 'Z' || state === 'X' ? 'ended' : (fields[18] ?? '');
}

/** Whether that process ran on this machine and has ended. Never true for one of another machine. */
function isGone(place: string | null): boolean {
  const [machine, pid, start]: unknown[] = place === null ? [] : JSON.parse(place);
  if (machine !== MACHINE || typeof pid !== 'number') return false;
  try {
    process.kill(pid, 0);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ESRCH') return true;
  }
  const now = startOf(pid);
  return now !== '' && now !== start;
}

export function leaseWords(state: LeaseState, { held }: Lease): string {
  if (state === 'holds') return 'alerts on this database fire here now';
  const who = held?.process ?? 'no process yet';
  return `alerts on this database fire elsewhere (${who}); this process stands by`;
}
