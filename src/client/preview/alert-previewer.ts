import type { LaneName } from '../../core/advice.ts';
import type { AlertRule } from '../../core/alerts/alert-rule.ts';
import { previewAlert } from '../../core/alerts/preview-alert.ts';
import type { CallOptions } from '../gas-client.ts';
import { unlessCalledOff } from '../turn-queue.ts';
import {
  type DayHistory,
  type DayPrices,
  type History,
  loadDayHistory,
  loadDayPrices,
} from './day-prices.ts';

/** So long what was loaded is as good as new: a day has hardly changed since. */
const KEPT_MS = 60_000;

/** What an alert would have done in the last 24 hours, or in as much of them as the service knows. */
export interface AlertPreview {
  readonly times: number;
  /** Where it would have fired last; `at` in ms since epoch, `price` in wei per gas. */
  readonly last: { readonly at: number; readonly price: bigint } | null;
  /** The time that was looked at, ms since epoch. */
  readonly from: number;
  readonly to: number;
  /** How far apart the prices that were looked at are; `null`: every block's own. */
  readonly everySec: number | null;
  /** Of the lane in that time, wei per gas; `null` where there was nothing to look at. */
  readonly lowest: bigint | null;
  readonly highest: bigint | null;
}

interface PreviewerOptions {
  /** Whether many questions may be asked, as of a service in this process; else one. */
  readonly thorough: boolean;
  /** Wall clock, ms. */
  readonly now: () => number;
}

/** Previews alerts from a service's history. What one of them needed is kept a while for the next, rule after rule. */
export class AlertPreviewer {
  readonly #client: History;
  readonly #options: PreviewerOptions;
  #kept: { readonly since: number; readonly day: Promise<DayHistory>; readonly lanes: Lanes } | null = null;

  constructor(client: History, options: PreviewerOptions) {
    this.#client = client;
    this.#options = options;
  }

  /** @throws ClientError where the service's history cannot be had. */
  async preview(rule: AlertRule, { signal }: CallOptions = {}): Promise<AlertPreview> {
    const loading = this.#prices(rule.lane);
    // It goes on for who asks next, whoever calls off.
    const settled = loading.then(
      () => {},
      () => {},
    );
    await unlessCalledOff(settled, '/dashboard/stats/chart', signal);
    const { prices, from, to, everySec } = await loading;
    const { times, last } = previewAlert(rule, prices);
    return {
      times,
      last: last === null ? null : { at: last.timestamp * 1_000, price: last.price },
      from,
      to,
      everySec,
      ...extremes(prices),
    };
  }

  #prices(lane: LaneName): Promise<DayPrices> {
    const { now, thorough } = this.#options;
    const age = this.#kept === null ? Number.POSITIVE_INFINITY : now() - this.#kept.since;
    const isFresh = age >= 0 && age < KEPT_MS;
    const kept = isFresh && this.#kept !== null ? this.#kept : this.#keep(now(), thorough);
    const known = kept.lanes.get(lane);
    if (known !== undefined) return known;
    const prices = kept.day.then((day) => loadDayPrices(this.#client, day, lane));
    kept.lanes.set(lane, prices);
    prices.catch(() => {
      kept.lanes.delete(lane);
    });
    return prices;
  }

  #keep(since: number, thorough: boolean) {
    const kept = {
      since,
      day: loadDayHistory(this.#client, thorough, since),
      lanes: new Map<LaneName, Promise<DayPrices>>(),
    };
    this.#kept = kept;
    kept.day.catch(() => {
      if (this.#kept === kept) this.#kept = null;
    });
    return kept;
  }
}

type Lanes = Map<LaneName, Promise<DayPrices>>;

function extremes(prices: DayPrices['prices']): Pick<AlertPreview, 'lowest' | 'highest'> {
  let lowest: bigint | null = null;
  let highest: bigint | null = null;
  for (const { price } of prices) {
    if (lowest === null || price < lowest) lowest = price;
    if (highest === null || price > highest) highest = price;
  }
  return { lowest, highest };
}
