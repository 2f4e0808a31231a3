import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

export interface RawAnswer {
  readonly status: number;
  readonly headers: ReadonlyMap<string, string>;
  readonly body: Buffer;
}

const HEAD_END = Buffer.from('\r\n\r\n');

/** One connection, bytes out and answers in, so that also what no HTTP client would send can be sent. */
export class RawConnection {
  readonly #socket: Socket;
  #received: Buffer = Buffer.alloc(0);
  #isOver = false;
  #wake: () => void = () => {};

  private constructor(socket: Socket) {
    this.#socket = socket;
    socket.on('data', (chunk: Buffer) => {
      this.#received = Buffer.concat([this.#received, chunk]);
      this.#wake();
    });
    const over = () => {
      this.#isOver = true;
      this.#wake();
    };
    socket.on('error', over);
    socket.on('end', over);
    socket.on('close', over);
  }

  static async open(port: number): Promise<RawConnection> {
    const socket = connect({ host: '127.0.0.1', port, noDelay: true, allowHalfOpen: true });
    await once(socket, 'connect');
    return new RawConnection(socket);
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  send(bytes: Buffer | string): void {
    this.#socket.write(bytes);
  }

  halfClose(): void {
    this.#socket.end();
  }

  close(): void {
    this.#socket.destroy();
  }

  /** The next answer; `null` when the connection ends without one. Rejects when neither comes in time. */
  async answer(isBodiless: boolean, withinMs: number): Promise<RawAnswer | null> {
    const deadline = performance.now() + withinMs;
    for (;;) {
      const answer = this.#take(isBodiless);
      if (answer !== null) {
        if (answer.status >= 200) return answer;
        continue;
      }
      if (this.#isOver) return null;
      const left = deadline - performance.now();
      if (left <= 0) throw new Error('neither an answer nor the end of the connection');
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, left);
        this.#wake = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    }
  }

  #take(isBodiless: boolean): RawAnswer | null {
    const end = this.#received.indexOf(HEAD_END);
    if (end === -1) return null;
    const [first = '', ...lines] = this.#received.toString('latin1', 0, end).split('\r\n');
    const status = Number(/^HTTP\/1\.1 (\d{3})/.exec(first)?.[1]);
    if (!(status >= 100)) throw new Error(`not an answer: ${first.slice(0, 80)}`);
    const headers = new Map(
      lines.map((line): [string, string] => {
        const colon = line.indexOf(':');
        return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
      }),
    );
    const hasBody = !(isBodiless || status < 200 || status === 204 || status === 304);
    if (hasBody && headers.get('transfer-encoding') === 'chunked') {
      return this.#takeChunked(status, headers, end + HEAD_END.length);
    }
    const isCut = headers.get('connection') === 'close';
    if (hasBody && !isCut && !headers.has('content-length'))
      throw new Error(`no length: ${first} ${lines.join('|')}`);
    const length = hasBody ? Number(headers.get('content-length') ?? 0) : 0;
    const from = end + HEAD_END.length;
    if (this.#received.length < from + length) return null;
    const body = this.#received.subarray(from, from + length);
    this.#received = this.#received.subarray(from + length);
    return { status, headers, body };
  }

  #takeChunked(status: number, headers: RawAnswer['headers'], from: number): RawAnswer | null {
    const parts: Buffer[] = [];
    for (let at = from; ; ) {
      const line = this.#received.indexOf('\r\n', at);
      if (line === -1) return null;
      const length = Number.parseInt(this.#received.toString('latin1', at, line), 16);
      const end = line + 2 + length + 2;
      if (this.#received.length < end) return null;
      parts.push(this.#received.subarray(line + 2, end - 2));
      at = end;
      if (length > 0) continue;
      this.#received = this.#received.subarray(at);
      return { status, headers, body: Buffer.concat(parts) };
    }
  }
}
