import { LANES, type LaneName } from '../advice.ts';
import type { LaneOffering } from './lane-report.ts';
import { NaiveRule } from './naive-rule.ts';
import { OfferColumn } from './offer.ts';
import type { Past } from './past.ts';
import { PEERS } from './peers.ts';

/** What every peer and the naive rule would have signed at every block. */
export class Offerings {
  readonly #naiveRule: NaiveRule;
  readonly #naive: OfferColumn;
  readonly #peers: ReadonlyMap<string, Readonly<Record<LaneName, OfferColumn>>>;

  /** @param length blocks that will be walked. */
  constructor(length: number) {
    const column = () => new OfferColumn(length);
    this.#naiveRule = new NaiveRule(length);
    this.#naive = column();
    this.#peers = new Map(
      PEERS.map(({ name }) => [name, { slow: column(), average: column(), fast: column() }]),
    );
  }

  /** Asks each rule what it signs at the newest block, which must be the one after the last one asked about. */
  ask(past: Past): void {
    const at = past.length - 1;
    for (const peer of PEERS) {
      const offers = peer.offers(past);
      for (const lane of LANES) this.#peers.get(peer.name)?.[lane].put(at, offers[lane]);
    }
    this.#naive.put(at, this.#naiveRule.offer(past));
  }

  /** Only Slow waits, so only there the naive rule has something to say. */
  of(lane: LaneName): LaneOffering[] {
    const peers = [...this.#peers].map(([rule, columns]) => ({
      rule,
      kind: 'peer' as const,
      offers: columns[lane],
    }));
    return lane === 'slow' ? [...peers, { rule: 'naive rule', kind: 'naive', offers: this.#naive }] : peers;
  }
}
