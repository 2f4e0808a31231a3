/** No node would accept the bytes. `message` is one line that says why, without any of the bytes. */
export class TransactionError extends Error {
  override readonly name = 'TransactionError';
}

export function refuse(why: string): never {
  throw new TransactionError(why);
}
