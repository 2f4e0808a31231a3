import { join } from 'node:path';
import fc from 'fast-check';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { type LanePrices, PRICED_LANES } from '../../../src/core/advice.ts';
import {
  type AlertPhase,
  type AlertRule,
  ARMED,
  type PricedBlock,
  stepAlert,
  stepMissed,
} from '../../../src/core/alerts/alert-rule.ts';
import { BlockStore } from '../../../src/store/blocks.ts';
import { someRule } from '../../core/alerts/some-rule.ts';
import { blockHash, makeBlock } from '../../helpers/chain-blocks.ts';
import { emptyDatabase, SLOW_ENGINES, wipe } from '../../helpers/databases.ts';
import { openDatabase } from '../../helpers/open-database.ts';
import { rounds } from '../../helpers/rounds.ts';
import { temporaryFolder } from '../../helpers/service.ts';
import { FAILURES } from './failing-writes.ts';
import { savePriced } from './priced-blocks.ts';
import { insertAlerts, readAlerts, storedAlert } from './stored-alerts.ts';

type Prices = LanePrices & { readonly blob: bigint | null };
type Happening =
  | { readonly kind: 'blocks'; readonly prices: readonly Prices[]; readonly isMissed: boolean }
  | { readonly kind: 'reorg'; readonly depth: number }
  | { readonly kind: 'gap'; readonly blocks: number }
  | { readonly kind: 'again' | 'restart' | 'failure' };

const wei = fc.bigInt({ min: 0n, max: 12n });
const blocks = fc.record({
  kind: fc.constant('blocks' as const),
  prices: fc.array(fc.record({ slow: wei, average: wei, fast: wei, blob: fc.option(wei) }), {
    minLength: 1,
    maxLength: 20,
  }),
  isMissed: fc.boolean(),
});
const happenings: fc.Arbitrary<Happening[]> = fc.array(
  fc.oneof(
    { weight: 6, arbitrary: blocks },
    {
      weight: 2,
      arbitrary: fc.record({ kind: fc.constant('reorg' as const), depth: fc.integer({ min: 1, max: 8 }) }),
    },
    {
      weight: 1,
      arbitrary: fc.record({ kind: fc.constant('gap' as const), blocks: fc.integer({ min: 1, max: 3 }) }),
    },
    {
      weight: 2,
      arbitrary: fc.record({
        kind: fc.constantFrom('again' as const, 'restart' as const, 'failure' as const),
      }),
    },
  ),
  { minLength: 1, maxLength: 12 },
);

/** One alert as the rule alone has it, stepped at every block there is. */
class ModelAlert {
  readonly rule: AlertRule;
  phase: AlertPhase = ARMED;
  readonly fired: number[] = [];
  missed = 0;
  #seen = -1;

  constructor(rule: AlertRule) {
    this.rule = rule;
  }

  see({ block, prices, blobPrice = null, isMissed }: PricedBlock): void {
    if (this.#seen !== -1 && block.number !== this.#seen + 1) this.#passUnseen();
    this.#seen = block.number;
    const price = this.rule.lane === 'blob' ? blobPrice : prices[this.rule.lane];
    if (price === null) return;
    const at = { number: block.number, timestamp: block.timestamp, price };
    if (isMissed) {
      const { phase, missesFiring } = stepMissed(this.rule, this.phase, at);
      this.phase = phase;
      if (missesFiring) this.missed += 1;
    } else {
      const { phase, fires } = stepAlert(this.rule, this.phase, at);
      this.phase = phase;
      if (fires) this.fired.push(block.number);
    }
  }

  /** Of what lies between nobody knows whether the condition held, nor whether the price left. */
  #passUnseen(): void {
    this.#confirmAnew(-1);
    if (this.phase.kind === 'cooling') this.phase = { ...this.phase, mustLeave: false };
  }

  rewindTo(number: number): void {
    this.#seen = Math.min(this.#seen, number);
    this.#confirmAnew(number);
  }

  #confirmAnew(number: number): void {
    if (this.phase.kind === 'armed' && (this.phase.trueSince ?? -1) > number) this.phase = ARMED;
  }
}

test.each(SLOW_ENGINES)(
  'the database has every alert end as the rule alone does, through reorgs, gaps, restarts and failures, on %s',
  async (engine) => {
    const server = engine === 'PostgreSQL' ? await emptyDatabase(engine) : null;
    const folder = await temporaryFolder();
    let runs = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.array(someRule, { minLength: 1, maxLength: 6 }),
        happenings,
        async (rules, story) => {
          if (server !== null) await wipe(server);
          const path = server ?? join(folder, `${runs++}.db`);
          const [breaks, mends] = FAILURES[engine];
          let database = await openDatabase(path);
          let store = new BlockStore(database);
          const models = rules.map((rule) => new ModelAlert(rule));
          await insertAlerts(database, ...rules.map((rule, place) => storedAlert(`a${place}`, rule)));
          let next = 100;
          let fork = 0;
          let last: readonly PricedBlock[] = [];
          for (const happening of story) {
            switch (happening.kind) {
              case 'blocks':
                last = happening.prices.map(({ blob, ...prices }, place) => ({
                  block: makeBlock(next + place, { hash: blockHash(next + place, fork) }),
                  prices,
                  blobPrice: blob,
                  isMissed: happening.isMissed,
                }));
                next += last.length;
                await savePriced(store, ...last);
                for (const priced of last) for (const model of models) model.see(priced);
                break;
              case 'again':
                await savePriced(store, ...last);
                break;
              case 'reorg':
                next = Math.max(100, next - happening.depth);
                fork += 1;
                last = [];
                await store.rewindTo(next - 1);
                for (const model of models) model.rewindTo(next - 1);
                break;
              case 'gap':
                next += happening.blocks;
                last = [];
                break;
              case 'restart':
                await database.close();
                database = await openDatabase(path);
                store = new BlockStore(database);
                break;
              case 'failure': {
                await sql.raw(breaks).execute(database.queries);
                const lost = { block: makeBlock(next), prices: flatLow, isMissed: false };
                await expect(savePriced(store, lost)).rejects.toThrow();
                await sql.raw(mends).execute(database.queries);
              }
            }
          }
          const found = await readAlerts(database);
          expect(
            found.map(({ phase, triggerCount, missedCount }) => ({ phase, triggerCount, missedCount })),
          ).toEqual(
            models.map(({ phase, fired, missed }) => ({
              phase,
              triggerCount: fired.length,
              missedCount: missed,
            })),
          );
          const events = await database.queries
            .selectFrom('alert_events')
            .select(['id', 'block_number'])
            .orderBy('id')
            .execute();
          const expected = models.flatMap(({ fired }, place) =>
            fired.map((number, index) => ({ id: `a${place}.${index + 1}`, block_number: number })),
          );
          expect(events).toEqual(expected.sort((a, b) => (a.id < b.id ? -1 : 1)));
          const outbox = await database.queries
            .selectFrom('deliveries')
            .select('event_id')
            .orderBy('id')
            .execute();
          expect(outbox.map(({ event_id }) => event_id)).toEqual(events.map(({ id }) => id));
          await database.close();
        },
      ),
      { numRuns: rounds(150), seed: 4 },
    );
  },
);

const flatLow: LanePrices = { slow: 0n, average: 0n, fast: 0n };

test('two thousand blocks in one transaction are each evaluated, in every lane', async () => {
  const database = await openDatabase(':memory:');
  const store = new BlockStore(database);
  const rules = PRICED_LANES.map((lane) => ({ ...storedAlert('', { lane }).rule, threshold: 10n }));
  await insertAlerts(database, ...rules.map((rule, place) => storedAlert(`a${place}`, rule)));
  const models = rules.map((rule) => new ModelAlert(rule));
  // Each lane dips by itself, and rarely.
  const priced = Array.from({ length: 2_048 }, (_, number) => ({
    block: makeBlock(number),
    prices: {
      slow: number % 511 === 7 ? 9n : 10n,
      average: number % 700 === 0 ? 9n : 10n,
      fast: number === 2_047 ? 9n : 10n,
    },
    blobPrice: number === 1_000 || number === 1_900 ? 9n : 10n,
    isMissed: false,
  }));
  expect(await savePriced(store, ...priced)).toBe(4 + 3 + 1 + 2);
  for (const each of priced) for (const model of models) model.see(each);
  const events = await database.queries
    .selectFrom('alert_events')
    .select(['alert_id', 'block_number'])
    .orderBy('alert_id')
    .orderBy('block_number')
    .execute();
  expect(events).toEqual(
    models.flatMap(({ fired }, place) =>
      fired.map((number) => ({ alert_id: `a${place}`, block_number: number })),
    ),
  );
  await database.close();
});
