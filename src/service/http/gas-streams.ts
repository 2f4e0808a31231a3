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
const RETRY_SEC = 60;

const COMMENT = new TextEncoder().encode(':\n\n');

interface Reader {
  /** The id of its key; empty when no key is needed. */
  readonly owner: string;
  readonly key: string | null;
  /** Counts one request of the key. @throws as the gate does */
  readonly admit: () => Promise<unknown>;
  admittedAt: number;
}

interface GasEvent {
  readonly present: Present;
  readonly id: number;
  readonly text: string;
  readonly bytes: Bytes;
}

type Identify = (key: string | null) => Promise<object | null>;
type Bytes = Uint8Array<ArrayBuffer>;
type Controller = ReadableStreamDefaultController<Bytes>;

/** The open streams of `gas/current` (Server-Sent Events): an event with each change of its response, encoded once. */
export class GasStreams {
  readonly #state: Pick<ServiceState, 'moment' | 'present'>;
  readonly #identify: Identify | undefined;
  readonly #readers = new Map<Controller, Reader>();
  #timers: NodeJS.Timeout[] = [];
  #due: NodeJS.Timeout | null = null;
  #sent: GasEvent | null = null;
  #sentAt = Number.NEGATIVE_INFINITY;
  /** The highest block of any event, and whether it had only one: after a reorg an id says nothing. */
  #highest: number | null = null;
  #isOnly = false;
  #hasEnded = false;

  /** `identify` is absent when no key is needed. */
  constructor(
    state: Pick<ServiceState, 'moment' | 'present'>,
    { identify }: { readonly identify?: Identify | undefined },
  ) {
    this.#state = state;
    this.#identify = identify;
  }

  get count(): number {
    return this.#readers.size;
  }

  /** Starts with the present prices, unless its reader has the only event of block `lastId`. @throws {ApiFailure} */
  open(lastId: string | undefined, reader: Omit<Reader, 'admittedAt'>): ReadableStream<Bytes> {
    if (this.#hasEnded) throw unavailable('the service is being stopped; ask again later', 5);
    // Throws while there are no prices.
    this.#state.present();
    const own = [...this.#readers.values()].filter(({ owner }) => owner === reader.owner);
    if (reader.owner !== '' && own.length >= STREAMS_PER_KEY) throw tooMany();
    this.#publish();
    const isKnown = this.#isOnly && lastId === String(this.#sent?.id);
    let opened: Controller;
    return new ReadableStream<Bytes>(
      {
        start: (controller) => {
          opened = controller;
          if (this.#readers.size === 0)
            this.#timers = [setInterval(this.tell, LOOK_MS), setInterval(() => void this.#beat(), BEAT_MS)];
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
    if (this.#due !== null) clearTimeout(this.#due);
    this.#due = null;
    const event = this.#current();
    if (event === null || event.text === this.#sent?.text) return;
    this.#isOnly = this.#highest !== null && event.id > this.#highest;
    this.#highest = Math.max(event.id, this.#highest ?? 0);
    this.#sent = event;
    this.#sentAt = performance.now();
    for (const controller of this.#readers.keys()) {
      if ((controller.desiredSize ?? 0) > 0) controller.enqueue(event.bytes);
      else this.#close(controller);
    }
  }

  #current(): GasEvent | null {
    const present = this.#state.moment();
    if (present === null || present === this.#sent?.present) return this.#sent;
    const text = JSON.stringify(gasCurrent(present));
    const id = present.head.number;
    return { present, id, text, bytes: new TextEncoder().encode(`id: ${id}\ndata: ${text}\n\n`) };
  }

  /** Counts the open streams, and ends those whose key was revoked or rotated. */
  async #beat(): Promise<void> {
    for (const controller of this.#readers.keys()) {
      if (controller.desiredSize === WAITING_MOST) controller.enqueue(COMMENT);
    }
    const known = new Map<string | null, boolean>();
    for (const [controller, reader] of this.#readers) {
      const isKnown = known.get(reader.key) ?? (await this.#mayAsk(reader));
      known.set(reader.key, isKnown);
      if (!isKnown) this.#close(controller);
      else if (performance.now() - reader.admittedAt >= HOUR_MS) void this.#admitAgain(controller, reader);
    }
  }

  /** If the keys cannot be read, they are checked the next time. */
  async #mayAsk({ key }: Reader): Promise<boolean> {
    try {
      return (await this.#identify?.(key)) !== null;
    } catch {
      return true;
    }
  }

  async #admitAgain(controller: Controller, reader: Reader): Promise<void> {
    const { admittedAt } = reader;
    reader.admittedAt = performance.now();
    try {
      await reader.admit();
    } catch (error) {
      if (toFailure(error).code === 'upstream_unavailable') reader.admittedAt = admittedAt;
      else this.#close(controller);
    }
  }

  /** Sends the pending events, then the end. */
  #close(controller: Controller): void {
    if (this.#forget(controller)) controller.close();
  }

  #forget(controller: Controller): boolean {
    const wasOpen = this.#readers.delete(controller);
    if (wasOpen && this.#readers.size === 0) {
      for (const timer of this.#timers) clearInterval(timer);
      if (this.#due !== null) clearTimeout(this.#due);
      this.#due = null;
    }
    return wasOpen;
  }
}

const tooMany = () =>
  new ApiFailure(
    'rate_limit_exceeded',
    `this key has ${STREAMS_PER_KEY} streams open; close one of them, or ask for /gas/current`,
    { retrySec: RETRY_SEC },
  );
