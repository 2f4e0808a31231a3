/** As much of `ws` as is used here: it has no types of its own. */
declare module 'ws' {
  export class WebSocket {
    constructor(address: URL, options: Readonly<Record<string, unknown>>);
    on(type: 'open' | 'close', listener: () => void): void;
    on(type: 'message', listener: (data: unknown) => void): void;
    on(type: 'error', listener: (error: Error) => void): void;
    send(text: string): void;
    close(): void;
  }
}
