import { setImmediate } from 'node:timers/promises';
import { type ExpressionBuilder, sql } from 'kysely';
import { LANES, type LaneName, type LanePrices } from '../core/advice.ts';
import type { AlertRow } from './alert-schema.ts';
import { integer } from './block-row.ts';
import { prepared, type Slots } from './prepared.ts';
import type { Queries, Tables } from './schema.ts';

/** The extremes of one block or of several in a row. */
export interface Span {
  readonly firstBlock: number;
  readonly lastBlock: number;
  /** The latest of the blocks' times, ms since epoch. */
  readonly lastMs: number;
  readonly lowest: LanePrices;
  readonly highest: LanePrices;
  /**
   * The blocks came too late to tell anybody of. There a confirming alert is woken by the very block that would have
   * it fire, and by none after that.
   */
  readonly isPast: boolean;
}

/** Rows read and written before others have their turn: about two milliseconds. */
const AT_ONCE = 128;

/**
 * The alerts that a block wakes, in pages; what is done with one changes none of the others. Each reason is a look into an
 * index of its own: what sleeps costs nothing.
 */
export async function* wokenAlerts(trx: Queries, span: Span): AsyncGenerator<readonly AlertRow[]> {
  const woken = await selectWoken(trx, wakesOf(span));
  for (let at = 0; at < woken.length; at += AT_ONCE) {
    // The transaction stays open; whoever needs no database is answered meanwhile.
    if (woken.length > AT_ONCE) await setImmediate();
    const ids = JSON.stringify(woken.slice(at, at + AT_ONCE).map(({ id }) => id));
    yield await trx
      .selectFrom('alerts')
      .selectAll()
      .where('id', 'in', sql<string>`(select value from json_each(${ids}))`)
      .orderBy('id')
      .execute();
  }
  // What was written goes to the file in one piece, which takes as long as some pages.
  if (woken.length > AT_ONCE) await setImmediate();
}

/** Whether any of the blocks wakes any alert as they are now. */
export async function wakesAny(trx: Queries, span: Span): Promise<boolean> {
  return (await selectOneWoken(trx, wakesOf(span))).length > 0;
}

/** What a {@link Span} is compared by. */
interface Wakes extends Readonly<Record<`lowest_${LaneName}` | `highest_${LaneName}`, number>> {
  readonly firstBlock: number;
  readonly lastBlock: number;
  readonly lastMs: number;
}

const wakesOf = ({ firstBlock, lastBlock, lastMs, lowest, highest, isPast }: Span): Wakes => ({
  // Only what is past has a first block that counts.
  firstBlock: isPast ? firstBlock : -1,
  lastBlock,
  lastMs,
  lowest_slow: integer(lowest.slow),
  lowest_average: integer(lowest.average),
  lowest_fast: integer(lowest.fast),
  highest_slow: integer(highest.slow),
  highest_average: integer(highest.average),
  highest_fast: integer(highest.fast),
});

const isWoken = (slot: Slots<Wakes>) => (e: ExpressionBuilder<Tables, 'alerts'>) =>
  e.or(
    // The lane stands beside each reason, or SQLite uses one index at most.
    LANES.flatMap((lane) => [
      e.and([e('lane', '=', lane), e('wake_at_most', '>=', slot(`lowest_${lane}`))]),
      e.and([e('lane', '=', lane), e('wake_at_least', '<=', slot(`highest_${lane}`))]),
      e.and([
        e('lane', '=', lane),
        e('wake_block', '<=', slot('lastBlock')),
        e('wake_block', '>=', slot('firstBlock')),
      ]),
      e.and([e('lane', '=', lane), e('wake_ms', '<=', slot('lastMs'))]),
    ]),
  );

const selectWoken = prepared((db, slot: Slots<Wakes>) =>
  db.selectFrom('alerts').select('id').where(isWoken(slot)).orderBy('id'),
);

const selectOneWoken = prepared((db, slot: Slots<Wakes>) =>
  db.selectFrom('alerts').select('id').where(isWoken(slot)).limit(1),
);
