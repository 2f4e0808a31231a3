import { gasCurrent, type Present } from '../responses/gas.ts';
import type { ServiceState } from '../service-state.ts';
import { ApiFailure, toFailure, unavailable } from './errors.ts';

/** Faster blocks share one event, with the newest: a recording may be played at thousands of blocks a second. */
const LEAST_GAP_MS = 200;
/** Prices become stale, and a source fails, without a new block. */
const LOOK_MS = 1_000;
/** Proxies and clients close a connection on which nothing arrives. */
const BEAT_MS = 15_000;
const HOUR_MS = 3_600_000;
const STREAMS_PER_KEY = 5;
/** A reader with more pending events is dropped. Events share their bytes between readers. */
const WAITING_MOST = 16;

const COMMENT = new TextEncoder().encode(':\n\n');

interface Reader {
  /** The id of its key; empty when no key is needed. */
  readonly owner: string;
  readonly key: string | null;
  /** Counts one request of the key. @throws as the gate does */
  readonly admit: () => Promise<unknown>;
}

interface GasEvent {
  readonly present: Present;
  readonly id: number;
  /** Whether no other event had this block or a later one: after a reorg an id says nothing. */
  readonly isFirst: boolean;
  readonly text: string;
  readonly bytes: Uint8Array<ArrayBuffer>;
}

type Controller = ReadableStreamDefaultController<Uint8Array<ArrayBuffer>>;

/** The open streams of `gas/current` (Server-Sent Events): an event with each change of its response, encoded once. */
export class GasStreams {
  readonly #state: Pick<ServiceState, 'moment' | 'present'>;
  readonly #identify: ((key: string | null) => Promise<object | null>) | undefined;
  readonly #readers = new Map<Controller, Reader & { admittedAt: number }>();
  #timers: NodeJS.Timeout[] = [];
  #due: NodeJS.Timeout | undefined;
  #sent: GasEvent | null = null;
  #sentAt = Number.NEGATIVE_INFINITY;
  #highest: number | null = null;
  #hasEnded = false;

  /** `identify` is absent when no key is needed. */
  constructor(
    state: Pick<ServiceState, 'moment' | 'present'>,
    { identify }: { readonly identify?: ((key: string | null) => Promise<object | null>) | undefined },
  ) {
    this.#state = state;
    this.#identify = identify;
  }

  get count(): number {
    return this.#readers.size;
  }

  /** Starts with the present prices, unless its reader has the only event of block `lastId`. @throws {ApiFailure} */
  open(lastId: string | undefined, reader: Reader): ReadableStream<Uint8Array<ArrayBuffer>> {
    if (this.#hasEnded) throw unavailable('the service is being stopped; ask again later', 5);
    // Throws while there are no prices.
    this.#state.present();
    const own = [...this.#readers.values()].filter(({ owner }) => owner === reader.owner);
    if (reader.owner !== '' && own.length >= STREAMS_PER_KEY) throw tooMany();
    this.#publish();
    const isKnown = this.#sent?.isFirst === true && lastId === String(this.#sent.id);
    let opened: Controller;
    return new ReadableStream(
      {
        start: (controller) => {
          opened = controller;
          if (this.#readers.size === 0) {
            this.#timers = [setInterval(this.tell, LOOK_MS), setInterval(() => void this.#beat(), BEAT_MS)];
          }
          this.#readers.set(controller, { ...reader, admittedAt: performance.now() });
          // The comment tells the reader that it is connected.
          controller.enqueue(isKnown || this.#sent === null ? COMMENT : this.#sent.bytes);
        },
        cancel: () => {
          this.#forget(opened);
        },
      },
      { highWaterMark: WAITING_MOST },
    );
  }

  readonly tell = (): void => {
    if (this.#readers.size === 0) return;
    // Blocks that are ingested together share one event, too.
    const waitMs = Math.max(this.#sentAt + LEAST_GAP_MS - performance.now(), 0);
    this.#due ??= setTimeout(() => this.#publish(), waitMs);
  };

  readonly end = (): void => {
    this.#hasEnded = true;
    for (const controller of this.#readers.keys()) this.#close(controller);
  };

  #publish(): void {
    clearTimeout(this.#due);
    this.#due = undefined;
    const present = this.#state.moment();
    if (present === null || present === this.#sent?.present) return;
    const text = JSON.stringify(gasCurrent(present));
    if (text === this.#sent?.text) return;
    const id = present.head.number;
    const isFirst = this.#highest !== null && id > this.#highest;
    const bytes = new TextEncoder().encode(`id: ${id}\ndata: ${text}\n\n`);
    this.#highest = Math.max(id, this.#highest ?? 0);
    this.#sent = { present, id, isFirst, text, bytes };
    this.#sentAt = performance.now();
    for (const controller of this.#readers.keys()) {
      if ((controller.desiredSize ?? 0) > 0) controller.enqueue(bytes);
      else this.#close(controller);
    }
  }

  /** Counts the open streams once an hour, and ends those whose key was revoked or rotated. */
  async #beat(): Promise<void> {
    for (const controller of this.#readers.keys()) {
      if (controller.desiredSize === WAITING_MOST) controller.enqueue(COMMENT);
    }
    for (const [controller, reader] of this.#readers) {
      const now = performance.now();
      try {
        if (now - reader.admittedAt < HOUR_MS) {
          if ((await this.#identify?.(reader.key)) === null) this.#close(controller);
        } else {
          await reader.admit();
          reader.admittedAt = now;
        }
      } catch (error) {
        // If the keys cannot be read, they are checked the next time.
        if (toFailure(error).code !== 'upstream_unavailable') this.#close(controller);
      }
    }
  }

  /** Sends the pending events, then the end. */
  #close(controller: Controller): void {
    if (this.#forget(controller)) controller.close();
  }

  #forget(controller: Controller): boolean {
    const wasOpen = this.#readers.delete(controller);
    if (wasOpen && this.#readers.size === 0) {
      for (const timer of [...this.#timers, this.#due]) clearInterval(timer);
      this.#due = undefined;
    }
    return wasOpen;
  }
}

const tooMany = () =>
  new ApiFailure(
    'rate_limit_exceeded',
    `this key has ${STREAMS_PER_KEY} streams open; close one of them, or ask for /gas/current`,
    { retrySec: 60 },
  );
