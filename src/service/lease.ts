import { randomUUID } from 'node:crypto';
import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';
import { kill, pid } from 'node:process';
import { sleep } from '../chain/async.ts';
import { systemCode } from '../core/system-code.ts';
import { isLeftBehind } from '../store/errors.ts';
import {
  LEASE_LAPSES_MS,
  type LeaderReport,
  type LeaseStore,
  type StoredLease,
  type WriteRight,
} from '../store/lease.ts';

const BEAT_MS = 2_000;
/** Polling interval of the others, so that an ended leader is replaced quickly. */
const LOOK_MS = 500;

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
  readonly onMayLead?: (cannotLead: string | null) => void;
  readonly wallNow: () => number;
  readonly steadyNow?: () => number;
  /** Called once when the lease cannot be read or renewed, until that works again. */
  readonly onError: (error: unknown) => void;
}

/** `leaderless`: a one-shot that writes, as no process leads. `idle`: this process knows of no leader, and writes nothing. */
export type LeaseState = 'leads' | 'leaderless' | 'stands-by' | 'idle';

/** Work that only the leader does. */
export interface LeaderWork {
  wake(): void;
  /** Resolves after the abort, once nothing is under way; never rejects. */
  readonly done: () => Promise<void>;
}

type Clocks = Required<Pick<LeaseOptions, 'wallNow' | 'steadyNow'>>;

/** The lease as it was last read or written here, and how long it lasts by this process's own clock. */
class SeenLease {
  readonly #clocks: Clocks;
  lease: StoredLease | null = null;
  /** When the present heartbeat is six seconds old, by the monotonic clock; `null`: nothing was read yet. */
  #lapsesAt: number | null = null;

  constructor(clocks: Clocks) {
    this.#clocks = clocks;
  }

  /** `null` once it has lapsed. */
  get current(): StoredLease | null {
    return this.#clocks.steadyNow() < (this.#lapsesAt ?? 0) ? this.lease : null;
  }

  /** Whether a heartbeat of this process would prolong it enough to be worth a write. */
  get isBeatDue(): boolean {
    return this.#clocks.steadyNow() + LEASE_LAPSES_MS - (this.#lapsesAt ?? 0) >= BEAT_MS;
  }

  read(found: StoredLease | null): void {
    const isNew = found?.holder !== this.lease?.holder || found?.heartbeatAt !== this.lease?.heartbeatAt;
    this.lease = found;
    if (found !== null && isRunning(found.place) === false) {
      this.#lapsesAt = Number.NEGATIVE_INFINITY;
    } else if (found?.ageMs != null || isNew || this.#lapsesAt === null) {
      // The first heartbeat has its stated age; later ones came since the last reading.
      const stated = this.#lapsesAt === null && found ? this.#clocks.wallNow() - found.heartbeatAt : 0;
      this.#lapsesAt = this.#clocks.steadyNow() + LEASE_LAPSES_MS - Math.max(0, found?.ageMs ?? stated);
    }
  }

  /** This process has written it, at `steadyAt` at the earliest. */
  wrote(lease: StoredLease | null, steadyAt: number): void {
    this.lease = lease;
    this.#lapsesAt = steadyAt + LEASE_LAPSES_MS;
  }
}

/**
 * Elects the one process that follows the chain in a shared database, fires alerts and sends: the holder of the lease.
 * Without its heartbeat for six seconds, after a release, or when it has ended on this machine, another takes it. The
 * state here may be outdated: each transaction checks the lease itself (`requireLease`). The six seconds are those of
 * the process that watches; only the age at its first reading comes from the wall clock. A server has one clock for all.
 * No method rejects.
 */
export class Lease {
  readonly process: string;
  readonly isOneShot: boolean;
  state: LeaseState = 'idle';
  /** Why this process may not lead, one line; `null`: it may. */
  cannotLead: string | null = null;
  /** Why the lease could not be read or taken at the last try; `null`: it could. */
  problem: string | null = null;
  readonly #options: LeaseOptions & Clocks;
  readonly #seen: SeenLease;
  readonly #listeners = new Set<(state: LeaseState) => void>();
  readonly #ending = new AbortController();
  /** The fencing token while this process leads. */
  #holder: string | null = null;
  #isBidding = false;
  #askedAt = Number.NEGATIVE_INFINITY;
  #work: Promise<void> = Promise.resolve();
  #running: Promise<void> | null = null;

  constructor(options: LeaseOptions) {
    this.process = options.process;
    this.isOneShot = options.role === 'one-shot';
    this.#options = { steadyNow: () => performance.now(), ...options };
    this.#seen = new SeenLease(this.#options);
  }

  get mayWrite(): boolean {
    return this.state === 'leads' || this.state === 'leaderless';
  }

  /** The right of a write that starts now. Worthless once the lease was lost, even if it is taken again. */
  get right(): WriteRight {
    const { report, wallNow } = this.#options;
    if (this.#holder !== null) return { kind: 'holder', holder: this.#holder, report: report?.() };
    return this.state === 'leaderless' ? { kind: 'one-shot', now: wallNow() } : { kind: 'none' };
  }

  /** The lease at the last reading, whichever process has it; `null`: free. */
  get current(): StoredLease | null {
    return this.#seen.current;
  }

  /** The leader's report, while another process leads. */
  get leaderReport(): LeaderReport | null {
    return this.state === 'stands-by' ? (this.current?.report ?? null) : null;
  }

  onChange(listener: (state: LeaseState) => void): void {
    this.#listeners.add(listener);
  }

  /** Calls `run` while this process leads, one run after the other. The result resolves with the last one. */
  whileLeading(
    run: (until: AbortSignal) => Promise<void>,
    { signal, onError }: { readonly signal: AbortSignal; readonly onError: (error: unknown) => void },
  ): () => Promise<void> {
    let stop = new AbortController();
    let runs: Promise<void> = Promise.resolve();
    const restart = (now: LeaseState) => {
      stop.abort();
      if (now !== 'leads' || signal.aborted) return;
      stop = new AbortController();
      const until = AbortSignal.any([signal, stop.signal]);
      runs = runs.then(() => run(until)).catch(onError);
    };
    this.onChange(restart);
    restart(this.state);
    return () => runs;
  }

  run(): void {
    this.#running ??= this.#loop();
  }

  /** Starts bidding for the lease. Resolves after the first reading. */
  bid(): Promise<void> {
    this.#isBidding = true;
    return this.look();
  }

  /** Stops bidding, and releases the lease: another process can do better. */
  withdraw(): Promise<void> {
    this.#isBidding = false;
    return this.#inTurn(() => this.#release());
  }

  /** Reads the lease now, after a refused write or another change. */
  look(): Promise<void> {
    return this.#inTurn(() => this.#look(true));
  }

  /** Takes it from a holder that writes heartbeats but does no work. */
  takeOver(): Promise<void> {
    return this.#inTurn(async () => {
      if (this.isOneShot || this.#holder !== null) return;
      this.#isBidding = true;
      await this.#read();
      await this.#take();
    });
  }

  /** Releases it, so that the next process takes over at once. Nothing may be written after that. */
  async end(): Promise<void> {
    this.#isBidding = false;
    this.#ending.abort();
    await this.#running;
    await this.withdraw();
  }

  async #loop(): Promise<void> {
    const { signal } = this.#ending;
    while (!signal.aborted) {
      await this.#inTurn(() => this.#look());
      await sleep(LOOK_MS, signal);
    }
  }

  #inTurn(act: () => Promise<void>): Promise<void> {
    this.#work = this.#work.then(act).then(
      () => {
        this.problem = null;
      },
      (error: unknown) => {
        // A blocked database is blocked for all processes, and the next reading comes soon.
        if (this.problem === null) this.#options.onError(error);
        this.problem = error instanceof Error ? error.message : String(error);
        if (isLeftBehind(error)) return this.#release().catch(() => {});
      },
    );
    return this.#work;
  }

  #become(next: LeaseState): void {
    if (this.state === next) return;
    this.state = next;
    for (const listener of this.#listeners) listener(next);
  }

  async #look(mustBeat = false): Promise<void> {
    if (this.#holder !== null) return this.#beat(this.#holder, mustBeat);
    await this.#read();
    if (this.#options.steadyNow() - this.#askedAt >= BEAT_MS) await this.#askMayLead();
    if (this.current !== null) this.#become('stands-by');
    else if (!this.#isBidding) this.#become('idle');
    else if (this.isOneShot) this.#become('leaderless');
    else await this.#take();
  }

  async #read(): Promise<void> {
    this.#seen.read(await this.#options.store.read());
  }

  async #askMayLead(): Promise<void> {
    const { cannotLead, onMayLead } = this.#options;
    if (this.isOneShot || cannotLead === undefined) return;
    const next = await cannotLead();
    this.#askedAt = this.#options.steadyNow();
    if (next === this.cannotLead) return;
    this.cannotLead = next;
    onMayLead?.(next);
  }

  async #beat(by: string, must: boolean): Promise<void> {
    if (!must && !this.#seen.isBeatDue) return;
    const { store, report, wallNow } = this.#options;
    const steadyAt = this.#options.steadyNow();
    await this.#askMayLead();
    if (this.cannotLead !== null) return this.#release();
    const heartbeatAt = wallNow();
    if (!(await store.beat(by, heartbeatAt, report?.() ?? null))) return this.#lose();
    const { lease } = this.#seen;
    this.#seen.wrote(lease && { ...lease, heartbeatAt }, steadyAt);
  }

  async #take(): Promise<void> {
    const { process } = this;
    const { store, wallNow } = this.#options;
    await this.#askMayLead();
    if (this.cannotLead !== null) return this.#become(this.current === null ? 'idle' : 'stands-by');
    const now = wallNow();
    const place = placeOf(pid);
    const times = { since: now, heartbeatAt: now, ageMs: null };
    const next: StoredLease = { holder: randomUUID(), process, place, ...times, report: null };
    if (!(await store.take(next, this.#seen.lease))) return this.#lose();
    this.#holder = next.holder;
    this.#seen.wrote(next, this.#options.steadyNow());
    this.#become('leads');
  }

  async #lose(): Promise<void> {
    this.#holder = null;
    await this.#read();
    this.#become(this.current === null ? 'idle' : 'stands-by');
  }

  async #release(): Promise<void> {
    const by = this.#holder;
    this.#holder = null;
    if (this.mayWrite) this.#become('idle');
    if (by === null) return;
    this.#seen.lease = null;
    await this.#options.store.release(by);
  }
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
    return systemCode(error) !== 'ESRCH';
  }
}

export function leaseWords(state: LeaseState, { current }: Lease): string {
  if (state === 'leads') return 'alerts on this database fire here now';
  const who = current?.process ?? 'no process yet';
  return `alerts on this database fire elsewhere (${who}); this process stands by`;
}
