import type { Database } from './open-database.ts';
import { whileBusy } from './while-busy.ts';

/** What an operator watches: all owners' alerts, and what they send. */
export interface AlertFigures {
  readonly armed: number;
  /** Fired, and not armed again yet. */
  readonly resting: number;
  readonly disabled: number;
  /** Of the alerts there are; it falls when one is deleted. */
  readonly firings: number;
  readonly pending: number;
  readonly failed: number;
}

/** Counts the alerts and deliveries of a database. Rejects with a `StoreError`. */
export function alertFigures({ queries, name }: Pick<Database, 'queries' | 'name'>): Promise<AlertFigures> {
  return whileBusy(name, async () => {
    const alerts = await queries
      .selectFrom('alerts')
      .select((e) => [
        'phase',
        e.fn.countAll<number>().as('count'),
        e.fn.sum<number>('trigger_count').as('fired'),
      ])
      .groupBy('phase')
      .execute();
    const deliveries = await queries
      .selectFrom('deliveries')
      .select((e) => ['status', e.fn.countAll<number>().as('count')])
      .groupBy('status')
      .execute();
    const inPhase = (phase: string) => Number(alerts.find((row) => row.phase === phase)?.count ?? 0);
    const inStatus = (status: string) => Number(deliveries.find((row) => row.status === status)?.count ?? 0);
    return {
      armed: inPhase('armed'),
      resting: inPhase('resting'),
      disabled: inPhase('disabled'),
      firings: alerts.reduce((sum, { fired }) => sum + Number(fired), 0),
      pending: inStatus('PENDING'),
      failed: inStatus('FAILED'),
    };
  });
}
