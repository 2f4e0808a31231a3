export type ChainErrorCode =
  | 'unreachable'
  | 'timeout'
  | 'wrong-chain'
  | 'bad-answer'
  | 'rejected'
  /** A refusal too: the node is well and no longer keeps what was asked for (EIP-4444). */
  | 'pruned'
  | 'rate-limited'
  | 'unsupported'
  | 'bad-file';

/**
 * A chain source could not do what was asked. `message` is one line for people and says what to do;
 * it holds no URL beyond host and port, and no signed bytes.
 */
export class ChainError extends Error {
  override readonly name = 'ChainError';
  readonly code: ChainErrorCode;

  constructor(code: ChainErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

/** Whether a node answered with a refusal: it is well, and another may say more. */
export function isRefusal(error: unknown): boolean {
  return error instanceof ChainError && (error.code === 'rejected' || error.code === 'pruned');
}

/** An answer was given up because it is larger than any that was expected. */
export class OversizedAnswer extends ChainError {
  constructor(message: string) {
    super('bad-answer', message);
  }
}
