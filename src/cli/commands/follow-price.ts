import { setTimeout as sleep } from 'node:timers/promises';
import type { GasClient, ReachQuery } from '../../client/client.ts';
import { ClientError } from '../../client/errors.ts';
import { pauseMs } from '../../client/rate-limit.ts';
import type { SnapshotView } from '../../client/views/gas.ts';
import { staleAfterMs } from '../../core/chains.ts';
import { formatCount, formatDuration, formatGwei, formatLikelihood, gweiString } from '../../core/units.ts';
import { CliError, EXIT } from '../errors.ts';
import type { Io } from '../io.ts';
import { type OpenedClient, openClient, warnOfUnsaved } from '../open-source.ts';
import { cleanLine, StatusLine } from '../output.ts';
import { durationText } from '../parse.ts';
import type { Settings } from '../settings.ts';
import { pastFor } from './now.ts';
import { isMet, type WaitPlan } from './wait.ts';

export interface Reached {
  readonly snapshot: SnapshotView;
  readonly price: bigint;
}

/**
 * Follows the price until it is where the plan wants it, over all failures that pass; the source is closed then.
 *
 * @throws CliError (124) when the time is up, (3) at the end of a recording; Interruption; what no waiting heals.
 */
export async function followPrice(
  io: Io,
  settings: Settings,
  plan: WaitPlan,
  quiet: boolean,
): Promise<Reached> {
  return new PriceFollower(io, settings, plan, quiet).run();
}

class PriceFollower {
  readonly #io: Io;
  readonly #settings: Settings;
  readonly #plan: WaitPlan;
  readonly #watch: PriceWatch;
  readonly #progress: WaitProgress;
  readonly #likelihood: WaitLikelihood;
  readonly #trouble: WaitTrouble;
  readonly #beganAt = performance.now();
  /** Nothing was known before. */
  #hasWorked = false;
  #snapshot: SnapshotView | null = null;
  /** The last price that was of its time. */
  #price: bigint | null = null;
  #sight: Sight | null = null;
  #firstBlockAt: number | null = null;
  #tries = 0;

  constructor(io: Io, settings: Settings, plan: WaitPlan, quiet: boolean) {
    this.#io = io;
    this.#settings = settings;
    this.#plan = plan;
    this.#watch = new PriceWatch(plan);
    this.#likelihood = new WaitLikelihood(plan);
    this.#progress = new WaitProgress(io, !quiet, () => this.#line());
    this.#trouble = new WaitTrouble((line) => {
      if (!quiet) this.#progress.note(`gastop: ${line}`);
    });
  }

  async run(): Promise<Reached> {
    const { timeoutSec } = this.#plan;
    const interruption = this.#io.interruption();
    const timeLimit = new AbortController();
    const timer =
      timeoutSec === null || this.#isReplay ? null : setTimeout(() => timeLimit.abort(), timeoutSec * 1_000);
    const signal = AbortSignal.any([interruption, timeLimit.signal]);
    try {
      this.#progress.draw();
      const opened = await this.#open(signal);
      try {
        return await this.#follow(opened, signal);
      } finally {
        await opened.close();
      }
    } catch (error) {
      interruption.throwIfAborted();
      throw timeLimit.signal.aborted ? this.#timedOut() : error;
    } finally {
      if (timer !== null) clearTimeout(timer);
      this.#progress.end();
    }
  }

  /** A node that does not say which chain it is will, once it is there. */
  async #open(signal: AbortSignal): Promise<OpenedClient> {
    for (;;) {
      try {
        const opened = await openClient(this.#io, this.#settings, {
          historySec: this.#likelihood.pastSec,
          signal,
        });
        warnOfUnsaved(this.#io, opened);
        return opened;
      } catch (error) {
        await this.#survive(error, signal);
      }
    }
  }

  async #follow(opened: OpenedClient, signal: AbortSignal): Promise<Reached> {
    for (;;) {
      try {
        const snapshot = await opened.client.gasCurrent({ signal });
        const sight = this.#take(snapshot);
        if (sight.kind === 'met') {
          return { snapshot, price: sight.price };
        }
        if (sight.kind === 'ended') throw this.#recordingEnded(snapshot);
        if (sight.kind === 'old') this.#trouble.begin(sight.reason);
        else this.#trouble.end();
        if (this.#isReplay && this.#elapsedSec() >= (this.#plan.timeoutSec ?? Number.POSITIVE_INFINITY)) {
          throw this.#timedOut();
        }
        if (this.#progress.isDrawn)
          await this.#likelihood.ask(opened.client, snapshot, this.#elapsedSec(), signal);
        this.#progress.draw();
        await sleep(opened.intervalMs ?? pollIntervalMs(snapshot.updateFrequencySec), undefined, { signal });
      } catch (error) {
        signal.throwIfAborted();
        await this.#survive(error, signal);
      }
    }
  }

  #take(snapshot: SnapshotView): Sight {
    const sight = this.#watch.see(snapshot, this.#io.now());
    this.#hasWorked = true;
    this.#trouble.bePatient(false);
    this.#tries = 0;
    this.#snapshot = snapshot;
    this.#sight = sight;
    this.#firstBlockAt ??= snapshot.blockTimestamp;
    if (sight.kind === 'met' || sight.kind === 'present') this.#price = sight.price;
    return sight;
  }

  /** Waits until the next try; rethrows what will not pass. */
  async #survive(error: unknown, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    this.#tries += 1;
    this.#watch.missed();
    const isStarting = !this.#hasWorked && error instanceof ClientError && error.code === 'unavailable';
    this.#trouble.bePatient(isStarting);
    const passing: PassingFailure | null = passingFailure(error, this.#tries, this.#hasWorked);
    if (passing === null) throw error;
    this.#trouble.begin(passing.reason);
    const untilToldMs = this.#trouble.untilToldMs();
    this.#progress.draw();
    const firstMs = Math.min(untilToldMs ?? passing.afterMs, passing.afterMs);
    await sleep(firstMs, undefined, { signal });
    if (firstMs === passing.afterMs) return;
    this.#trouble.begin(passing.reason);
    await sleep(passing.afterMs - firstMs, undefined, { signal });
  }

  get #isReplay(): boolean {
    return this.#settings.source.value.kind === 'replay';
  }

  /** In the recording's own time where one is played. */
  #elapsedSec(): number {
    if (!this.#isReplay) return (performance.now() - this.#beganAt) / 1_000;
    return ((this.#snapshot?.blockTimestamp ?? 0) - (this.#firstBlockAt ?? 0)) / 1_000;
  }

  #line(): string {
    const parts = [
      this.#priceText(),
      `waiting: ${this.#targetText()}`,
      this.#confirmText(),
      this.#trouble.reason === null ? this.#likelihood.text : '',
      formatDuration(this.#elapsedSec()),
      this.#trouble.reason === null ? '' : `(${cleanLine(this.#trouble.reason)})`,
    ];
    return parts.filter((part) => part !== '').join('  ');
  }

  #priceText(): string {
    const kind = this.#snapshot?.source.kind;
    const badge = kind === 'replay' ? '[REPLAY] ' : kind === 'simulated' ? '[SIMULATED] ' : '';
    if (this.#price === null) return `${badge}${this.#plan.lane} price not known yet`;
    const block =
      this.#snapshot?.blockNumber == null ? '' : ` at #${formatCount(this.#snapshot.blockNumber)}`;
    return `${badge}${this.#plan.lane} ${formatGwei(this.#price)} gwei${block}`;
  }

  #targetText(): string {
    return `at or ${this.#plan.side} ${gweiString(this.#plan.target)} gwei`;
  }

  #confirmText(): string {
    if (this.#sight?.kind !== 'present' || this.#sight.inARow === 0) return '';
    return `${this.#sight.inARow} of ${this.#plan.confirm} blocks`;
  }

  #timedOut(): CliError {
    const waited = durationText(this.#plan.timeoutSec ?? 0);
    const { lane } = this.#plan;
    const state =
      this.#trouble.reason !== null
        ? `no current prices: ${this.#trouble.reason}`
        : this.#price === null
          ? 'no price came'
          : `it is ${formatGwei(this.#price)} gwei`;
    return new CliError(
      EXIT.timedOut,
      `gave up after ${waited} of waiting until ${lane} is ${this.#targetText()}; ${state}`,
    );
  }

  #recordingEnded({ blockNumber }: SnapshotView): CliError {
    const where = blockNumber === null ? '' : ` at block ${formatCount(blockNumber)}`;
    const price = this.#price === null ? '' : `; ${this.#plan.lane} was last ${formatGwei(this.#price)} gwei`;
    return new CliError(
      EXIT.unreachable,
      `the recording ended${where} before the price was ${this.#targetText()}${price}`,
    );
  }
}

type Sight =
  | { readonly kind: 'met'; readonly price: bigint }
  /** As things are now it is to be waited on; `inARow` blocks were already as wanted. */
  | { readonly kind: 'present'; readonly price: bigint; readonly inARow: number }
  /** Whatever the price is, it is not that of now. */
  | { readonly kind: 'old'; readonly reason: string }
  /** A recording is over: nothing new will come. */
  | { readonly kind: 'ended' };

/**
 * Judges what a service says, response after response, by one plan. Old prices count for nothing.
 *
 * A block that could have been seen and was not breaks the row: what it cost is not known. Where blocks come quicker
 * than the service has responses, or than it can be asked, those that are seen count, unless something came between.
 */
export class PriceWatch {
  readonly #plan: WaitPlan;
  #before: string | null = null;
  #changedAt: number | null = null;
  #inARow = 0;
  #last: SnapshotView | null = null;
  #isInterrupted = false;

  constructor(plan: WaitPlan) {
    this.#plan = plan;
  }

  /** @param now wall clock, ms since epoch. */
  see(snapshot: SnapshotView, now: number): Sight {
    if (snapshot.source.ended) return { kind: 'ended' };
    const reason = this.#whyOld(snapshot, now);
    const { price } = snapshot.lanes[this.#plan.lane];
    if (reason !== null || !isMet(this.#plan, price)) {
      this.#inARow = 0;
      this.#last = null;
      this.#isInterrupted = false;
      return reason !== null ? { kind: 'old', reason } : { kind: 'present', price, inARow: 0 };
    }
    const last = this.#last;
    if (last === null || blockOf(last) !== blockOf(snapshot)) {
      this.#inARow = last !== null && this.#follows(last, snapshot) ? this.#inARow + 1 : 1;
      this.#last = snapshot;
      this.#isInterrupted = false;
    }
    const inARow = this.#inARow;
    return inARow >= this.#plan.confirm ? { kind: 'met', price } : { kind: 'present', price, inARow };
  }

  /** No response came: what it cost meanwhile is not known, so only the very next block is the next one. */
  missed(): void {
    this.#isInterrupted = true;
  }

  /** Why the prices are not those of now; `null`: they are. */
  #whyOld(snapshot: SnapshotView, now: number): string | null {
    const { source, stale, blockTimestamp, updatedAt } = snapshot;
    const prices = fingerprint(snapshot);
    if (this.#before !== null && this.#before !== prices) this.#changedAt = now;
    this.#before = prices;
    // A problem beside prices that are not stale, for which nothing is asked again, is another one: a history that cannot be written.
    if (stale || source.problem?.retryAt != null)
      return source.problem?.message ?? 'the service says its prices are old';
    // A recording's and a simulation's blocks have no age by our clock.
    if (source.kind === 'replay' || source.kind === 'simulated') return null;
    const at = blockTimestamp ?? updatedAt;
    const freshSec = freshForSec(snapshot);
    // Prices without a time may be of any day; only a change shows that the service is still updated.
    const isNew = this.#changedAt !== null && (now - this.#changedAt) / 1_000 <= freshSec;
    if (at === null) {
      return isNew ? null : 'the service does not say how old its prices are, so they must change first';
    }
    const ageSec = (now - at) / 1_000;
    if (ageSec > freshSec) return `the newest block is ${formatDuration(ageSec)} old by this machine's clock`;
    // The service's own clock counts as much as ours, which may be behind.
    const saidSec = ((updatedAt ?? at) - at) / 1_000;
    if (saidSec > freshSec)
      return `the newest block is ${formatDuration(saidSec)} old by the service's clock`;
    if (ageSec >= -SLACK_SEC || isNew) return null;
    return `the newest block is ${formatDuration(-ageSec)} ahead of this machine's clock, so it must change first`;
  }

  #follows(last: SnapshotView, next: SnapshotView): boolean {
    // `null`: blocks have no numbers there.
    const gap =
      last.blockNumber === null || next.blockNumber === null ? null : next.blockNumber - last.blockNumber;
    if (gap === 1) return true;
    if (this.#isInterrupted || (gap !== null && gap < 1)) return false;
    // A recording is played as quickly as one likes.
    if (next.source.kind === 'replay') return true;
    const [from, to] = [last.blockTimestamp ?? last.updatedAt, next.blockTimestamp ?? next.updatedAt];
    if (from === null || to === null) return gap === null;
    const passedSec = (to - from) / 1_000;
    // A chain with a block in that many seconds can be seen whole.
    const seeableSec = Math.max(frequencySecOf(next), (2 * FASTEST_POLL_MS) / 1_000);
    return passedSec <= freshForSec(next) && (gap === null || passedSec / gap < seeableSec * OFTENER);
  }
}

/** How far the clocks may differ. */
const SLACK_SEC = 15;
/** Where a service does not say how often it has something new. */
const UNKNOWN_FREQUENCY_SEC = 30;
/**
 * The chain is seen whole only where a block takes at least this share of the time between two responses: quicker ones
 * are missed, however well one looks.
 */
const OFTENER = 0.75;

const frequencySecOf = ({ updateFrequencySec }: SnapshotView) => updateFrequencySec ?? UNKNOWN_FREQUENCY_SEC;

/** How old a block may be to be the newest one, in seconds. */
const freshForSec = (snapshot: SnapshotView) => staleAfterMs(frequencySecOf(snapshot)) / 1_000;

/** What changes with each block. */
const fingerprint = ({ blockNumber, baseFee, lanes }: SnapshotView) =>
  [blockNumber, baseFee, lanes.slow.price, lanes.average.price, lanes.fast.price].join(' ');

const blockOf = (snapshot: SnapshotView) =>
  snapshot.blockNumber ?? snapshot.blockTimestamp ?? snapshot.updatedAt ?? fingerprint(snapshot);

const FIRST_RETRY_MS = 1_000;
const LAST_RETRY_MS = 30_000;

interface PassingFailure {
  readonly reason: string;
  /** When to ask again. */
  readonly afterMs: number;
}

/**
 * What to do about a failed question when waiting: `null` where waiting does not help and a person must act.
 *
 * @param tries how many failed in a row, this one included. @param hasWorked whether the service was ever understood:
 * an address that never was one is a mistake, one that was will be one again.
 */
function passingFailure(error: unknown, tries: number, hasWorked: boolean): PassingFailure | null {
  if (!(error instanceof ClientError)) return null;
  const passing = { reason: reasonOf(error), afterMs: retryAfterMs(error, tries) };
  switch (error.code) {
    case 'quota':
      return { reason: error.message, afterMs: pauseMs(error) };
    case 'not-found':
    case 'unreadable':
      return hasWorked ? passing : null;
    case 'server':
      return hasWorked || (error.status ?? 500) >= 500 ? passing : null;
    case 'unreachable':
    case 'unavailable':
      return passing;
    default:
      return null;
  }
}

function retryAfterMs({ retryAfterSec }: ClientError, tries: number): number {
  const ownMs = Math.min(FIRST_RETRY_MS * 2 ** (tries - 1), LAST_RETRY_MS);
  return Math.min(Math.max((retryAfterSec ?? 0) * 1_000, ownMs), LAST_RETRY_MS);
}

const NAMED_DETAILS = 3;

/** Node by node where there are several; what else could be chosen at the start is of no help while waiting. */
function reasonOf({ message, details }: ClientError): string {
  if (details.length === 0) return message;
  const named = details.slice(0, NAMED_DETAILS).map((detail) => `${detail.path}: ${detail.message}`);
  const more = details.length > NAMED_DETAILS ? `; and ${details.length - NAMED_DETAILS} more` : '';
  return `${message.split('; ')[0]} (${named.join('; ')}${more})`;
}

/** No service is asked oftener. */
const FASTEST_POLL_MS = 500;
const SLOWEST_MS = 10_000;

/** How often to ask who has something new so often: twice as often, so that nothing is seen much later than it could be. */
function pollIntervalMs(updateFrequencySec: number | null): number {
  return Math.min(Math.max(((updateFrequencySec ?? 12) * 1_000) / 2, FASTEST_POLL_MS), SLOWEST_MS);
}

const DEFAULT_WITHIN_SEC = 3_600;
/** Further ahead takes days of past, which nobody loads for a line of progress. */
const FURTHEST_SEC = 6 * 3_600;
const ASK_AGAIN_MS = 30_000;
/** While the service still reads its past. */
const UNKNOWN_ASK_AGAIN_MS = 3_000;
const LEAST_SEC = 60;

/** How likely the price is reached in the time that is left, as far as the service says. */
class WaitLikelihood {
  readonly #plan: WaitPlan;
  #askAt = 0;
  text = '';
  /** A service that does not say it once never will. */
  #isOffered = true;

  constructor(plan: WaitPlan) {
    this.#plan = plan;
  }

  /** How much past the answer needs, seconds. */
  get pastSec(): number {
    return pastFor(this.#question(0));
  }

  /** Asks now and then; a failure leaves it unsaid. */
  async ask(
    client: GasClient,
    { source }: SnapshotView,
    elapsedSec: number,
    signal: AbortSignal,
  ): Promise<void> {
    const now = performance.now();
    // The service counts how often a price came down to one, not how often it went up.
    const isAsked = this.#plan.side === 'below' && source.kind !== 'replay';
    if (!isAsked || !this.#isOffered || now < this.#askAt) return;
    const reach = this.#question(elapsedSec);
    try {
      const said = (await client.gasRecommendation({ reach, signal })).reach;
      if (said === null) this.#isOffered = false;
      const within = durationText(Math.ceil(reach.deadlineSec / LEAST_SEC) * LEAST_SEC);
      this.text =
        said === null || said.probability === null
          ? ''
          : `${formatLikelihood(said.probability)} likely within ${within}`;
      this.#askAt = now + (this.text === '' ? UNKNOWN_ASK_AGAIN_MS : ASK_AGAIN_MS);
    } catch (error) {
      if (!(error instanceof ClientError)) throw error;
      this.text = '';
      this.#askAt = now + ASK_AGAIN_MS;
      this.#isOffered = error.code === 'unreachable' || error.code === 'unavailable';
    }
  }

  #question(elapsedSec: number): ReachQuery {
    const leftSec = (this.#plan.timeoutSec ?? elapsedSec + DEFAULT_WITHIN_SEC) - elapsedSec;
    const deadlineSec = Math.ceil(Math.min(Math.max(leftSec, LEAST_SEC), FURTHEST_SEC));
    return { targetPrice: this.#plan.target, deadlineSec };
  }
}

const REDRAW_MS = 1_000;

/** The line of progress, drawn again every second; lines of lasting interest stay above it. */
class WaitProgress {
  readonly #io: Pick<Io, 'stderr'>;
  readonly #line: StatusLine;
  readonly #text: () => string;
  #timer: NodeJS.Timeout | null = null;

  constructor(io: Pick<Io, 'stderr' | 'env'>, wanted: boolean, text: () => string) {
    this.#io = io;
    // The terminal itself adds ^C.
    this.#line = new StatusLine(io, wanted, 3);
    this.#text = text;
  }

  get isDrawn(): boolean {
    return this.#line.isDrawn;
  }

  draw(): void {
    if (!this.isDrawn) return;
    this.#line.draw(this.#text());
    this.#timer ??= setInterval(() => this.draw(), REDRAW_MS);
  }

  /** Writes a whole line that stays. */
  note(line: string): void {
    this.#line.clear();
    this.#io.stderr.write(`${line}\n`);
    if (this.#timer !== null) this.draw();
  }

  end(): void {
    if (this.#timer !== null) clearInterval(this.#timer);
    this.#timer = null;
    this.#line.clear();
  }
}

/** What lasts shorter is a hiccup that nobody has to hear of. */
const NOTE_AFTER_MS = 5_000;
/** A service that has just been started may still read its history. */
const NOTE_AFTER_START_MS = 30_000;

/** Since when there are no current prices, and whether that was said. */
export class WaitTrouble {
  readonly #note: (line: string) => void;
  readonly #elapsed: () => number;
  #current: { readonly reason: string; readonly since: number; isTold: boolean } | null = null;
  #patienceMs = NOTE_AFTER_MS;

  /** @param elapsed a steady clock, ms. */
  constructor(note: (line: string) => void, elapsed = () => performance.now()) {
    this.#note = note;
    this.#elapsed = elapsed;
  }

  /** `null`: there is none. */
  get reason(): string | null {
    return this.#current?.reason ?? null;
  }

  /** Of a service that is starting, trouble is told later. */
  bePatient(isStarting: boolean): void {
    this.#patienceMs = isStarting ? NOTE_AFTER_START_MS : NOTE_AFTER_MS;
  }

  begin(reason: string): void {
    const { since, isTold } = this.#current ?? { since: this.#elapsed(), isTold: false };
    const isLong = this.#elapsed() - since >= this.#patienceMs;
    if (isLong && !isTold) this.#note(`no current prices: ${cleanLine(reason)}; still waiting`);
    this.#current = { reason, since, isTold: isTold || isLong };
  }

  /** Until it is to be told, ms; `null`: it has been, or there is none. */
  untilToldMs(): number | null {
    if (this.#current === null || this.#current.isTold) return null;
    return Math.max(this.#current.since + this.#patienceMs - this.#elapsed(), 0);
  }

  end(): void {
    if (this.#current?.isTold) {
      const sec = (this.#elapsed() - this.#current.since) / 1_000;
      this.#note(`prices are back after ${formatDuration(sec)}`);
    }
    this.#current = null;
  }
}
