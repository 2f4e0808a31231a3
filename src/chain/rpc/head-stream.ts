import { ChainError, isRefusal } from '../errors.ts';
import { type Header, headerAnswer, readAnswer } from './answers.ts';
import type { Clock } from './clock.ts';
import type { Pace } from './pace.ts';
import { askHeader, type RpcNode } from './rpc-node.ts';

/** A subscription that has said nothing for so long is asked whether it is still there. */
const MIN_QUIET_MS = 5_000;

export interface HeadStreamOptions {
  readonly clock: Clock;
  readonly pace: Pace;
  readonly signal: AbortSignal;
}

/**
 * The heads of one node, the present one first, until the node fails (then it rejects) or `signal` aborts. By
 * `newHeads` where the node's transport and the node have it, else by asking. The same head may come again.
 */
export async function* headStream(node: RpcNode, options: HeadStreamOptions): AsyncGenerator<Header> {
  const inbox = createInbox();
  const unsubscribe = await subscribed(node, inbox, options.signal);
  try {
    while (!options.signal.aborted) {
      const header = await askHead(node, options.signal);
      options.pace.heard(header.number, options.clock.elapsed());
      yield header;
      if (!unsubscribe) {
        await options.clock.sleep(options.pace.wait(options.clock.elapsed()), options.signal);
        continue;
      }
      const quietMs = Math.max(MIN_QUIET_MS, 3 * options.pace.blockMs());
      for (;;) {
        const told = await inbox.next(quietMs, options);
        if (told === null) break;
        const head = readAnswer(headerAnswer, told, node.name, 'newHeads');
        options.pace.heard(head.number, options.clock.elapsed());
        yield head;
      }
    }
  } finally {
    unsubscribe?.();
  }
}

async function askHead(node: RpcNode, signal: AbortSignal): Promise<Header> {
  const header = await askHeader(node, 'latest', { signal });
  if (header !== null) return header;
  throw new ChainError('bad-answer', `${node.name} has no block at all: wait until it has begun to sync`);
}

async function subscribed(node: RpcNode, inbox: Inbox, signal: AbortSignal): Promise<(() => void) | null> {
  if (!node.link.subscribeHeads) return null;
  try {
    return await node.link.subscribeHeads(inbox.put, inbox.end, { signal });
  } catch (error) {
    const refused = isRefusal(error) || (error instanceof ChainError && error.code === 'unsupported');
    if (refused) return null;
    throw error;
  }
}

/** Keeps the newest head only: who is slow to take them fills the gap by itself. */
interface Inbox {
  put(head: unknown): void;
  end(error: ChainError): void;
  /** The next head; `null` after `quietMs` without one, or on abort. Rejects when the subscription broke. */
  next(quietMs: number, options: HeadStreamOptions): Promise<unknown>;
}

function createInbox(): Inbox {
  let head: unknown = null;
  let failure: ChainError | null = null;
  let wake: () => void = () => {};
  return {
    put: (value) => {
      head = value;
      wake();
    },
    end: (error) => {
      failure = error;
      wake();
    },
    next: async (quietMs, { clock, signal }) => {
      if (head === null && failure === null && !signal.aborted) {
        const waiting = new AbortController();
        const stop = () => waiting.abort();
        wake = stop;
        signal.addEventListener('abort', stop, { once: true });
        await clock.sleep(quietMs, waiting.signal);
        signal.removeEventListener('abort', stop);
      }
      if (failure !== null) throw failure;
      const told = signal.aborted ? null : head;
      head = null;
      return told;
    },
  };
}
