import type { ChainSource } from '../chain/chain-source.ts';

/** A source or one of its nodes went away or came back; one line for a log. */
export interface News {
  readonly isWell: boolean;
  readonly message: string;
}

/** Tells once when a source goes away and once when it is back; of several nodes it tells the same of each. */
export class SourceNews {
  readonly #source: Pick<ChainSource, 'kind' | 'name' | 'health'>;
  readonly #tell: (news: News) => void;
  #isDown = false;
  /** Places of the nodes that were told to be away: two may have the same name. */
  readonly #away = new Set<number>();

  constructor(source: Pick<ChainSource, 'kind' | 'name' | 'health'>, tell: (news: News) => void) {
    this.#source = source;
    this.#tell = tell;
  }

  /** It went away, and somebody was told why. */
  failed(): void {
    this.#isDown = true;
  }

  /** Something that is no fault. */
  tell(message: string): void {
    this.#tell({ isWell: true, message });
  }

  /** It is asked again and again while it is away, and says so each time. */
  down(reason: string): void {
    this.look();
    if (this.#isDown) return;
    this.#isDown = true;
    this.#tell({ isWell: false, message: `no blocks come: ${reason}; it is asked again by itself` });
  }

  up(): void {
    this.look();
    if (!this.#isDown) return;
    this.#isDown = false;
    this.#tell({ isWell: true, message: `blocks come again from ${this.#source.name}` });
  }

  /** Compares the nodes, where there are several, with how they were. */
  look(): void {
    if (this.#source.kind !== 'rpc') return;
    const nodes = this.#source.health();
    if (nodes.length < 2) return;
    for (const [place, { name, state, message }] of nodes.entries()) {
      const isAway = state === 'down' || state === 'wrong-chain';
      if (isAway === this.#away.has(place)) continue;
      if (isAway) this.#away.add(place);
      else this.#away.delete(place);
      const says = isAway
        ? `node ${name} cannot be used: ${message}`
        : `node ${name} can be used again: ${message}`;
      this.#tell({ isWell: !isAway, message: says });
    }
  }
}
