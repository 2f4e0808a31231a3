/** As much of `ws` as is used here: it has no types of its own. */
declare module 'ws' {
  import type { ClientRequest, IncomingMessage } from 'node:http';

  export class WebSocket {
    constructor(address: URL, options: Readonly<Record<string, unknown>>);
    on(type: 'open', listener: () => void): void;
    on(type: 'close', listener: (code: number, reason: Buffer) => void): void;
    on(
      type: 'unexpected-response',
      listener: (request: ClientRequest, response: IncomingMessage) => void,
    ): void;
    on(type: 'message', listener: (data: unknown) => void): void;
    on(type: 'error', listener: (error: Error) => void): void;
    send(text: string): void;
    close(): void;
  }
}
