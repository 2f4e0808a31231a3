import { setTimeout as sleep } from 'node:timers/promises';
import { ClientError } from '../../client/errors.ts';
import type { SnapshotView } from '../../client/views/gas.ts';
import { formatCount, formatDuration, gweiString } from '../../core/units.ts';
import { cleanLine } from '../clean-line.ts';
import { CliError } from '../cli-error.ts';
import { durationText } from '../duration.ts';
import { EXIT } from '../exit-code.ts';
import type { Io } from '../io.ts';
import { type OpenedClient, openClient } from '../open-client.ts';
import { READY_WITHIN_MS } from '../ready-snapshot.ts';
import type { Settings } from '../settings.ts';
import { warnOfUnsaved } from '../warn-of-unsaved.ts';
import { type PassingFailure, passingFailure } from './passing-failure.ts';
import { pollIntervalMs } from './poll-interval.ts';
import { PriceWatch, type Sight } from './price-watch.ts';
import { WaitLikelihood } from './wait-likelihood.ts';
import type { WaitPlan } from './wait-plan.ts';
import { WaitProgress } from './wait-progress.ts';
import { WaitTrouble } from './wait-trouble.ts';

export interface Reached {
  readonly snapshot: SnapshotView;
  /** Wei per gas. */
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
  const follower = new PriceFollower(io, settings, plan, quiet);
  return follower.run();
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
          withinMs: READY_WITHIN_MS,
          pace: 'real-time',
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
    if (untilToldMs !== null && untilToldMs < passing.afterMs) {
      await sleep(untilToldMs, undefined, { signal });
      this.#trouble.begin(passing.reason);
      await sleep(passing.afterMs - untilToldMs, undefined, { signal });
      return;
    }
    await sleep(passing.afterMs, undefined, { signal });
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
      `waiting for ${this.#targetText()}`,
      this.#confirmText(),
      this.#trouble.reason === null ? this.#likelihood.text() : '',
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
    return `${badge}${this.#plan.lane} ${gweiString(this.#price)} gwei${block}`;
  }

  #targetText(): string {
    return `${gweiString(this.#plan.target)} gwei or ${this.#plan.side === 'below' ? 'less' : 'more'}`;
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
        ? `no prices of now: ${this.#trouble.reason}`
        : this.#price === null
          ? 'no price came'
          : `${lane} is at ${gweiString(this.#price)} gwei`;
    return new CliError(
      EXIT.timedOut,
      `gave up after ${waited} of waiting for ${this.#targetText()}; ${state}`,
    );
  }

  #recordingEnded({ blockNumber }: SnapshotView): CliError {
    const where = blockNumber === null ? '' : ` at block ${formatCount(blockNumber)}`;
    const price =
      this.#price === null ? '' : `; ${this.#plan.lane} was last at ${gweiString(this.#price)} gwei`;
    return new CliError(
      EXIT.unreachable,
      `the recording ended${where} before the price was ${this.#targetText()}${price}`,
    );
  }
}
