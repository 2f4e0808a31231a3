/** Its owner has another auto-tx for the same nonce of the same sender, and only one of them can be mined. */
export class SameNonceError extends Error {
  override readonly name = 'SameNonceError';
  /** The other one's. */
  readonly id: string;

  constructor(id: string) {
    super(`auto-tx ${id} waits with the same nonce of the same sender; cancel it first`);
    this.id = id;
  }
}
