export type ChainErrorCode =
  | 'unreachable'
  | 'timeout'
  | 'wrong-chain'
  /** Every node serves another chain under the same id than before. */
  | 'restarted'
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
  /** Whether it is sure that the node never got the question: there was no connection, or it was turned away unread. */
  readonly isUnsent: boolean;

  constructor(
    code: ChainErrorCode,
    message: string,
    options?: ErrorOptions & { readonly isUnsent?: boolean },
  ) {
    super(message, options);
    this.code = code;
    this.isUnsent = options?.isUnsent ?? false;
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

/** What is known of a transaction that no node said to have taken. */
export type SendOutcome =
  /** A node may have it: it did not answer, or not so that one can tell. */
  | 'unknown'
  /** Its nonce is used, some node says: the chain has to be looked at. */
  | 'nonce-used'
  /** No node has it; the same bytes may be taken another time. */
  | 'later'
  /** No node has it, and every one says that it can never be taken. */
  | 'never';

/** A transaction was not taken. `reason`: a word for programs, `insufficient_funds`. */
export class SendFailure extends ChainError {
  readonly outcome: SendOutcome;
  readonly reason: string;

  constructor(outcome: SendOutcome, reason: string, because: ChainError) {
    super(because.code, because.message);
    this.outcome = outcome;
    this.reason = reason;
  }
}
