import { ChainError } from '../errors.ts';
import { type Redact, rpcFailure } from './failure.ts';

/** More than any honest answer (a page of 1,024 blocks with tips is 0.2 MB) and far from filling the memory. */
export const MAX_ANSWER_BYTES = 32 * 2 ** 20;

export interface RequestOptions {
  readonly signal?: AbortSignal | undefined;
  readonly timeoutMs?: number | undefined;
}

/** JSON-RPC to one node. Every rejection is a `ChainError` but for the caller's own abort. */
export interface JsonRpcLink {
  request(method: string, params: readonly unknown[], options?: RequestOptions): Promise<unknown>;
  /**
   * `eth_subscribe newHeads`, where the transport can: calls `onHead` for each, `onEnd` once if the connection
   * breaks. Resolves to a function that ends the subscription.
   */
  readonly subscribeHeads:
    | ((
        onHead: (head: unknown) => void,
        onEnd: (error: ChainError) => void,
        options?: RequestOptions,
      ) => Promise<() => void>)
    | null;
  /** Closes what is open; a later request opens it again. */
  close(): void;
}

/** Whose answer it is and what must not be repeated of it. */
export interface Answering {
  readonly name: string;
  readonly redact: Redact;
}

/** The `result` of a JSON-RPC answer, or its `error` as a `ChainError`. */
export function resultOf(answer: unknown, { name: node, redact }: Answering, method: string): unknown {
  if (typeof answer === 'object' && answer !== null && !Array.isArray(answer)) {
    if ('error' in answer && answer.error !== null && answer.error !== undefined) {
      throw rpcFailure(node, method, answer.error, redact);
    }
    if ('result' in answer) return answer.result;
  }
  throw new ChainError(
    'bad-answer',
    `${node} answers JSON that is not JSON-RPC: is that the address of a JSON-RPC node?`,
  );
}
