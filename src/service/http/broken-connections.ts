import type { Socket } from 'node:net';
import { type EarlyRefusal, refuseUnparsed, sendOnSocket } from './early-refusal.ts';
import type { Exchanges } from './exchanges.ts';
import type { RecordedMessage } from './recorded-message.ts';

/** Connections on which something came that cannot be read. Nothing more is read from them. */
export class BrokenConnections {
  readonly #exchanges: Exchanges;
  readonly #known = new WeakSet<Socket>();

  constructor(exchanges: Exchanges) {
    this.#exchanges = exchanges;
  }

  /** Answers what Node's parser would not take, after all that was asked before it on the same connection. */
  refuse(error: NodeJS.ErrnoException, socket: unknown): void {
    if (!isSocket(socket) || this.#known.has(socket)) return;
    if (error.code === 'ECONNRESET' || !socket.writable) {
      socket.destroy();
      return;
    }
    this.#known.add(socket);
    const { open, last } = this.#exchanges.on(socket);
    // A body that cannot be read spoils the request that it belongs to; a head, none that came before.
    const spoilt = last?.complete === false ? last : null;
    const before = [...open.keys()].findLast((each) => each !== spoilt)?.outgoing ?? null;
    const refuse = () => this.#refuseNow(refuseUnparsed(error.code), socket, spoilt);
    if (before === null) refuse();
    else before.once('close', refuse);
  }

  #refuseNow(refusal: EarlyRefusal, socket: Socket, spoilt: RecordedMessage | null): void {
    // Answered, or being answered, without its body.
    if (!socket.writable || spoilt?.outgoing?.headersSent === true) socket.destroySoon();
    else if (spoilt === null) this.#exchanges.refused(refusal, sendOnSocket(socket, refusal));
    else spoilt.record.refused(refusal, sendOnSocket(socket, refusal));
  }
}

const isSocket = (socket: unknown): socket is Socket =>
  typeof socket === 'object' && socket !== null && 'destroySoon' in socket;
