import { HOUR_MS } from '../../core/time.ts';
import { OPERATOR } from '../../store/tables.ts';
import type { ChainPublisher, PublishedChain } from '../published-chain.ts';
import { gasCurrent } from '../responses/gas.ts';
import type { Gate } from './auth.ts';
import { ApiFailure, toFailure, unavailable } from './errors.ts';

/** Faster blocks share one event, with the newest: a recording may be played at thousands of blocks a second. */
const LEAST_GAP_MS = 200;
/** Proxies and clients close a connection on which nothing arrives. */
const BEAT_MS = 15_000;
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
  readonly published: PublishedChain;
  readonly id: number;
  /** Whether no other event had this block or a later one: after a reorg an id says nothing. */
  readonly isFirst: boolean;
  readonly text: string;
  readonly bytes: Uint8Array<ArrayBuffer>;
}

type Controller = ReadableStreamDefaultController<Uint8Array<ArrayBuffer>>;

/** The open streams of `gas/current` (Server-Sent Events): an event with each change of its response, encoded once. */
export type GasStreams = ReturnType<typeof createGasStreams>;

export function createGasStreams(
  publisher: Pick<ChainPublisher, 'publish' | 'require' | 'subscribe'>,
  gate: Pick<Gate, 'identify'>,
) {
  const readers = new Map<Controller, Reader & { admittedAt: number }>();
  let unsubscribe = () => {};
  let beats: NodeJS.Timeout | undefined;
  let due: NodeJS.Timeout | undefined;
  let sent: GasEvent | null = null;
  let sentAt = Number.NEGATIVE_INFINITY;
  let highest: number | null = null;
  let hasEnded = false;

  function sendNews(): void {
    const published = publisher.publish();
    clearTimeout(due);
    due = undefined;
    if (published === null || published === sent?.published) return;
    const text = JSON.stringify(gasCurrent(published));
    if (text === sent?.text) return;
    const id = published.head.number;
    const isFirst = highest !== null && id > highest;
    const bytes = new TextEncoder().encode(`id: ${id}\ndata: ${text}\n\n`);
    highest = Math.max(id, highest ?? 0);
    sent = { published, id, isFirst, text, bytes };
    sentAt = performance.now();
    for (const controller of readers.keys()) {
      if ((controller.desiredSize ?? 0) > 0) controller.enqueue(bytes);
      else close(controller);
    }
  }

  /** Counts the open streams once an hour, and ends those whose key was revoked or rotated. */
  async function beat(): Promise<void> {
    for (const controller of readers.keys()) {
      if (controller.desiredSize === WAITING_MOST) controller.enqueue(COMMENT);
    }
    for (const [controller, reader] of readers) {
      const now = performance.now();
      try {
        if (now - reader.admittedAt < HOUR_MS) {
          if ((await gate.identify?.(reader.key)) === null) close(controller);
        } else {
          await reader.admit();
          reader.admittedAt = now;
        }
      } catch (error) {
        // If the keys cannot be read, they are checked the next time.
        if (toFailure(error).code !== 'upstream_unavailable') close(controller);
      }
    }
  }

  /** Sends the pending events, then the end. */
  function close(controller: Controller): void {
    if (forget(controller)) controller.close();
  }

  function forget(controller: Controller): boolean {
    const wasOpen = readers.delete(controller);
    if (wasOpen && readers.size === 0) {
      unsubscribe();
      clearInterval(beats);
      clearTimeout(due);
      due = undefined;
    }
    return wasOpen;
  }

  /** Blocks that are ingested together share one event, too. */
  function sendSoon(): void {
    due ??= setTimeout(sendNews, Math.max(sentAt + LEAST_GAP_MS - performance.now(), 0));
  }

  return {
    count: () => readers.size,

    end(): void {
      hasEnded = true;
      for (const controller of readers.keys()) close(controller);
    },

    /** Starts with the present prices, unless its reader has the only event of block `lastId`. @throws {ApiFailure} */
    open(lastId: string | undefined, reader: Reader): ReadableStream<Uint8Array<ArrayBuffer>> {
      if (hasEnded) throw unavailable('the service is being stopped; ask again later', 5);
      // Throws while there are no prices.
      publisher.require();
      const own = [...readers.values()].filter(({ owner }) => owner === reader.owner);
      if (reader.owner !== OPERATOR && own.length >= STREAMS_PER_KEY) {
        const why = `this key has ${STREAMS_PER_KEY} streams open; close one of them, or ask for /gas/current`;
        throw new ApiFailure('rate_limit_exceeded', why, { retrySec: 60 });
      }
      sendNews();
      // The first reader gets the next change at once: a service that has just started is about to become live.
      if (readers.size === 0) sentAt = Number.NEGATIVE_INFINITY;
      const isKnown = sent?.isFirst === true && lastId === String(sent.id);
      const first = isKnown || sent === null ? COMMENT : sent.bytes;
      let opened: Controller;
      return new ReadableStream(
        {
          start(controller) {
            opened = controller;
            if (readers.size === 0) {
              unsubscribe = publisher.subscribe(sendSoon);
              beats = setInterval(() => void beat(), BEAT_MS);
            }
            readers.set(controller, { ...reader, admittedAt: performance.now() });
            // The comment tells the reader that it is connected.
            controller.enqueue(first);
          },
          cancel: () => void forget(opened),
        },
        { highWaterMark: WAITING_MOST },
      );
    },
  };
}
