import type { TimeFrame } from '../../src/contract/choices.ts';
import type { Service } from '../../src/service/service.ts';
import type { Row } from './row.ts';
import { quantile, range, ratios } from './statistics.ts';
import { startStoredService } from './stored-service.ts';

/** 30 days of 12-second blocks: 216,000. */
const DAYS = 30;
const ROUNDS = 5;
const QUESTIONS = 200;
const WARM_UP = 50;
const MOST_MS = 50;
const URL = 'http://bench.internal/be/api/v1/dashboard/stats/chart?timeFrame=';

/** How long the month's chart takes against the day's, each in turn, with 216,000 blocks stored. */
export async function measureChartCost({ folder }: { readonly folder: string }): Promise<Row[]> {
  await using stored = await startStoredService(folder, DAYS, 1);
  await p99(stored.service, '24h', WARM_UP);
  await p99(stored.service, '30d', WARM_UP);
  const days: number[] = [];
  const months: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    days.push(await p99(stored.service, '24h', QUESTIONS));
    months.push(await p99(stored.service, '30d', QUESTIONS));
  }
  const each = ratios(months, days);
  return [
    {
      measure: 'stats/chart?timeFrame=30d, 216,000 blocks stored, p99',
      gastop: `${quantile(months, 0.5).toFixed(1)} ms`,
      yardstick: `timeFrame=24h, ${quantile(days, 0.5).toFixed(1)} ms`,
      ratio: quantile(each, 0.5),
      spread: `${range(each)} (${ROUNDS} rounds of ${QUESTIONS})`,
      budget: [{ atMost: MOST_MS, figure: { value: quantile(months, 0.5), unit: 'ms' } }],
    },
  ];
}

/** Milliseconds that all but one in a hundred questions stay below, body read. */
async function p99(service: Service, timeFrame: TimeFrame, questions: number): Promise<number> {
  const times: number[] = [];
  for (let question = 0; question < questions; question++) {
    const from = performance.now();
    const response = await service.fetch(new Request(URL + timeFrame));
    await response.text();
    times.push(performance.now() - from);
    if (response.status !== 200) throw new Error(`the chart answered ${response.status}`);
  }
  return quantile(times, 0.99);
}
