/** As much of `ws` as is used here: it has no types of its own. */
declare module 'ws' {
  export class WebSocket {
    constructor(
      address: URL,
      options: {
        readonly maxPayload: number;
        readonly handshakeTimeout: number;
        readonly closeTimeout: number;
        readonly agent: unknown;
        readonly headers?: { readonly authorization: string };
      },
    );
    addEventListener(type: 'open' | 'close', listener: () => void): void;
    addEventListener(type: 'message', listener: (event: { readonly data?: unknown }) => void): void;
    addEventListener(type: 'error', listener: (event: { readonly error?: unknown }) => void): void;
    send(text: string): void;
    close(): void;
  }
}
